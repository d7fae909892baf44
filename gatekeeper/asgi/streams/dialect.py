"""What every protocol of streams has to say: what stands in a frame, and how an answer ends."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gatekeeper.asgi.jsontext import UncheckableError, encode, parse, write
from gatekeeper.asgi.streams.frames import Frame

Facts = Mapping[str, object]

# Which answer of a stream: its place among the choices or parts.
Key = tuple[int, ...]

# Between what a client has read and what it reads in the place of the rest.
BREAK = "\n\n"
DONE = "[DONE]"

_LENIENT = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What stands in a frame.

    ``texts`` are pieces of answers in their order, ``seen`` answers that it belongs to, ``ended``
    answers that get no further text. ``closes``: a client takes it for the end. ``calls``: it holds
    a tool call. ``is_known`` is False for a frame of another kind; ``document`` its JSON, if any.
    """

    texts: tuple[tuple[Key, str], ...] = ()
    seen: tuple[Key, ...] = ()
    ended: tuple[Key, ...] = ()
    closes: bool = False
    calls: bool = False
    is_known: bool = False
    document: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Where a stream is stopped: what a client has of each answer, and what it is told.

    ``sent`` holds the text that went out, ``begun`` the answers of which any frame did,
    ``finished`` those whose end did; ``last`` is the document of the last known frame that did.
    """

    text: str
    begun: tuple[Key, ...]
    sent: Mapping[Key, str]
    finished: frozenset[Key]
    last: object
    facts: Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What takes the place of one answer of a stream; ``withheld`` if it is none of its words."""

    text: str
    withheld: bool


Changes = Mapping[Key, Change]


@dataclass(slots=True, kw_only=True)
class Passed:
    """Which changed answers have been written already."""

    keys: set[Key] = field(default_factory=set)

    def first(self, key: Key) -> bool:
        """Tell whether this is the first place of an answer, and note it."""
        is_first = key not in self.keys
        self.keys.add(key)
        return is_first


class Dialect(Protocol):
    """The protocol of one stream. Reads its frames in order and keeps what its end needs."""

    def read(self, frame: Frame) -> Reading:
        """Say what stands in a frame.

        Raises:
            UncheckableError: If it may hold text that can't be read.
        """
        ...

    def ending(self, stop: Stop) -> bytes:
        """Return what is sent in the place of the rest, up to the end of the stream."""
        ...

    def note(self, facts: Facts) -> bytes:
        """Return the frame that tells the verdict on a delivered answer; b"" for no place."""
        ...

    def rewrite(
        self, frames: Sequence[tuple[Frame, Reading]], changes: Changes, facts: Facts
    ) -> Iterator[bytes]:
        """Yield the stream with some answers changed, the facts before what closes it."""
        ...


def document_of(data: str, depth: int) -> object:
    """Return the JSON in a frame, None if it is none: a stray frame makes no answer unreadable.

    Raises:
        UncheckableError: With ``shape`` for JSON that clients may read in several ways: a key
            twice, a control character in a string, several documents in one frame.
    """
    try:
        return parse(data.encode("utf-8", "replace"), depth=depth)
    except UncheckableError:
        if any(map(_begins_json, (data, *data.split("\n")))):
            raise
        return None


def _begins_json(data: str) -> bool:
    """Tell whether some parser finds an object, list or string in its beginning.

    There are clients that read each ``data`` line for itself.
    """
    text = data.lstrip(" \t\r\n\ufeff")
    if not text.startswith(("{", "[", '"')):
        return False
    try:
        _LENIENT.raw_decode(text)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def event(document: object, name: str = "") -> bytes:
    """Write one event with a document as its data."""
    head = f"event: {name}\n" if name else ""
    return head.encode() + b"data: " + dumped(document) + b"\n\n"


def event_of_text(text: str, name: str = "") -> bytes:
    """Write one event with a text as its data, a field for each line."""
    head = [f"event: {name}"] if name else []
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join([*head, *(f"data: {line}" for line in lines), "", ""]).encode()


def dumped(document: object) -> bytes:
    """Write a document on one line."""
    return encode(list(write(document)))
