"""Statuses from scores: one mapping, tested both ways."""

import math
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
    measure,
)
from gatekeeper.core.evidence import Premise
from gatekeeper.core.support import MEASURES, Weighing
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
    plan: Sequence[tuple[int, ...]],
    scores: Sequence[Scored],
    ruling: Ruling | None = None,
    weighing: Weighing | None = None,
) -> Finding:
    """Decide a claim whose premises come from the given passages."""
    planned = [Planned(premise=premise(*passages)) for passages in plan]
    return decide_claim(planned, scores, ruling or Ruling(), MARKS, weighing)


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
weighings = st.none() | st.builds(
    Weighing, weights=st.dictionaries(st.sampled_from(MEASURES), st.floats(0, 5))
)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(st.tuples(passages, pairs, st.booleans()), max_size=6), rulings, weighings)
def test_subset_of_scores_gives_full_status_or_unresolved(
    rows: list[tuple[tuple[int, ...], PairScore, bool]],
    ruling: Ruling,
    weighing: Weighing | None,
) -> None:
    """Which pairs were reached in time must never turn a verdict round."""
    plan = [places for places, _, _ in rows]
    full = decide(plan, [score for _, score, _ in rows], ruling, weighing)

    part = decide(plan, [score if known else None for _, score, known in rows], ruling, weighing)

    assert part.status in (full.status, ClaimStatus.UNRESOLVED)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(st.tuples(passages, pairs), max_size=6), rulings, st.floats(0.01, 1), weighings)
def test_flagged_is_score_below_threshold(
    rows: list[tuple[tuple[int, ...], PairScore]],
    ruling: Ruling,
    mark: float,
    weighing: Weighing | None,
) -> None:
    """Curves over the score mean the gate only if one is the other at every mark above 0."""
    marks = Thresholds(support=mark, contradiction=0.9)
    planned = [Planned(premise=premise(*places)) for places, _ in rows]
    finding = decide_claim(planned, [score for _, score in rows], ruling, marks, weighing)

    score = claim_score(finding, ruling, marks)

    assert score is not None
    assert (finding.status is not ClaimStatus.SUPPORTED) == (score < mark)


def test_unresolved_claim_has_no_score() -> None:
    """Not scored is not 0.0."""
    assert claim_score(decide([(0,)], [None]), Ruling(), MARKS) is None


def test_weighing_turns_scores_into_support() -> None:
    """The maximum is over what the weighing makes of each premise, not over P(entailment)."""
    calm_counts = Weighing(weights={"entailment": 0.1, "calm": 2.0})

    finding = decide([(0,), (1,)], [pair(0.6, 0.39), pair(0.5, 0.01)], weighing=calm_counts)

    assert finding.decided_by == (1, 0)
    assert finding.support == pytest.approx(0.99**2 / (0.99**2 + 0.01**2))


def test_joint_premise_changes_no_measure_of_the_others() -> None:
    """It is asked about only where the first round left a claim open: that must not show."""
    plan = [Planned(premise=premise(0)), Planned(premise=premise(0, 1))]
    scores = [pair(0.3, 0.2), pair(0.9, 0.05)]

    alone, beside = measure(plan[:1], scores[:1]), measure(plan, scores)

    assert beside[0] == alone[0]
    assert beside[1].agreement == alone[0].agreement


def test_measures_are_those_of_the_plan() -> None:
    """What the evidence knows of the claim, and how long it is, come from the ranking."""
    plan = [Planned(premise=premise(0), known=0.5, words=3)]

    (found,) = measure(plan, [pair(0.5, 0.5)])

    assert found.known == 0.5
    assert found.length == pytest.approx(math.log(4))
    assert found.entailment == found.calm == 0.0


def test_verbatim_copy_is_supported_whatever_the_weighing() -> None:
    """A weighing that supports nothing still can't deny what stands there word for word."""
    planned = [Planned(premise=premise(0), verbatim=True)]
    nothing = Weighing(weights={}, bias=-50.0)

    assert decide_claim(planned, [pair(1.0)], Ruling(), MARKS, nothing).support == 1.0


def test_contradiction_does_not_hang_on_the_joint_premise() -> None:
    """Whether that one was asked about hangs on the threshold of support, and must move no other.

    The third window counts because its support is near that of the best single one.
    """
    single = [pair(0.3), pair(0.2), pair(0.25, 0.95)]

    alone = decide([(0,), (1,), (2,)], single)
    joined = decide([(0,), (1,), (2,), (0, 1)], [*single, pair(0.9)])

    assert (alone.contradiction, joined.contradiction) == (0.95, 0.95)
    assert joined.support == 0.9
