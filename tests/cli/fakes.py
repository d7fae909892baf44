"""A gate for command tests: its verdict follows from the text of the answer.

Each line of the answer is one claim; its first word says the status it gets.
"""

from pathlib import Path
from typing import cast

from gatekeeper.cli.gates import Opened
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.errors import ModelMissingError
from gatekeeper.evaluation.calibration import Fit
from gatekeeper.gate import Gate
from gatekeeper.verdict import (
    ClaimStatus,
    ClaimVerdict,
    Evidence,
    NotCheckedReason,
    UnresolvedReason,
    Verdict,
    unresolved,
)

_SCORES = {"SUPPORTED": 0.9, "UNSUPPORTED": 0.2, "CONTRADICTED": 0.0, "CONFLICTING": 0.0}


class LineGate:
    """Gives each line of an answer the status it begins with; keeps what it was asked."""

    fingerprint = "fake-gate"
    thresholds = Thresholds(support=0.5, contradiction=0.9)

    def __init__(self, fit: Fit = Fit.OWN) -> None:
        self.fit = fit
        self.asked: list[tuple[str, Evidence, float | None]] = []
        self.models: list[Path | None] = []
        self.calibrations: list[Path | None] = []
        self.tested: list[bool] = []
        self.closed = 0

    def open(self, model: Path | None, *, tested: bool, calibration: Path | None = None) -> Opened:
        """Stand in for the opener of real gates; a folder named "broken" holds no model."""
        self.models.append(model)
        self.calibrations.append(calibration)
        self.tested.append(tested)
        if model is not None and model.name == "broken":
            raise ModelMissingError(model)
        return Opened(gate=cast("Gate", self), fit=self.fit)

    async def check(
        self, answer: str, evidence: Evidence, *, deadline: float | None = None
    ) -> Verdict:
        """Read the statuses off the lines."""
        self.asked.append((answer, evidence, deadline))
        if answer.startswith("INTERRUPT"):
            raise KeyboardInterrupt
        if answer.startswith("GIVEN-UP"):
            return unresolved(UnresolvedReason.BUDGET, answer, self.fingerprint)
        if not evidence.passages:
            return Verdict(not_checked=NotCheckedReason.NO_CONTEXT, fingerprint=self.fingerprint)
        claims = tuple(_claim(line) for line in answer.split("\n") if line)
        return Verdict(claims=claims, fingerprint=self.fingerprint)

    def close(self) -> None:
        """Count the calls: every opened gate has to be closed."""
        self.closed += 1


def _claim(line: str) -> ClaimVerdict:
    status = ClaimStatus(line.split(maxsplit=1)[0])
    score = _SCORES.get(status)
    return ClaimVerdict(
        start=0,
        end=len(line),
        text=line,
        status=status,
        support=score or None,
        contradiction=0.1,
        score=score,
        passages=("0",),
        reason="because",
        unresolved=None if status != "UNRESOLVED" else UnresolvedReason.BUDGET,
    )
