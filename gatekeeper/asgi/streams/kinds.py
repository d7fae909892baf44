"""Which streams there are, and which protocol a route's stream is in."""

from gatekeeper.asgi.jsontext import tokens
from gatekeeper.asgi.payload import CHARSETS
from gatekeeper.asgi.streams.chat import Chat
from gatekeeper.asgi.streams.dialect import Dialect
from gatekeeper.asgi.streams.frames import EventFrames, Frames, LineFrames, TextFrames
from gatekeeper.asgi.streams.pointed import Events, Lines, Plain, TextEvents
from gatekeeper.asgi.streams.responses import Responses
from gatekeeper.policy import Route, Shape

EVENTS = "text/event-stream"
_LINES = frozenset(
    {
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "application/json-lines",
        "application/stream+json",
    }
)
# Streams by their type whose frames nothing here can tell apart.
UNREADABLE = frozenset({"application/json-seq", "multipart/x-mixed-replace"})


def is_framed(media: str) -> bool:
    """Tell whether a content type is that of a stream of events or lines."""
    return media == EVENTS or media in _LINES


def is_read(route: Route, media: str) -> bool:
    """Tell whether a framed stream is one that a route of this shape has."""
    return media == EVENTS or not isinstance(route.answer, Shape)


def begin(route: Route, media: str, charset: str = "") -> tuple[Frames, Dialect]:
    """Return what cuts and reads a stream of a route."""
    if not is_framed(media):
        codec = CHARSETS[charset].removesuffix("-sig")
        return TextFrames(codec), Plain(codec)
    depth = route.bounds.json_depth
    if route.answer is Shape.OPENAI_CHAT:
        return EventFrames(), Chat(depth)
    if route.answer is Shape.OPENAI_RESPONSES:
        return EventFrames(), Responses(depth)
    if route.answer is Shape.PLAIN:
        return EventFrames(), TextEvents()
    path = tokens(route.answer if route.stream_answer is None else route.stream_answer)
    if media == EVENTS:
        return EventFrames(), Events(path, depth)
    return LineFrames(), Lines(path, depth)
