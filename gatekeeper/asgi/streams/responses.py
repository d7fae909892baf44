"""Events of OpenAI's Responses API: each part of a message is an answer.

A text stands there many times: in its deltas, in the events that end it, in its item and in the
whole response. What ends it has to say the same as its deltas. Types with ``response.`` that are
not listed could say something of the answer too; any other event passes in its place.
"""

from collections.abc import Iterator, Sequence

from gatekeeper.asgi.jsontext import Number, UncheckableError, scalar, shape
from gatekeeper.asgi.output import (
    CUT,
    Members,
    Place,
    in_item,
    in_part,
    in_response,
    is_call,
    items_of,
    message,
    part,
    replace_text,
)
from gatekeeper.asgi.payload import MOST_CHOICES
from gatekeeper.asgi.streams.dialect import (
    BREAK,
    DONE,
    Changes,
    Facts,
    Key,
    Passed,
    Reading,
    Stop,
    document_of,
    event,
)
from gatekeeper.asgi.streams.frames import Frame
from gatekeeper.verdict import NotCheckedReason

_DELTAS = frozenset({"response.output_text.delta", "response.refusal.delta"})
_DONE = {"response.output_text.done": "text", "response.refusal.done": "refusal"}
_PARTS = frozenset({"response.content_part.added", "response.content_part.done"})
_ITEMS = frozenset({"response.output_item.added", "response.output_item.done"})
_BEGINS = frozenset({"response.created", "response.queued", "response.in_progress"})
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
_CALLS = (
    "response.function_call_arguments.",
    "response.custom_tool_call_input.",
    "response.mcp_call",
    "response.code_interpreter_call",
)
_SILENT = (
    "response.output_text.annotation.",
    "response.web_search_call.",
    "response.file_search_call.",
)
_PREFIX = "response."


