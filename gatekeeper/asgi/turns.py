"""Turns of the event loop kept short, so that what was decided in time is told in time.

When thousands of requests arrive at one instant, their apps all run in one turn of the loop, and
nothing that ends meanwhile is heard before the last of them has run.
"""

import asyncio
from collections import deque

# An app and its gate take about a millisecond of the loop for a request.
_A_TURN = 16


class Turns:
    """Lets a few requests begin in each turn of a loop, the others in the next ones, in order."""

    def __init__(self, most: int = _A_TURN) -> None:
        self._most = most
        self._loop: asyncio.AbstractEventLoop | None = None
        self._begun = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        """Return in this turn if there is room in it, else in the first one that has."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._begun, self._waiting = loop, 0, deque()
        if self._begun == 0:
            loop.call_soon(self._next)
        if self._begun < self._most and not self._waiting:
            self._begun += 1
            return
        self._waiting.append(loop.create_future())
        await self._waiting[-1]

    def _next(self) -> None:
        """Begin a turn with those who wait; they run in the one that follows."""
        self._begun = 0
        while self._waiting and self._begun < self._most:
            waiter = self._waiting.popleft()
            if not waiter.done():  # cancelled, if it is
                waiter.set_result(None)
                self._begun += 1
        if self._begun:
            asyncio.get_running_loop().call_soon(self._next)
