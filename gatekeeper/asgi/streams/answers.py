"""The answers of one stream: each with a check of its own, and how far each may be let go."""

import asyncio
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from gatekeeper.asgi.checks import unchecked
from gatekeeper.asgi.jsontext import UncheckableError
from gatekeeper.asgi.rulings import REPLACED, Ruling, rule
from gatekeeper.asgi.services import Following
from gatekeeper.asgi.streams.dialect import Key, Reading
from gatekeeper.core.decide import decide
from gatekeeper.policy import Route
from gatekeeper.verdict import (
    NotCheckedReason,
    UnresolvedReason,
    Verdict,
    unresolved,
)

# What a sentence can end with. Without one in what is not decided yet nothing can be complete, and
# the way to the worker and back is saved; a text of some length is brought there all the same.
_STOP = re.compile("[.!?\u2026\u3002\uff01\uff1f\uff61\n\r\x0b\x0c\x85\u2028\u2029]")
_BRING_CHARS = 2_000

# The judge keeps the deadline; this is for one that does not answer at all. In budgets.
_PATIENCE = 2.0


class Answer:
    """One answer: its text so far, the check that follows it, what came of it.

    ``upto`` is the character up to which it may be let go. ``verdict`` is None until there is one
    that stays unless the text goes on.
    """

    def __init__(self, route: Route, clock: Callable[[], float]) -> None:
        self._route = route
        self._clock = clock
        self._check: Following | None = None
        self._pending: list[str] = []
        self._pending_chars = 0
        self._since: float | None = None
        self._may_complete = False
        self._pieces: list[str] = []
        self._length = 0
        self._passed = 0
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
        return self._may_complete or self._pending_chars > _BRING_CHARS

    def take(self, text: str, now: float) -> None:
        """Take the next piece.

        Raises:
            UncheckableError: With ``shape`` for text behind the end of its answer.
        """
        if self.is_ended:
            raise UncheckableError(NotCheckedReason.SHAPE)
        self._pending.append(text)
        self._pending_chars += len(text)
        self._pieces.append(text)
        self._length += len(text)
        self._may_complete = self._may_complete or _STOP.search(text) is not None
        if self._since is None and self.is_due:
            self._since = now

    async def advance(self, open_: Callable[[], Following]) -> None:
        """Have the check follow what has come."""
        if self._check is None:
            self._check = open_()
        text, self._pending, self._pending_chars = "".join(self._pending), [], 0
        since, self._since = self._since, None
        now = self._clock()
        deadline = (now if since is None or self.is_ended else since) + self._route.budget_s
        self._is_closed = self.is_ended
        patience = max(0.0, deadline - now) + (_PATIENCE - 1.0) * self._route.budget_s
        try:
            async with asyncio.timeout(patience):
                found = await self._check.follow(text, deadline=deadline, ends=self.is_ended)
        except TimeoutError:
            self._is_closed = True  # cut off somewhere, the check can't go on
            found = unresolved(UnresolvedReason.BUDGET, self.text)
        self._settle(found, self._check.so_far)

    def give_up(self, verdict: Verdict) -> None:
        """Take a verdict from elsewhere for the last word."""
        self._is_closed = True
        self._settle(verdict, Verdict())

    def _settle(self, found: Verdict, so_far: Verdict) -> None:
        """Draw from a verdict what may go out, and whether it stops the answer.

        Args:
            found: On what is complete, or on the whole answer.
            so_far: On what is complete; it also holds where the whole was not checked.
        """
        looked_at = so_far if found.not_checked is not None else found
        end, stop = self._examine(looked_at)
        self.upto = max(self.upto, end)
        if looked_at.segments:
            self._may_complete = _STOP.search(self.text[looked_at.segments[-1].end :]) is not None
        is_last = self._is_closed or found.not_checked is not None or _is_cut_off(found)
        if stop is not None or not is_last:
            self.verdict = stop or (found if end else self.verdict)
            return
        self.verdict = found
        if decide(self._route, found) not in REPLACED:
            self.upto = math.inf

    def _examine(self, verdict: Verdict) -> tuple[int, Verdict | None]:
        """Return up to where a verdict lets the answer go, and what of it stops it there.

        Claim after claim, as they would have come: what stops an answer does not hang on how much
        of it came at once.
        """
        silence_passes = self._route.on_no_claims not in REPLACED
        for count in range(self._passed + 1, len(verdict.claims) + 1):
            claim = verdict.claims[count - 1]
            segments = tuple(part for part in verdict.segments if part.start < claim.end)
            part = replace(verdict, segments=segments, claims=verdict.claims[:count])
            if decide(self._route, part) in REPLACED:
                return claim.start if count > 1 or silence_passes else 0, part
            self._passed = count
        if not verdict.segments or not (verdict.claims or silence_passes):
            return 0, None
        return verdict.segments[-1].end, None


class Answers:
    """The answers of a stream by key, in the order they began."""

    def __init__(self, route: Route, clock: Callable[[], float]) -> None:
        self._route = route
        self._clock = clock
        self._answers: dict[Key, Answer] = {}
        self._silent: dict[Key, None] = {}
        self._calls = False

    def __len__(self) -> int:
        return len(self._answers)

    def take(self, reading: Reading, now: float) -> None:
        """Take what stands in a frame."""
        self._silent |= dict.fromkeys(reading.seen)
        self._calls = self._calls or reading.calls
        for key, text in reading.texts:
            if key not in self._answers:
                self._answers[key] = Answer(self._route, self._clock)
            self._answers[key].take(text, now)
        for key in reading.ended:
            if key in self._answers:
                self._answers[key].is_ended = True

    @property
    def may_go(self) -> bool:
        """True if any part of any answer may be let go."""
        return any(answer.upto > 0 for answer in self._answers.values())

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
            self._answers.setdefault(key, Answer(self._route, self._clock))
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
