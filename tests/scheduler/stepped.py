"""What the scheduler's tests share: a clock moved by hand, and a model that stops in its pass.

No test waits for time to pass; with both, the order of things is certain.
"""

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from gatekeeper.protocols import EncodedPair, PairScore
from gatekeeper.testing import FakeModel
from gatekeeper.verdict import UnresolvedReason

T = TypeVar("T")
PATIENCE_S = 20.0


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        """Read the clock."""
        return self.now_s


class SteppedModel(FakeModel):
    """A model whose passes wait for ``go`` when held, and may move a clock or raise.

    ``began`` holds the lengths of the pairs of each pass.
    """

    def __init__(self, clock: ManualClock | None = None, *, token_s: float = 0.0) -> None:
        super().__init__()
        self.clock = clock
        self.token_s = token_s
        self.entered = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.held = False
        self.raises: BaseException | None = None
        self.began: list[list[int]] = []

    def hold(self) -> "SteppedModel":
        """Stop the next passes until they are told to go."""
        self.held = True
        return self

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Wait if held, take the time it takes, raise if told to."""
        self.began.append([pair.tokens for pair in pairs])
        self.entered.release()
        if self.held:
            assert self.go.acquire(timeout=PATIENCE_S)
        if self.clock is not None:
            self.clock.now_s += self.token_s * len(pairs) * max(pair.tokens for pair in pairs)
        if self.raises is not None:
            error, self.raises = self.raises, None
            raise error
        return super().score(pairs)

    def let_all_pass(self) -> None:
        """Hold no pass any more."""
        self.held = False
        self.go.release(1000)


def pairs(count: int, tokens: int = 10) -> list[EncodedPair]:
    """Return pairs that the fake model entails."""
    ids = (*map(ord, "a" * (tokens - 2)), -1, ord("a"))
    return [EncodedPair(ids=ids, type_ids=(0,) * tokens)] * count


def played(main: Coroutine[Any, Any, T]) -> T:
    """Run a test's coroutine; one that hangs fails."""
    return asyncio.run(asyncio.wait_for(main, PATIENCE_S))


async def others_ran() -> None:
    """Let every task that was created before this call come to its first wait."""

    async def nothing() -> None:
        """Be last in line."""

    await asyncio.create_task(nothing())


async def entered(model: SteppedModel) -> None:
    """Wait until the model is in a pass."""
    assert await asyncio.to_thread(model.entered.acquire, timeout=PATIENCE_S)


def later(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Begin work that is awaited later."""
    return asyncio.ensure_future(work)


def reasons(scores: Sequence[PairScore | UnresolvedReason]) -> set[UnresolvedReason | None]:
    """Return why pairs have no score; None for those that have one."""
    return {score if isinstance(score, UnresolvedReason) else None for score in scores}


class PausedClock(ManualClock):
    """A clock that jumps once, as when the system lets others run, at a reading to be chosen."""

    def __init__(self, *, readings: int, jump_s: float) -> None:
        super().__init__()
        self._readings = readings
        self._jump_s = jump_s

    def __call__(self) -> float:
        """Read the clock, and jump if it is the reading for it."""
        self._readings -= 1
        if self._readings == 0:
            self.now_s += self._jump_s
        return self.now_s
