"""Statuses from scores: one mapping, tested both ways."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.aggregate import (
    Finding,
    Planned,
    Ruling,
    Scored,
    Thresholds,
    claim_score,
    decide_claim,
)
from gatekeeper.core.evidence import Premise
from gatekeeper.protocols import PairScore
from gatekeeper.verdict import ClaimStatus, PremiseRef, UnresolvedReason

MARKS = Thresholds(support=0.5, contradiction=0.9)


def premise(*passages: int) -> Premise:
    """Make a premise from one line of each passage."""
    return Premise(
        text="text",
        lines=tuple(10 * passage for passage in passages),
        passages=passages,
        refs=tuple(PremiseRef(passage=str(passage), start=0, end=4) for passage in passages),
    )


def decide(
    plan: Sequence[tuple[int, ...]], scores: Sequence[Scored], ruling: Ruling | None = None
) -> Finding:
    """Decide a claim whose premises come from the given passages."""
    planned = [Planned(premise=premise(*passages)) for passages in plan]
    return decide_claim(planned, scores, ruling or Ruling(), MARKS)


def pair(entailment: float, contradiction: float = 0.0) -> PairScore:
    """Make a pair score."""
    return PairScore(entailment=entailment, contradiction=contradiction)


@pytest.mark.parametrize(
    ("plan", "scores", "expected"),
    [
        ([(0,), (1,)], [pair(0.1), pair(0.6)], ClaimStatus.SUPPORTED),
        ([(0,), (1,)], [pair(0.1), pair(0.4)], ClaimStatus.UNSUPPORTED),
        ([(0,), (1,)], [pair(0.1, 0.95), pair(0.1)], ClaimStatus.CONTRADICTED),
        ([(0,), (1,)], [pair(0.8), pair(0.1, 0.95)], ClaimStatus.CONFLICTING),
        ([(0,), (0,)], [pair(0.8), pair(0.1, 0.95)], ClaimStatus.CONTRADICTED),
        ([(0, 1)], [pair(0.8)], ClaimStatus.SUPPORTED),
        ([(0, 1)], [pair(0.1, 0.95)], ClaimStatus.UNSUPPORTED),  # joint premises never contradict
        ([], [], ClaimStatus.UNSUPPORTED),
    ],
)
def test_scores_give_the_status(
    plan: list[tuple[int, ...]], scores: list[Scored], expected: ClaimStatus
) -> None:
    """A mapping turned round would call the wrong answers right."""
    assert decide(plan, scores).status is expected


def test_distant_window_contradicts_nothing() -> None:
    """A third-ranked sentence on another topic often "contradicts"; it must not count."""
    finding = decide([(0,), (1,), (2,)], [pair(0.8), pair(0.1), pair(0.1, 0.99)])

    assert finding.status is ClaimStatus.SUPPORTED


def test_low_window_contradicts_when_its_support_is_near_the_best() -> None:
    """A window as supportive as the best one is on the same topic, whatever its rank."""
    finding = decide([(0,), (1,), (2,)], [pair(0.2), pair(0.1), pair(0.05, 0.95)])

    assert finding.status is ClaimStatus.CONTRADICTED
    assert finding.decided_by == (2,)


def test_clash_decides_without_a_score() -> None:
    """A value clash needs no model: it holds while nothing is scored."""
    finding = decide([(0,)], [None], Ruling(clashing=True))

    assert finding.status is ClaimStatus.CONTRADICTED
    assert claim_score(finding, Ruling(clashing=True), MARKS) == 0.0


def test_absent_value_is_never_supported() -> None:
    """The model takes a sentence with another number for entailed; the guard has the last word."""
    finding = decide([(0,)], [pair(0.99)], Ruling(absent=True))

    assert finding.status is ClaimStatus.UNSUPPORTED
    assert claim_score(finding, Ruling(absent=True), MARKS) == 0.0


def test_verbatim_copy_is_supported_without_its_score_and_contradicts_nothing() -> None:
    """Identical texts score below 1; a copy of an evidence line needs no opinion."""
    planned = [Planned(premise=premise(0), verbatim=True), Planned(premise=premise(1))]
    finding = decide_claim(planned, [pair(0.1, 0.99), pair(0.1)], Ruling(), MARKS)

    assert finding.status is ClaimStatus.SUPPORTED
    assert finding.support == 1.0


def test_first_reason_of_the_list_is_named() -> None:
    """One reason is counted an answer; which one may not depend on the order of events."""
    finding = decide([(0,), (1,)], [UnresolvedReason.MODEL_ERROR, UnresolvedReason.OVERLOAD])

    assert finding.unresolved is UnresolvedReason.OVERLOAD


probabilities = st.floats(0, 1)
pairs = st.builds(pair, probabilities, probabilities)
passages = st.lists(st.integers(0, 2), min_size=1, max_size=2, unique=True).map(tuple)
rulings = st.sampled_from([Ruling(), Ruling(absent=True), Ruling(clashing=True)])


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(st.tuples(passages, pairs, st.booleans()), max_size=6), rulings)
def test_subset_of_scores_gives_full_status_or_unresolved(
    rows: list[tuple[tuple[int, ...], PairScore, bool]], ruling: Ruling
) -> None:
    """Which pairs were reached in time must never turn a verdict round."""
    plan = [places for places, _, _ in rows]
    full = decide(plan, [score for _, score, _ in rows], ruling)

    part = decide(plan, [score if known else None for _, score, known in rows], ruling)

    assert part.status in (full.status, ClaimStatus.UNRESOLVED)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(st.tuples(passages, pairs), max_size=6), rulings, st.floats(0.01, 1))
def test_flagged_is_score_below_threshold(
    rows: list[tuple[tuple[int, ...], PairScore]], ruling: Ruling, mark: float
) -> None:
    """Curves over the score mean the gate only if one is the other at every mark above 0."""
    marks = Thresholds(support=mark, contradiction=0.9)
    planned = [Planned(premise=premise(*places)) for places, _ in rows]
    finding = decide_claim(planned, [score for _, score in rows], ruling, marks)

    score = claim_score(finding, ruling, marks)

    assert score is not None
    assert (finding.status is not ClaimStatus.SUPPORTED) == (score < mark)


def test_unresolved_claim_has_no_score() -> None:
    """Not scored is not 0.0."""
    assert claim_score(decide([(0,)], [None]), Ruling(), MARKS) is None
