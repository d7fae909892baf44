"""Streams as clients read them, whole: what text each choice shows, from which byte on.

Written apart from the gate's own reader, after the WHATWG's rules for event streams and the
clients of OpenAI's API, so that the two can be held against each other. What can't be read is
left out, as a lenient client does.
"""

import codecs
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

_LINE = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A text that a client adds to a choice when it has the frame between two byte offsets."""

    start: int
    end: int
    choice: int
    text: str


@dataclass(slots=True, kw_only=True)
class Read:
    """What a client made of a stream.

    ``end`` is the word it was ended with, "" if it was not: a finish reason, the status of a
    response, ``[DONE]``. ``frames`` counts what could be read.
    """

    shown: list[Shown] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    frames: int = 0

    def text(self, choice: int = 0) -> str:
        """Return the text of a choice."""
        return "".join(shown.text for shown in self.shown if shown.choice == choice)

    @property
    def texts(self) -> dict[int, str]:
        """All texts by choice."""
        return {choice: self.text(choice) for choice in {shown.choice for shown in self.shown}}


def events(raw: bytes) -> Iterator[tuple[int, int, str, str]]:
    """Yield start, end, name and data of each event that a browser would dispatch."""
    at = len(_BOM) if raw.startswith(_BOM) else 0
    start, name, data = at, "", None
    for line, end in _lines(raw, at):
        if not line:
            if data is not None:
                yield start, end, name, data
            start, name, data = end, "", None
            continue
        key, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if key == "data":
            data = value if data is None else f"{data}\n{value}"
        elif key == "event":
            name = value


def _lines(raw: bytes, at: int) -> Iterator[tuple[str, int]]:
    """Yield each ended line and the offset after its end."""
    for found in _LINE.finditer(raw, at):
        yield raw[at : found.start()].decode("utf-8", "replace"), found.end()
        at = found.end()


def read_events(raw: bytes, frame: Callable[[Read, int, int, Any], None]) -> Read:
    """Read an event stream of JSON."""
    read = Read()
    for start, end, _, data in events(raw):
        if data == "[DONE]":
            read.ends.append(data)
            continue
        _parsed(read, start, end, data, frame)
    return read


def _parsed(
    read: Read, start: int, end: int, data: str, frame: Callable[[Read, int, int, Any], None]
) -> None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    read.frames += 1
    frame(read, start, end, value)


def _chat_frame(read: Read, start: int, end: int, value: Any) -> None:
    for choice in _list(_get(value, "choices")):
        index = _get(choice, "index")
        number = index if isinstance(index, int) else 0
        for text in _texts(_get(choice, "delta")):
            read.shown.append(Shown(start=start, end=end, choice=number, text=text))
        if isinstance(reason := _get(choice, "finish_reason"), str):
            read.ends.append(reason)


def _texts(delta: Any) -> Iterator[str]:
    for name in ("content", "refusal"):
        if isinstance(text := _get(delta, name), str):
            yield text


def _responses_frame(read: Read, start: int, end: int, value: Any) -> None:
    name = _get(value, "type")
    if name in ("response.output_text.delta", "response.refusal.delta"):
        text, index = _get(value, "delta"), _get(value, "output_index")
        if isinstance(text, str):
            number = index if isinstance(index, int) else 0
            read.shown.append(Shown(start=start, end=end, choice=number, text=text))
    elif name in ("response.completed", "response.incomplete", "response.failed", "error"):
        read.ends.append(str(name))


def _pointer_frame(read: Read, start: int, end: int, value: Any) -> None:
    if isinstance(text := _get(_get(value, "delta"), "text"), str):
        read.shown.append(Shown(start=start, end=end, choice=0, text=text))
    if isinstance(word := _get(value, "type"), str) and word != "text":
        read.ends.append(word)


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def read_lines(raw: bytes) -> Read:
    """Read JSON lines; the last one needs no end."""
    read, at = Read(), 0
    for line in raw.split(b"\n"):
        end = at + len(line) + 1
        _parsed(read, at, min(end, len(raw)), line.decode("utf-8", "replace"), _pointer_frame)
        at = end
    return read


def read_plain(raw: bytes) -> Read:
    """Read text, a character at a time."""
    read, decoder = Read(), codecs.getincrementaldecoder("utf-8")("replace")
    start = 0
    for at in range(len(raw)):
        text = decoder.decode(raw[at : at + 1], final=at + 1 == len(raw))
        if text:
            read.shown.append(Shown(start=start, end=at + 1, choice=0, text=text))
            start = at + 1
    return read


def read_said(raw: bytes) -> Read:
    """Read an event stream whose data are the text."""
    read = Read()
    for start, end, name, data in events(raw):
        if data == "[DONE]" or name:
            read.ends.append(name or data)
        else:
            read.frames += 1
            read.shown.append(Shown(start=start, end=end, choice=0, text=data))
    return read


READERS: dict[str, Callable[[bytes], Read]] = {
    "chat": lambda raw: read_events(raw, _chat_frame),
    "responses": lambda raw: read_events(raw, _responses_frame),
    "events": lambda raw: read_events(raw, _pointer_frame),
    "said": read_said,
    "lines": read_lines,
    "plain": read_plain,
}
