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
        if self.started and sockets:
            host, port = sockets[0].getsockname()[:2]
            self._ready(f"http://{host}:{port}")


def serve(app: "ASGIApp", *, host: str, port: int, ready: Callable[[str], None]) -> bool:
    """Serve until interrupted.

    Args:
        app: Anything that speaks ASGI.
        host: Address to listen on.
        port: Port to listen on; 0 for a free one.
        ready: Is called with the base address, such as "http://127.0.0.1:8000".

    Returns:
        True if the server got as far as answering.

    Raises:
        OSError: If the port can't be had.
    """
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", lifespan="on")
    server = _Server(config, ready)
    with socket.create_server((host, port)) as listener:
        server.run(sockets=[listener])
    return server.started
