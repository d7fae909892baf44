"""How many processors this process may use: affinity and the cgroup's quota, both.

Thread pools sized to the host instead of the container lose their time slices and with them the
latency. The reading of files is an argument, so that any machine can be described in a test.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

MEMBERSHIP = Path("/proc/self/cgroup")
MOUNT = Path("/sys/fs/cgroup")

Reader = Callable[[Path], str | None]


def read_or_none(path: Path) -> str | None:
    """Return the text of a file, None if there is none: off Linux, or another cgroup version."""
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None


def usable_threads(*, processors: int | None = None, read: Reader = read_or_none) -> int:
    """Return the processors this process can keep busy, at least 1.

    A quota of 1.5 processors gives 1: a second thread would be stopped half of the time, and the
    first would wait for it.

    Args:
        processors: Processors the scheduler may place the process on; None asks the system.
        read: Returns a file's text, None if there is none.
    """
    count = _affinity() if processors is None else processors
    quota = min(_quotas(read), default=float(count))
    return max(1, min(count, int(quota)))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS has no affinity


def _quotas(read: Reader) -> Iterator[float]:
    """Yield the quota of each group the process is in, in processors; none where unlimited."""
    for line in (read(MEMBERSHIP) or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        for folder in _ancestors(PurePosixPath(group)):
            if not controllers:
                yield from _unified_quota(read(MOUNT / folder / "cpu.max"))
            elif "cpu" in controllers.split(","):
                yield from _split_quota(MOUNT / controllers / folder, read)
                yield from _split_quota(MOUNT / "cpu" / folder, read)


def _ancestors(group: PurePosixPath) -> Iterator[PurePosixPath]:
    """A group and all above it, for each may set a quota; a container may see only the top."""
    inner = PurePosixPath(*(part for part in group.parts if part not in {"/", ".."}))
    yield inner
    yield from inner.parents


def _unified_quota(text: str | None) -> Iterator[float]:
    """Version 2: ``cpu.max`` holds "quota period" in microseconds, or "max period"."""
    fields = (text or "").split()
    if len(fields) == 2 and fields[0].isdigit() and fields[1].isdigit():
        yield from _ratio(int(fields[0]), int(fields[1]))


def _split_quota(folder: Path, read: Reader) -> Iterator[float]:
    """Version 1: two files; a quota of -1 is none."""
    quota = (read(folder / "cpu.cfs_quota_us") or "").strip()
    period = (read(folder / "cpu.cfs_period_us") or "").strip()
    if quota.isdigit() and period.isdigit():
        yield from _ratio(int(quota), int(period))


def _ratio(quota_us: int, period_us: int) -> Iterator[float]:
    if quota_us > 0 and period_us > 0:
        yield quota_us / period_us
