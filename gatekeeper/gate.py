"""The gate: text and evidence in, verdict out. The one path for every use of the product.

Nothing is kept on the gate between checks.
"""

from functools import cached_property

from gatekeeper.check import Check
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.versions import scorer_fingerprint
from gatekeeper.means import Errand, Settings
from gatekeeper.protocols import Judge, Model, Priority, Usage
from gatekeeper.verdict import Evidence, Verdict

__all__ = ["Gate", "Settings"]


class Gate:
    """Checks answers against evidence with one model; safe to share between tasks."""

    def __init__(self, model: Model, judge: Judge, settings: Settings) -> None:
        self.model = model
        self.judge = judge
        self.settings = settings

    @property
    def thresholds(self) -> Thresholds:
        """The marks claims are held against."""
        return self.settings.thresholds

    def close(self) -> None:
        """End the worker; a check under way is answered first."""
        self.judge.close()

    @cached_property
    def fingerprint(self) -> str:
        """The scorer's, see ``scorer_fingerprint``."""
        settings = self.settings
        return scorer_fingerprint(self.model.fingerprint, settings.thresholds, settings.limits)

    def open(
        self,
        evidence: Evidence,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> Check:
        """Begin the check of one answer.

        Args:
            evidence: What the answer may rest on.
            deadline: Monotonic clock reading in seconds after which no step or pass starts.
            priority: What yields to what in the judge.
            usage: Is added to when given.
        """
        errand = Errand(deadline=deadline, priority=priority, usage=usage or Usage())
        return Check(self, evidence, errand)

    def begin(self, evidence: Evidence) -> Check:
        """Begin a check whose steps the caller hands to the judge in a call of its own."""
        return self.open(evidence)

    async def check(
        self,
        answer: str,
        evidence: Evidence,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> Verdict:
        """Check a whole answer, in one call of the judge."""
        check = self.open(evidence, deadline=deadline, priority=priority, usage=usage)
        await check.work(check.steps(answer))
        return check.conclude()
