"""The page: the same numbers from any worker, also after some have died."""

import asyncio
import json
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
from gatekeeper.policy import Mode

WORKERS = """
import json, os, signal, sys
from prometheus_client import CollectorRegistry
from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.observe.page import scraped
from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision
from gatekeeper.verdict import Action, NotCheckedReason, Verdict

def serve(number):
    metrics = WorkerMetrics(["/a"], registry=CollectorRegistry(), queue_pairs=lambda: 5)
    for _ in range(100):
        metrics.began("/a", Mode.SHADOW)
        metrics.decided(Decision(
            id="d", route="/a", mode=Mode.SHADOW, enforced=False, action=Action.RELEASE,
            verdict=Verdict(not_checked=NotCheckedReason.SHAPE), would=Action.WITHHOLD,
            check_s=0.01, added_s=0.01, evidence_words=10, pairs=1, pair_tokens=20,
        ))

parent_metrics = WorkerMetrics(["/a"], registry=CollectorRegistry())
children, ends = [], []
for number in range(4):
    served, said = os.pipe()
    stay, leave = os.pipe()
    child = os.fork()
    if child == 0:
        serve(number)
        os.write(said, b"x")
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        os.close(leave)
        os.read(stay, 1)
        os._exit(0)
    os.close(stay)
    os.read(served, 1)
    children.append(child)
    ends.append(leave)
os.waitpid(children[3], 0)

def total(name):
    families = scraped(parent_metrics.mode, parent_metrics.registry).collect()
    return sum(s.value for f in families for s in f.samples if s.name == name)

names = ["requests_total", "checks_total", "actions_total", "queue_pairs", "metrics_mode_info"]
found = {name: total("gatekeeper_" + name) for name in names}
again = {name: total("gatekeeper_" + name) for name in names}
for leave in ends[:3]:
    os.write(leave, b"x")
for child in children[:3]:
    os.waitpid(child, 0)
found["same again"] = found == again
found["after all left"] = total("gatekeeper_requests_total")
found["queue after all left"] = total("gatekeeper_queue_pairs")
print(json.dumps(found))
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


def test_four_workers_one_of_them_dead(tmp_path: Path) -> None:
    """Counts of all workers add up on every page; a dead one's counts stay, its queue does not."""
    done = run(WORKERS, tmp_path / "made" / "by us")

    assert done.stderr == ""
    assert json.loads(done.stdout) == {
        "requests_total": 400.0,
        "checks_total": 400.0,
        "actions_total": 400.0,
        "queue_pairs": 15.0,
        "metrics_mode_info": 1.0,
        "same again": True,
        "after all left": 400.0,
        "queue after all left": 0.0,
    }


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
