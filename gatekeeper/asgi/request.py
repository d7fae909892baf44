"""The request side: what the app gets to see, and who reads what the client sends.

The app owns ``receive``; what passes is looked at. Only while an answer is held, and only if the
app isn't waiting itself, the gate waits for the client's next message; the app gets it afterwards.
"""

import asyncio
import math
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gatekeeper.asgi.jsontext import UncheckableError
from gatekeeper.verdict import NotCheckedReason

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope

Headers = list[tuple[bytes, bytes]]

_READABLE = (b"gzip", b"x-gzip", b"identity")
_PARTS = (b"range", b"if-range")
_PAST_THE_GATE = ("http.response.pathsend", "http.response.zerocopysend")


def values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    """Return the values of a header in order, whatever case its name has."""
    return [value for key, value in headers if key.lower() == name]


def narrowed(scope: "Scope") -> "Scope":
    """Return a copy of the scope that asks for whole answers the gate can read.

    Codings other than gzip and identity, ranges, and the extensions by which a body would pass
    beside ``http.response.body`` are left out. ``state`` stays the same object.
    """
    headers = []
    for key, value in scope["headers"]:
        name = key.lower()
        if name == b"accept-encoding":
            headers.append((key, _narrow(value)))
        elif name not in _PARTS:
            headers.append((key, value))
    extensions = {
        name: value
        for name, value in (scope.get("extensions") or {}).items()
        if name not in _PAST_THE_GATE
    }
    return {**scope, "headers": headers, "extensions": extensions}


def _narrow(accepted: bytes) -> bytes:
    kept = [
        item.strip()
        for item in accepted.split(b",")
        if item.split(b";")[0].strip().lower() in _READABLE
    ]
    return b", ".join(kept) or b"identity"


class Receiver:
    """The app's ``receive``, which copies the request body and notices that the client has gone.

    Args:
        receive: The server's.
        limit: Bytes of request body to keep; None keeps nothing.

    ``gone`` is a future and no event, for waiting on that would take a task a request.
    """

    def __init__(self, receive: "Receive", limit: int | None) -> None:
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.complete = asyncio.Event()
        self._receive = receive
        self._limit = limit
        self._body: list[bytes] = []
        self._size = 0
        self._waiting = 0
        self._watching = False
        self._most = math.inf
        self._ahead: asyncio.Future[Message] | None = None
        self._landed: deque[asyncio.Future[Message]] = deque()

    async def __call__(self) -> "Message":
        """Hand the app its next message; cancelling loses none that the gate was waiting for."""
        self._waiting += 1
        try:
            while self._ahead is not None and not self._landed:
                await asyncio.wait({self._ahead})
            if self._landed:
                return self._landed.popleft().result()
            message = await self._receive()
            self._saw(message)
            return message
        finally:
            self._waiting -= 1
            self._look_ahead()

    def leave(self) -> None:
        """Note that the client has gone."""
        if not self.gone.done():
            self.gone.set_result(None)

    def watch(self, *, most: float = math.inf) -> None:
        """Wait for the client's messages whenever the app doesn't, until ``rest``.

        At most so many are kept for the app: a server that nobody reads from slows the client down.
        """
        self._watching = True
        self._most = most
        self._look_ahead()

    def rest(self) -> None:
        """Begin to wait for no further message; one under way is kept for the app."""
        self._watching = False

    def end(self) -> None:
        """Stop waiting; the request is over."""
        self._watching = False
        if self._ahead is not None:
            self._ahead.cancel()

    def body(self) -> bytes:
        """Return the request body.

        Raises:
            UncheckableError: With ``size`` if it was larger than the limit.
        """
        if self._limit is None or self._size > self._limit:
            raise UncheckableError(NotCheckedReason.SIZE)
        return b"".join(self._body)

    def _look_ahead(self) -> None:
        is_free = len(self._landed) < self._most and not (self._waiting or self._ahead)
        if self._watching and is_free and not self.gone.done():
            self._ahead = asyncio.create_task(self._next())
            self._ahead.add_done_callback(self._land)

    async def _next(self) -> "Message":
        """Receive, as a coroutine: some servers' futures (granian's) call back one waiter only."""
        return await self._receive()

    def _land(self, message: "asyncio.Future[Message]") -> None:
        """Keep what came for the app: a message, or what ``receive`` raised."""
        self._ahead = None
        if message.cancelled():
            return
        self._landed.append(message)
        if message.exception() is None:
            self._saw(message.result())
            self._look_ahead()

    def _saw(self, message: "Message") -> None:
        if message["type"] == "http.disconnect":
            self.leave()
        elif message["type"] == "http.request":
            self._keep(message.get("body", b""))
            if not message.get("more_body", False):
                self.complete.set()

    def _keep(self, body: bytes) -> None:
        self._size += len(body)
        if self._limit is not None and self._size <= self._limit:
            self._body.append(body)
        else:
            self._body.clear()
