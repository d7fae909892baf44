"""Frames: the units in which a stream is read and let go, however its bytes were cut.

Pure. The raw bytes of all frames join to the stream. Lines of events end at CR, LF or CRLF and
nowhere else; a CR at the end of what has come waits for the next byte, so that every cutting gives
the same.
"""

import codecs
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

BOM = b"\xef\xbb\xbf"

CR = "cr"

_LINE_END = re.compile(rb"\r\n|\n|\r")
_LF = re.compile(rb"\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One event, line or piece of text.

    ``data`` is what it carries, None if nothing; ``name`` that of an event. A frame with a
    ``codec`` is text through and through: it may be let go in part, and without data is broken.
    """

    raw: bytes
    data: str | None = None
    name: str = ""
    codec: str = ""


class Frames(Protocol):
    """Cuts the bytes of one stream; ``pending`` counts those that are no whole frame yet."""

    @property
    def pending(self) -> int:
        """Bytes that wait for more."""
        ...

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take the next bytes; yield the frames they complete. Has to be exhausted."""
        ...

    def finish(self) -> Iterator[Frame]:
        """Yield what is left as a frame."""
        ...

    def rest(self) -> bytes:
        """Return the bytes that were fed and of which no frame came; nothing is cut any more."""
        ...


class _Lines:
    """Cuts bytes into lines, ends included."""

    def __init__(self, end: re.Pattern[bytes]) -> None:
        self._end = end
        self._held = bytearray()
        self._begin = 0
        self._seen = 0

    def __len__(self) -> int:
        return len(self._held) - self._begin

    def feed(self, data: bytes) -> Iterator[bytes]:
        held = self._held
        held += data
        while end := self._end.search(held, self._seen):
            if end[0] == b"\r" and end.end() == len(held):
                break
            line = bytes(held[self._begin : end.end()])
            self._begin = self._seen = end.end()
            yield line
        self._seen = end.start() if end else len(held)
        del held[: self._begin]
        self._seen -= self._begin
        self._begin = 0

    def finish(self) -> bytes:
        rest = bytes(self._held[self._begin :])
        self._held.clear()
        return rest


class EventFrames:
    """Server-sent events (HTML standard, 9.2.6).

    A last one without its blank line counts too, for some clients read it.
    """

    def __init__(self) -> None:
        self._lines = _Lines(_LINE_END)
        self._raw: list[bytes] = []
        self._size = 0
        self._data: list[bytes] = []
        self._name = b""
        self._is_first = True

    @property
    def pending(self) -> int:
        """Bytes of the event that has no end yet."""
        return self._size + len(self._lines)

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take the next bytes; yield the events they complete."""
        for line in self._lines.feed(data):
            if self._add(line):
                yield self._event()

    def finish(self) -> Iterator[Frame]:
        """Yield what is left as one event."""
        rest = self._lines.finish()
        if rest:
            self._add(rest)
        if self._raw:
            yield self._event()

    def rest(self) -> bytes:
        """Return what no event came of."""
        return b"".join([*self._raw, self._lines.finish()])

    def _add(self, line: bytes) -> bool:
        """Take one line; True if it ends the event."""
        self._raw.append(line)
        self._size += len(line)
        text = line.rstrip(b"\r\n")
        if self._is_first:
            self._is_first = False
            text = text.removeprefix(BOM)
        if not text:
            return True
        field, _, value = text.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value
        return False

    def _event(self) -> Frame:
        data = b"\n".join(self._data).decode("utf-8", "replace") if self._data else None
        name = self._name.decode("utf-8", "replace")
        frame = Frame(raw=b"".join(self._raw), data=data, name=name)
        self._raw, self._size, self._data, self._name = [], 0, [], b""
        return frame


class LineFrames:
    """Lines with a JSON document each. They end at LF only: to JSON a CR is a blank.

    A line with a CR in it has the name ``CR``: there are clients that read several in it.
    """

    def __init__(self) -> None:
        self._lines = _Lines(_LF)
        self._is_first = True

    @property
    def pending(self) -> int:
        """Bytes of the line that has no end yet."""
        return len(self._lines)

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take the next bytes; yield the lines they complete."""
        for line in self._lines.feed(data):
            yield self._line(line)

    def finish(self) -> Iterator[Frame]:
        """Yield the last line if nothing ended it."""
        rest = self._lines.finish()
        if rest:
            yield self._line(rest)

    def rest(self) -> bytes:
        """Return what no line came of."""
        return self._lines.finish()

    def _line(self, raw: bytes) -> Frame:
        text = raw.removeprefix(BOM) if self._is_first else raw
        self._is_first = False
        data = text.decode("utf-8", "replace").strip(" \t\r\n")
        return Frame(raw=raw, data=data or None, name=CR if "\r" in data else "")


class TextFrames:
    """Text as it comes, each piece a frame that can be let go in part.

    Args:
        codec: A Python codec without state of its own: ``utf-8``, ``ascii`` or ``cp1252``.
    """

    def __init__(self, codec: str) -> None:
        self._codec = codec
        self._decoder = codecs.getincrementaldecoder(codec)()
        self._is_first = True
        self._is_text = True
        self._cut: deque[Frame] = deque()

    @property
    def pending(self) -> int:
        """Bytes of a character that is not whole."""
        return len(self._decoder.getstate()[0])

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take the next bytes; yield the text in them.

        Bytes that are none in this encoding, and all behind them, come as they are: without data.
        """
        yield from self._cuts(data, final=False)

    def finish(self) -> Iterator[Frame]:
        """Yield what is left of a character that was cut."""
        yield from self._cuts(b"", final=True)

    def rest(self) -> bytes:
        """Return what no piece came of."""
        return b"".join(frame.raw for frame in self._cut) + self._decoder.getstate()[0]

    def _cuts(self, data: bytes, *, final: bool) -> Iterator[Frame]:
        self._cut.extend(self._text(data, final=final))
        while self._cut:
            yield self._cut.popleft()

    def _text(self, data: bytes, *, final: bool) -> Iterator[Frame]:
        broken = b"" if self._is_text else data
        try:
            text = self._decoder.decode(data, final) if self._is_text else ""
        except UnicodeDecodeError as error:
            self._is_text = False
            self._decoder.reset()
            text = error.object[: error.start].decode(self._codec)
            broken = error.object[error.start :]
        if text and self._is_first:
            self._is_first = False
            if text[0] == "\ufeff":
                yield Frame(raw=BOM)
                text = text[1:]
        if text:
            yield Frame(raw=text.encode(self._codec), data=text, codec=self._codec)
        if broken:
            yield Frame(raw=broken, codec=self._codec)