class Responses:
    """The events of one response."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._texts: dict[Key, str] = {}
        self._items: dict[int, str] = {}
        self._response: Members = {}

    def read(self, frame: Frame) -> Reading:
        """Say what stands in an event."""
        if frame.data is None:
            return Reading()
        if frame.data == DONE:
            return Reading(closes=True)
        document = document_of(frame.data, self._depth)
        kind = _kind(document, frame.name)
        if kind is None or not isinstance(document, dict):
            return Reading(document=document)
        self._keep(kind, document)
        places = list(_places(kind, document))
        texts = tuple(
            (key, text)
            for key, holder, name in places
            if (text := self._new(kind, key, holder[name]))
        )
        ends = kind in _ENDS
        return Reading(
            texts=texts,
            seen=tuple(dict.fromkeys(key for key, _, _ in places)),
            ended=tuple(self._texts) if ends else _ended(kind, places),
            closes=ends,
            calls=_calls(kind, document),
            is_known=True,
            document=document,
        )

    def ending(self, stop: Stop) -> bytes:
        """Return the text for the part at hand, the ends of open parts, and of the response."""
        open_ = [key for key in stop.begun if key not in stop.finished]
        written: list[Members] = []
        if not open_:
            open_ = [(max((key[0] for key in stop.begun), default=-1) + 1, 0)]
            written += self._opening(open_[0])
        last = open_[-1]
        told = f"{BREAK}{stop.text}" if stop.sent.get(last) else stop.text
        written.append(self._at("response.output_text.delta", last, delta=told, logprobs=[]))
        texts = {key: stop.sent.get(key, "") for key in (*stop.begun, last)}
        texts[last] += told
        for key in open_:
            written += self._closing(key, texts[key])
        places = sorted({key[0] for key in texts})
        output = [self._item(place, texts) for place in places]
        response = {**self._response, **CUT, "output": output}
        end: Members = {"type": "response.incomplete", "response": response}
        if stop.facts:
            end["gatekeeper"] = dict(stop.facts)
        return b"".join(_numbered([*written, end], _number(stop.last)))

    def note(self, facts: Facts) -> bytes:
        """Return the facts as an event of another kind."""
        return event({"type": "gatekeeper", "gatekeeper": dict(facts)}, "gatekeeper")

    def rewrite(
        self, frames: Sequence[tuple[Frame, Reading]], changes: Changes, facts: Facts
    ) -> Iterator[bytes]:
        """Yield the events, with the new text in every place of a changed answer."""
        passed = Passed()
        noted = not facts
        for frame, reading in frames:
            if reading.closes and not noted:
                noted = True
                yield self.note(facts)
            if not any(key in changes for key in reading.seen) or not reading.is_known:
                yield frame.raw
            elif isinstance(reading.document, dict):
                yield self._rewritten(frame, reading.document, changes, passed)
        if not noted:
            yield self.note(facts)

    def _rewritten(
        self, frame: Frame, document: Members, changes: Changes, passed: Passed
    ) -> bytes:
        kind = str(document["type"])
        for place in _places(kind, document):
            key = place[0]
            if key not in changes:
                continue
            if kind in _DELTAS and not passed.first(key):
                return b""
            if not kind.endswith(".added"):
                replace_text(place, changes[key].text)
        response = document.get("response")
        is_withheld = any(change.withheld for change in changes.values())
        if kind == "response.completed" and is_withheld and isinstance(response, dict):
            kind = document["type"] = "response.incomplete"
            response |= CUT
        return event(document, kind if frame.name else "")

    def _keep(self, kind: str, document: Members) -> None:
        """Keep what an ending of ours has to say again."""
        response, item = document.get("response"), document.get("item")
        if kind in _BEGINS and isinstance(response, dict):
            self._response = {name: response[name] for name in response if name != "output"}
        name = item.get("id") if isinstance(item, dict) else document.get("item_id")
        if isinstance(name, str):  # the first one an index has, as what is lost may shift another
            self._items.setdefault(_index(document, "output_index"), name)

    def _new(self, kind: str, key: Key, value: object) -> str:
        """Return what a place says for the first time.

        Raises:
            UncheckableError: With ``shape`` if it differs from what was said before.
        """
        if value is None:
            return ""
        if not isinstance(value, str):
            raise shape()
        text, before = scalar(value), self._texts.setdefault(key, "")
        if kind in _DELTAS:
            self._texts[key] = before + text
            return text
        if before and text not in ("", before):
            raise shape()
        self._texts[key] = before or text
        return "" if before else text

    def _at(self, kind: str, key: Key, **members: object) -> Members:
        place = {"output_index": key[0], "content_index": key[1]}
        return {"type": kind, "item_id": self._id(key[0]), **place, **members}

    def _id(self, index: int) -> str:
        return self._items.get(index) or f"msg_withheld_{index}"

    def _item(self, index: int, texts: dict[Key, str]) -> Members:
        told = [text for key, text in sorted(texts.items()) if key[0] == index]
        return message(self._id(index), *told)

    def _opening(self, key: Key) -> Iterator[Members]:
        item = {**self._item(key[0], {}), "status": "in_progress"}
        yield {"type": "response.output_item.added", "output_index": key[0], "item": item}
        yield self._at("response.content_part.added", key, part=part(""))

    def _closing(self, key: Key, text: str) -> Iterator[Members]:
        yield self._at("response.output_text.done", key, text=text, logprobs=[])
        yield self._at("response.content_part.done", key, part=part(text))
        item = self._item(key[0], {key: text})
        yield {"type": "response.output_item.done", "output_index": key[0], "item": item}


def _kind(document: object, name: str) -> str | None:
    """Return the type of an event, None if it is none of a response.

    Raises:
        UncheckableError: With ``shape`` for events in a list, and for one whose name says another
            type: there are clients that go by the name.
    """
    if isinstance(document, list) and any(isinstance(part, dict) for part in document):
        raise shape()
    kind = document.get("type") if isinstance(document, dict) else None
    if name.startswith(_PREFIX) and kind != name:
        raise shape()
    return kind if isinstance(kind, str) and kind.startswith(_PREFIX) else None


def _places(kind: str, document: Members) -> Iterator[Place]:
    """Yield every place of an event where a text of an answer stands.

    Raises:
        UncheckableError: With ``shape`` if the event may say something elsewhere.
    """
    if kind in _DELTAS or kind in _DONE:
        name = _DONE.get(kind, "delta")
        if name not in document:
            raise shape()
        yield _of(document), document, name
    elif kind in _PARTS:
        yield from in_part(_of(document), document.get("part"))
    elif kind in _ITEMS:
        yield from in_item(_index(document, "output_index"), document.get("item"))
    elif kind in _BEGINS or kind in _ENDS:
        yield from in_response(document.get("response"))
    elif not kind.startswith((*_CALLS, *_SILENT)):
        raise shape()


def _of(document: Members) -> Key:
    return (_index(document, "output_index"), _index(document, "content_index"))


def _index(document: Members, name: str) -> int:
    value = document.get(name)
    if value is None:
        return 0
    if not isinstance(value, Number) or not value.text.isdecimal():
        raise shape()
    if len(value.text) > len(str(MOST_CHOICES)) or int(value.text) >= MOST_CHOICES:
        raise UncheckableError(NotCheckedReason.SIZE)
    return int(value.text)


def _ended(kind: str, places: Sequence[Place]) -> tuple[Key, ...]:
    is_end = kind in _DONE or kind in ("response.content_part.done", "response.output_item.done")
    return tuple(key for key, _, _ in places) if is_end else ()


def _calls(kind: str, document: Members) -> bool:
    """Tell whether an event belongs to a call of a tool."""
    if kind.startswith(_CALLS):
        return True
    return any(map(is_call, _items(kind, document)))


def _items(kind: str, document: Members) -> list[object]:
    """Return the items of an event that brings one, or of the whole response."""
    if kind in _ITEMS:
        return [document.get("item")]
    return items_of(document.get("response"))


def _number(document: object) -> int:
    """Return the number of an event, -1 if it has none: the next one is the first."""
    number = document.get("sequence_number") if isinstance(document, dict) else None
    is_one = isinstance(number, Number) and number.text.isdecimal() and len(number.text) < 16
    return int(number.text) if is_one and isinstance(number, Number) else -1


def _numbered(written: Sequence[Members], last: int) -> Iterator[bytes]:
    """Write events whose numbers go on from the last one that went out."""
    for number, members in enumerate(written, last + 1):
        kind = str(members.pop("type"))
        yield event({"type": kind, "sequence_number": number, **members}, kind)
