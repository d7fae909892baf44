"""What a scrape says of the store: the same as is counted in full, for much less work."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from gatekeeper.core.decide import Side
from gatekeeper.errors import StoreError
from gatekeeper.outcomes.counts import Span, count
from gatekeeper.outcomes.estimate import estimate_rates
from gatekeeper.outcomes.labels import Label, Labels
from gatekeeper.outcomes.records import Stored
from gatekeeper.outcomes.review import WEEKS, Queue
from gatekeeper.outcomes.states import BOUNDS, WINDOWS, RouteStates, States
from gatekeeper.outcomes.store import Batch, Store
from gatekeeper.outcomes.words import DAY_MS, Truth, week_of, week_start_ms
from gatekeeper.protocols import Decision
from tests.outcomes.made import NOON_MS, ROUTE, accepted, decision, made, unchecked

HOUR_MS = 3_600_000
# Ten minutes past noon, and what the scorer of the made decisions is called.
NOW_MS = NOON_MS + 600_000
SCORER = "fake-gate"


@pytest.fixture
def states(url: str, store: Store) -> Iterator[States]:
    """Read the store by a connection of its own, as a worker does beside its writer."""
    states = States(lambda: Store.open(url), fingerprint=SCORER)
    yield states
    states.close()


def row(one: Decision, at_ms: int, **changes: Any) -> Stored:
    """Return a stored decision of a moment; its number follows from its id, so all differ."""
    at = {"at_ms": at_ms, "week": week_of(at_ms), "fingerprint": SCORER}
    return replace(made(one), u=int(one.id, 16) / 10_000, **{**at, **changes})


def fill(store: Store, *, labels: int = 60) -> None:
    """Store five weeks of decisions of all sides, and label those with the smallest numbers."""
    kinds = (decision, accepted, accepted, unchecked)
    rows = [
        row(kinds[n % 4](n), NOW_MS - n * 5 * HOUR_MS, band="low" if n % 4 == 1 else "one")
        for n in range(160)
    ]
    rows = [replace(one, band="high") if n % 4 == 2 else one for n, one in enumerate(rows)]
    store.write(Batch(decisions=rows))
    for n in range(labels):
        say(store, n, truth=(Truth.WRONG, Truth.CORRECT, Truth.CANNOT_TELL)[n % 3])


def say(store: Store, number: int, *, truth: Truth = Truth.WRONG) -> None:
    """Label a decision."""
    label = Label(decision=f"{number:032x}", reviewer="ann", truth=truth, seen_ms=NOW_MS)
    assert Labels(store).add(label, at_ms=NOW_MS)


def read(states: States, now_ms: int = NOW_MS) -> RouteStates:
    """Return the states of the one route."""
    return states.read([ROUTE], now_ms)[ROUTE]


def in_full(store: Store, days: int) -> dict[tuple[str, str], float]:
    """Return the rates that are known, counted without any short cut."""
    start_ms = NOW_MS // HOUR_MS * HOUR_MS - days * DAY_MS
    span = Span(route=ROUTE, start_ms=start_ms, end_ms=NOW_MS + DAY_MS)
    counts = count(store, span, fingerprint=SCORER)
    return {
        (str(rate), bound): value
        for rate, estimate in estimate_rates(counts.strata, counts.delivered).items()
        for bound in BOUNDS
        if (value := getattr(estimate, bound)) is not None
    }


def test_rates_are_those_counted_in_full(store: Store, states: States) -> None:
    """Hours that are kept, and windows cut from one reading, must change no digit."""
    fill(store)

    first, again = read(states), read(states)

    for window, days in WINDOWS.items():
        expected = in_full(store, days)
        assert len(expected) == 25
        for found in (first, again):
            rates = {key[:2]: value for key, value in found.rates.items() if key[2] == window}
            assert rates == expected


def test_late_write_and_new_decision_are_found(store: Store, states: States) -> None:
    """A store that was away is written late, into hours that were counted long ago."""
    fill(store)
    read(states)
    late = row(decision(1_000), NOW_MS - 3 * DAY_MS)
    new = row(accepted(1_001), NOW_MS + 1_000)

    store.write(Batch(decisions=[late, new]))

    rates = read(states).rates
    assert {key[:2]: value for key, value in rates.items() if key[2] == "7d"} == in_full(store, 7)


def test_hours_that_are_over_are_counted_once(url: str, store: Store) -> None:
    """At 8,000 decisions a day a full count takes most of a second, and a scrape comes often."""
    fill(store)
    since: list[int] = []

    def note(
        _connection: object, _cursor: object, statement: str, parameters: Any, *_: Any
    ) -> None:
        if "max(gatekeeper_decisions.at_ms)" in statement:
            values = parameters.values() if isinstance(parameters, dict) else parameters
            since.append(next(value for value in values if value in hours))

    def opened() -> Store:
        found = Store.open(url)
        event.listen(found.engine, "before_cursor_execute", note)
        return found

    hour = NOW_MS // HOUR_MS
    hours = {(hour - 672) * HOUR_MS, hour * HOUR_MS, (hour + 1) * HOUR_MS}
    states = States(opened, fingerprint=SCORER)

    for now_ms in (NOW_MS, NOW_MS + 60_000, NOW_MS + HOUR_MS):
        read(states, now_ms)
    states.close()

    # At the next full hour the one that is over then is read once more, with all there is in it.
    assert since == [(hour - 672) * HOUR_MS, hour * HOUR_MS, hour * HOUR_MS]


def test_windows_reach_back_to_a_full_hour(store: Store, states: States) -> None:
    """All workers agree where a window begins, and nothing slides with each second."""
    start = NOW_MS // HOUR_MS * HOUR_MS
    ages = {1: start - 7 * DAY_MS, 2: start - 7 * DAY_MS - 1, 3: start - 28 * DAY_MS - 1}
    kinds = {1: accepted, 2: decision, 3: decision}
    store.write(Batch(decisions=[row(kinds[n](n), at_ms) for n, at_ms in ages.items()]))

    rates = read(states).rates

    assert rates["coverage", "point", "7d"] == 1.0
    assert rates["coverage", "point", "28d"] == 0.5


def test_what_is_not_known_is_absent(store: Store, states: States) -> None:
    """A zero would look like a gate that never errs."""
    empty = read(states)
    fill(store, labels=0)

    unlabelled = read(states)

    assert empty.rates == {}
    assert {rate for rate, *_ in unlabelled.rates} == {"coverage"}
    assert empty.labels == empty.waiting == dict.fromkeys(Side, 0)


def test_rates_are_of_the_running_scorer(store: Store, states: States) -> None:
    """After a model change old figures must not pass for those of the new one."""
    other = [row(decision(n), NOW_MS, fingerprint="other") for n in range(4)]
    store.write(Batch(decisions=[*other, row(accepted(9), NOW_MS - DAY_MS)]))
    say(store, 0)

    found = read(states)

    assert found.rates["coverage", "point", "7d"] == 1.0
    assert found.labels[Side.BLOCKED] == 0


def test_labels_count_and_leave_the_queue(url: str, store: Store, states: States) -> None:
    """A label that was given elsewhere shows at the next scrape, and so does undoing."""
    store.write(Batch(decisions=[row(decision(n), NOW_MS) for n in range(5)]))
    store.write(Batch(decisions=[row(accepted(9), NOW_MS), row(unchecked(8), NOW_MS, kept=False)]))
    before = read(states)
    elsewhere = Store.open(url)
    for number in (0, 1, 8):
        say(elsewhere, number)

    labelled = read(states)
    Labels(elsewhere).undo(f"{1:032x}", "ann", at_ms=NOW_MS)
    undone = read(states)
    elsewhere.close()

    def seen(found: RouteStates) -> tuple[int, int]:
        return found.labels[Side.BLOCKED], found.waiting[Side.BLOCKED]

    assert [seen(before), seen(labelled), seen(undone)] == [(0, 5), (2, 3), (1, 4)]
    assert (undone.waiting[Side.ACCEPTED], undone.waiting[Side.UNCHECKED]) == (1, 0)


def test_queue_is_that_of_the_reviewers(store: Store, states: States) -> None:
    """The page must not tell of items that nobody is handed, such as those of six weeks ago."""
    fill(store)
    store.write(Batch(decisions=[row(decision(900), NOW_MS - 42 * DAY_MS)]))
    say(store, 159)

    waiting = read(states).waiting

    handed = Queue(store).progress("bob", [ROUTE], now_ms=NOW_MS)
    for side in Side:
        # Bob is also handed what ann labelled and two are to label.
        twice = [n for n in range(60) if made(decision(n)).second and on(n) is side]
        total = sum(part.waiting for part in handed if part.side is side)
        assert waiting[side] == total - len(twice)


def on(number: int) -> Side:
    """Return the side that ``fill`` puts a decision on."""
    return (Side.BLOCKED, Side.ACCEPTED, Side.ACCEPTED, Side.UNCHECKED)[number % 4]


def test_routes_are_apart(store: Store, states: States) -> None:
    """Only the routes asked for are there, each with its own decisions."""
    other = replace(row(decision(1), NOW_MS), route="/other")
    store.write(Batch(decisions=[row(accepted(2), NOW_MS), other]))

    found = states.read(["/other", "/new"], NOW_MS)

    assert set(found) == {"/other", "/new"}
    assert found["/other"].rates["coverage", "point", "7d"] == 0.0
    assert found["/new"].rates == {}


def labelled_for_years(store: Store, *, routes: int) -> list[str]:
    """Store a labelled decision of a route for each two days of two years; return the routes."""
    paths = [f"/{n}" for n in range(routes)]
    rows = [
        replace(row(decision(n), NOW_MS - n * 2 * DAY_MS), route=paths[n % routes], u=n / 1_000)
        for n in range(365)
    ]
    store.write(Batch(decisions=rows))
    for n, one in enumerate(rows):
        label = Label(decision=one.id, reviewer="ann", truth=Truth.WRONG, seen_ms=one.at_ms)
        assert Labels(store).add(label, at_ms=one.at_ms), n
    return paths


@pytest.mark.parametrize("routes", [1, 5])
def test_labels_are_looked_through_once(url: str, store: Store, routes: int) -> None:
    """With ten routes and a year of labels a scrape would take a second of every worker."""
    paths = labelled_for_years(store, routes=routes)
    asked: list[tuple[str, Any]] = []

    def note(
        _connection: object, _cursor: object, statement: str, parameters: Any, *_: Any
    ) -> None:
        if "truth" in statement:
            asked.append((statement, parameters))

    def opened() -> Store:
        found = Store.open(url)
        event.listen(found.engine, "before_cursor_execute", note)
        return found

    states = States(opened, fingerprint=SCORER)
    found = states.read(paths, NOW_MS)
    states.close()

    [(statement, parameters)] = asked
    assert sum(says.labels[Side.BLOCKED] for says in found.values()) == 15
    if store.engine.dialect.name == "sqlite":
        with store.engine.connect() as connection:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
        steps = [step[-1] for step in plan]
        assert any("gatekeeper_labels USING INDEX gatekeeper_labels_at" in step for step in steps)
        assert any(step.startswith("SEARCH gatekeeper_decisions") for step in steps)


def test_clocks_of_machines_may_be_apart(store: Store, states: States) -> None:
    """A label given by a clock that is slow is no label from before all that is looked at."""
    first_ms = week_start_ms(week_of(NOW_MS) - WEEKS)
    store.write(Batch(decisions=[row(decision(n), first_ms) for n in (1, 2)]))
    label = Label(decision=f"{1:032x}", reviewer="ann", truth=Truth.WRONG, seen_ms=first_ms)

    assert Labels(store).add(label, at_ms=first_ms - 12 * HOUR_MS)

    assert read(states).waiting[Side.BLOCKED] == 1


def test_file_that_is_gone_is_not_made_anew(tmp_path: Path) -> None:
    """An empty file in its place would say that nothing was ever decided, unless one was put."""
    file = tmp_path / "outcomes.db"
    states = States(lambda: Store.open(f"sqlite:///{file}"), fingerprint=SCORER, file=file)
    store = Store.open(f"sqlite:///{file}")
    store.write(Batch(decisions=[row(accepted(1), NOW_MS)]))
    store.close()
    assert read(states).rates

    file.rename(tmp_path / "elsewhere.db")

    with pytest.raises(StoreError, match="is gone"):
        read(states)
    assert not file.exists()
    Store.open(f"sqlite:///{file}").close()
    assert read(states).rates == {}
    states.close()


def test_fork_has_a_connection_of_its_own(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes that talk over one connection get each other's answers."""
    opened: list[Store] = []

    def open_store() -> Store:
        opened.append(Store.open(url))
        return opened[-1]

    states = States(open_store, fingerprint=SCORER)
    read(states)
    read(states)
    assert len(opened) == 1

    with monkeypatch.context() as fork:
        fork.setattr("os.getpid", lambda: 0)
        read(states)

    assert len(opened) == 2
    opened[0].close()
    states.close()


def test_store_says_that_it_answers_before_it_has_counted(store: Store, states: States) -> None:
    """A page that can't wait for the counts still has to know that the store is there."""
    heard: list[str] = []

    states.read([ROUTE], NOW_MS, answered=lambda: heard.append("answered"))

    assert heard == ["answered"]
