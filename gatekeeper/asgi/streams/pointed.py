"""Events or lines of JSON with a piece of the answer at a pointer; and events that are the answer.

What stands beside the pointer is not read. A frame without the place, or without JSON, is another
kind of frame and passes in its place.
"""

from collections.abc import Iterator, Sequence

from gatekeeper.asgi.jsontext import find, put, scalar, shape
from gatekeeper.asgi.payload import text_of
from gatekeeper.asgi.streams.dialect import (
    BREAK,
    DONE,
    Changes,
    Facts,
    Passed,
    Reading,
    Stop,
    document_of,
    dumped,
    event,
    event_of_text,
)
from gatekeeper.asgi.streams.frames import CR, Frame

ONLY = (0,)
NAME = "gatekeeper"


class _Single:
    """What streams with one answer have in common."""

    def ending(self, stop: Stop) -> bytes:
        """Return the text that stands for the rest, then what there is to know of it."""
        text = f"{BREAK}{stop.text}" if stop.sent.get(ONLY) else stop.text
        return self._written(text) + self._last(stop.facts)

    def rewrite(
        self, frames: Sequence[tuple[Frame, Reading]], changes: Changes, facts: Facts
    ) -> Iterator[bytes]:
        """Yield the frames; the new text stands in the first one that had a text."""
        passed = Passed()
        noted = not facts
        for frame, reading in frames:
            if reading.closes and not noted:
                noted = True
                yield self.note(facts)
            if ONLY not in changes or not reading.texts:
                yield frame.raw
            elif passed.first(ONLY):
                yield self._replaced(frame, reading, changes[ONLY].text)
        if not noted:
            yield self.note(facts)

    def note(self, facts: Facts) -> bytes:
        """Return the facts in a frame of their own."""
        raise NotImplementedError

    def _written(self, text: str) -> bytes:
        raise NotImplementedError

    def _last(self, facts: Facts) -> bytes:
        raise NotImplementedError

    def _replaced(self, frame: Frame, reading: Reading, text: str) -> bytes:
        raise NotImplementedError


class _Pointed(_Single):
    """JSON with the text at a pointer."""

    def __init__(self, path: tuple[str, ...], depth: int) -> None:
        self._path = path
        self._depth = depth
        self._name = ""

    def read(self, frame: Frame) -> Reading:
        """Say what stands at the pointer.

        Raises:
            UncheckableError: With ``shape`` if it is neither text nor null, and for several such
                documents in a list.
        """
        if frame.data is None:
            return Reading()
        if frame.data == DONE:
            return Reading(closes=True)
        document = document_of(frame.data, self._depth)
        if document is None:
            return Reading()
        try:
            text = text_of(find(document, self._path))
        except LookupError:
            if isinstance(document, list) and any(self._has_place(part) for part in document):
                raise shape() from None
            return Reading(document=document)
        texts = ((ONLY, scalar(text)),) if text else ()
        self._name = frame.name if texts else self._name
        return Reading(texts=texts, seen=(ONLY,), is_known=True, document=document)

    def _has_place(self, document: object) -> bool:
        """Tell whether a document has something at the pointer."""
        try:
            find(document, self._path)
        except LookupError:
            return False
        return True

    def _document(self, text: str) -> object:
        """Return a document with nothing but a text, at the pointer."""
        document: object = text
        for name in reversed(self._path):
            document = [document] if name == "0" else {name: document}
        return document


class Events(_Pointed):
    """Server-sent events whose data is JSON."""

    def note(self, facts: Facts) -> bytes:
        """Return the facts as an event of their own."""
        return event(dict(facts), NAME)

    def _written(self, text: str) -> bytes:
        return event(self._document(text), self._name)

    def _last(self, facts: Facts) -> bytes:
        return event({"withheld": True, **facts}, NAME)

    def _replaced(self, frame: Frame, reading: Reading, text: str) -> bytes:
        return event(put(reading.document, self._path, text), frame.name)


class Lines(_Pointed):
    """Lines of JSON."""

    def read(self, frame: Frame) -> Reading:
        """Say what stands at the pointer.

        Raises:
            UncheckableError: With ``shape`` if it is neither text nor null, and for a line that
                some clients read as several.
        """
        if frame.name == CR:
            raise shape()
        return super().read(frame)

    def note(self, facts: Facts) -> bytes:
        """Return the facts as a line of their own."""
        return dumped({NAME: dict(facts)}) + b"\n"

    def ending(self, stop: Stop) -> bytes:
        """Return one line with the text that stands for the rest, and what there is to know."""
        text = f"{BREAK}{stop.text}" if stop.sent.get(ONLY) else stop.text
        document = self._document(text)
        said = {NAME: {"withheld": True, **stop.facts}}
        if isinstance(document, dict):
            return dumped({**document, **said}) + b"\n"
        return dumped(document) + b"\n" + dumped(said) + b"\n"

    def _replaced(self, frame: Frame, reading: Reading, text: str) -> bytes:
        return dumped(put(reading.document, self._path, text)) + b"\n"


class TextEvents(_Single):
    """Server-sent events whose data is a piece of the answer."""

    def __init__(self) -> None:
        self._name = ""

    def read(self, frame: Frame) -> Reading:
        """Take the data for text."""
        if frame.data is None:
            return Reading()
        if frame.data == DONE:
            return Reading(closes=True)
        texts = ((ONLY, frame.data),) if frame.data else ()
        self._name = frame.name if texts else self._name
        return Reading(texts=texts, seen=(ONLY,), is_known=True)

    def note(self, facts: Facts) -> bytes:
        """Return the facts as an event of their own."""
        return event(dict(facts), NAME)

    def _written(self, text: str) -> bytes:
        return event_of_text(text, self._name)

    def _last(self, facts: Facts) -> bytes:
        return event({"withheld": True, **facts}, NAME)

    def _replaced(self, frame: Frame, reading: Reading, text: str) -> bytes:
        return event_of_text(text, frame.name)


class Plain(_Single):
    """Text that comes in pieces. It has no place for facts."""

    def __init__(self, codec: str) -> None:
        self._codec = codec

    def read(self, frame: Frame) -> Reading:
        """Take all of it for text.

        Raises:
            UncheckableError: With ``shape`` for what is none.
        """
        if frame.data is None and frame.codec:
            raise shape()
        texts = ((ONLY, frame.data),) if frame.data else ()
        return Reading(texts=texts, seen=(ONLY,), is_known=True)

    def ending(self, stop: Stop) -> bytes:
        """Return the text that stands for the rest; in UTF-8 if it stands for all of it."""
        if stop.begun:
            return f"{BREAK}{stop.text}".encode(self._codec, "replace")
        return stop.text.encode()

    def note(self, facts: Facts) -> bytes:
        """Return nothing."""
        return b""

    def _written(self, text: str) -> bytes:
        return text.encode(self._codec, "replace")

    def _last(self, facts: Facts) -> bytes:
        return b""

    def _replaced(self, frame: Frame, reading: Reading, text: str) -> bytes:
        return self._written(text)
