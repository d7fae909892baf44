"""The line: calls that wait for the worker, most urgent first, within bounds.

Nothing here locks: the worker's condition guards every line. A call stays in line until it is
answered, so that whoever empties the line answers everyone.
"""

import asyncio
from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from gatekeeper.core.batching import Waiting
from gatekeeper.errors import UnavailableError
from gatekeeper.protocols import EncodedPair, PairScore, Priority, Steps, Usage, Wanted
from gatekeeper.verdict import UnresolvedReason

Settled = PairScore | UnresolvedReason
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class LineBounds:
    """The most that waits, of enforced work and again of shadow work.

    Deadlines keep an enforced line far shorter; these hold where a budget is long or absent.
    """

    calls: int = 4096
    pairs: int = 8192
    tokens: int = 524_288
    shadow_calls: int = 1024
    shadow_pairs: int = 2048
    shadow_tokens: int = 131_072


class Waiter(Generic[T]):
    """Someone in an event loop who waits for the worker; answered once, from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.future: asyncio.Future[T] = self._loop.create_future()

    def answer(self, outcome: T | BaseException) -> None:
        """Resolve the future in its own loop; does nothing if that loop has closed meanwhile."""
        try:
            self._loop.call_soon_threadsafe(self._settle, outcome)
        except RuntimeError:
            # The loop is closed: nobody can be waiting in it.
            return

    def _settle(self, outcome: T | BaseException) -> None:
        if self.future.done():
            return
        if isinstance(outcome, BaseException):
            self.future.set_exception(outcome)
        else:
            self.future.set_result(outcome)


class StepsCall(Waiter[None]):
    """A call that wants its steps taken; ``is_first`` if its check has done nothing before.

    ``wanted`` holds the pairs it waits for, ``asked`` the call for them that is in line in its
    place. ``has_asked`` is True from the first ones on.
    """

    def __init__(self, steps: Steps, *, deadline: float, priority: Priority, usage: Usage) -> None:
        super().__init__()
        self.steps = steps
        self.deadline = deadline
        self.priority = priority
        self.usage = usage
        self.spent_s = 0.0
        self.is_first = usage.service_s == 0.0
        self.has_asked = False
        self.wanted: Wanted | None = None
        self.asked: PairsCall | None = None
        self.key = (priority, deadline, 0)

    def advance(self, clock: Callable[[], float], *, until_s: float) -> bool:
        """Take steps until their end (True), until they want pairs, or until the time is up.

        None after the deadline.
        """
        until_s = min(until_s, self.deadline)
        for wanted in self.steps:
            if wanted is not None and wanted.pairs:
                self.wanted = wanted
                return False
            if clock() >= until_s:
                return False
        return True

    def ask(self, wanted: Wanted) -> "PairsCall":
        """Return the call for wanted pairs that takes the place of this one in line."""
        self.has_asked = True
        self.asked = PairsCall(
            wanted.pairs,
            deadline=self.deadline,
            priority=self.priority,
            usage=self.usage,
            asker=self,
        )
        return self.asked

    def hear(self, scores: list[Settled]) -> None:
        """Take the scores that were waited for; the next step can be taken."""
        if self.wanted is not None:
            self.wanted.scores = scores
        self.wanted = self.asked = None

    def refuse(self, reason: UnresolvedReason) -> None:
        """Answer that the steps were not, or not all, taken."""
        self.answer(UnavailableError(reason))


class PairsCall:
    """A call that wants pairs scored. ``waiting`` holds the positions not run yet, longest first.

    ``left`` counts those without a score, also while they run. The scores go to the steps that
    asked for them, or to a waiter in an event loop.
    """

    def __init__(
        self,
        pairs: Sequence[EncodedPair],
        *,
        deadline: float,
        priority: Priority,
        usage: Usage,
        asker: StepsCall | None = None,
    ) -> None:
        self.asker = asker
        self.waiter = Waiter[list[Settled]]() if asker is None else None
        self.pairs = pairs
        self.deadline = deadline
        self.priority = priority
        self.usage = usage
        self.tokens = sum(pair.tokens for pair in pairs)
        self.waiting = sorted(range(len(pairs)), key=lambda n: -pairs[n].tokens)
        self.left = len(pairs)
        self.scores: list[Settled | None] = [None] * len(pairs)
        self.key = (priority, deadline, 0)

    @property
    def waiting_tokens(self) -> int:
        """Tokens that have not run yet."""
        return sum(self.pairs[n].tokens for n in self.waiting)

    def settle(self, position: int, score: Settled) -> None:
        """Note the score of a pair, or why a pass gave none."""
        self.scores[position] = score
        self.left -= 1
        if isinstance(score, PairScore):
            self.usage.pairs += 1
            self.usage.pair_tokens += self.pairs[position].tokens

    def answer_scores(self) -> None:
        """Answer once every pair is settled."""
        self._give([score for score in self.scores if score is not None])

    def refuse(self, reason: UnresolvedReason) -> None:
        """Answer with what was scored, and the reason for the rest; steps that asked end here."""
        self._give([reason if score is None else score for score in self.scores])
        if self.asker is not None:
            self.asker.refuse(reason)

    def _give(self, scores: list[Settled]) -> None:
        if self.asker is not None:
            self.asker.hear(scores)
        if self.waiter is not None:
            self.waiter.answer(scores)


Call = StepsCall | PairsCall


class Line:
    """Calls in the order of priority, deadline, arrival; counts what waits."""

    def __init__(self, bounds: LineBounds) -> None:
        self._bounds = bounds
        self._calls: list[Call] = []
        self._arrivals = 0
        self.pairs = dict.fromkeys(Priority, 0)
        self.tokens = dict.fromkeys(Priority, 0)
        self.calls = dict.fromkeys(Priority, 0)

    def has_room(self, call: Call) -> bool:
        """Tell whether the call fits within the bounds of its priority."""
        bounds, lane = self._bounds, call.priority
        pairs, tokens = (len(call.pairs), call.tokens) if isinstance(call, PairsCall) else (0, 0)
        is_shadow = lane is Priority.SHADOW
        return (
            self.calls[lane] < (bounds.shadow_calls if is_shadow else bounds.calls)
            and self.pairs[lane] + pairs <= (bounds.shadow_pairs if is_shadow else bounds.pairs)
            and self.tokens[lane] + tokens <= (bounds.shadow_tokens if is_shadow else bounds.tokens)
        )

    def enter(self, call: Call) -> None:
        """Put a call in its place."""
        self._arrivals += 1
        call.key = (call.priority, call.deadline, self._arrivals)
        insort(self._calls, call, key=lambda other: other.key)
        self.calls[call.priority] += 1
        if isinstance(call, PairsCall):
            self._count(call, call.waiting, sign=1)

    def leave(self, call: Call) -> bool:
        """Take a call out with all that waits of it; False if it had left already."""
        if call not in self._calls:
            return False
        self._calls.remove(call)
        self.calls[call.priority] -= 1
        if isinstance(call, PairsCall):
            self._count(call, call.waiting, sign=-1)
        return True

    def take(self, call: PairsCall, positions: set[int]) -> None:
        """Note that some pairs of a call run now."""
        self._count(call, positions, sign=-1)
        call.waiting = [n for n in call.waiting if n not in positions]

    def give_back(self, call: PairsCall, position: int) -> None:
        """Note that a pair that was taken did not run, unless its waiter has gone."""
        if call in self._calls:
            self._count(call, [position], sign=1)
            insort(call.waiting, position, key=lambda n: -call.pairs[n].tokens)

    def first(self) -> Call | None:
        """Return the most urgent call."""
        return self._calls[0] if self._calls else None

    def late(self, now_s: float) -> list[Call]:
        """Return the calls past their deadline."""
        return [call for call in self._calls if call.deadline <= now_s]

    def all(self) -> list[Call]:
        """Return every call, most urgent first."""
        return list(self._calls)

    def ahead(self, call: Call) -> Iterator[Call]:
        """Yield what goes before a newcomer; among equals who came first goes first."""
        for other in self._calls:
            if other.key[:2] > (call.priority, call.deadline):
                return
            yield other

    def pairs_beside(
        self, first: PairsCall, *, most: int, mixed: bool
    ) -> list[tuple[PairsCall, int]]:
        """Return the pairs a pass that begins with a call may hold, most urgent first."""
        found: list[tuple[PairsCall, int]] = []
        for call in self._calls if mixed else [first]:
            if call.priority is first.priority and isinstance(call, PairsCall):
                found.extend((call, n) for n in call.waiting)
            if len(found) >= most:
                break
        return found[:most]

    def _count(self, call: PairsCall, positions: Sequence[int] | set[int], *, sign: int) -> None:
        self.pairs[call.priority] += sign * len(positions)
        self.tokens[call.priority] += sign * sum(call.pairs[n].tokens for n in positions)


def waiting(call: PairsCall, position: int) -> Waiting:
    """Return a pair as the planner sees it."""
    return Waiting(tokens=call.pairs[position].tokens, deadline=call.deadline)
