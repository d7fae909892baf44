"""The scheduler: one worker thread that owns the model, and what the event loop may ask of it.

A running forward pass can't be cancelled, so the deadline is read before each pass, runs are kept
short, and a caller that gives up leaves at most one of them behind. A failed pass answers its
waiters with ``model_error`` and the worker goes on.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from gatekeeper.core.batching import plan_runs
from gatekeeper.errors import InferenceError
from gatekeeper.protocols import EncodedPair, Model, PairScore
from gatekeeper.verdict import UnresolvedReason

# Padded tokens a forward pass: large enough to keep two cores busy, short enough (some 30 ms) that
# a deadline is never missed by much.
MAX_PADDED_TOKENS = 512


class Scheduler:
    """Runs a model in a thread of its own; see ``gatekeeper.protocols.Judge``.

    ``clock`` is the monotonic clock that deadlines are readings of.
    """

    def __init__(
        self,
        model: Model,
        *,
        clock: Callable[[], float] = time.monotonic,
        max_padded_tokens: int = MAX_PADDED_TOKENS,
    ) -> None:
        self._model = model
        self._clock = clock
        self._max_padded_tokens = max_padded_tokens
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gatekeeper")

    async def run(self, steps: Iterator[None]) -> None:
        """Exhaust the iterator in the worker, one step at a time."""
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(self._worker, _step, steps):
            pass

    async def score(
        self, pairs: Sequence[EncodedPair], *, deadline: float | None
    ) -> list[PairScore | UnresolvedReason]:
        """Score the pairs in short runs of similar length; see the protocol."""
        loop = asyncio.get_running_loop()
        scores: list[PairScore | UnresolvedReason] = [UnresolvedReason.BUDGET] * len(pairs)
        lengths = [pair.tokens for pair in pairs]
        for run in plan_runs(lengths, max_padded_tokens=self._max_padded_tokens):
            batch = [pairs[position] for position in run]
            found = await loop.run_in_executor(self._worker, self._pass, batch, deadline)
            for position, score in zip(run, found, strict=True):
                scores[position] = score
        return scores

    def _pass(
        self, batch: list[EncodedPair], deadline: float | None
    ) -> Sequence[PairScore | UnresolvedReason]:
        """Run one forward pass in the worker, or say why there was none."""
        if deadline is not None and self._clock() >= deadline:
            return [UnresolvedReason.BUDGET] * len(batch)
        try:
            return self._model.score(batch)
        except InferenceError:
            return [UnresolvedReason.MODEL_ERROR] * len(batch)

    def close(self) -> None:
        """End the worker once its running pass is done."""
        self._worker.shutdown(wait=True, cancel_futures=True)


def _step(steps: Iterator[None]) -> bool:
    """Advance by one step; False at the end (StopIteration may not cross a future)."""
    try:
        next(steps)
    except StopIteration:
        return False
    return True
