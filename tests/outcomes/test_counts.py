"""Counts for the estimates: whose decisions, which labels, and what shadow checks came to."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.counts import LATE_MS, Rollout, Span, count, lost_checks
from gatekeeper.outcomes.estimate import Stratum
from gatekeeper.outcomes.labels import Label, Labels
from gatekeeper.outcomes.records import Stored
from gatekeeper.outcomes.store import Batch, Drop, Store
from gatekeeper.outcomes.words import DAY_MS, Band, Truth
from gatekeeper.policy import Mode
from gatekeeper.verdict import Action
from tests.outcomes.made import (
    NOON,
    NOON_MS,
    ROUTE,
    accepted,
    days,
    decision,
    given_up,
    made,
    unchecked,
)

SPAN = Span(route=ROUTE, start_ms=NOON_MS - 7 * DAY_MS, end_ms=NOON_MS + DAY_MS)
LATER_MS = NOON_MS + 60_000


def row(number: int, u: float, **changes: object) -> Stored:
    """Return a stored decision, blocked in shadow, with a number of the test's own."""
    return replace(made(decision(number)), u=u, **changes)  # type: ignore[arg-type]


def say(store: Store, *numbers: int, truth: Truth = Truth.WRONG, seen_ms: int = LATER_MS) -> None:
    """Label decisions."""
    for number in numbers:
        label = Label(decision=f"{number:032x}", reviewer="ann", truth=truth, seen_ms=seen_ms)
        assert Labels(store).add(label, at_ms=seen_ms)


def only(strata: Sequence[Stratum]) -> Stratum:
    """Return the one stratum that there is."""
    [stratum] = strata
    return stratum


def test_decisions_and_labels_are_counted_by_stratum(store: Store) -> None:
    """What a label weighs follows from both numbers."""
    store.write(Batch(decisions=[row(n, n / 100) for n in range(10)]))
    store.write(Batch(decisions=[made(accepted(20)), made(unchecked(21))]))
    say(store, 0, 1)
    say(store, 2, truth=Truth.CORRECT)
    say(store, 3, truth=Truth.CANNOT_TELL)

    found = {stratum.side: stratum for stratum in count(store, SPAN, fingerprint=None).strata}
    other = count(store, SPAN, fingerprint="fake-gate").strata

    blocked = next(stratum for stratum in other if stratum.side is Side.BLOCKED)
    assert blocked == Stratum(
        side=Side.BLOCKED,
        band=Band.ONE,
        week=row(0, 0.0).week,
        decisions=10,
        wrong=2,
        correct=1,
        cannot_tell=1,
    )
    assert {stratum.side for stratum in other} == {Side.BLOCKED, Side.ACCEPTED}
    assert set(found) <= set(Side)


def test_label_out_of_order_does_not_count(store: Store) -> None:
    """Somebody labelled what a customer complained of; the sample must not know."""
    store.write(Batch(decisions=[row(n, n / 100) for n in range(10)]))
    say(store, 0, 1, 7)

    found = count(store, SPAN)

    assert only(found.strata).wrong == 2
    assert found.out_of_order == 1


def test_label_counts_once_what_was_passed_over_has_one(store: Store) -> None:
    """The gap is closed by labelling, not by throwing labels away."""
    store.write(Batch(decisions=[row(n, n / 100) for n in range(4)]))
    say(store, 0, 3)
    before = count(store, SPAN)

    say(store, 1, 2, truth=Truth.CORRECT)

    after = count(store, SPAN)
    assert (before.out_of_order, after.out_of_order) == (1, 0)
    assert (only(after.strata).wrong, only(after.strata).correct) == (2, 2)


def test_what_came_after_the_label_was_not_passed_over(store: Store) -> None:
    """New decisions with small numbers arrive all week and take nothing back."""
    store.write(Batch(decisions=[row(1, 0.5)]))
    say(store, 1, seen_ms=NOON_MS + 10)
    late = replace(row(2, 0.1), at_ms=NOON_MS + 20)

    store.write(Batch(decisions=[late]))

    found = count(store, SPAN)
    assert (only(found.strata).wrong, found.out_of_order) == (1, 0)


