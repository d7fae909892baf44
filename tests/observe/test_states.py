"""What is worked out for each page: it says what is known, and never holds the page up."""

import threading
from collections.abc import Callable, Iterator

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from gatekeeper.observe.folder import MetricsMode
from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.observe.page import render
from gatekeeper.observe.states import PolicyStates, Readings, StoreSays, StoreStates

PATIENCE_S = 30.0
STATES = ("gatekeeper_rate", "gatekeeper_labels_in_force", "gatekeeper_review_queue")
COVERAGE = ("gatekeeper_rate", "/a", "7d", "coverage", "point")
UP = ("gatekeeper_store_up",)


class Store:
    """A store that answers when it is told to, and gives the number of the reading for a rate."""

    def __init__(self) -> None:
        self.begins = threading.Semaphore(0)
        self.may_answer = threading.Event()
        self.answers = threading.Semaphore(0)
        self.may_end = threading.Semaphore(0)
        self.raises: BaseException | None = None
        self.readings = 0

    def read(self, answered: Callable[[], None]) -> StoreSays:
        """Answer once that is allowed, and end once that is."""
        self.readings += 1
        rates = {("/a", "coverage", "point", "7d"): float(self.readings)}
        self.begins.release()
        assert self.may_answer.wait(PATIENCE_S)
        answered()
        self.answers.release()
        assert self.may_end.acquire(timeout=PATIENCE_S)
        if self.raises is not None:
            raise self.raises
        waiting = {("/a", "accepted"): 7.0}
        return StoreSays(rates=rates, labels={("/a", "blocked"): 3.0}, waiting=waiting)

    def let_end(self, readings: int = 100) -> None:
        """Let some readings come to their end."""
        self.may_answer.set()
        self.may_end.release(readings)


@pytest.fixture
def store() -> Iterator[Store]:
    """Let nobody wait for ever, whatever a test found out."""
    store = Store()
    yield store
    store.let_end()


class Watched:
    """The states of a store, pages of them, and what was told of its failures."""

    def __init__(self, store: Store, *, patience_s: float) -> None:
        self.told: list[str] = []
        self.now_s = 0.0
        self.states = StoreStates(
            store.read,
            failed=lambda name, error: self.told.append(f"{name} {type(error).__name__}"),
            patience_s=patience_s,
            clock=lambda: self.now_s,
        )

    def page(self) -> dict[tuple[str, ...], float]:
        """Return what a page shows."""
        return page(self.states)


def page(states: PolicyStates | StoreStates) -> dict[tuple[str, ...], float]:
    """Return the samples of a page, by name and sorted label values, as Prometheus reads it."""
    registry = CollectorRegistry()
    WorkerMetrics(["/a"], registry=registry)
    text = render(MetricsMode.SINGLE, registry, [states]).decode()
    found = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert found["gatekeeper_requests_total", "/a", "shadow"] == 0.0
    return found


def names(found: dict[tuple[str, ...], float]) -> set[str]:
    """Return which states of a store are on a page."""
    return {key[0] for key in found} & set(STATES)


def test_states_of_a_store_are_on_the_page(store: Store) -> None:
    """Names and labels are what dashboards and alerts ask for."""
    store.let_end()

    found = Watched(store, patience_s=PATIENCE_S).page()

    assert found[COVERAGE] == 1.0
    assert found["gatekeeper_labels_in_force", "/a", "blocked"] == 3.0
    assert found["gatekeeper_review_queue", "/a", "accepted"] == 7.0
    assert found[UP] == 1.0


def test_what_the_policy_wants_and_trips_are_on_the_page() -> None:
    """An alert holds rates and probes against these, and a trip is there before the first one."""
    states = PolicyStates(
        targets=lambda: {("/a", "false_block"): 0.05},
        tripped=lambda: {"/a": True, "/b": False},
        probes=lambda: 30.0,
    )

    found = page(states)

    assert found["gatekeeper_target", "/a", "false_block"] == 0.05
    assert (found["gatekeeper_tripped", "/a"], found["gatekeeper_tripped", "/b"]) == (1.0, 0.0)
    assert found["gatekeeper_probes_wanted",] == 30.0


def test_store_that_fails_leaves_out_its_states(store: Store) -> None:
    """The page must be there when the store is not, and say so once, not at each scrape."""
    watched = Watched(store, patience_s=PATIENCE_S)
    store.let_end()

    well = watched.page()
    store.raises = OSError("disk full")
    failed = [watched.page(), watched.page()]
    store.raises = None
    again = watched.page()

    assert [found[UP] for found in (well, *failed, again)] == [1.0, 0.0, 0.0, 1.0]
    assert [names(found) for found in failed] == [set(), set()]
    assert names(again) == set(STATES)
    assert watched.told == ["states_failed OSError"]


def test_store_that_does_not_answer_holds_up_no_page(store: Store) -> None:
    """A server that takes connections and says nothing would otherwise end all scrapes."""
    watched = Watched(store, patience_s=0.0)

    found = watched.page()

    assert (names(found), found[UP]) == (set(), 0.0)
    assert watched.told == ["states_failed TimeoutError"]


def test_slow_counts_show_what_was_read_last(store: Store) -> None:
    """The store is there, so it is up; what is a minute old at most is better than nothing."""
    watched = Watched(store, patience_s=0.0)
    store.may_answer.set()
    watched.page()
    store.let_end(1)
    watched.page()
    assert store.answers.acquire(timeout=PATIENCE_S)
    assert store.answers.acquire(timeout=PATIENCE_S)

    watched.now_s = 60.0
    soon = watched.page()
    watched.now_s = 61.0
    late = watched.page()

    assert store.readings == 2
    assert (soon[COVERAGE], names(late)) == (1.0, set())
    assert soon[UP] == late[UP] == 1.0


def test_scrapes_that_overlap_share_the_next_reading(store: Store) -> None:
    """The reading under way may have passed a label just given; two at once would be slower."""
    readings = Readings(store.read)

    first = readings.next()
    assert store.begins.acquire(timeout=PATIENCE_S)
    second, third = readings.next(), readings.next()
    store.let_end()

    rates = [one.says.result(PATIENCE_S).rates for one in (first, second, third)]
    assert [rate["/a", "coverage", "point", "7d"] for rate in rates] == [1.0, 2.0, 2.0]
    assert store.readings == 2


def test_fork_reads_for_itself(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker made by a fork has none of its parent's threads, and would wait for one for ever."""
    readings = Readings(store.read)
    readings.next()
    assert store.begins.acquire(timeout=PATIENCE_S)

    monkeypatch.setattr("os.getpid", lambda: 0)
    own = readings.next()

    # Before the parent's reading, which nobody lets end, is given up.
    assert store.begins.acquire(timeout=PATIENCE_S / 2)
    store.let_end()
    assert own.says.result(PATIENCE_S).rates
