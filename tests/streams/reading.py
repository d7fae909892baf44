"""Streams as clients read them, whole: what text each choice shows, from which byte on.

Written apart from the gate's own reader, after the WHATWG's rules for event streams and the
clients of OpenAI's API, so that the two can be held against each other. What can't be read is
left out, as a lenient client does.
"""

import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_LINE = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"
_OTHER = 1000


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
    response, ``[DONE]``. ``items`` tells the place of output items, ``frames`` counts what could be
    read.
    """

    shown: list[Shown] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    items: dict[str, int] = field(default_factory=dict)
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
    for start, end, name, data in blocks(raw):
        if data is not None:
            yield start, end, name, data


def blocks(raw: bytes) -> Iterator[tuple[int, int, str, str | None]]:
    """Yield start, end, name and data of all that ends with an empty line; None for no data."""
    start, name, data = 0, "", None
    for line, end in _lines(raw, len(_BOM) if raw.startswith(_BOM) else 0):
        if not line:
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
    for start, end, name, data in events(raw):
        if data == "[DONE]" or name == "gatekeeper":
            read.ends.append(name or data)
            continue
        _parsed(read, start, end, data, frame)
    return read


def _parsed(
    read: Read,
    start: int,
    end: int,
    data: str,
    frame: Callable[[Read, int, int, Any], None],
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
    name, index = _get(value, "type"), _get(value, "output_index")
    number = index if isinstance(index, int) else 0
    if name in ("response.output_text.delta", "response.refusal.delta"):
        if isinstance(text := _get(value, "delta"), str):
            read.shown.append(Shown(start=start, end=end, choice=number, text=text))
    elif name in ("response.completed", "response.incomplete", "response.failed", "error"):
        read.ends.append(str(name))
    for item in _named(value):
        read.items.setdefault(item, number)
    for choice, text in _done(value, number, read.items):
        had = read.text(choice)
        if text.startswith(had):
            more = Shown(start=start, end=end, choice=choice, text=text.removeprefix(had))
        else:  # another text than was shown: a client may take it for the answer
            more = Shown(start=start, end=end, choice=choice + _OTHER, text=text)
        if more.text and not had.startswith(text):
            read.shown.append(more)


def _named(value: Any) -> list[str]:
    """Return the id of the item that an event is about."""
    return [
        name
        for name in (_get(_get(value, "item"), "id"), _get(value, "item_id"))
        if isinstance(name, str)
    ]


def _done(value: Any, number: int, places: Mapping[str, int]) -> Iterator[tuple[int, str]]:
    """Yield the whole texts that an event repeats, by choice."""
    items = [(number, _get(value, "item"))]
    output = _list(_get(_get(value, "response"), "output"))
    items += ((places.get(str(_get(item, "id")), n), item) for n, item in enumerate(output))
    parts = [(number, value), (number, _get(value, "part"))]
    parts += [(n, part) for n, item in items for part in _list(_get(item, "content"))]
    for choice, part in parts:
        if isinstance(text := _get(part, "text"), str):
            yield choice, text


def _pointer_frame(read: Read, start: int, end: int, value: Any) -> None:
    if isinstance(text := _get(_get(value, "delta"), "text"), str):
        read.shown.append(Shown(start=start, end=end, choice=0, text=text))
    if isinstance(word := _get(value, "type"), str) and word != "text":
        read.ends.append(word)
    if _get(value, "gatekeeper") is not None:
        read.ends.append("gatekeeper")


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def read_lines(raw: bytes) -> Read:
    """Read JSON lines; the last one needs no end."""
    read, at = Read(), 0
    for line in raw.split(b"\n"):
        end = at + len(line) + 1
        _parsed(
            read,
            at,
            min(end, len(raw)),
            line.decode("utf-8", "replace"),
            _pointer_frame,
        )
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
