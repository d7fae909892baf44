"""Storing beside the requests: never in the way, within bounds, and back after a failure."""

import asyncio
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event, text

from gatekeeper.errors import StoreError
from gatekeeper.outcomes.recorder import LineBounds, Recorder
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.writer import Writer
from gatekeeper.policy import Mode
from gatekeeper.verdict import Evidence, Passage
from tests.outcomes.made import NOON, accepted, days, decision, source, unchecked

PATIENCE_S = 60.0
QUICK = LineBounds(linger_s=0.01)


class Watch:
    """A recorder on a store, with what it dropped and what it told."""

    def __init__(self, open_store: Callable[[], Store], bounds: LineBounds = QUICK) -> None:
        self.dropped: Counter[str] = Counter()
        self.told: list[str] = []
        self.facts: list[dict[str, str | float]] = []
        self.failed = threading.Event()
        self.recorder = Recorder(
            Writer(open_store, source()),
            dropped=self.drop,
            notice=self.notice,
            bounds=bounds,
            now=lambda: NOON,
        )

    def drop(self, reason: str) -> None:
        """Count a drop."""
        self.dropped[reason] += 1

    def notice(self, event: str, **facts: str | float) -> None:
        """Keep an event."""
        self.told.append(event)
        self.facts.append(facts)
        if event == "store_failed":
            self.failed.set()


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the address of a file."""
    return f"sqlite:///{tmp_path / 'outcomes.db'}"


@pytest.fixture
def watched(url: str) -> Iterator[Watch]:
    """Record into a file."""
    watch = Watch(lambda: Store.open(url))
    yield watch
    watch.recorder.close()


def stored(url: str) -> list[str]:
    """Return the ids in the store."""
    store = Store.open(url)
    with store.transaction() as connection:
        found = connection.execute(text("SELECT id FROM gatekeeper_decisions ORDER BY id")).all()
    store.close()
    return [str(row[0]) for row in found]


def drops(url: str) -> dict[str, int]:
    """Return the drops that the store knows of, by reason."""
    store = Store.open(url)
    with store.transaction() as connection:
        found = connection.execute(text("SELECT reason, count FROM gatekeeper_drops")).all()
    store.close()
    return {str(reason): int(count) for reason, count in found}


def test_decisions_are_stored(watched: Watch, url: str) -> None:
    """Checked or not, each decision is a row, once."""
    for one in (decision(1), accepted(2), unchecked(3), decision(1)):
        watched.recorder.decided(one)

    assert watched.recorder.flush(PATIENCE_S)
    assert stored(url) == [f"{n:032x}" for n in (1, 2, 3)]
    assert (watched.dropped, watched.told) == (Counter(), [])


def test_beginnings_and_websockets_are_no_decisions(watched: Watch, url: str) -> None:
    """Only what was decided is counted in a rate."""
    watched.recorder.began("/v1/answer", Mode.SHADOW)
    watched.recorder.shadow_dropped("/v1/answer", "memory")
    watched.recorder.websocket()

    watched.recorder.close()

    assert stored(url) == []


def test_no_statement_runs_on_the_loops_thread(url: str) -> None:
    """A statement on the loop would stop every request of the process."""
    threads: set[int] = set()

    def open_watched() -> Store:
        threads.add(threading.get_ident())
        store = Store.open(url)
        event.listen(
            store.engine,
            "before_cursor_execute",
            lambda *_: threads.add(threading.get_ident()),
        )
        return store

    watch = Watch(open_watched)

    async def serve() -> int:
        for number in range(50):
            watch.recorder.decided(decision(number))
            await asyncio.sleep(0)
        return threading.get_ident()

    loops = asyncio.run(serve())
    assert watch.recorder.flush(PATIENCE_S)
    watch.recorder.close()

    assert len(threads) == 1
    assert loops not in threads


def test_line_is_bounded_and_drops_are_counted(url: str) -> None:
    """A store that is away must not take the memory of the process."""
    watch = Watch(_away, replace(QUICK, entries=100, batch=10))
    for number in range(500):
        watch.recorder.decided(decision(number))

    # One batch may be in the thread's hands.
    assert 390 <= watch.dropped["entries"] <= 400
    assert watch.told.count("store_dropping") == 1
    watch.recorder.close(patience_s=0.0)
    assert watch.dropped.total() == 500


def test_line_is_bounded_in_bytes(url: str) -> None:
    """A hundred long answers are more than ten thousand short ones."""
    watch = Watch(_away, replace(QUICK, bytes=1_000_000))
    evidence = Evidence(passages=(Passage(id="a", text="x" * 400_000),))
    for number in range(10):
        watch.recorder.decided(decision(number, evidence=evidence))

    assert 7 <= watch.dropped["bytes"] <= 8
    watch.recorder.close(patience_s=0.0)


def test_store_that_comes_back_gets_what_waits(url: str) -> None:
    """An outage shorter than the line costs nothing; what it cost is in the store."""
    is_away = threading.Event()
    is_away.set()

    def open_later() -> Store:
        return _away() if is_away.is_set() else Store.open(url)

    watch = Watch(open_later, replace(QUICK, entries=20, batch=10))
    for number in range(40):
        watch.recorder.decided(decision(number))
    lost = watch.dropped["entries"]
    assert watch.failed.wait(PATIENCE_S)

    is_away.clear()

    assert watch.recorder.flush(PATIENCE_S)
    watch.recorder.decided(decision(40))
    assert watch.recorder.flush(PATIENCE_S)
    assert 10 <= lost <= 20
    assert len(stored(url)) == 41 - lost
    assert drops(url) == {"entries": lost}
    assert watch.told.count("store_failed") == watch.told.count("store_recovered") == 1
    watch.recorder.close()


def test_full_disk_harms_nothing_and_heals(url: str) -> None:
    """Rows past the room wait in the line; when there is room again they are written."""
    Store.open(url).close()
    room = {"pages": 0}

    def open_small() -> Store:
        store = Store.open(url)
        event.listen(store.engine, "engine_connect", lambda c: _limit(c, room["pages"]))
        return store

    room["pages"] = 60
    watch = Watch(open_small, replace(QUICK, entries=600, batch=50))
    for number in range(500):
        watch.recorder.decided(decision(number))
    assert watch.failed.wait(PATIENCE_S)
    assert watch.facts[watch.told.index("store_failed")] == {"error": "OperationalError"}

    room["pages"] = 1_000_000

    assert watch.recorder.flush(PATIENCE_S)
    watch.recorder.close()
    assert len(stored(url)) == 500
    assert watch.dropped == Counter()


def test_row_that_no_store_takes_is_dropped_alone(watched: Watch, url: str) -> None:
    """One bad row must not hold up all that come after it."""
    for number in range(20):
        bad = {"share": None} if number == 7 else {}
        watched.recorder.decided(decision(number, **bad))

    assert watched.recorder.flush(PATIENCE_S)

    assert len(stored(url)) == 19
    assert watched.dropped == Counter(rejected=1)


def test_decision_that_makes_no_row_is_dropped_alone(watched: Watch, url: str) -> None:
    """A fault of our own ends no thread."""
    watched.recorder.decided(decision(1, answers=(b"no text",)))
    watched.recorder.decided(decision(2))

    assert watched.recorder.flush(PATIENCE_S)

    assert stored(url) == [f"{2:032x}"]
    assert watched.dropped == Counter(rejected=1)


def test_closing_writes_what_waits(url: str) -> None:
    """A restart of the server loses nothing."""
    watch = Watch(lambda: Store.open(url), replace(QUICK, linger_s=30.0))
    for number in range(150):
        watch.recorder.decided(decision(number))

    watch.recorder.close(PATIENCE_S)

    assert len(stored(url)) == 150


def test_after_closing_nothing_is_taken(watched: Watch) -> None:
    """What comes too late is counted, for nobody will write it."""
    watched.recorder.close()

    watched.recorder.decided(decision(1))

    assert watched.dropped == Counter(shutdown=1)


def test_closing_without_a_store_ends(url: str) -> None:
    """A server must stop although its store is away."""
    watch = Watch(_away)
    watch.recorder.decided(decision(1))

    watch.recorder.close(patience_s=0.1)

    assert watch.dropped == Counter(shutdown=1)


def test_forked_worker_writes_with_a_thread_of_its_own(watched: Watch, url: str) -> None:
    """A fork takes the line along and leaves the thread behind."""
    watched.recorder.decided(decision(1))
    assert watched.recorder.flush(PATIENCE_S)

    child = os.fork()
    if child == 0:
        watched.recorder.decided(decision(2))
        is_written = watched.recorder.flush(PATIENCE_S)
        os._exit(0 if is_written else 1)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert stored(url) == [f"{n:032x}" for n in (1, 2)]


def test_texts_are_kept_for_the_sample_only(url: str) -> None:
    """With "sampled" the words of kept decisions are stored, and of no other."""
    recorder = Recorder(
        Writer(lambda: Store.open(url), source(store_text="sampled")),
        dropped=lambda _: None,
        notice=lambda *_, **__: None,
        now=lambda: NOON,
    )
    recorder.decided(decision(1))
    recorder.decided(decision(2, action=None))  # never kept: nothing was delivered
    recorder.decided(unchecked(3))  # kept, but nothing was read
    recorder.close(PATIENCE_S)

    store = Store.open(url)
    with store.transaction() as connection:
        found = connection.execute(text("SELECT decision_id FROM gatekeeper_texts")).all()
    store.close()
    assert [row[0] for row in found] == [f"{1:032x}"]


def test_texts_past_their_days_go_while_decisions_come(url: str) -> None:
    """Retention must not hang on somebody's running a command."""
    moments = iter([NOON - days(40), NOON])
    recorder = Recorder(
        Writer(lambda: Store.open(url), source(store_text="sampled")),
        dropped=lambda _: None,
        notice=lambda *_, **__: None,
        now=lambda: next(moments),
        bounds=QUICK,
    )

    for number in (1, 2):
        recorder.decided(decision(number))
        assert recorder.flush(PATIENCE_S)
    recorder.close()

    store = Store.open(url)
    shown = [store.show(f"{n:032x}") for n in (1, 2)]
    store.close()
    assert [bool(one and one.texts) for one in shown] == [False, True]


def _away() -> Store:
    raise StoreError("it is away", "wait", is_passing=True)


def _limit(connection: object, pages: int) -> None:
    raw = connection.connection.driver_connection  # type: ignore[attr-defined]
    raw.execute(f"PRAGMA max_page_count = {pages}")
