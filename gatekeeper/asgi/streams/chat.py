"""Chat completion chunks as events: each choice is an answer, its text the joined deltas.

As of a completion in one piece it is listed what is read and what may stay (see ``payload``).
"""

from collections.abc import Iterator, Sequence
from typing import Any

from gatekeeper.asgi.jsontext import Number, UncheckableError, others, scalar, shape
from gatekeeper.asgi.payload import (
    CALLS,
    CHOICE,
    MESSAGE,
    MOST_CHOICES,
    content_text,
    text_of,
)
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

_CHUNK_CHOICE = CHOICE - {"message"} | {"delta", "content_filter_offsets"}
_TEMPLATE = ("id", "object", "created", "model", "system_fingerprint", "service_tier")
_KINDS = ("content", "refusal")

Members = dict[str, object]


class Chat:
    """The events of one chat completion."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._template: Members = {"object": "chat.completion.chunk"}
        self._kinds: dict[Key, str] = {}
        self._seen: dict[Key, None] = {}
        self._ended: set[Key] = set()

    def read(self, frame: Frame) -> Reading:
        """Say what stands in a chunk; other events are passed over."""
        if frame.data is None:
            return Reading()
        if frame.data.startswith(DONE):
            return Reading(closes=True)
        document = document_of(frame.data, self._depth)
        choices = _choices(document)
        if choices is None or not isinstance(document, dict):
            return Reading(document=document)
        self._template |= {name: document[name] for name in _TEMPLATE if name in document}
        texts: list[tuple[Key, str]] = []
        ended, calls = [], False
        keys = [_key(choice, place) for place, choice in enumerate(choices)]
        for key, choice in zip(keys, choices, strict=True):
            delta = _delta(choice)
            texts += self._texts(key, delta)
            calls = calls or others(delta, MESSAGE)
            if choice.get("finish_reason"):  # "" is what some servers send before the end
                ended.append(key)
        self._seen |= dict.fromkeys(keys)
        self._ended |= set(ended)
        return Reading(
            texts=tuple(texts),
            seen=tuple(keys),
            ended=tuple(ended),
            closes=bool(ended) and self._ended >= self._seen.keys(),
            calls=calls,
            is_known=True,
            document=document,
        )

    def ending(self, stop: Stop) -> bytes:
        """Return a text for every choice, then their ends, then the end of the stream."""
        keys = [key for key in self._seen if key not in stop.finished] or [(0,)]
        texts = []
        for key in keys:
            sent = stop.sent.get(key)
            delta: Members = {} if sent else {"role": "assistant"}
            delta["content"] = f"{BREAK}{stop.text}" if sent else stop.text
            texts.append(self._chunk(key, delta))
        ends = [self._chunk(key, {}, "content_filter") for key in keys]
        if stop.facts:
            ends[-1]["gatekeeper"] = dict(stop.facts)
        done = f"data: {DONE}\n\n".encode()
        return b"".join([event(chunk) for chunk in (*texts, *ends)]) + done

    def note(self, facts: Facts) -> bytes:
        """Return a chunk without text: clients look for a choice in each."""
        first = next(iter(self._seen), (0,))
        return event({**self._chunk(first, {}), "gatekeeper": dict(facts)})

    def rewrite(
        self, frames: Sequence[tuple[Frame, Reading]], changes: Changes, facts: Facts
    ) -> Iterator[bytes]:
        """Yield the chunks, those of changed choices with nothing but their new text and end."""
        passed = Passed()
        noted = not facts
        for frame, reading in frames:
            written = [frame.raw]
            is_end = any(key in changes and changes[key].withheld for key in reading.ended)
            if any(key in changes for key in reading.seen):
                chunks = self._rewritten(reading.document, changes, passed)
                if reading.closes and is_end and not noted:
                    noted = True
                    chunks[-1]["gatekeeper"] = dict(facts)
                written = [event(chunk) for chunk in chunks]
            if reading.closes and not noted:
                noted = True
                yield self.note(facts)
            yield from written
        if not noted:
            yield self.note(facts)

    def _rewritten(self, document: object, changes: Changes, passed: Passed) -> list[Members]:
        choices = document["choices"] if isinstance(document, dict) else []
        written: list[Members] = []
        for place, choice in enumerate(choices):
            key = _key(choice, place)
            change = changes.get(key)
            if change is None:
                written.append({**self._chunk(key, {}), "choices": [choice]})
                continue
            if passed.first(key):
                delta: Members = {"role": "assistant", "content": change.text}
                written.append(self._chunk(key, delta))
            reason = choice.get("finish_reason")
            reason = "content_filter" if reason and change.withheld else reason
            if reason:
                written.append(self._chunk(key, {}, reason))
        return written

    def _texts(self, key: Key, delta: Members) -> Iterator[tuple[Key, str]]:
        """Yield the texts of a delta; a refusal beside a content begins a line of its own."""
        for kind in _KINDS:
            value = delta.get(kind)
            text = content_text(value) if kind == "content" else text_of(value)
            if not text:
                continue
            before = self._kinds.get(key, kind)
            self._kinds[key] = kind
            yield key, scalar(text) if before == kind else "\n" + scalar(text)

    def _chunk(self, key: Key, delta: Members, finish_reason: object = None) -> Members:
        choice = {"index": key[0], "delta": delta, "finish_reason": finish_reason}
        return {**self._template, "choices": [choice]}


def _choices(document: object) -> list[Any] | None:
    """Return the choices of a chunk, None for a document of another kind.

    Raises:
        UncheckableError: With ``shape`` for chunks in a list, and for choices in none.
    """
    if isinstance(document, list) and any(isinstance(part, dict) for part in document):
        raise shape()
    choices = document.get("choices") if isinstance(document, dict) else None
    if choices is not None and not isinstance(choices, list):
        raise shape()
    return choices


def _key(choice: object, place: int) -> Key:
    """Return which choice it is; without an index its place counts."""
    if not isinstance(choice, dict):
        raise shape()
    index = choice.get("index")
    if index is None:
        return (place,)
    if not isinstance(index, Number) or not index.text.isdecimal():
        raise shape()
    if len(index.text) > len(str(MOST_CHOICES)) or int(index.text) >= MOST_CHOICES:
        raise UncheckableError(NotCheckedReason.SIZE)
    return (int(index.text),)


def _delta(choice: Members) -> Members:
    """Return the delta of a choice that says nothing in a place that is not read.

    Raises:
        UncheckableError: With ``shape`` if it might.
    """
    delta = choice.get("delta")
    if delta is None:
        delta = {}
    if not isinstance(delta, dict) or others(choice, _CHUNK_CHOICE):
        raise shape()
    if others(delta, MESSAGE | CALLS):
        raise shape()
    return delta
