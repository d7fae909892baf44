"""The labelled sample as it leaves the store: what is judged again, and what a row stands for."""

from dataclasses import replace

import pytest

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.counts import Span
from gatekeeper.outcomes.kept import Kept, Key, read_kept
from gatekeeper.outcomes.labels import Label, Labels
from gatekeeper.outcomes.records import texts_of
from gatekeeper.outcomes.store import Batch, Store
from gatekeeper.outcomes.words import DAY_MS, WEEK_MS, Band, Truth, week_of
from gatekeeper.protocols import Decision
from gatekeeper.testing import write_verdict
from gatekeeper.verdict import NotCheckedReason, Outcome, UnresolvedReason, Verdict
from tests.outcomes.made import NOON, NOON_MS, ROUTE, accepted, days, decision, made

SPAN = Span(route=ROUTE, start_ms=NOON_MS - 4 * WEEK_MS, end_ms=NOON_MS + DAY_MS)
LATER_MS = NOON_MS + 60_000
TEXT = "Refunds take 14 days. Cups are red."


def not_checked(reason: NotCheckedReason) -> Verdict:
    """Return the verdict on an answer that was not checked."""
    return write_verdict("", not_checked=reason)


def open_(reason: UnresolvedReason) -> Verdict:
    """Return the verdict on an answer that was not finished."""
    return write_verdict(TEXT, unresolved=reason)


def put(store: Store, *given: Decision, truth: Truth = Truth.WRONG) -> None:
    """Store decisions with their texts, and label them."""
    texts = {one.id: found for one in given if (found := texts_of(one))}
    store.write(Batch(decisions=[made(one) for one in given], texts=texts))
    for one in given:
        label = Label(decision=one.id, reviewer="ann", truth=truth, seen_ms=LATER_MS)
        Labels(store).add(label, at_ms=LATER_MS)


def only(kept: Kept) -> tuple[bool, Verdict | None]:
    """Return whether the one row has texts, and the verdict that stands."""
    [row] = kept.rows
    return row.texts is not None, row.standing


@pytest.mark.parametrize(
    "given",
    [
        decision(1),
        decision(1, verdict=not_checked(NotCheckedReason.LANGUAGE)),
        decision(1, verdict=not_checked(NotCheckedReason.NO_CONTEXT)),
        decision(1, verdict=open_(UnresolvedReason.BUDGET)),
        decision(1, verdict=open_(UnresolvedReason.CLAIM_TOO_LONG)),
    ],
    ids=lambda given: str(given.verdict.reason),
)
def test_what_another_gate_might_judge_otherwise_is_judged_again(
    store: Store, given: Decision
) -> None:
    """Answer and passages were read, and the verdict is the gate's own."""
    put(store, given)

    assert only(read_kept(store, SPAN)) == (True, None)


@pytest.mark.parametrize(
    ("given", "outcome", "reason"),
    [
        (decision(1, verdict=not_checked(NotCheckedReason.STREAM)), Outcome.NOT_CHECKED, "stream"),
        (
            decision(1, verdict=not_checked(NotCheckedReason.SHAPE), answers=(), evidence=None),
            Outcome.NOT_CHECKED,
            "shape",
        ),
        (
            decision(1, verdict=open_(UnresolvedReason.RESOLVER_ERROR), evidence=None),
            Outcome.UNRESOLVED,
            "resolver_error",
        ),
        (
            decision(1, verdict=open_(UnresolvedReason.OVERLOAD), answers=(), evidence=None),
            Outcome.UNRESOLVED,
            "overload",
        ),
    ],
    ids=["stream", "shape", "resolver_error", "overload"],
)
def test_what_no_gate_could_judge_keeps_its_verdict(
    store: Store, given: Decision, outcome: Outcome, reason: str
) -> None:
    """Another model does not read a body in a shape that nobody knows."""
    put(store, given)

    has_texts, standing = only(read_kept(store, SPAN))
    assert not has_texts
    assert standing is not None
    assert (standing.outcome, standing.reason) == (outcome, reason)


def test_row_stands_for_decisions_of_its_stratum(store: Store) -> None:
    """Of ten blocked ones two are labelled; what was never delivered is in no sample."""
    rest = [decision(n) for n in range(10, 18)]
    store.write(Batch(decisions=[made(one) for one in rest]))
    lowest = sorted(rest, key=lambda one: made(one).u)[:2]
    for one in lowest:
        label = Label(decision=one.id, reviewer="ann", truth=Truth.CANNOT_TELL, seen_ms=LATER_MS)
        Labels(store).add(label, at_ms=LATER_MS)
        words = texts_of(one)
        assert words is not None
        store.write(Batch(decisions=[made(one)], texts={one.id: words}))
    store.write(Batch(decisions=[made(decision(30, action=None))]))

    kept = read_kept(store, SPAN)

    key = Key(week_of(NOON_MS), Side.BLOCKED, Band.ONE)
    assert kept.strata[key].decisions == kept.decisions == 8
    assert [row.weight for row in kept.rows] == [4.0, 4.0]
    assert kept.told == {"blocked": 0}


def test_label_without_a_text_stands_for_nothing(store: Store) -> None:
    """It is counted, and the other one of its stratum stands for both."""
    put(store, decision(1), decision(2))
    store.erase(f"{1:032x}")

    kept = read_kept(store, SPAN)

    assert (len(kept.rows), kept.without_text) == (1, 1)
    assert kept.rows[0].weight == 2.0


def test_week_without_a_usable_label_is_shared_out(store: Store) -> None:
    """Three decisions last week without a label, one this week with: it stands for four."""
    put(store, decision(1), accepted(2))
    before = [made(decision(10 + n), NOON - days(7)) for n in range(3)]
    store.write(Batch(decisions=before))

    kept = read_kept(store, SPAN)

    weights = {row.stratum.side: row.weight for row in kept.rows}
    assert weights == {Side.BLOCKED: 4.0, Side.ACCEPTED: 1.0}
    assert kept.names == ("blocked", "accepted (high scores)")


def test_scorers_are_counted_and_pooled(store: Store) -> None:
    """A label is on an answer, whoever judged it."""
    old = replace(made(decision(3)), fingerprint="old")
    store.write(Batch(decisions=[old]))
    put(store, decision(1))

    kept = read_kept(store, SPAN)

    assert (kept.scorers, kept.decisions) == (2, 2)
    assert kept.decisions_of("blocked") == 2
