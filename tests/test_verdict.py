"""Results in which nonsense can't be built, and what follows from their parts."""

from typing import Any

import pytest

from gatekeeper.verdict import (
    ClaimStatus,
    ClaimVerdict,
    NotCheckedReason,
    Outcome,
    Segment,
    SegmentKind,
    UnresolvedReason,
    Verdict,
    unresolved,
)


def claim(status: ClaimStatus, **facts: Any) -> ClaimVerdict:
    """Make the verdict on a claim; an unresolved one has no score."""
    is_open = status is ClaimStatus.UNRESOLVED
    given: dict[str, Any] = {
        "start": 0,
        "end": 4,
        "text": "text",
        "status": status,
        "support": None if is_open else 0.5,
        "contradiction": None if is_open else 0.1,
        "score": None if is_open else 0.5,
        "unresolved": UnresolvedReason.BUDGET if is_open else None,
    }
    return ClaimVerdict(**{**given, **facts})


@pytest.mark.parametrize(
    ("status", "facts"),
    [
        (ClaimStatus.SUPPORTED, {"unresolved": UnresolvedReason.BUDGET}),
        (ClaimStatus.UNRESOLVED, {"unresolved": None}),
        (ClaimStatus.SUPPORTED, {"score": None}),
        (ClaimStatus.UNRESOLVED, {"score": 0.0}),
        (ClaimStatus.SUPPORTED, {"support": 1.5}),
        (ClaimStatus.SUPPORTED, {"contradiction": -0.1}),
        (ClaimStatus.SUPPORTED, {"score": float("nan")}),
    ],
)
def test_claim_that_contradicts_itself_can_not_be_built(
    status: ClaimStatus, facts: dict[str, Any]
) -> None:
    """What was not checked and looks like a score would pass as one somewhere down the line."""
    with pytest.raises(ValueError, match=r"does not go with|lies outside"):
        claim(status, **facts)


@pytest.mark.parametrize(
    "facts",
    [
        {"start": 3, "end": 3, "kind": SegmentKind.HEADING},
        {"start": -1, "end": 3, "kind": SegmentKind.HEADING},
        {"start": 0, "end": 3, "kind": SegmentKind.CLAIM},
        {"start": 0, "end": 3, "kind": SegmentKind.GREETING, "hypothesis": "Hello"},
    ],
)
def test_segment_that_contradicts_itself_can_not_be_built(facts: dict[str, Any]) -> None:
    """A claim without words to check, or an exempt segment that is checked, is neither."""
    with pytest.raises(ValueError, match=r"empty or reversed|does not go with"):
        Segment(**facts)


GOOD, WRONG, BARE, SPLIT, OPEN = (
    ClaimStatus.SUPPORTED,
    ClaimStatus.CONTRADICTED,
    ClaimStatus.UNSUPPORTED,
    ClaimStatus.CONFLICTING,
    ClaimStatus.UNRESOLVED,
)


@pytest.mark.parametrize(
    ("statuses", "outcome", "faithfulness"),
    [
        ((), Outcome.NO_CLAIMS, None),
        ((GOOD,), Outcome.SUPPORTED, 1.0),
        ((GOOD, OPEN), Outcome.UNRESOLVED, (0.5, 1.0)),
        ((GOOD, OPEN, BARE), Outcome.FLAGGED, (1 / 3, 2 / 3)),
        ((GOOD, WRONG), Outcome.FLAGGED, 0.5),
        ((GOOD, SPLIT), Outcome.FLAGGED, 0.5),
        # metrics of the refund example: five claims, three of them supported
        ((WRONG, GOOD, GOOD, BARE, GOOD), Outcome.FLAGGED, 3 / 5),
        # four claims, two supported, one not, one open
        ((GOOD, GOOD, BARE, OPEN), Outcome.FLAGGED, (1 / 2, 3 / 4)),
    ],
)
def test_worst_claim_decides_and_open_claims_widen_the_share(
    statuses: tuple[ClaimStatus, ...],
    outcome: Outcome,
    faithfulness: float | tuple[float, float] | None,
) -> None:
    """A mean would let one wrong date pass among fourteen right details."""
    verdict = Verdict(claims=tuple(claim(status) for status in statuses))

    assert verdict.outcome is outcome
    assert verdict.faithfulness == pytest.approx(faithfulness)


def test_not_checked_is_an_outcome_of_its_own() -> None:
    """Neither a pass nor a flag, and never without its reason."""
    verdict = Verdict(not_checked=NotCheckedReason.ENCODING)

    assert (verdict.outcome, verdict.reason) == (Outcome.NOT_CHECKED, "encoding")
    assert verdict.score is None


def test_answer_that_could_not_be_looked_at_is_one_open_claim() -> None:
    """The whole answer is what was not decided."""
    verdict = unresolved(UnresolvedReason.OVERLOAD, "Refunds take 14 days.")

    assert (verdict.outcome, verdict.reason) == (Outcome.UNRESOLVED, "overload")
    assert verdict.claims[0].text == "Refunds take 14 days."
    assert verdict.faithfulness == (0.0, 1.0)