def test_what_was_not_stored_yet_was_not_passed_over(store: Store) -> None:
    """It waits for its batch while others are labelled, and is older than their labels."""
    store.write(Batch(decisions=[row(1, 0.5)]))
    say(store, 1, seen_ms=NOON_MS + LATE_MS)
    late = [replace(row(2, 0.1), at_ms=NOON_MS + 1), replace(row(3, 0.2), at_ms=NOON_MS)]

    store.write(Batch(decisions=late[:1]))
    before = count(store, SPAN)
    store.write(Batch(decisions=late[1:]))

    assert before.out_of_order == 0
    assert count(store, SPAN).out_of_order == 1


def test_label_on_what_was_not_kept_does_not_count(store: Store) -> None:
    """What was never in the sample can't be drawn from it."""
    store.write(Batch(decisions=[row(1, 0.9, kept=False)]))
    say(store, 1)

    found = count(store, SPAN)

    assert (only(found.strata).wrong, found.out_of_order) == (0, 1)


def test_undone_label_does_not_count(store: Store) -> None:
    """What was taken back is gone from the rates."""
    store.write(Batch(decisions=[row(1, 0.1)]))
    say(store, 1)
    Labels(store).undo(f"{1:032x}", "ann", at_ms=LATER_MS)

    assert only(count(store, SPAN).strata).labelled == 0


def test_scorers_are_not_pooled(store: Store) -> None:
    """Figures of the model before say nothing of the one that runs."""
    old = row(1, 0.1, fingerprint="old", at_ms=NOON_MS - DAY_MS)
    store.write(Batch(decisions=[old, row(2, 0.2), row(3, 0.3)]))
    say(store, 1, 2)

    found = count(store, SPAN)
    before = count(store, SPAN, fingerprint="old")

    assert (found.fingerprint, only(found.strata).decisions, found.elsewhere) == ("fake-gate", 2, 1)
    assert (only(before.strata).decisions, only(before.strata).wrong) == (1, 1)


def test_mode_and_share_pool_except_in_what_was_delivered(store: Store) -> None:
    """The gate decides alike in shadow; what users got is another matter."""
    shadow = row(1, 0.1, at_ms=NOON_MS - DAY_MS)
    enforced = row(2, 0.2, mode="enforce", delivered=False, action="WITHHOLD")
    other_share = row(3, 0.3, mode="enforce", share=0.5, at_ms=NOON_MS - 2 * DAY_MS)
    let_go = replace(made(accepted(4)), mode="enforce", u=0.4)
    store.write(Batch(decisions=[shadow, enforced, other_share, let_go]))

    found = count(store, SPAN)

    assert sum(stratum.decisions for stratum in found.strata) == 4
    assert found.rollout == Rollout("enforce", 1.0)
    assert found.delivered is not None
    assert [(s.side, s.decisions) for s in found.delivered] == [(Side.ACCEPTED, 1)]


def test_other_routes_and_times_are_others(store: Store) -> None:
    """A window is a route and a time."""
    store.write(
        Batch(
            decisions=[
                row(1, 0.1, route="/other"),
                row(2, 0.2, at_ms=SPAN.start_ms - 1),
                row(3, 0.3, at_ms=SPAN.end_ms),
                row(4, 0.4, at_ms=SPAN.start_ms),
            ]
        )
    )

    assert sum(stratum.decisions for stratum in count(store, SPAN).strata) == 1


def test_empty_store_has_no_rollout(store: Store) -> None:
    """Nothing was decided: nothing is known, and nothing breaks."""
    found = count(store, SPAN)

    assert (found.strata, found.delivered, found.rollout) == ((), None, None)


@pytest.mark.parametrize("mode", [Mode.SHADOW, Mode.ENFORCE])
def test_shadow_checks_that_came_to_nothing_are_counted_a_day(store: Store, mode: Mode) -> None:
    """Overload drops the busy hours; what was not stored is missing too."""
    yesterday = NOON - days(1)
    store.write(
        Batch(
            decisions=[
                *(made(decision(n, mode=mode)) for n in range(3)),
                made(given_up(3, mode=mode)),
                made(decision(4, mode=mode), yesterday),
                made(accepted(5, mode=Mode.ENFORCE, action=Action.RELEASE)),
            ],
            drops={Drop(NOON_MS // DAY_MS, ROUTE, "entries"): 6},
        )
    )

    found = lost_checks(store, SPAN)

    today = NOON_MS // DAY_MS
    if mode is Mode.SHADOW:
        assert found == {today - 1: (0, 1), today: (7, 10)}
    else:
        assert found == {today: (6, 6)}
