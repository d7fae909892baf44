"""Threads from fake cgroup files: any machine can be described as a table of texts."""

from pathlib import Path

import pytest

from gatekeeper.runtime.threads import Reader, read_or_none, usable_threads


def reader(**files: str) -> Reader:
    """Read from a table; keys are paths with "__" for "/"."""
    table = {Path("/" + name.replace("__", "/")): text for name, text in files.items()}
    return table.get


UNIFIED = {"proc__self__cgroup": "0::/app.slice/gate\n"}
SPLIT = {"proc__self__cgroup": "5:memory:/box\n4:cpu,cpuacct:/box\n"}


@pytest.mark.parametrize(
    ("limit", "expected"),
    [("200000 100000", 2), ("150000 100000", 1), ("20000 100000", 1), ("max 100000", 8)],
)
def test_quota_of_version_two_bounds_the_threads(limit: str, expected: int) -> None:
    """More threads than the quota has processors are stopped in the middle of a pass."""
    files = reader(**UNIFIED, **{"sys__fs__cgroup__app.slice__gate__cpu.max": limit})

    assert usable_threads(processors=8, read=files) == expected


def test_smallest_quota_on_the_way_up_counts() -> None:
    """A group may be unlimited inside one that is not."""
    files = reader(
        **UNIFIED,
        **{
            "sys__fs__cgroup__app.slice__gate__cpu.max": "max 100000",
            "sys__fs__cgroup__app.slice__cpu.max": "300000 100000",
            "sys__fs__cgroup__cpu.max": "600000 100000",
        },
    )

    assert usable_threads(processors=8, read=files) == 3


def test_container_that_sees_only_its_own_top_is_bounded() -> None:
    """In a container the path names the host's folder, but the limit stands at the mount."""
    files = reader(
        proc__self__cgroup="0::/../../kubepods/pod7\n",
        **{"sys__fs__cgroup__cpu.max": "400000 100000"},
    )

    assert usable_threads(processors=64, read=files) == 4


@pytest.mark.parametrize("mount", ["cpu", "cpu,cpuacct"])
@pytest.mark.parametrize(("quota", "expected"), [("250000", 2), ("-1", 8), ("0", 8)])
def test_quota_of_version_one_bounds_the_threads(mount: str, quota: str, expected: int) -> None:
    """Version 1 keeps quota and period apart, writes -1 for none, and has two usual mounts."""
    folder = f"sys__fs__cgroup__{mount}__box__"
    files = reader(
        **SPLIT,
        **{f"{folder}cpu.cfs_quota_us": quota, f"{folder}cpu.cfs_period_us": "100000\n"},
    )

    assert usable_threads(processors=8, read=files) == expected


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"proc__self__cgroup": ""},
        {"proc__self__cgroup": "nonsense\n"},
        {**UNIFIED, "sys__fs__cgroup__app.slice__gate__cpu.max": "many"},
        {**UNIFIED, "sys__fs__cgroup__app.slice__gate__cpu.max": "100000 0"},
    ],
)
def test_unreadable_limits_are_no_limits(files: dict[str, str]) -> None:
    """Off Linux, or on a kernel to come, affinity alone decides and nothing fails."""
    assert usable_threads(processors=5, read=reader(**files)) == 5


def test_affinity_is_asked_where_nothing_is_given() -> None:
    """The real machine has at least one processor for us."""
    assert usable_threads() >= 1


def test_missing_or_binary_file_reads_as_none(tmp_path: Path) -> None:
    """A limit that can't be read must not stop the start."""
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")

    assert read_or_none(tmp_path / "none") is None
    assert read_or_none(binary) is None


def test_without_affinity_the_processors_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """MacOS has no affinity; a machine that can't count has one processor."""
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)

    assert usable_threads(read=reader()) == 1
