"""The scheduler: one worker thread a process that owns the model, and what event loops ask of it.

A running forward pass can't be cancelled, so deadlines are read before each pass, passes are kept
short by a cost model learnt from them, and what can't be done in time is refused on arrival.
Pairs of many requests share a pass; scores do not depend on that (see the model's manifest).
"""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from math import inf

from gatekeeper.errors import UnavailableError
from gatekeeper.protocols import EncodedPair, Model, PairScore, Priority, Steps, Usage
from gatekeeper.scheduler.admission import Pace
from gatekeeper.scheduler.line import LineBounds, PairsCall, StepsCall, Waiter
from gatekeeper.scheduler.loading import Notice
from gatekeeper.scheduler.tally import Statistics
from gatekeeper.scheduler.worker import Worker
from gatekeeper.verdict import UnresolvedReason

__all__ = ["LineBounds", "Notice", "Pace", "Scheduler", "Statistics"]


def _ignore(event: str, **facts: str | float) -> None:
    """Take no note."""


class Scheduler:
    """A judge over one model, for any number of event loops; see ``gatekeeper.protocols.Judge``.

    Args:
        model: A ready model; nothing is loaded then, and a forked child has no model.
        load: Makes the model, off the event loop; asked again after a fork, after a failure
            (with growing pauses) and after the worker thread was killed. Instead of ``model``.
        clock: The monotonic clock that deadlines are readings of.
        pace: How work is cut and bounded.
        notice: Takes events such as ``batch_failed``, from any thread; never gets text.
    """

    def __init__(
        self,
        model: Model | None = None,
        *,
        load: Callable[[], Model] | None = None,
        clock: Callable[[], float] = time.monotonic,
        pace: Pace | None = None,
        notice: Notice = _ignore,
    ) -> None:
        if (model is None) == (load is None):
            raise ValueError("a scheduler takes either a model or a way to load one")
        self._load = load
        self._clock = clock
        self._pace = pace or Pace()
        self._notice = notice
        self._process = os.getpid()
        self._current = self._make(model)

    def _make(self, model: Model | None) -> Worker:
        return Worker(model, self._load, clock=self._clock, pace=self._pace, notice=self._notice)

    @property
    def _worker(self) -> Worker:
        """The worker of this process: threads and sessions do not survive a fork."""
        if os.getpid() != self._process:
            self._process = os.getpid()
            self._current = self._make(None)
        return self._current

    @property
    def model(self) -> Model:
        """The model, for steps that encode; use it in the worker only.

        Raises:
            UnavailableError: Before it is loaded (warming) and after it broke (model_error).
        """
        return self._worker.model

    async def start(self) -> None:
        """Load the model unless that has begun, and wait until it is ready.

        Raises:
            ModelError: If the next try to load it fails; tries go on all the same.
            UnavailableError: If there is nothing to load (closed, forked without a loader).
        """
        waiter = Waiter[None]()
        self._worker.start(waiter)
        await waiter.future

    def refusal(
        self, *, deadline: float | None, priority: Priority = Priority.ENFORCE
    ) -> UnresolvedReason | None:
        """Say at once why a check that begins now would be refused; see the protocol."""
        call = StepsCall(iter(()), deadline=_or_never(deadline), priority=priority, usage=Usage())
        return self._worker.refusal(call)

    async def run(
        self,
        steps: Steps,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> None:
        """Exhaust the iterator in the worker; see the protocol.

        Cancelled, no further step is taken; one that has begun ends unused.
        """
        call = StepsCall(
            steps, deadline=_or_never(deadline), priority=priority, usage=usage or Usage()
        )
        worker = self._worker
        reason = worker.submit(call)
        if reason is not None:
            raise UnavailableError(reason)
        try:
            await call.future
        except asyncio.CancelledError:
            worker.abandon(call)
            raise

    async def score(
        self,
        pairs: Sequence[EncodedPair],
        *,
        deadline: float | None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> list[PairScore | UnresolvedReason]:
        """Score the pairs in shared passes; see the protocol.

        Cancelled, the pairs that have not run are dropped; those that run end unused.
        """
        if not pairs:
            return []
        call = PairsCall(
            pairs, deadline=_or_never(deadline), priority=priority, usage=usage or Usage()
        )
        worker = self._worker
        reason = worker.submit(call)
        if reason is not None:
            return [reason] * len(pairs)
        assert call.waiter is not None  # noqa: S101 - it has one, for nobody else asked
        try:
            return await call.waiter.future
        except asyncio.CancelledError:
            worker.abandon(call)
            raise

    @property
    def queue_pairs(self) -> int:
        """Pairs in line about now, for a gauge."""
        return self._worker.queue_pairs

    def statistics(self) -> Statistics:
        """Return a snapshot of this process's counts."""
        return self._worker.statistics()

    def close(self) -> None:
        """Refuse newcomers, answer who waits, end the threads; blocking until that is done."""
        self._worker.close()


def _or_never(deadline: float | None) -> float:
    return inf if deadline is None else deadline
