"""A stream that is all there: a payload like any other, for what is held whole or only watched."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace

from gatekeeper.asgi.jsontext import UncheckableError
from gatekeeper.asgi.streams import kinds
from gatekeeper.asgi.streams.dialect import Change, Dialect, Key, Reading
from gatekeeper.asgi.streams.frames import Frame
from gatekeeper.policy import Route
from gatekeeper.verdict import NotCheckedReason

# Frames read between two chances for other work; the longest are bounded by ``event_bytes``.
_STRIDE = 20


class Streamed:
    """The frames of a stream as a payload; see ``payload.Payload``."""

    has_place = True

    def __init__(
        self, dialect: Dialect, read: list[tuple[Frame, Reading]], *, ends_unread: bool = False
    ) -> None:
        self._dialect = dialect
        self._read = read
        self._ends_unread = ends_unread
        pieces: dict[Key, list[str]] = {}
        for _, reading in read:
            for key in reading.seen:
                pieces.setdefault(key, [])
            for key, text in reading.texts:
                pieces.setdefault(key, []).append(text)
        self._keys = tuple(pieces)
        calls = any(reading.calls for _, reading in read)
        texts = tuple("".join(parts) if parts else None for parts in pieces.values())
        self.texts: tuple[str | None, ...] = (*texts, None) if calls or not texts else texts
        self._changes: dict[Key, Change] = {}
        self._facts: Mapping[str, object] = {}

    @property
    def documents(self) -> tuple[object, ...]:
        """The JSON of each frame that has some."""
        return tuple(reading.document for _, reading in self._read if reading.document is not None)

    def withhold(self, n: int, text: str) -> None:
        """Put a text in the place of an answer."""
        self._change(n, text, withheld=True)

    def redact(self, n: int, text: str) -> None:
        """Put what is left of an answer in its place."""
        self._change(n, text, withheld=False)

    def note(self, facts: Mapping[str, object]) -> None:
        """Have the facts told before the stream ends."""
        self._facts = facts

    def write(self) -> Iterator[bytes]:
        """Yield the stream; of a changed one without a piece at its end that nobody could read."""
        is_left_out = self._ends_unread and bool(self._changes)
        kept = self._read[:-1] if is_left_out else self._read
        yield from self._dialect.rewrite(kept, self._changes, self._facts)

    def _change(self, n: int, text: str, *, withheld: bool) -> None:
        if n < len(self._keys):
            self._changes[self._keys[n]] = Change(text=text, withheld=withheld)


def read(route: Route, body: bytes, media: str) -> Generator[None, None, Streamed]:
    """Read a stream from its first byte to its last, in steps.

    Raises:
        UncheckableError: With ``shape`` if it has no frame of the kind that the route has, or one
            that can't be read; with ``size`` past a bound.
    """
    frames, dialect = kinds.begin(route, media)
    found: list[tuple[Frame, Reading]] = []
    ends_unread = False
    for frame, is_cut in _frames(frames.feed(body), frames.finish()):
        reading = dialect.read(frame)
        if is_cut and not frame.codec:  # behind it no other frame has a place
            ends_unread = reading == Reading()
            reading = replace(reading, closes=True)
        found.append((frame, reading))
        is_long = len(frame.raw) > route.bounds.event_bytes
        if is_long or len(found) > route.bounds.held_events:
            raise UncheckableError(NotCheckedReason.SIZE)
        if len(found) % _STRIDE == 0:
            yield
    if not any(reading.is_known for _, reading in found):
        raise UncheckableError(NotCheckedReason.SHAPE)
    return Streamed(dialect, found, ends_unread=ends_unread)


def _frames(fed: Iterator[Frame], left: Iterator[Frame]) -> Iterator[tuple[Frame, bool]]:
    """Yield frames, and whether nothing ended them."""
    for frame in fed:
        yield frame, False
    for frame in left:
        yield frame, True
