"""The response side: what a response is before its body is read, and what is held of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gatekeeper.asgi.payload import CHARSETS
from gatekeeper.asgi.request import Headers, values
from gatekeeper.asgi.streams import kinds
from gatekeeper.policy import Route, Shape
from gatekeeper.verdict import NotCheckedReason

if TYPE_CHECKING:
    from starlette.types import Message

_PLAIN = frozenset({"text/plain", "text/markdown"})
_READABLE = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
_UNCODED = frozenset({"", "identity"})
_BODILESS = frozenset({204, 205, 304})


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The first message of a response, looked at. ``media`` and ``charset`` are lower case."""

    start: "Message"
    status: int
    headers: Headers
    media: str
    charset: str

    @property
    def coding(self) -> str:
        """Content-Encoding, several joined as HTTP joins them."""
        return b",".join(values(self.headers, b"content-encoding")).decode("latin-1")

    def is_stream(self, route: Route) -> bool:
        """True if the answer comes in pieces: by its type, for that is what a client goes by.

        Text is such a stream unless its length is known, or it can't be read in pieces. JSON in
        many messages is none: held to its end it loses its haste and is checked like any other.
        """
        if kinds.is_framed(self.media):
            return True
        is_text = route.answer is Shape.PLAIN and self.media in _PLAIN
        is_readable = self.charset in CHARSETS and self.coding.strip().lower() in _UNCODED
        return is_text and is_readable and not values(self.headers, b"content-length")

    def is_bodiless(self, method: str) -> bool:
        """True if this response has no body to read (RFC 9110, 6.4.1; 15.3.6 for 205)."""
        return method == "HEAD" or self.status in _BODILESS

    def hindrance(self, route: Route, method: str) -> NotCheckedReason | None:
        """Return why the body needs no reading, None if it is an answer to check."""
        if method == "HEAD":
            return NotCheckedReason.METHOD
        if not 200 <= self.status < 300 or self.status in _BODILESS:
            return NotCheckedReason.STATUS
        if method not in route.methods:
            return NotCheckedReason.METHOD
        if self.status == 206 or values(self.headers, b"content-range"):
            return NotCheckedReason.RANGE
        return self._by_type(route)

    def _by_type(self, route: Route) -> NotCheckedReason | None:
        if self.media in kinds.UNREADABLE:
            return NotCheckedReason.STREAM
        if kinds.is_framed(self.media):
            if not kinds.is_read(route, self.media):
                return NotCheckedReason.SHAPE
            is_plain = self.coding.strip().lower() in _UNCODED
            return None if is_plain else NotCheckedReason.ENCODING
        if route.answer is Shape.PLAIN:
            fits = self.media in _PLAIN
        else:
            fits = self.media == "application/json" or self.media.endswith("+json")
        if not fits:
            return NotCheckedReason.CONTENT_TYPE
        is_readable = self.coding.strip().lower() in _READABLE
        return None if is_readable else NotCheckedReason.ENCODING


def look(start: "Message") -> Head:
    """Read an ``http.response.start``; an ambiguous content type is none."""
    headers = [(bytes(name), bytes(value)) for name, value in start.get("headers", ())]
    types = values(headers, b"content-type")
    media, *parameters = types[0].decode("latin-1").split(";") if len(types) == 1 else [""]
    charsets = [
        value.strip(' "\t').lower()
        for name, _, value in (parameter.partition("=") for parameter in parameters)
        if name.strip().lower() == "charset"
    ]
    return Head(
        start=start,
        status=start["status"],
        headers=headers,
        media=media.strip().lower(),
        charset=",".join(charsets),
    )
