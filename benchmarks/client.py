"""An HTTP/1.1 client that does next to nothing, and a server process to send requests to.

Requests are bytes made beforehand; a connection carries one at a time and is kept. What costs the
client little does not take time from a server on the same machine.
"""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast
from urllib.parse import urlsplit

from benchmarks.watched import WATCHED

START_S = 60.0
_END_OF_HEAD = b"\r\n\r\n"


def post(path: str, body: object) -> bytes:
    """Return a request with a JSON body."""
    data = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nhost: desk\r\ncontent-type: application/json\r\n"
        f"content-length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data


class Connection(asyncio.Protocol):
    """One kept connection."""

    def __init__(self) -> None:
        self._got = b""
        self._waiter: asyncio.Future[bytes] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to write."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Answer the waiter when the body is there by its length."""
        self._got += data
        head, found, body = self._got.partition(_END_OF_HEAD)
        if not found:
            return
        lines = (line.partition(b":") for line in head.lower().split(b"\r\n"))
        length = next(int(value) for name, _, value in lines if name == b"content-length")
        if len(body) >= length and self._waiter is not None:
            self._got = b""
            self._waiter.set_result(body)

    def connection_lost(self, error: Exception | None) -> None:
        """Tell the waiter."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(error or ConnectionError("the server closed"))

    async def ask(self, request: bytes) -> tuple[bytes, float]:
        """Send a request; returns the body and the seconds until it was there."""
        if self._transport is None or self._transport.is_closing():
            raise ConnectionError("the server has closed the connection")
        began = time.monotonic()
        self._waiter = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._waiter, time.monotonic() - began

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.close()


class Client:
    """Connections to one server, opened as they are needed."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._idle: list[Connection] = []
        self._page = b"GET " + WATCHED.encode() + b" HTTP/1.1\r\nhost: desk\r\n\r\n"

    async def open(self, count: int) -> None:
        """Have so many connections ready."""
        while len(self._idle) < count:
            self._idle.append(await self._connect())

    async def ask(self, request: bytes) -> tuple[bytes, float]:
        """Send a request; returns the body and the seconds until it was there."""
        connection = self._idle.pop() if self._idle else await self._connect()
        answer = await connection.ask(request)
        self._idle.append(connection)
        return answer

    async def ask_all(self, requests: Sequence[bytes]) -> list[float]:
        """Send requests at one instant; returns the seconds each took."""
        return [s for _, s in await asyncio.gather(*map(self.ask, requests))]

    async def watched(self) -> dict[str, Any]:
        """Return what the server saw since this was last asked."""
        body, _ = await self.ask(self._page)
        page: dict[str, Any] = json.loads(body)
        return page

    async def text(self, path: str) -> str:
        """Return a page."""
        body, _ = await self.ask(f"GET {path} HTTP/1.1\r\nhost: desk\r\n\r\n".encode())
        return body.decode()

    def close(self) -> None:
        """Close what is open."""
        for connection in self._idle:
            connection.close()

    async def _connect(self) -> Connection:
        host, port = self._address
        _, connection = await asyncio.get_running_loop().create_connection(Connection, host, port)
        return connection


@asynccontextmanager
async def server(*options: str) -> AsyncIterator[Client]:
    """Start the watched demo in a process of its own; it ends with the block."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.watched", *options, stdout=asyncio.subprocess.PIPE
    )
    try:
        base = await asyncio.wait_for(
            cast(asyncio.StreamReader, process.stdout).readline(), START_S
        )
        address = urlsplit(base.decode().strip())
        client = Client(str(address.hostname), int(address.port or 0))
        try:
            yield client
        finally:
            client.close()
    finally:
        process.terminate()
        await process.wait()
