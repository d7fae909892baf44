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


def named(exchange: Exchange) -> list[dict[str, object]]:
    """Return what a search client often holds: objects, with more in them than is read."""
    return [{"id": 7, "text": "It is named.", "score": 0.5}, {"text": "It is not."}]


def one_text(exchange: Exchange) -> str:
    """Return a text where a list of texts belongs."""
    return "It is the law."


def one_object(exchange: Exchange) -> dict[str, str]:
    """Return one passage where a list belongs."""
    return {"id": "law", "text": "It is the law."}


def nothing(exchange: Exchange) -> None:
    """Forget the return statement."""


def number(exchange: Exchange) -> list[int]:
    """Return what is no passage."""
    return [7]


def tuples(exchange: Exchange) -> list[tuple[str, str]]:
    """Return what nobody said could be read."""
    return [("law", "It is the law.")]


def textless(exchange: Exchange) -> list[dict[str, str]]:
    """Return objects with another key."""
    return [{"body": "It is the law."}]
