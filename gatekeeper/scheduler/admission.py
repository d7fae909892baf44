"""Admission: what the work in line is expected to take, and who is let in behind it.

Not locked: the worker's condition guards it.
"""

from dataclasses import dataclass, field

from gatekeeper.core.budget import CostModel, JobCost, refusal
from gatekeeper.protocols import Priority
from gatekeeper.scheduler.line import Call, Line, LineBounds, PairsCall
from gatekeeper.verdict import UnresolvedReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How work is cut and bounded.

    A pass aims at ``pass_s`` and holds at most ``padded_tokens``. Between slices of ``slice_s``
    more urgent work goes first. ``mixed`` lets a pass hold pairs of many requests; off for a model
    whose scores depend on their neighbours.
    """

    pass_s: float = 0.03
    padded_tokens: int = 2048
    slice_s: float = 0.005
    mixed: bool = True
    bounds: LineBounds = field(default_factory=LineBounds)


class Admission:
    """The estimates, and the decisions that rest on them."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self.cost = CostModel()
        self.jobs = JobCost()

    def pass_tokens(self, seconds: float) -> int:
        """Return the ceiling of a pass that may take so long; at least one token."""
        fits = self.cost.tokens_within(min(seconds, self._pace.pass_s))
        return max(1, min(self._pace.padded_tokens, fits))

    def refusal(
        self, call: Call, line: Line, *, now_s: float, busy_until_s: float
    ) -> UnresolvedReason | None:
        """Say why a call is not let in: it breaks a bound, or can't be done in time.

        Args:
            call: The newcomer.
            line: What waits.
            now_s: Clock reading.
            busy_until_s: When the running pass is expected to end.
        """
        if not line.has_room(call):
            return UnresolvedReason.OVERLOAD
        replies, steps, tokens = line.ahead(call)
        ahead_s = self._work_s(steps, tokens) + replies * self.jobs.job_s
        return refusal(
            left_s=call.deadline - now_s,
            ahead_s=ahead_s + max(0.0, busy_until_s - now_s),
            own_s=self._work_s(0, call.tokens)
            if isinstance(call, PairsCall)
            else self._work_s(1, 0),
        )

    def _work_s(self, steps_calls: int, tokens: int) -> float:
        """Return what steps, the pairs they lead to, and pairs in line are expected to take."""
        led_to = int(steps_calls * self.jobs.job_tokens)
        backlog_s = self.cost.backlog_s(
            tokens + led_to, pass_tokens=self.pass_tokens(self._pace.pass_s)
        )
        return steps_calls * self.jobs.job_s + backlog_s

    def finished_steps(self, call_s: float, priority: Priority) -> None:
        """Learn what the steps of a call took; replies lead to no pairs and are not counted."""
        if priority is not Priority.REPLY:
            self.jobs = self.jobs.after_steps(call_s)

    def asked_for_pairs(self, tokens: int) -> None:
        """Learn what steps led to."""
        self.jobs = self.jobs.after_pairs(tokens)

    def finished_pass(self, *, padded_tokens: int, tokens: int, seconds: float) -> None:
        """Learn what a pass took."""
        self.cost = self.cost.after(padded_tokens=padded_tokens, tokens=tokens, seconds=seconds)
