"""What is sent of a gated stream, by one sender at a time: its start, whole frames, comments."""

import asyncio
from typing import TYPE_CHECKING

from gatekeeper.asgi.streams.kinds import EVENTS

if TYPE_CHECKING:
    from starlette.types import Message

    from gatekeeper.asgi.call import Call

KEEP_ALIVE = b": keep-alive\n\n"


class Out:
    """The sending side of one stream.

    ``start`` is what goes first and may be changed until then. ``is_free`` is set while nothing is
    being sent: a slow client slows the app down as it would without a gate.
    """

    def __init__(self, call: "Call", start: "Message", media: str) -> None:
        self._call = call
        self._media = media
        self._lock = asyncio.Lock()
        self._pulse: asyncio.Task[None] | None = None
        self._last_s = 0.0
        self.start = start
        self.has_begun = False
        self.has_ended = False
        self.is_free = asyncio.Event()
        self.is_free.set()

    async def send(self, body: bytes, *, ends: bool = False) -> None:
        """Send bytes, behind the start if they are the first; nothing after the end.

        Raises:
            OSError: If the client has gone, or takes too long.
        """
        async with self._lock:
            if self.has_ended or not (body or ends):
                return
            self.has_ended = ends
            if not self.has_begun:
                self.has_begun = True
                await self._deliver(self.start)
            await self._deliver({"type": "http.response.body", "body": body, "more_body": not ends})

    async def replace(self, messages: list["Message"]) -> None:
        """Send another response in the place of one of which nothing was sent."""
        async with self._lock:
            self.has_begun = self.has_ended = True
            for message in messages:
                await self._deliver(message)

    def keep_alive(self) -> None:
        """Begin to send comments into silence, if there is a place for them in this stream."""
        interval_s = self._call.route.keep_alive_s
        if interval_s and self._media == EVENTS:
            self._last_s = self._call.services.clock()
            self._pulse = asyncio.create_task(self._beat(interval_s))

    def stop(self) -> None:
        """Send no more comments."""
        if self._pulse is not None:
            self._pulse.cancel()

    async def _beat(self, interval_s: float) -> None:
        """Send a comment after each interval of silence, until the client has gone."""
        try:
            while not self.has_ended:
                rest_s = self._last_s + interval_s - self._call.services.clock()
                if rest_s > 0:
                    await asyncio.sleep(rest_s)
                else:
                    await self.send(KEEP_ALIVE)
        except Exception:  # noqa: BLE001 - ``send`` raises what it likes; noted where it did
            return

    async def _deliver(self, message: "Message") -> None:
        """Send one message; once that fails, however it does, nothing reaches the client."""
        self.is_free.clear()
        try:
            async with asyncio.timeout(self._call.route.bounds.send_s):
                await self._call.send(message)
        except Exception:
            self._call.receiver.leave()
            raise
        finally:
            self._last_s = self._call.services.clock()
            self.is_free.set()
