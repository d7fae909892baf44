"""Serve an app with uvicorn and say when it can be asked."""

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from starlette.types import ASGIApp


class _Server(uvicorn.Server):
    """A server that reports its address once it answers there."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[str], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then report; a failed start reports nothing."""
        await super().startup(sockets)
        if self.started and sockets:  # pragma: no branch - some versions return unstarted
            host, port = sockets[0].getsockname()[:2]
            self._ready(f"http://{host}:{port}")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one.

    Raises:
        OSError: If the port can't be had.
    """
    return socket.create_server((host, port))


def serve(app: "ASGIApp", listener: socket.socket, *, ready: Callable[[str], None]) -> bool:
    """Serve until interrupted; the listener is closed afterwards.

    Args:
        app: Anything that speaks ASGI, lifespan included.
        listener: Where to accept connections.
        ready: Is called with the base address, such as "http://127.0.0.1:8000", once the server
            answers there.

    Returns:
        True if the server got as far as answering.
    """
    server = _Server(uvicorn.Config(app, log_level="warning", lifespan="on"), ready)
    try:
        with listener:
            server.run(sockets=[listener])
    except KeyboardInterrupt:  # uvicorn raises the signal again once it has shut down
        pass
    except SystemExit:  # its word for an app that did not start; the code would say something else
        return False
    return server.started
