"""Rows through the same gate that runs live, one after the other and without a deadline.

With the same bounds, too: evidence past one is not checked, here as over HTTP.
"""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Protocol

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.evaluation.metrics import Judged
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.policy import Bounds
from gatekeeper.verdict import ClaimStatus, Evidence, NotCheckedReason, Outcome, Verdict

DECIDED = frozenset({Outcome.FLAGGED, Outcome.SUPPORTED})

# Those of a route whose policy sets none.
BOUNDS = Bounds()


class Checker(Protocol):
    """What evaluation needs of a gate."""

    @property
    def fingerprint(self) -> str:
        """The scorer fingerprint."""
        ...

    @property
    def thresholds(self) -> Thresholds:
        """The marks claims are held against."""
        ...

    async def check(
        self, answer: str, evidence: Evidence, *, deadline: float | None = None
    ) -> Verdict:
        """Check a whole answer; ``deadline`` is a monotonic clock reading in seconds."""
        ...

    def close(self) -> None:
        """End the worker."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """A row and what the gate made of it."""

    row: Row
    verdict: Verdict

    @property
    def is_decided(self) -> bool:
        """True if the gate took a side: FLAGGED or SUPPORTED."""
        return self.verdict.outcome in DECIDED


async def check_within_bounds(
    gate: Checker, answer: str, evidence: Evidence, *, deadline: float | None = None
) -> Verdict:
    """Check an answer; NOT_CHECKED (size) if the evidence is more than a route takes."""
    if not BOUNDS.admit([passage.text for passage in evidence.passages]):
        return Verdict(not_checked=NotCheckedReason.SIZE, fingerprint=gate.fingerprint)
    return await gate.check(answer, evidence, deadline=deadline)


async def check_rows(gate: Checker, rows: Iterable[Row]) -> AsyncIterator[Evaluated]:
    """Yield each row with its verdict, in order."""
    for row in rows:
        verdict = await check_within_bounds(gate, row.answer, row.evidence)
        yield Evaluated(row=row, verdict=verdict)


def judged(evaluated: Evaluated) -> Judged:
    """Turn a labelled row into what the gate metrics count; without a policy blocked = FLAGGED.

    Raises:
        ValueError: If the row has no label.
    """
    row, verdict = evaluated.row, evaluated.verdict
    if row.label is None:
        raise ValueError(f"row {row.id!r} has no label")
    return Judged(
        wrong=row.label is Label.UNSUPPORTED,
        blocked=verdict.outcome is Outcome.FLAGGED,
        score=verdict.score,
        finding=any(has_finding(claim.status, claim.score) for claim in verdict.claims),
        weight=row.weight,
        group=row.group,
    )


def has_finding(status: ClaimStatus, score: float | None) -> bool:
    """Tell whether the guard or a contradiction flags a claim at every threshold.

    An unsupported claim with score 0 has a value that stands nowhere in the evidence.
    """
    if status in {ClaimStatus.CONTRADICTED, ClaimStatus.CONFLICTING}:
        return True
    return status is ClaimStatus.UNSUPPORTED and score == 0.0
