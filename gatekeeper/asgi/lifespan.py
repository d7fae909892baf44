"""The app's lifespan with the gate's around it: ready before the app starts, closed after it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

Step = Callable[[], Awaitable[None]]

# After these an app is not called any more. One that raises before has no lifespan and serves on.
_ENDS = {"lifespan.startup.failed", "lifespan.shutdown.complete", "lifespan.shutdown.failed"}


class Lifespan:
    """Serves ``lifespan`` scopes.

    Args:
        startup: Loads, warms and tests the gate before the app sees ``lifespan.startup``.
        shutdown: Drains and closes it once the app has shut down.
        must_start: Returns True if some route is enforced: a failed startup is then the
            server's too. Otherwise the app starts, its answers unresolved until a load succeeds.
    """

    def __init__(self, startup: Step, shutdown: Step, *, must_start: Callable[[], bool]) -> None:
        self._startup = startup
        self._shutdown = shutdown
        self._must_start = must_start

    async def run(self, app: "ASGIApp", scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Serve one scope; its ``state`` is the app's alone.

        Raises:
            BaseException: What the startup raised, once the server was told that it failed: a
                lifespan that returns without it passes for one that runs, in Starlette's test
                client.
        """
        first: list[Message] = [await receive()]
        fault = await _fault(self._startup)
        if fault is not None and self._must_start():
            message = f"gatekeeper can't enforce: {fault}"
            await self._shutdown()
            await send({"type": "lifespan.startup.failed", "message": message})
            raise fault

        async def replay() -> "Message":
            return first.pop() if first else await receive()

        async def closing(message: "Message") -> None:
            if message["type"] in _ENDS:
                await self._shutdown()
            await send(message)

        await app(scope, replay, closing)


async def _fault(step: Step) -> BaseException | None:
    """Return what a step raised: here that is an answer, whatever it is."""

    async def take() -> None:
        await step()

    task = asyncio.create_task(take())
    await asyncio.wait({task})
    return task.exception()
