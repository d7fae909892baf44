"""Serving: told when it answers, ended by an interrupt; a failed start is no start."""

import os
import signal
import threading

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from gatekeeper.demo.app import help_desk
from gatekeeper.demo.serve import listen, serve

HERE = "127.0.0.1"


def test_served_app_answers_at_the_address_told_until_interrupted() -> None:
    """Curl lines are printed with that address, and Ctrl-C is how people leave."""
    answers: list[int] = []

    def ask(base: str) -> None:
        answers.append(httpx.get(f"{base}/healthz").status_code)
        os.kill(os.getpid(), signal.SIGINT)

    started = serve(
        help_desk(),
        listen(HERE, 0),
        ready=lambda base: threading.Thread(target=ask, args=(base,)).start(),
    )

    assert started
    assert answers == [200]


def test_app_that_does_not_start_is_not_served() -> None:
    """A gate that can't enforce must not be announced as if it could."""

    async def failing(_scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no model"})

    told: list[str] = []

    started = serve(failing, listen(HERE, 0), ready=told.append)

    assert not started
    assert told == []


def test_port_in_use_is_an_error() -> None:
    """Two demos on one port would share requests by chance."""
    with listen(HERE, 0) as first, pytest.raises(OSError, match="in use"):
        listen(HERE, first.getsockname()[1])
