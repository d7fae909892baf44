"""An event loop without time: what would be waited for comes at once, and a hang is an error."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class HungError(AssertionError):
    """Nothing is left that could ever happen, and somebody still waits."""


class _Instant(selectors.DefaultSelector):
    """Waits for nothing: the clock of its loop is set forward instead."""

    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready now."""
        ready = super().select(0)
        if not ready and timeout is None:
            raise HungError("every task waits, and no timer is set")
        if not ready and timeout is not None:
            self.now_s += max(0.0, timeout)
        return ready


class InstantLoop(asyncio.SelectorEventLoop):
    """A loop for tests that use no sockets and no threads."""

    def __init__(self) -> None:
        self._instant = _Instant()
        super().__init__(self._instant)

    def time(self) -> float:
        """Return the time that has been set forward so far, in seconds."""
        return self._instant.now_s


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end, without a wait.

    Raises:
        HungError: If it never could end.
    """
    with asyncio.Runner(loop_factory=InstantLoop) as runner:
        return runner.run(main)
