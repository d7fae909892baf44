"""Admission: what the work in line is expected to take, and who is let in behind it.

Not locked: the worker's condition guards it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from gatekeeper.core.budget import CheckCost, CostModel, refusal
from gatekeeper.protocols import Priority
from gatekeeper.scheduler.line import Call, Line, LineBounds, PairsCall, StepsCall
from gatekeeper.verdict import UnresolvedReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How work is cut and bounded.

    A pass aims at ``pass_s`` and holds at most ``padded_tokens``. Between slices of ``slice_s``
    more urgent work goes first. With less than ``grace_s`` left nothing starts: between a look at
    the clock and the pass the interpreter may give other threads its switch interval of 5 ms, and
    the system a little to others.
    ``mixed`` lets a pass hold pairs of many requests; off for a model whose scores depend on their
    neighbours.
    """

    pass_s: float = 0.03
    padded_tokens: int = 2048
    slice_s: float = 0.005
    grace_s: float = 0.008
    mixed: bool = True
    bounds: LineBounds = field(default_factory=LineBounds)


class Admission:
    """The estimates, and the decisions that rest on them."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self.cost = CostModel()
        self._checks = CheckCost()
        self._replies = CheckCost()

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
        if call.deadline == inf:
            return None
        return refusal(
            left_s=call.deadline - now_s,
            ahead_s=self._work_s(line.ahead(call)) + max(0.0, busy_until_s - now_s),
            own_s=self._work_s([call]),
        )

    def _work_s(self, calls: Iterable[Call]) -> float:
        """Return what calls are expected to take, with the pairs that their steps will lead to."""
        seconds = tokens = 0.0
        for call in calls:
            if isinstance(call, PairsCall):
                tokens += call.waiting_tokens
            elif call.priority is Priority.REPLY:
                seconds += self._replies.steps_s
            elif call.has_asked:
                continue  # what is left is to put the scores together
            else:
                seconds += max(0.0, self._checks.steps_s - call.usage.service_s)
                tokens += self._checks.tokens
        full_pass = self.pass_tokens(self._pace.pass_s)
        return seconds + self.cost.backlog_s(int(tokens), pass_tokens=full_pass)

    def finished_steps(self, call: StepsCall) -> None:
        """Learn what the steps of a call took."""
        if call.priority is Priority.REPLY:
            self._replies = self._replies.after_first().after_steps(call.spent_s)
            return
        if call.is_first:
            self._checks = self._checks.after_first()
            call.is_first = False
        self._checks = self._checks.after_steps(call.spent_s)
        call.spent_s = 0.0

    def asked(self, call: Call, *, refused: bool) -> None:
        """Learn what a call asks for, and that a check ended early if it was refused its steps."""
        if isinstance(call, PairsCall):
            self._checks = self._checks.after_pairs(call.tokens)
        elif refused:
            self.cut(call)

    def cut(self, call: Call) -> None:
        """Learn that a call was given up; its check tells little if its pairs were not known."""
        if (
            isinstance(call, StepsCall)
            and not (call.is_first or call.has_asked)
            and call.priority is not Priority.REPLY
        ):
            self._checks = self._checks.after_cut()

    def finished_pass(self, *, padded_tokens: int, tokens: int, seconds: float) -> None:
        """Learn what a pass took."""
        self.cost = self.cost.after(padded_tokens=padded_tokens, tokens=tokens, seconds=seconds)
