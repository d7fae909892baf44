"""A stream that is held whole: like any other response, but not for ever."""

import asyncio
from typing import TYPE_CHECKING

from gatekeeper.asgi.hold import Hold
from gatekeeper.verdict import NotCheckedReason

if TYPE_CHECKING:
    from starlette.types import Message

    from gatekeeper.asgi.call import Call
    from gatekeeper.asgi.response import Head


class TimedHold:
    """A hold that is decided, as not checked, if the app takes too long to its last byte."""

    def __init__(self, call: "Call", head: "Head") -> None:
        self._call = call
        self._hold = Hold(call, head, head.start)
        self._turn = asyncio.Lock()
        self._timer = asyncio.create_task(self._expire(call.route.max_hold_s))

    async def take(self, message: "Message") -> None:
        """Take one message after the start."""
        async with self._turn:
            if not message.get("more_body", False):
                self._timer.cancel()
            await self._hold.take(message)

    async def refuse(self, reason: NotCheckedReason) -> None:
        """Decide without a check."""
        async with self._turn:
            self._timer.cancel()
            await self._hold.refuse(reason)

    def stop(self) -> None:
        """Wait no longer; the request is over."""
        self._timer.cancel()

    async def _expire(self, most_s: float) -> None:
        await asyncio.sleep(most_s)
        try:
            async with self._turn:
                await self._hold.refuse(NotCheckedReason.STREAM)
        except OSError:
            self._call.receiver.leave()
