"""Loading: a thread that brings a model up, tries again with growing pauses, and ends.

It is not the worker, which meanwhile writes the replies of those who must not wait for a model.
Methods are called with the worker's condition held; the loader itself runs outside it.
"""

import os
import sys
import threading
from collections.abc import Callable
from enum import StrEnum
from itertools import repeat
from math import inf
from typing import Protocol

from gatekeeper.core.budget import CostModel, pause_s
from gatekeeper.errors import UnavailableError
from gatekeeper.protocols import Model
from gatekeeper.scheduler.line import Waiter
from gatekeeper.verdict import UnresolvedReason

# Steps behind the server's own threads: enough to let a request be accepted first, not so much
# that a busy neighbour starves every check.
NICENESS = 5

# Sizes of the passes a cost model is seeded with: (pairs, words of premise). Each runs twice, for
# the first pass of a size pays for memory that later ones find ready.
WARM_UP = ((1, 16), (1, 120), (4, 60), (8, 60)) * 2

Load = Callable[[], Model]
Clock = Callable[[], float]


class Notice(Protocol):
    """Takes an event and its facts, never text; must neither raise nor block."""

    def __call__(self, event: str, **facts: str | float) -> None:
        """Take note."""
        ...


class Phase(StrEnum):
    """How far the model is."""

    COLD = "cold"
    LOADING = "loading"
    READY = "ready"
    BROKEN = "broken"
    CLOSED = "closed"


_REFUSED_FOR = {
    Phase.COLD: UnresolvedReason.WARMING,
    Phase.LOADING: UnresolvedReason.WARMING,
    Phase.READY: None,
    Phase.BROKEN: UnresolvedReason.MODEL_ERROR,
    Phase.CLOSED: UnresolvedReason.SHUTDOWN,
}


class Loading:
    """The model and how far it is; ``cost`` is what its passes took while it was warmed.

    Without ``load`` there is only the model that was given; without that too (a ready model from
    before a fork) it stays broken.
    """

    def __init__(
        self,
        model: Model | None,
        load: Load | None,
        *,
        clock: Clock,
        changed: threading.Condition,
        notice: Notice,
    ) -> None:
        self._load = load
        self._clock = clock
        self._changed = changed
        self._notice = notice
        self._starters: list[Waiter[None]] = []
        self._failures = 0
        self._resume_s = -inf
        self.model = model
        self.cost: CostModel | None = None
        self.phase = Phase.READY if model else Phase.COLD if load else Phase.BROKEN
        self.thread: threading.Thread | None = None
        self.loads = 0
        self.failed_loads = 0

    @property
    def refused_for(self) -> UnresolvedReason | None:
        """Why nothing can be checked now; None when it can."""
        return _REFUSED_FOR[self.phase]

    def start(self, waiter: Waiter[None]) -> None:
        """Have the waiter answered when the model is ready, or with why the next try failed."""
        if self.phase is Phase.READY:
            waiter.answer(None)
        elif self.phase is Phase.CLOSED or self._load is None:
            waiter.answer(UnavailableError(self.refused_for or UnresolvedReason.MODEL_ERROR))
        else:
            self._starters.append(waiter)
            self.begin()

    def begin(self) -> None:
        """Start the loading thread unless it runs, or there is nothing to load."""
        if self.thread is not None or self._load is None or self.phase is Phase.READY:
            return
        if self.phase is Phase.COLD:
            self.phase = Phase.LOADING
        thread = threading.Thread(
            target=self._keep_trying, args=(self._load,), name="gatekeeper-load", daemon=True
        )
        thread.start()
        self.thread = thread

    def broke(self) -> None:
        """Drop a model that ended the worker: what it left of itself can't be trusted."""
        if self._load is not None and self.phase is Phase.READY:
            self.model, self.phase = None, Phase.BROKEN
            self._pause()
            self.begin()

    def worked(self) -> None:
        """Note a pass that went well: the next pause is short again."""
        self._failures = 0

    def close(self) -> None:
        """Try no more; a load that runs ends unused."""
        self.phase = Phase.CLOSED
        self._answer(UnavailableError(UnresolvedReason.SHUTDOWN))

    def _keep_trying(self, load: Load) -> None:
        lower_priority()
        while self._may_try() and not self._tried(load):
            pass

    def _may_try(self) -> bool:
        """Wait for the time of the next try; False if there is to be none."""
        with self._changed:
            while self.phase is not Phase.CLOSED and (left := self._resume_s - self._clock()) > 0.0:
                self._changed.wait(left)
            if self.phase is Phase.CLOSED:
                return False
            self.phase = Phase.LOADING
            return True

    def _tried(self, load: Load) -> bool:
        """Load once; True if it worked."""
        began = self._clock()
        try:
            model = load()
            cost = warm_up(model, self._clock)
        except BaseException as error:  # noqa: BLE001 - a silent end would mean warming for ever
            self._failed(error)
            return False
        self._notice("model_loaded", seconds=self._clock() - began)
        with self._changed:
            self.thread = None
            self.loads += 1
            if self.phase is Phase.LOADING:
                self.model, self.cost, self.phase = model, cost, Phase.READY
            self._answer(None)
        return True

    def _failed(self, error: BaseException) -> None:
        with self._changed:
            self.failed_loads += 1
            pause = self._pause()
            if self.phase is Phase.LOADING:
                self.phase = Phase.BROKEN
            self._answer(error)
        self._notice("load_failed", error=type(error).__name__, retry_in_s=pause)

    def _pause(self) -> float:
        """Count a failure and put the next try off; returns by how many seconds."""
        self._failures += 1
        pause = pause_s(self._failures)
        self._resume_s = self._clock() + pause
        return pause

    def _answer(self, outcome: BaseException | None) -> None:
        for waiter in self._starters:
            waiter.answer(outcome)
        self._starters.clear()


def lower_priority() -> None:
    """Put the calling thread behind the server's; threads it creates inherit that.

    Only Linux has a priority a thread; elsewhere it would be that of the whole process.
    """
    if sys.platform != "linux":
        return
    thread = threading.get_native_id()
    try:
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)
    except OSError:
        # A sandbox may forbid it; the gate then works at the server's priority.
        return


def warm_up(model: Model, clock: Clock) -> CostModel:
    """Run a model at several sizes and return what that cost; raises whatever the model raises."""
    cost = CostModel()
    for rows, words in WARM_UP:
        pair = model.encode(" ".join(repeat("warm", words)), "It is warm.")
        if pair is None:
            continue
        began = clock()
        model.score([pair] * rows)
        tokens = rows * pair.tokens
        cost = cost.after(padded_tokens=tokens, tokens=tokens, seconds=clock() - began)
    return cost
