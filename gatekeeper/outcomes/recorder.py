"""Stores decisions beside the requests: a bounded line, and one thread that writes it away.

The loop only puts a decision into the line; hashing, sampling and every statement are the thread's.
A store that fails changes no response: the thread tries again with growing pauses, the line fills,
and what does not fit is dropped and counted.
"""

import atexit
import os
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from gatekeeper.errors import StoreError
from gatekeeper.outcomes.store import Drop
from gatekeeper.outcomes.words import DAY_MS, milliseconds
from gatekeeper.outcomes.writer import Entry, Writer
from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision

# Reasons of ``gatekeeper_store_dropped_total``.
ENTRIES, BYTES, REJECTED, SHUTDOWN = "entries", "bytes", "rejected", "shutdown"

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0
# At the exit of the process.
_PATIENCE_S = 5.0
# For the thread to count what it gives up; a statement under way can't be broken off.
_LEAST_S = 1.0

# A guess at what a decision takes beside its texts: objects, segments, claims with their reasons.
_ENTRY_BYTES, _CLAIM_BYTES = 4_000, 1_500
# Segments hold the answer twice more: normalised, and as the model is asked.
_COPIES = 3


class Notice(Protocol):
    """Takes an event and its facts; ``EventLog.notice`` is one."""

    def __call__(self, event: str, **facts: str | float) -> None:
        """Take note."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LineBounds:
    """How much waits to be written. ``batch`` is written at once, ``linger_s`` gathered for."""

    entries: int = 10_000
    bytes: int = 64_000_000
    batch: int = 200
    linger_s: float = 0.2


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Recorder:
    """A ``gatekeeper.protocols.Telemetry`` that stores decisions; never raises, never blocks.

    Args:
        writer: Used from the thread only.
        dropped: Counts a decision that is not stored, by reason; called from any thread.
        notice: Takes ``store_failed``, ``store_recovered`` and ``store_dropping``.
        failing: Is told that writes began to fail, or work again; called from the thread.
        bounds: Of the line.
        now: The time.
    """

    def __init__(
        self,
        writer: Writer,
        *,
        dropped: Callable[[str], None],
        notice: Notice,
        failing: Callable[[bool], None] = lambda _: None,
        bounds: LineBounds | None = None,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._writer = writer
        self._dropped = dropped
        self._notice = notice
        self._tell_failing = failing
        self._bounds = bounds or LineBounds()
        self._now = now
        self._begin()
        atexit.register(self.close)

    def _begin(self) -> None:
        """Begin without a thread; a fork has the parent's line and none of its threads."""
        self._pid = os.getpid()
        self._changed = threading.Condition()
        self._line: deque[Entry] = deque()
        self._bytes = 0
        self._drops: Counter[Drop] = Counter()
        self._thread: threading.Thread | None = None
        self._is_busy = self._is_closed = self._gives_up = False
        self._is_dropping = self._is_failing = False

    def began(self, route: str, mode: Mode) -> None:
        """Store nothing: the decision follows."""

    def decided(self, decision: Decision) -> None:
        """Put a decision into the line, or count it as dropped."""
        if self._pid != os.getpid():
            self._begin()
        entry = Entry(decision, milliseconds(self._now()), _size(decision))
        with self._changed:
            reason = self._refusal(entry)
            if reason is None:
                self._line.append(entry)
                self._bytes += entry.size
                self._start()
                if len(self._line) in (1, self._enough):
                    self._changed.notify_all()
                return
        self._drop(entry, reason)

    def shadow_dropped(self, route: str, reason: str) -> None:
        """Store nothing: its decision says so."""

    def websocket(self) -> None:
        """Store nothing."""

    @property
    def waiting(self) -> int:
        """How many decisions are in the line."""
        return len(self._line)

    def flush(self, patience_s: float) -> bool:
        """Wait until all is written; False if it took too long. For tests and the shutdown."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._line and not self._is_busy, patience_s)

    def close(self, patience_s: float = _PATIENCE_S) -> None:
        """Write what waits, within some time, and end the thread; what is left is dropped."""
        atexit.unregister(self.close)
        if self._pid != os.getpid():
            return
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self.flush(patience_s)
        with self._changed:
            self._gives_up = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(max(patience_s, _LEAST_S))

    @property
    def _enough(self) -> int:
        """Entries that are written without waiting for more."""
        return max(1, min(self._bounds.batch, self._bounds.entries // 2))

    def _refusal(self, entry: Entry) -> str | None:
        if self._is_closed:
            return SHUTDOWN
        if len(self._line) >= self._bounds.entries:
            return ENTRIES
        return BYTES if self._bytes + entry.size > self._bounds.bytes else None

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="gatekeeper-store", daemon=True)
            self._thread.start()

    def _drop(self, entry: Entry, reason: str) -> None:
        day = entry.at_ms // DAY_MS
        with self._changed:
            self._drops[Drop(day, str(entry.decision.route), reason)] += 1
            is_first, self._is_dropping = not self._is_dropping, True
        self._dropped(reason)
        if is_first:
            self._notice("store_dropping", reason=reason)

    # What follows runs in the thread.

    def _run(self) -> None:
        while True:
            batch = self._take()
            if batch is None:
                break
            self._settle(batch)
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()
        self._writer.close()

    def _take(self) -> list[Entry] | None:
        """Wait for decisions and take some; None when closed and all are written."""
        with self._changed:
            self._changed.wait_for(lambda: self._line or self._is_closed)
            self._changed.wait_for(
                lambda: len(self._line) >= self._enough or self._is_closed, self._bounds.linger_s
            )
            if not self._line:
                return None
            many = min(len(self._line), self._bounds.batch)
            taken = [self._line.popleft() for _ in range(many)]
            self._bytes -= sum(entry.size for entry in taken)
            self._is_busy = True
            return taken

    def _settle(self, batch: list[Entry]) -> None:
        """Write a batch, however long the store is away; drop what it will never take."""
        left, pause_s = [batch], _FIRST_PAUSE_S
        while left:
            part = left.pop()
            try:
                self._write(part)
            except Exception as error:  # noqa: BLE001 - the thread must live, and count what it loses
                if isinstance(error, StoreError) and error.is_passing:
                    left.append(part)
                    self._failed(error)
                    if self._rest(pause_s):
                        return self._abandon(left)
                    pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
                elif len(part) > 1:
                    left += [[entry] for entry in part]
                else:
                    self._drop(part[0], REJECTED)
        return None

    def _write(self, entries: list[Entry]) -> None:
        """Write entries with the drops counted so far, or leave both as they are."""
        with self._changed:
            drops, self._drops = self._drops, Counter()
        try:
            self._writer.write(entries, drops)
        except BaseException:
            with self._changed:
                self._drops.update(drops)
            raise
        if self._is_failing:
            self._is_failing = False
            self._tell_failing(self._is_failing)
            self._notice("store_recovered")
        with self._changed:
            self._is_dropping = False

    def _failed(self, error: StoreError) -> None:
        """Tell of a store that is away, once until it is back; what it says is not logged."""
        if not self._is_failing:
            self._is_failing = True
            self._tell_failing(self._is_failing)
            cause = error.__cause__
            self._notice("store_failed", error=type(cause or error).__name__)

    def _rest(self, pause_s: float) -> bool:
        """Wait before the next attempt; True if there is none any more."""
        with self._changed:
            return self._changed.wait_for(lambda: self._gives_up, pause_s)

    def _abandon(self, left: list[list[Entry]]) -> None:
        with self._changed:
            rest = [*self._line]
            self._line.clear()
            self._bytes = 0
        for entry in [*(entry for part in left for entry in part), *rest]:
            self._drop(entry, SHUTDOWN)


def _size(decision: Decision) -> int:
    """Guess the memory a decision holds, without reading its texts."""
    answers = sum(sys.getsizeof(answer) for answer in decision.answers)
    passages = () if decision.evidence is None else decision.evidence.passages
    texts = _COPIES * answers + sum(sys.getsizeof(passage.text) for passage in passages)
    return _ENTRY_BYTES + _CLAIM_BYTES * len(decision.verdict.claims) + texts
