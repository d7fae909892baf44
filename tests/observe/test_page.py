"""The page: the same numbers from any worker, also after some have died."""

import asyncio
import errno
import json
import os
import subprocess
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from gatekeeper.observe.folder import MetricsMode
from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.observe.page import InfoStates, find_sample, forget_dead, metrics_app, render
from gatekeeper.observe.slots import Slot
from gatekeeper.policy import Mode

WORKERS = """
import json, os, signal, sys
from prometheus_client import CollectorRegistry
from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.observe.page import scraped
from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision
from gatekeeper.verdict import Action, NotCheckedReason, Verdict

def metrics():
    return WorkerMetrics(["/a"], registry=CollectorRegistry(), queue_pairs=lambda: 5)

def decide(metrics):
    metrics.decided(Decision(
        id="d", route="/a", mode=Mode.SHADOW, enforced=False, action=Action.RELEASE,
        verdict=Verdict(not_checked=NotCheckedReason.SHAPE), would=Action.WITHHOLD,
        check_s=0.01, added_s=0.01, evidence_words=10, pairs=1, pair_tokens=20,
    ))

class Worker:
    def __init__(self, serve):
        self.said, says = os.pipe()
        stays, self.lets_go = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            serve()
            os.write(says, b"x")
            os.read(stays, 1)
            os._exit(0)
        os.close(says)
        os.close(stays)
        os.read(self.said, 1)

    def leave(self):
        os.write(self.lets_go, b"x")
        os.waitpid(self.pid, 0)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

def total(name):
    families = scraped(parent.mode, parent.registry).collect()
    return sum(s.value for f in families for s in f.samples if s.name == "gatekeeper_" + name)

parent = metrics()
"""

ONE_KILLED = """
def serve(begun, decided):
    def work():
        own = metrics()
        for number in range(begun):
            own.began("/a", Mode.SHADOW)
            if number < decided:
                decide(own)
    return work

NAMES = ["requests_total", "checks_total", "actions_total", "unfinished", "queue_pairs",
         "metrics_mode_info"]
def totals():
    return [total(name) for name in NAMES]

helper_is, says_helper = os.pipe()

def serve_with_helper():
    serve(100, 93)()
    helper = os.fork()
    if helper == 0:
        signal.pause()
    os.write(says_helper, str(helper).encode())

workers = [Worker(serve(100, 100)) for _ in range(3)]
victim = Worker(serve_with_helper)
helper = int(os.read(helper_is, 100))
found = {"working": totals()}
victim.kill()
found["one killed"] = totals()
found["same again"] = totals()
heir = Worker(serve(10, 10))
found["one in its place"] = totals()
heir.kill()
idle = Worker(metrics)
found["an idle one in its place"] = totals()
for worker in [*workers, idle]:
    worker.leave()
found["all left"] = totals()
os.kill(helper, signal.SIGKILL)
folder = os.environ["PROMETHEUS_MULTIPROC_DIR"]
found["slots"] = len([name for name in os.listdir(folder) if name.endswith(".lock")])
print(json.dumps(found))
"""

