"""What is held of a stream, and the one pointer up to which it has been let go.

Pure. Frames leave in the order they came, each once; what left is a prefix of what came in.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from gatekeeper.asgi.streams.dialect import Key, Reading
from gatekeeper.asgi.streams.frames import Frame


@dataclass(slots=True, kw_only=True)
class _Held:
    """A frame with the places, in each answer, up to which its text goes."""

    frame: Frame
    reading: Reading
    ends: tuple[tuple[Key, int], ...]


class Buffer:
    """Frames on their way. ``sent`` counts the characters of each answer that left.

    ``begun`` are the answers of which any frame left, ``finished`` those whose end left; ``size``
    counts the bytes held, ``last`` is the document of the last known frame that left.
    """

    def __init__(self) -> None:
        self._held: deque[_Held] = deque()
        self._lengths: dict[Key, int] = {}
        self.size = 0
        self.sent: dict[Key, int] = {}
        self.finished: set[Key] = set()
        self.begun: dict[Key, None] = {}
        self.last: object = None

    def __len__(self) -> int:
        return len(self._held)

    def push(self, frame: Frame, reading: Reading) -> None:
        """Hold a frame."""
        ends = []
        for key, text in reading.texts:
            self._lengths[key] = self._lengths.get(key, 0) + len(text)
            ends.append((key, self._lengths[key]))
        self._held.append(_Held(frame=frame, reading=reading, ends=tuple(ends)))
        self.size += len(frame.raw)

    def let_go(
        self, may_go: Callable[[Reading], bool], upto: Callable[[Key], float]
    ) -> list[bytes]:
        """Return what may leave now.

        Args:
            may_go: Tells whether a frame may leave once its text may.
            upto: Up to which character an answer may leave.
        """
        gone: list[bytes] = []
        while self._held:
            first = self._held[0]
            if not may_go(first.reading):
                break
            if not all(end <= upto(key) for key, end in first.ends):
                gone += self._part(first, upto)
                break
            self._held.popleft()
            self._leave(first)
            gone.append(first.frame.raw)
        self.size -= sum(map(len, gone))
        return gone

    def leading(self) -> list[bytes]:
        """Return the frames that stand before the next one that holds text or ends anything."""
        return self.let_go(lambda reading: not (reading.texts or _is_end(reading)), lambda _: 0)

    def _leave(self, held: _Held) -> None:
        self.sent.update(held.ends)
        self.finished.update(held.reading.ended)
        self.begun |= dict.fromkeys(held.reading.seen)
        self.last = held.reading.document if held.reading.is_known else self.last

    def _part(self, held: _Held, upto: Callable[[Key], float]) -> list[bytes]:
        """Cut what may leave off a frame that is all text."""
        frame = held.frame
        if not frame.codec or frame.data is None:
            return []
        [(key, end)] = held.ends
        count = int(upto(key)) - (end - len(frame.data))
        if count <= 0:
            return []
        raw = frame.data[:count].encode(frame.codec)
        held.frame = Frame(raw=frame.raw[len(raw) :], data=frame.data[count:], codec=frame.codec)
        self.begun[key] = None
        self.sent[key] = end - len(frame.data) + count
        return [raw]


def _is_end(reading: Reading) -> bool:
    return reading.closes or reading.calls or bool(reading.ended)
