"""Resolvers for the tests, named by ``package.module:function``."""

import threading
from collections.abc import Iterator

from gatekeeper.asgi.evidence import Exchange
from gatekeeper.verdict import Passage

seen: list[Exchange] = []
NO_FUNCTION = 7


def passages(exchange: Exchange) -> list[str | Passage]:
    """Return two passages, one with a name of its own."""
    seen.append(exchange)
    return [Passage(id="law", text="It is the law."), "It is free."]


async def later(exchange: Exchange) -> list[str]:
    """Return one passage, as an async client would."""
    return ["It is late."]


def lazily(exchange: Exchange) -> Iterator[str]:
    """Yield a passage."""
    yield "It is lazy."


def broken(exchange: Exchange) -> list[str]:
    """Raise."""
    raise ZeroDivisionError


def hanging(exchange: Exchange) -> list[str]:
    """Take longer than its bound, though not for ever: the interpreter waits for threads."""
    threading.Event().wait(0.3)
    return []


def mistaken(exchange: Exchange) -> list[int]:
    """Return what is no passage."""
    return [7]
