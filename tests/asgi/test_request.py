"""One owner of ``receive`` at a time, and no message lost between app and gate."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from gatekeeper.asgi.jsontext import UncheckableError
from gatekeeper.asgi.request import Receiver
from tests.asgi.wire import Message

BODY = {"type": "http.request", "body": b"one", "more_body": True}
END = {"type": "http.request", "body": b"two"}
GONE = {"type": "http.disconnect"}


class Server:
    """A receive whose messages come when the test says so; it is never asked twice at once."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Message | Exception] = asyncio.Queue()
        self.asked = 0
        self.cancelled = 0

    async def __call__(self) -> Message:
        """Wait for the next message."""
        assert self.asked == 0
        self.asked += 1
        try:
            found = await self.queue.get()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.asked -= 1
        if isinstance(found, Exception):
            raise found
        return found


def run(test: Callable[[Server, Receiver], Coroutine[Any, Any, None]]) -> None:
    """Run a scenario."""

    async def scenario() -> None:
        server = Server()
        await test(server, Receiver(server, 100))

    asyncio.run(scenario())


async def settle() -> None:
    """Let every task go as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_messages_pass_and_are_copied() -> None:
    """The app reads as ever; the gate has a copy."""

    async def test(server: Server, receiver: Receiver) -> None:
        for message in (BODY, END, GONE, GONE):
            server.queue.put_nowait(message)

        assert [await receiver() for _ in range(4)] == [BODY, END, GONE, GONE]
        assert receiver.body() == b"onetwo"
        assert receiver.complete.is_set()
        assert receiver.gone.done()

    run(test)


def test_what_the_gate_was_given_is_the_apps_next() -> None:
    """In order, and once."""

    async def test(server: Server, receiver: Receiver) -> None:
        receiver.watch()
        for message in (BODY, END):
            server.queue.put_nowait(message)
        await settle()
        receiver.rest()
        server.queue.put_nowait(GONE)

        assert [await receiver() for _ in range(3)] == [BODY, END, GONE]

    run(test)


def test_gate_hears_that_the_client_has_gone() -> None:
    """That is what it waits for; after it there is nothing more to come."""

    async def test(server: Server, receiver: Receiver) -> None:
        receiver.watch()
        server.queue.put_nowait(GONE)
        await asyncio.wait_for(receiver.gone, 5)
        await settle()

        assert server.asked == 0
        assert await receiver() == GONE

    run(test)


def test_gate_waits_only_while_the_app_does_not() -> None:
    """Two readers of one connection would steal from each other."""

    async def test(server: Server, receiver: Receiver) -> None:
        app = asyncio.ensure_future(receiver())
        await settle()
        receiver.watch()
        await settle()
        server.queue.put_nowait(BODY)

        assert await app == BODY
        await settle()
        assert server.asked == 1  # now the gate waits

        app = asyncio.ensure_future(receiver())
        await settle()
        server.queue.put_nowait(END)
        assert await app == END

    run(test)


def test_app_that_stops_waiting_leaves_the_gate_waiting() -> None:
    """Starlette cancels its own wait for the disconnect when a stream has ended."""

    async def test(server: Server, receiver: Receiver) -> None:
        receiver.watch()
        app = asyncio.ensure_future(receiver())
        await settle()
        app.cancel()
        await settle()
        server.queue.put_nowait(GONE)
        await asyncio.wait_for(receiver.gone, 5)

        assert await receiver() == GONE

    run(test)


def test_error_of_receive_is_the_apps() -> None:
    """A server that raises raises to the app, also if the gate was waiting."""

    async def test(server: Server, receiver: Receiver) -> None:
        receiver.watch()
        server.queue.put_nowait(OSError("reset"))
        await settle()

        with pytest.raises(OSError, match="reset"):
            await receiver()

    run(test)


def test_end_cancels_the_wait() -> None:
    """No task is left behind by a request."""

    async def test(server: Server, receiver: Receiver) -> None:
        receiver.watch()
        await settle()
        receiver.end()
        await settle()

        assert server.cancelled == 1
        receiver.end()

    run(test)


def test_body_is_kept_within_its_limit_only() -> None:
    """Past it nothing is, and none is where none is wanted."""

    async def test(server: Server, receiver: Receiver) -> None:
        server.queue.put_nowait({**BODY, "body": b"x" * 99})
        server.queue.put_nowait({**BODY, "body": b"xx"})
        server.queue.put_nowait(END)
        server.queue.put_nowait({"type": "http.something"})
        for _ in range(4):
            await receiver()

        with pytest.raises(UncheckableError):
            receiver.body()
        with pytest.raises(UncheckableError):
            Receiver(server, None).body()

    run(test)