MANY_DEAD = """
def serve():
    for _ in range(7):
        parent.began("/a", Mode.SHADOW)
        decide(parent)
    parent.began("/a", Mode.SHADOW)

def watch():
    low, seen = 0.0, 0
    while True:
        now = total("requests_total")
        assert now >= low, (now, low)
        low, seen = now, seen + 1
        os.write(says, b"x" if seen == 1 else b"")

began, says = os.pipe()
watcher = os.fork()
if watcher == 0:
    watch()
os.read(began, 1)
shown = [total("requests_total")]
for number in range(200):
    worker = Worker(serve)
    worker.kill() if number % 2 else worker.leave()
    if number % 10 == 9:
        shown.append(total("requests_total"))
still_watching = os.waitpid(watcher, os.WNOHANG) == (0, 0)
os.kill(watcher, signal.SIGKILL)
print(json.dumps({
    "shown": shown,
    "watched": still_watching,
    "files": len(os.listdir(os.environ["PROMETHEUS_MULTIPROC_DIR"])),
    "totals": [total(n) for n in ("requests_total", "checks_total", "unfinished", "queue_pairs")],
}))
"""


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script with a shared folder."""
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={"PROMETHEUS_MULTIPROC_DIR": str(folder), "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_four_workers_one_of_them_killed(tmp_path: Path) -> None:
    """Pages add up; what a killed worker had begun stays, its queue does not, nothing falls.

    The next worker goes on in its files, also while a process that it had forked lives on.
    """
    done = run(WORKERS + ONE_KILLED, tmp_path / "made" / "by us")

    assert done.stderr == ""
    assert json.loads(done.stdout) == {
        "working": [400.0, 393.0, 393.0, 7.0, 20.0, 1.0],
        "one killed": [400.0, 393.0, 393.0, 7.0, 15.0, 1.0],
        "same again": [400.0, 393.0, 393.0, 7.0, 15.0, 1.0],
        "one in its place": [410.0, 403.0, 403.0, 7.0, 20.0, 1.0],
        "an idle one in its place": [410.0, 403.0, 403.0, 7.0, 15.0, 1.0],
        "all left": [410.0, 403.0, 403.0, 7.0, 0.0, 1.0],
        "slots": 5,
    }


def test_files_of_dead_workers_do_not_pile_up(tmp_path: Path) -> None:
    """A server that restarts its workers for weeks keeps its files, its counts and its pace."""
    done = run(WORKERS + MANY_DEAD, tmp_path)

    assert done.stderr == ""
    found = json.loads(done.stdout)
    # A slot has six files. There are those of the parent and of a worker, and one more each time
    # that a page looked at every free one just when a worker came for it: hardly ever more than
    # two. Were files named by process, there would be those of two hundred workers.
    assert found.pop("files") <= 20 * 6
    assert found == {
        "shown": [80.0 * tens for tens in range(21)],
        "watched": True,
        "totals": [1_600.0, 1_400.0, 200.0, 0.0],
    }


def test_folder_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There files are named as the client does it: two workers in one file would lose counts."""

    def refuse(_file: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    monkeypatch.setattr("fcntl.flock", refuse)

    assert Slot()() == str(os.getpid())


TOO_LATE = """
import os, pathlib
folder = os.environ.pop("PROMETHEUS_MULTIPROC_DIR")
import prometheus_client
{late}
from gatekeeper.observe import folder as shared
from gatekeeper.errors import MetricsError
try:
    {use}
except MetricsError as error:
    print(error)
"""


def test_folder_named_too_late_is_found_out(tmp_path: Path) -> None:
    """The client reads the variable once; set after that, every page would be empty."""
    script = TOO_LATE.format(
        late='os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder',
        use='from gatekeeper.observe.metrics import WorkerMetrics; WorkerMetrics(["/a"])',
    )

    done = run(script, tmp_path)

    assert done.stderr == ""
    assert "a sample that was written can't be read back; set PROMETHEUS_MULTI" in done.stdout


def test_folder_given_too_late_is_refused(tmp_path: Path) -> None:
    """A folder from the configuration comes too late when the app has imported the client."""
    script = TOO_LATE.format(late="", use="shared.prepare(pathlib.Path(folder))")

    done = run(script, tmp_path)

    assert "prometheus_client was imported before its folder was known" in done.stdout


GIVEN = """
import os, pathlib, sys
folder = pathlib.Path(os.environ.pop("PROMETHEUS_MULTIPROC_DIR"))
from gatekeeper.observe.folder import prepare
print(prepare(folder), "prometheus_client" in sys.modules)
from gatekeeper.observe.metrics import WorkerMetrics
print(WorkerMetrics(["/a"]).mode, len(list(folder.glob("*.db"))) > 0)
"""


def test_folder_from_the_configuration(tmp_path: Path) -> None:
    """A folder that our own configuration names is set up before the client is imported."""
    done = run(GIVEN, tmp_path)

    assert done.stderr == ""
    assert done.stdout.splitlines() == ["multiprocess False", "multiprocess True"]


def test_page_is_read_by_the_parser() -> None:
    """What we write is what Prometheus reads."""
    registry = CollectorRegistry()
    WorkerMetrics(["/a"], registry=registry).began("/a", Mode.SHADOW)
    states = InfoStates(model=lambda: "f00d", policy=lambda: "")

    page = render(MetricsMode.SINGLE, registry, [states]).decode()

    samples = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }
    assert samples["gatekeeper_requests_total", "/a", "shadow"] == 1.0
    assert samples["gatekeeper_model_info", "f00d"] == 1.0
    assert not any(name[0] == "gatekeeper_policy_info" for name in samples)


def test_sample_that_is_not_there() -> None:
    """Nothing written is not the same as zero written."""
    assert find_sample(MetricsMode.SINGLE, CollectorRegistry(), "gatekeeper_x", {}) is None


@pytest.mark.parametrize(("kind", "messages"), [("http", 2), ("lifespan", 0)])
def test_app_serves_the_page(kind: str, messages: int) -> None:
    """The page can be mounted in any ASGI app, at a path the server chooses."""
    registry = CollectorRegistry()
    WorkerMetrics(["/a"], registry=registry)
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def main() -> None:
        await metrics_app(MetricsMode.SINGLE, registry)({"type": kind}, receive, send)

    asyncio.run(main())

    assert len(sent) == messages
    if sent:
        headers = dict(sent[0]["headers"])
        assert sent[0]["status"] == 200
        assert headers[b"content-type"].startswith(b"text/plain")
        assert int(headers[b"content-length"]) == len(sent[1]["body"])
        assert b"gatekeeper_metrics_mode_info" in sent[1]["body"]


@pytest.mark.parametrize(
    ("error", "stays"), [(ProcessLookupError(), False), (PermissionError(), True), (None, True)]
)
def test_live_gauges_of_dead_workers_go(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: OSError | None, *, stays: bool
) -> None:
    """The queue of a worker that is gone holds nothing; its counters must never go backwards."""

    def kill(_process: int, _signal: int) -> None:
        if error is not None:
            raise error

    for name in ("gauge_livesum_77.db", "counter_77.db", "gauge_livesum_x.db"):
        (tmp_path / name).write_bytes(b"")
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    monkeypatch.setattr("os.kill", kill)

    forget_dead(tmp_path)

    assert (tmp_path / "gauge_livesum_77.db").exists() is stays
    assert (tmp_path / "counter_77.db").exists()
    assert (tmp_path / "gauge_livesum_x.db").exists()
