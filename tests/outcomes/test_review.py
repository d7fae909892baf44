"""What is handed to reviewers: the smallest numbers first, sides mixed, some to two people."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.labels import Label, Labels
from gatekeeper.outcomes.records import Stored, texts_of
from gatekeeper.outcomes.review import Queue
from gatekeeper.outcomes.store import Batch, Store
from gatekeeper.outcomes.words import WEEK_MS, Band, Truth
from tests.outcomes.made import NOON_MS, ROUTE, accepted, decision, made, unchecked

NOW_MS = NOON_MS + 60_000


def blocked(number: int, u: float, **changes: object) -> Stored:
    """Return a blocked decision with a number of the test's own, for one reviewer."""
    plain = replace(made(decision(number)), u=u, second=False)
    return replace(plain, **changes)  # type: ignore[arg-type]


def queue(store: Store) -> Queue:
    """Return a queue whose mix is the same in each run."""
    return Queue(store, draw=random.Random(5).random)  # noqa: S311 - repeats


def next_(store: Store, reviewer: str = "ann", count: int = 1) -> list[int]:
    """Return the numbers of the next decisions."""
    taken = queue(store).take(reviewer, [ROUTE], now_ms=NOW_MS, count=count)
    return [int(item.decision, 16) for item in taken]


def say(store: Store, number: int, reviewer: str, truth: Truth = Truth.WRONG) -> None:
    """Label a decision."""
    label = Label(decision=f"{number:032x}", reviewer=reviewer, truth=truth, seen_ms=NOW_MS)
    assert Labels(store).add(label, at_ms=NOW_MS)


def test_smallest_numbers_come_first(store: Store) -> None:
    """Neither time nor score nor the order of arrival decides."""
    rows = [blocked(n, u) for n, u in ((1, 0.5), (2, 0.1), (3, 0.9), (4, 0.3))]
    store.write(Batch(decisions=rows))

    assert next_(store, count=3) == [2, 4, 1]


def test_labelled_ones_and_those_not_kept_do_not_come(store: Store) -> None:
    """One label each is enough, and what is outside the sample stays there."""
    store.write(Batch(decisions=[blocked(1, 0.1), blocked(2, 0.2, kept=False), blocked(3, 0.3)]))
    say(store, 1, "ann")

    assert next_(store, "ann", 5) == [3]
    assert next_(store, "bob", 5) == [3]


def test_undone_one_comes_back(store: Store) -> None:
    """It is passed over otherwise, and all behind it with it."""
    store.write(Batch(decisions=[blocked(1, 0.1), blocked(2, 0.2)]))
    say(store, 1, "ann")
    Labels(store).undo(f"{1:032x}", "ann", at_ms=NOW_MS)

    assert next_(store) == [1]


def test_a_tenth_goes_to_a_second_person(store: Store) -> None:
    """The first one never sees it again."""
    store.write(Batch(decisions=[blocked(1, 0.1, second=True), blocked(2, 0.2)]))
    say(store, 1, "ann")

    assert next_(store, "ann", 5) == [2]
    assert next_(store, "bob", 5) == [1, 2]


def test_what_two_differ_on_goes_to_a_third(store: Store) -> None:
    """Where they agree nobody else is asked."""
    store.write(Batch(decisions=[blocked(1, 0.1, second=True), blocked(2, 0.2, second=True)]))
    for number, truth in ((1, Truth.CORRECT), (2, Truth.WRONG)):
        say(store, number, "ann")
        say(store, number, "bob", truth)

    assert next_(store, "eve", 5) == [1]
    assert next_(store, "bob", 5) == []


def test_sides_are_mixed_as_the_labels_should_be(store: Store) -> None:
    """One blocked to three accepted, half of those with low scores; the next is never certain."""
    rows = [blocked(n, n / 1000) for n in range(100)]
    rows += [replace(made(accepted(100 + n)), u=n / 1000, second=False) for n in range(100)]
    rows += [replace(one, id=f"{300 + n:032x}", band="low") for n, one in enumerate(rows[100:])]
    rows += [replace(made(unchecked(600 + n)), u=n / 1000, second=False) for n in range(100)]
    store.write(Batch(decisions=rows))

    sides = {row.id: (row.side, row.band) for row in rows}
    taken = queue(store).take("ann", [ROUTE], now_ms=NOW_MS, count=90)
    found = Counter(sides[item.decision] for item in taken)

    assert 10 <= found[Side.BLOCKED, Band.ONE] <= 30
    assert 20 <= found[Side.ACCEPTED, Band.LOW] <= 40
    assert 20 <= found[Side.ACCEPTED, Band.HIGH] <= 40
    assert 3 <= found[Side.UNCHECKED, Band.ONE] <= 18


def test_week_with_the_fewest_labels_comes_first(store: Store) -> None:
    """A month's rate needs each of its weeks; what is older than the window needs none."""
    week = made(decision()).week
    rows = [
        blocked(10 * age + n, n / 10, week=week - age, at_ms=NOON_MS - age * WEEK_MS)
        for age in (0, 1, 6)
        for n in range(3)
    ]
    store.write(Batch(decisions=rows))
    say(store, 0, "ann")

    assert next_(store, "ann", 9) == [10, 1, 11, 2, 12]


def test_item_is_blind(store: Store) -> None:
    """Who knows what the gate thought labels the gate's thoughts."""
    one = decision(1)
    texts = texts_of(one)
    assert texts is not None
    store.write(Batch(decisions=[blocked(1, 0.1)], texts={one.id: texts}))

    [item] = queue(store).take("ann", [ROUTE], now_ms=NOW_MS)

    assert (item.texts, item.route, item.seen_ms) == (texts, ROUTE, NOW_MS)
    shown = repr(replace(item, texts=None))
    assert not any(word in shown for word in ("blocked", "FLAGGED", "score", "side"))


def test_progress_tells_what_waits(store: Store) -> None:
    """A queue that starves must be seen before the estimate is."""
    store.write(Batch(decisions=[blocked(1, 0.1), blocked(2, 0.2), made(accepted(3))]))
    say(store, 1, "ann")

    found = queue(store).progress("ann", [ROUTE], now_ms=NOW_MS)

    assert [(one.side, one.labelled, one.waiting) for one in found] == [
        (Side.ACCEPTED, 0, 1),
        (Side.BLOCKED, 1, 1),
    ]


@pytest.mark.parametrize("routes", [[], ["/other"]])
def test_other_routes_have_queues_of_their_own(store: Store, routes: list[str]) -> None:
    """Who reviews one route is not handed another's answers."""
    store.write(Batch(decisions=[blocked(1, 0.1)]))

    assert queue(store).take("ann", routes, now_ms=NOW_MS) == []
