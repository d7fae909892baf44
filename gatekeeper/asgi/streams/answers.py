"""The answers of one stream: each with a check of its own, and how far each may be let go."""

import asyncio
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gatekeeper.asgi.checks import unchecked
from gatekeeper.asgi.jsontext import UncheckableError
from gatekeeper.asgi.rulings import REPLACED, Ruling, rule
from gatekeeper.asgi.services import Following
from gatekeeper.asgi.streams.dialect import Key, Reading
from gatekeeper.core.decide import decide
from gatekeeper.policy import Route
from gatekeeper.verdict import (
    NotCheckedReason,
    Outcome,
    UnresolvedReason,
    Verdict,
    unresolved,
)

# What a sentence can end with. Without one in what is not decided yet nothing can be complete, and
# the way to the worker and back is saved; a text of some length is brought there all the same.
_STOP = re.compile("[.!?\u2026\u3002\uff01\uff1f\uff61\n\r\x0b\x0c\x85\u2028\u2029]")
_BRING_CHARS = 2_000

# Of a text that goes on, these say nothing yet.
_TOO_EARLY = frozenset({NotCheckedReason.NO_TEXT, NotCheckedReason.LANGUAGE})

# The judge keeps the deadline; this is for one that does not answer at all. In budgets.
_PATIENCE = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long a sentence may take, and by which clock."""

    budget_s: float
    clock: Callable[[], float]


class Answer:
    """One answer: its text so far, the check that follows it, what came of it.

    ``upto`` is the character up to which it may be let go. ``verdict`` is None until there is one
    that stays unless the text goes on.
    """

    def __init__(self, route: Route, timing: Timing) -> None:
        self._route = route
        self._timing = timing
        self._check: Following | None = None
        self._pending: list[str] = []
        self._since: float | None = None
        self._may_complete = False
        self._pieces: list[str] = []
        self._length = 0
        self._segments = 0
        self._is_closed = False
        self.is_ended = False
        self.upto: float = 0
        self.verdict: Verdict | None = None

    @property
    def text(self) -> str:
        """All of it so far."""
        return "".join(self._pieces)

    @property
    def is_due(self) -> bool:
        """True if something may be complete that was not checked."""
        if self._is_closed:
            return False
        if self.is_ended:
            return True
        if not self._pending or self.upto == math.inf:
            return False
        return self._may_complete or sum(map(len, self._pending)) > _BRING_CHARS

    def take(self, text: str, now: float) -> None:
        """Take the next piece.

        Raises:
            UncheckableError: With ``shape`` for text behind the end of its answer.
        """
        if self.is_ended:
            raise UncheckableError(NotCheckedReason.SHAPE)
        self._pending.append(text)
        self._pieces.append(text)
        self._length += len(text)
        self._since = now if self._since is None else self._since
        self._may_complete = self._may_complete or _STOP.search(text) is not None

    async def advance(self, open_: Callable[[], Following]) -> None:
        """Have the check follow what has come."""
        if self._check is None:
            self._check = open_()
        text, self._pending = "".join(self._pending), []
        since, self._since = self._since, None
        now = self._timing.clock()
        deadline = (now if since is None or self.is_ended else since) + self._timing.budget_s
        self._is_closed = self.is_ended
        patience = max(0.0, deadline - now) + (_PATIENCE - 1.0) * self._timing.budget_s
        try:
            async with asyncio.timeout(patience):
                found = await self._check.follow(text, deadline=deadline, ends=self.is_ended)
        except TimeoutError:
            self._is_closed = True  # cut off somewhere, the check can't go on
            found = unresolved(UnresolvedReason.BUDGET, self.text)
        self._settle(found)

    def give_up(self, verdict: Verdict) -> None:
        """Take a verdict from elsewhere for the last word."""
        self._is_closed = True
        self._settle(verdict)

    def _settle(self, found: Verdict) -> None:
        """Draw from a verdict on what is complete what may go out."""
        ends = self._is_closed
        if not ends and found.not_checked in _TOO_EARLY:
            return
        if len(found.segments) > self._segments:
            self._segments = len(found.segments)
            rest = self.text[found.segments[-1].end :]
            self._may_complete = _STOP.search(rest) is not None
        action = decide(self._route, found)
        if found.outcome is Outcome.NO_CLAIMS and action in REPLACED and not ends:
            return
        self.verdict = found
        if action in REPLACED:
            return
        is_open = found.not_checked is not None or _is_cut_off(found)
        if ends or is_open:
            self.upto = math.inf
        elif found.segments:
            self.upto = found.segments[-1].end


class Answers:
    """The answers of a stream by key, in the order they began."""

    def __init__(self, route: Route, timing: Timing) -> None:
        self._route = route
        self._timing = timing
        self._answers: dict[Key, Answer] = {}
        self._silent: dict[Key, None] = {}
        self._calls = False

    def __bool__(self) -> bool:
        return bool(self._answers)

    def take(self, reading: Reading, now: float) -> None:
        """Take what stands in a frame."""
        self._silent |= dict.fromkeys(reading.seen)
        self._calls = self._calls or reading.calls
        for key, text in reading.texts:
            if key not in self._answers:
                self._answers[key] = Answer(self._route, self._timing)
            self._answers[key].take(text, now)
        for key in reading.ended:
            if key in self._answers:
                self._answers[key].is_ended = True

    def end(self) -> None:
        """Note that nothing comes any more."""
        for answer in self._answers.values():
            answer.is_ended = True

    def due(self) -> list[Answer]:
        """Return the answers for which there is something to check."""
        return [answer for answer in self._answers.values() if answer.is_due]

    def texts(self) -> tuple[str, ...]:
        """Return all texts so far."""
        return tuple(answer.text for answer in self._answers.values())

    def text(self, key: Key) -> str:
        """Return the text of one answer so far."""
        answer = self._answers.get(key)
        return "" if answer is None else answer.text

    def upto(self, key: Key) -> float:
        """Return up to which character an answer may be let go."""
        return self._answers[key].upto

    def give_up(self, verdict: Verdict) -> None:
        """Take one verdict for all answers; there is one even if no text has come."""
        self._silent = self._silent or {(0,): None}
        for key in self._silent:
            self._answers.setdefault(key, Answer(self._route, self._timing))
        for answer in self._answers.values():
            answer.give_up(verdict)

    def ruling(self, *, ended: bool = False) -> Ruling | None:
        """Return what is to be done by what is known now; None if nothing is.

        Args:
            ended: True once nothing comes any more: answers without text count then.
        """
        verdicts = tuple(self._verdicts(ended=ended))
        return rule(self._route, verdicts) if verdicts else None

    def _verdicts(self, *, ended: bool) -> Iterator[Verdict]:
        for answer in self._answers.values():
            if answer.verdict is not None:
                yield answer.verdict
        is_silent = ended and any(key not in self._answers for key in self._silent)
        if self._calls or is_silent or (ended and not self._answers):
            yield unchecked(NotCheckedReason.NO_TEXT)


def _is_cut_off(verdict: Verdict) -> bool:
    """Tell whether the last claim is the rest of an answer that could not be followed."""
    end = verdict.segments[-1].end if verdict.segments else 0
    return bool(verdict.claims) and verdict.claims[-1].end > end
