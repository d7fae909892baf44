"""Rows through the same gate that runs live, one after the other and without a deadline.

With the same bounds, too: evidence past one is not checked, here as over HTTP.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.decide import Side, together
from gatekeeper.evaluation.metrics import Judged
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.policy import Bounds
from gatekeeper.verdict import ClaimStatus, Evidence, NotCheckedReason, Outcome, Verdict

# Without a policy: what is done with the others is for a policy to say.
_SIDES = {Outcome.FLAGGED: Side.BLOCKED, Outcome.SUPPORTED: Side.ACCEPTED}

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
    """A row and what the gate made of it; ``ruled`` is the side by a policy, None without one."""

    row: Row
    verdict: Verdict
    ruled: Side | None = None

    @property
    def side(self) -> Side:
        """Where the gate puts the answer; without a policy blocked is FLAGGED."""
        return self.ruled or _SIDES.get(self.verdict.outcome, Side.UNCHECKED)

    @property
    def is_decided(self) -> bool:
        """True if the gate took a side: blocked or accepted."""
        return self.side is not Side.UNCHECKED


async def check_within_bounds(
    gate: Checker,
    answer: str,
    evidence: Evidence,
    *,
    deadline: float | None = None,
    bounds: Bounds = BOUNDS,
) -> Verdict:
    """Check an answer; NOT_CHECKED (size) if the evidence is more than a route takes."""
    if not bounds.admit([passage.text for passage in evidence.passages]):
        return Verdict(not_checked=NotCheckedReason.SIZE, fingerprint=gate.fingerprint)
    return await gate.check(answer, evidence, deadline=deadline)


async def check_rows(
    gate: Checker,
    rows: Iterable[Row],
    *,
    bounds: Bounds = BOUNDS,
    rule: Callable[[Verdict], Side] | None = None,
) -> AsyncIterator[Evaluated]:
    """Yield each row with its verdict, in order.

    Args:
        gate: The gate.
        rows: The rows.
        bounds: Those of a route.
        rule: What a policy makes of a verdict; None without one.
    """
    for row in rows:
        verdict = row.standing or await _check(gate, row, bounds)
        yield Evaluated(row=row, verdict=verdict, ruled=None if rule is None else rule(verdict))


async def _check(gate: Checker, row: Row, bounds: Bounds) -> Verdict:
    """Check a row; of several choices every one must pass, as over HTTP."""
    if not row.others:
        return await check_within_bounds(gate, row.answer, row.evidence, bounds=bounds)
    nothing = Verdict(not_checked=NotCheckedReason.NO_TEXT, fingerprint=gate.fingerprint)
    verdicts = [
        await check_within_bounds(gate, text, row.evidence, bounds=bounds)
        if text.strip()
        else nothing
        for text in (row.answer, *row.others)
    ]
    return together(verdicts, gate.fingerprint)


def judged(evaluated: Evaluated) -> Judged:
    """Turn a labelled row into what the gate metrics count.

    Raises:
        ValueError: If the row has no label.
    """
    row, verdict = evaluated.row, evaluated.verdict
    if row.label is None:
        raise ValueError(f"row {row.id!r} has no label")
    return Judged(
        wrong=row.label is Label.UNSUPPORTED,
        blocked=evaluated.side is Side.BLOCKED,
        score=verdict.score,
        finding=any(has_finding(claim.status, claim.score) for claim in verdict.claims),
        weight=row.weight,
        group=row.group,
        stratum=row.stratum,
    )


def has_finding(status: ClaimStatus, score: float | None) -> bool:
    """Tell whether the guard or a contradiction flags a claim at every threshold.

    An unsupported claim with score 0 has a value that stands nowhere in the evidence.
    """
    if status in {ClaimStatus.CONTRADICTED, ClaimStatus.CONFLICTING}:
        return True
    return status is ClaimStatus.UNSUPPORTED and score == 0.0
