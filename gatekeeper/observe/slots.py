"""Which files of the shared folder a worker counts into: those of a slot, taken over by the next.

The Prometheus client names files by process id. Each worker that ever lived then leaves some
behind, and to delete one makes counters fall. Here a worker takes the first slot that nobody holds
and counts on in its files: there are as many as workers lived at once. A slot is held by a lock of
the operating system, which ends with the process, in whatever way that ends. Other metrics of the
app stay where the client puts them.
"""

import contextlib
import functools
import os
import re
import sys
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from prometheus_client import Counter, Gauge, Histogram, values
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import mark_process_dead

from gatekeeper.observe.folder import VARIABLE

if sys.platform != "win32":
    import fcntl

_NAME = "gatekeeper{}"
_KINDS = ("counter", "histogram", "gauge_sum", "gauge_livesum", "gauge_livemax")
_LIVE_GAUGES = re.compile(r"gauge_live[a-z]+_(gatekeeper\d+)\.db")


class Slot:
    """The slot of this process: called, it gives the name; a fork takes one of its own."""

    def __init__(self) -> None:
        self._pid = -1
        self._name = ""
        self._held: int | None = None
        os.register_at_fork(after_in_child=self._leave)

    def __call__(self) -> str:
        """Return the name, in the place of the process id in the names of files."""
        if self._pid != os.getpid():
            self._take(Path(os.environ[VARIABLE]))
        return self._name

    def _take(self, folder: Path) -> None:
        self._pid = os.getpid()
        try:
            self._name, self._held = _first_free(folder)
        except OSError:  # a folder without locks
            self._name = str(self._pid)
            return
        # What the one before had in line is gone; what it counted is counted on.
        mark_process_dead(self._name, str(folder))
        for kind in _KINDS:
            _make(folder / f"{kind}_{self._name}.db")

    def _leave(self) -> None:
        """Let go of the parent's lock, which would outlive the parent otherwise."""
        if self._held is not None:
            os.close(self._held)
            self._held = None


class _InSlot:
    """A metric whose values are in the files of the slot, if they are in files at all."""

    def _metric_init(self) -> None:
        with _in_slot():
            super()._metric_init()  # type: ignore[misc]


class SlotCounter(_InSlot, Counter):
    """A counter of the slot."""


class SlotGauge(_InSlot, Gauge):
    """A gauge of the slot."""


class SlotHistogram(_InSlot, Histogram):
    """A histogram of the slot."""


def forget_dead_slots(folder: Path) -> None:
    """Take out the live gauges of slots that nobody holds."""
    names = {found[1] for path in folder.iterdir() if (found := _LIVE_GAUGES.fullmatch(path.name))}
    for name in names:
        held = _lock(folder, name)
        if held is not None:
            mark_process_dead(name, str(folder))
            os.close(held)


@functools.cache
def _values() -> type:
    """Return how the client makes values in the files of this process's slot; it has one set."""
    made: type = values.MultiProcessValue(Slot())
    return made


_turn = threading.RLock()


@contextlib.contextmanager
def _in_slot() -> Iterator[None]:
    """Have values made in the files of the slot; on Windows, which has no such lock, as usual."""
    with _turn:
        usual = values.ValueClass
        if usual is not values.MutexValue and sys.platform != "win32":
            values.ValueClass = _values()
        try:
            yield
        finally:
            values.ValueClass = usual


def _make(path: Path) -> None:
    """Make a file that is not there, whole: the client makes it empty first, and can't read that.

    A page that is made just then, by another worker, would fail.
    """
    if not path.exists():
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        MmapedDict(str(new)).close()
        new.replace(path)


def _first_free(folder: Path) -> tuple[str, int]:
    names = map(_NAME.format, count())
    return next((name, held) for name in names if (held := _lock(folder, name)) is not None)


def _lock(folder: Path, name: str) -> int | None:
    """Return a file descriptor that holds a slot until it is closed; None if another one does.

    Raises:
        OSError: If the folder has no locks.
    """
    held = os.open(folder / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return None
    except OSError:
        os.close(held)
        raise
    return held
