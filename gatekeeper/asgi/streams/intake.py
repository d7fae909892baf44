"""What came of a stream, read frame by frame: into the buffer that holds it, to its answers."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from gatekeeper.asgi.checks import unchecked
from gatekeeper.asgi.jsontext import UncheckableError
from gatekeeper.asgi.streams.answers import Answers
from gatekeeper.asgi.streams.buffer import Buffer
from gatekeeper.asgi.streams.dialect import Dialect, Reading
from gatekeeper.asgi.streams.frames import Frame, Frames
from gatekeeper.asgi.streams.opening import Opening
from gatekeeper.protocols import Priority, Steps
from gatekeeper.verdict import NotCheckedReason, Verdict

if TYPE_CHECKING:
    from gatekeeper.asgi.call import Call

# Read on the loop: it takes less time than the way to the worker and back.
_LIGHT_BYTES = 16 * 1024


class Intake:
    """Reads one stream.

    ``fault`` is the verdict that something came which can't be checked; behind it nothing is read.
    ``is_known`` tells whether any frame was of the kind the route has, ``ended_s`` when the app
    sent its last byte, ``is_paused`` that there is more to read.
    """

    def __init__(self, call: "Call", frames: Frames, dialect: Dialect, opening: Opening) -> None:
        self._call = call
        self._frames = frames
        self._dialect = dialect
        self._opening = opening
        self._inbox: deque[tuple[bytes, float]] = deque()
        self._unread = 0
        self._steps: Steps | None = None
        self._has_finish = False
        self.buffer = Buffer()
        self.answers = Answers(call.route, call.services.clock)
        self.fault: Verdict | None = None
        self.is_known = False
        self.is_paused = False
        self.ended_s: float | None = None

    def lay(self, body: bytes, *, more: bool) -> None:
        """Lay down what the app sent."""
        now = self._call.services.clock()
        self._inbox.append((body, now))
        self._unread += len(body)
        if not more:
            self.ended_s = now

    def mark(self, fault: Verdict) -> None:
        """Note a fault; the first one counts."""
        self.fault = self.fault or fault

    async def read(self) -> bool:
        """Cut and read what was laid down, on the loop if it is little; True if it ends there.

        Pauses at a frame that has to be acted upon before the next one: what is done may not hang
        on how much came at once.

        Raises:
            UnavailableError: If the worker, which reads what is not little, has closed.
        """
        ends = self.ended_s is not None
        self.is_paused = False
        if self._unread <= _LIGHT_BYTES:
            deque(self._up_to_pause(), maxlen=0)
        else:
            await self._call.services.judge.run(self._up_to_pause(), priority=Priority.REPLY)
        return ends and not self.is_paused

    def rest(self) -> list[bytes]:
        """Return the bytes of which no frame was held; nothing is read any more."""
        self._steps = iter(())
        return [self._frames.rest(), *(body for body, _ in self._inbox)]

    def _up_to_pause(self) -> Steps:
        self._steps = self._steps or self._reading()
        for step in self._steps:
            yield step
            if self.is_paused:
                return
        self._steps = None

    def _reading(self) -> Iterator[None]:
        while self._inbox:
            body, now = self._inbox.popleft()
            for frame in self._frames.feed(body):
                self._see(frame, now)
                yield
        if self._frames.pending > self._call.route.bounds.event_bytes:
            self.mark(unchecked(NotCheckedReason.SIZE))
        if self.ended_s is not None and not self._has_finish:
            self._has_finish = True
            for frame in self._frames.finish():
                self._see(frame, self._call.services.clock(), is_cut=not frame.codec)
                yield

    def _see(self, frame: Frame, now: float, *, is_cut: bool = False) -> None:
        """Read a frame and hold it; from a fault on nothing is read, and nothing may leave.

        Behind one that is cut, for nothing ended it, no other frame has a place.
        """
        self._unread -= len(frame.raw)
        if len(frame.raw) > self._call.route.bounds.event_bytes and not frame.codec:
            self.mark(unchecked(NotCheckedReason.SIZE))
        reading = Reading(closes=True)
        if self.fault is None:
            try:
                reading = self._dialect.read(frame)
                self.answers.take(reading, now)
                self._opening.see(reading.document)
            except UncheckableError as error:
                reading = Reading(closes=True)
                self.mark(unchecked(error.reason))
        if is_cut:
            reading = replace(reading, closes=True)
        self.is_known = self.is_known or reading.is_known
        self.buffer.push(frame, reading)
        is_turn = len(self.answers) > 1 and bool(self.answers.due())
        is_full = len(self.buffer) > self._call.route.bounds.held_events
        self.is_paused = reading.calls or is_turn or is_full or self.fault is not None
