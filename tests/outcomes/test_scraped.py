"""Pages of several workers on one store: the same numbers, and a page also without the store."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from sqlalchemy import Engine, event
from starlette.applications import Starlette
from starlette.testclient import TestClient

from gatekeeper.config.controls import with_trip
from gatekeeper.config.modefile import Tripped, change_mode_file
from gatekeeper.errors import StoreError
from gatekeeper.front import gated
from gatekeeper.observe.folder import MetricsMode
from gatekeeper.observe.logs import EventLog
from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.observe.page import metrics_app, render
from gatekeeper.observe.states import PATIENCE_S as SCRAPE_S
from gatekeeper.observe.states import StoreStates
from gatekeeper.outcomes.recorder import Recorder
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.writer import Writer
from gatekeeper.policy import Mode, Outcomes
from gatekeeper.recording import watch_store
from tests.outcomes.made import KEY, ROUTE, decision, source
from tests.outcomes.servers import Server

ROOT = Path(__file__).parents[2]

# One process for each worker, forked as a server does, none of which has asked the store before.
WORKERS = """
import os, sys, time
from pathlib import Path
from dataclasses import replace
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.testclient import TestClient
from functools import partial
import gatekeeper.parts
from gatekeeper.front import gated
from gatekeeper.outcomes.labels import Label, Labels
from gatekeeper.outcomes.store import Batch, Store
from gatekeeper.outcomes.words import Truth, week_of
from tests.outcomes.made import accepted, decision, made

url, folder = sys.argv[1], Path(sys.argv[2])
# What stands on a page must not hang on how busy the machine is.
gatekeeper.parts.watch_store = partial(gatekeeper.parts.watch_store, patience_s=60.0)
registry = CollectorRegistry()
app = gated(Starlette(), policy=folder / "gatekeeper.toml", metrics="/metrics", registry=registry)

def page():
    lines = TestClient(app).get("/metrics").text.splitlines()
    return [line for line in lines if line.startswith("gatekeeper_")]

def states():
    names = ("rate{", "labels_in_force{", "review_queue{", "store_up", "target{", "tripped{")
    return [one for one in page() if one.startswith(tuple("gatekeeper_" + n for n in names))]

class Worker:
    def __init__(self):
        asked, self.ask = os.pipe()
        self.said, says = os.pipe()
        if os.fork() == 0:
            os.close(self.ask)
            while os.read(asked, 1):
                os.write(says, ("\\n".join(states()) + "\\0").encode())
            os._exit(0)
        os.close(asked)
        os.close(says)

    def states(self):
        os.write(self.ask, b"?")
        said = b""
        while not said.endswith(b"\\0"):
            said += os.read(self.said, 65536)
        return said[:-1].decode()

workers = [Worker() for _ in range(4)]
fingerprint = next(l for l in page() if l.startswith("gatekeeper_model_info")).split('"')[1]
store, now_ms = Store.open(url), int(time.time() * 1000)
store.write(Batch(decisions=[
    replace(made((decision, accepted)[n % 2](n)), route="/answer", fingerprint=fingerprint,
            at_ms=now_ms - n * 3_600_000, week=week_of(now_ms - n * 3_600_000), u=n / 1000)
    for n in range(200)
]))

def say(number):
    truth = (Truth.WRONG, Truth.CORRECT)[number // 2 % 2]
    label = Label(decision=f"{number:032x}", reviewer="ann", truth=truth, seen_ms=now_ms)
    Labels(store).add(label, at_ms=now_ms)

for number in range(100):
    say(number)

def of_one_hour(ask):
    while True:
        hour = time.time() // 3600
        found = ask()
        if time.time() // 3600 == hour:
            return found

before = of_one_hour(lambda: [worker.states() for worker in workers[:3]])
for number in range(100, 110):
    say(number)
after = of_one_hour(lambda: [worker.states() for worker in workers])
store.close()
import json
print(json.dumps([before, after]))
"""

# Workers of which one can write to no file, by the will of the operating system, for some time.
ONE_FAILS = """
import json, os, resource, sys, threading
from functools import partial
from pathlib import Path
from prometheus_client import CollectorRegistry
import gatekeeper.parts
from gatekeeper.config.scorer import load_with_scorer
from gatekeeper.observe.page import render
from gatekeeper.outcomes.store import Store
from gatekeeper.parts import Parts
from tests.outcomes.made import decision

file = Path(sys.argv[2]) / "gatekeeper.toml"
gatekeeper.parts.watch_store = partial(gatekeeper.parts.watch_store, patience_s=60.0)
parts = Parts(file, *load_with_scorer(file), CollectorRegistry())

def up():
    lines = render(parts.counters.mode, parts.counters.registry, parts.collectors).decode()
    return next(line for line in lines.splitlines() if line.startswith("gatekeeper_store_up"))

class Worker:
    def __init__(self):
        asked, self.ask = os.pipe()
        self.said, says = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.ask)
            work(asked, says)
        os.close(asked)
        os.close(says)

    def do(self, what):
        os.write(self.ask, what)
        return os.read(self.said, 100).decode()

def work(asked, says):
    changed = threading.Event()
    [recorder] = parts.recorders
    recorder._notice = lambda *_, **__: changed.set()
    numbers = iter(range(10))
    while what := os.read(asked, 1):
        if what == b"?":
            os.write(says, up().encode())
            continue
        changed.clear()
        if what == b"-":
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            recorder.decided(decision(next(numbers), route="/answer"))
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        assert changed.wait(60.0)
        os.write(says, b".")
    os._exit(0)

Store.open(sys.argv[1]).close()
one, other = Worker(), Worker()
found = {"before": [one.do(b"?"), other.do(b"?")]}
one.do(b"-")
found["failing"] = [one.do(b"?"), other.do(b"?")]
one.do(b"+")
found["again"] = [one.do(b"?"), other.do(b"?")]
one.do(b"-")
found["failing again"] = [other.do(b"?")]
os.kill(one.pid, 9)
os.waitpid(one.pid, 0)
found["without it"] = [other.do(b"?")]
print(json.dumps(found))
"""

POLICY = """
[outcomes]
url = "{url}"
store_text = "none"
retention_days = 30

[[route]]
path = "/answer"
mode = "shadow"
answer = "/answer"
context = [{{ response = "/contexts/*" }}]
on_flagged = "withhold"
on_unresolved = {{ default = "withhold" }}
on_not_checked = {{ default = "withhold" }}
targets = {{ false_block = 0.05, accepted_error = 0.10 }}

[[route]]
path = "/quiet"
mode = "shadow"
answer = "/answer"
context = [{{ response = "/contexts/*" }}]
on_flagged = "withhold"
on_unresolved = {{ default = "withhold" }}
on_not_checked = {{ default = "withhold" }}
"""


def run(script: str, folder: Path, url: str, **environment: str) -> str:
    """Run a script in a process of its own and return what it prints."""
    (folder / "gatekeeper.toml").write_text(POLICY.format(url=url), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, url, str(folder)],
        cwd=ROOT,
        env={**os.environ, "GATEKEEPER_SECRET": KEY.decode(), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_worker_says_the_same(tmp_path: Path, url: str) -> None:
    """A graph that jumps from worker to worker shows nothing; and each must see a new label."""
    before, after = json.loads(run(WORKERS, tmp_path, url))

    assert len(set(before)) == len(set(after)) == 1
    known = after[0].splitlines()
    rates = [line for line in known if line.startswith("gatekeeper_rate")]
    assert len(rates) == 5 * 5 * 2
    assert not [line for line in rates if "/quiet" in line or "nan" in line.lower()]
    assert 'gatekeeper_labels_in_force{route="/answer",side="blocked"} 50.0' in before[0]
    for line in (
        "gatekeeper_store_up 1.0",
        'gatekeeper_labels_in_force{route="/answer",side="blocked"} 55.0',
        'gatekeeper_labels_in_force{route="/quiet",side="blocked"} 0.0',
        'gatekeeper_review_queue{route="/answer",side="accepted"} 45.0',
        'gatekeeper_target{rate="false_block",route="/answer"} 0.05',
        'gatekeeper_tripped{route="/quiet"} 0.0',
    ):
        assert line in known


def test_every_worker_tells_of_one_that_can_not_write(tmp_path: Path) -> None:
    """Which worker a scrape comes to is chance; an alert must not hang on it.

    One that was killed writes nothing any more, and is not waited for.
    """
    url = f"sqlite:///{tmp_path / 'outcomes.db'}"

    found = json.loads(run(ONE_FAILS, tmp_path, url, PROMETHEUS_MULTIPROC_DIR=str(tmp_path / "m")))

    assert found == {
        "before": 2 * ["gatekeeper_store_up 1.0"],
        "failing": 2 * ["gatekeeper_store_up 0.0"],
        "again": 2 * ["gatekeeper_store_up 1.0"],
        "failing again": ["gatekeeper_store_up 0.0"],
        "without it": ["gatekeeper_store_up 1.0"],
    }


def test_trip_is_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A route that left enforce by itself wakes somebody; so it must show at every worker."""
    monkeypatch.setenv("GATEKEEPER_SECRET", KEY.decode())
    policy = tmp_path / "gatekeeper.toml"
    policy.write_text(POLICY.format(url=f"sqlite:///{tmp_path / 'outcomes.db'}"), encoding="utf-8")
    trip = Tripped(to=Mode.SHADOW, blocked=150, of=200)
    change_mode_file(tmp_path / "gatekeeper.mode.json", with_trip("/answer", trip, 0))

    app = gated(Starlette(), policy=policy, metrics="/metrics", registry=CollectorRegistry())
    page = TestClient(app).get("/metrics").text.splitlines()

    assert 'gatekeeper_tripped{route="/answer"} 1.0' in page
    assert 'gatekeeper_tripped{route="/quiet"} 0.0' in page


PATIENCE_S = 60.0

Watch = Callable[[str], StoreStates]


@pytest.fixture
def counters() -> WorkerMetrics:
    """Count for the one worker."""
    return WorkerMetrics([ROUTE], registry=CollectorRegistry())


@pytest.fixture
def watch(counters: WorkerMetrics) -> Iterator[Watch]:
    """Give what a page says of a store, however long that takes."""
    watched: list[StoreStates] = []

    def watch(url: str) -> StoreStates:
        outcomes = Outcomes(url=url, store_text="none", retention_days=30)
        watched.append(
            watch_store(
                outcomes,
                fingerprint="running",
                routes=lambda: [ROUTE],
                is_failing=lambda: counters.is_store_failing,
                log=EventLog(),
                patience_s=PATIENCE_S,
            )
        )
        return watched[-1]

    yield watch
    for states in watched:
        states.close()


def shown(states: StoreStates) -> tuple[bool, float]:
    """Return whether a page has the queue on it, and whether it calls the store up."""
    lines = render(MetricsMode.SINGLE, CollectorRegistry(), [states]).decode().splitlines()
    has_queue = any(line.startswith("gatekeeper_review_queue{") for line in lines)
    [up] = [line.split()[1] for line in lines if line.startswith("gatekeeper_store_up ")]
    return has_queue, float(up)


def test_no_statement_runs_on_the_loop(store: Store, url: str, watch: Watch) -> None:
    """A scrape comes to the loop that serves users; a slow statement there would stop them all."""
    ran_in: list[str] = []

    def note(*_: object) -> None:
        ran_in.append(threading.current_thread().name)

    page = metrics_app(MetricsMode.SINGLE, CollectorRegistry(), [watch(url)])
    event.listen(Engine, "before_cursor_execute", note)
    try:
        text = TestClient(page).get("/").text
    finally:
        event.remove(Engine, "before_cursor_execute", note)

    assert "gatekeeper_store_up 1.0" in text
    assert set(ran_in) == {"gatekeeper-states"}


def test_server_that_is_stopped_and_started(server: Server, watch: Watch) -> None:
    """The page is served without its states, and with them as soon as there is a server again."""
    Store.open(server.url).close()
    states = watch(server.url)
    before = shown(states)

    server.stop()
    try:
        stopped = [shown(states), shown(states)]
    finally:
        server.start()

    assert before == (True, 1.0)
    assert stopped == [(False, 0.0), (False, 0.0)]
    assert shown(states) == (True, 1.0)


def test_server_that_says_nothing(watch: Watch) -> None:
    """A connection that hangs takes longer than a scrape has; the page does not wait for it."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        states = watch(f"postgresql://gate@127.0.0.1:{port}/x")
        states.patience_s = SCRAPE_S

        found = [shown(states), shown(states)]

    assert found == [(False, 0.0), (False, 0.0)]


def test_file_that_another_process_keeps_to_itself(tmp_path: Path, watch: Watch) -> None:
    """A backup or a shell may lock the whole file; that is no reason for a page to fail."""
    file = tmp_path / "outcomes.db"
    Store.open(f"sqlite:///{file}").close()
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("CREATE TABLE other (x)")
    states = watch(f"sqlite:///{file}")
    states.patience_s = SCRAPE_S

    locked = shown(states)
    other.close()
    states.patience_s = PATIENCE_S

    assert locked == (False, 0.0)
    assert shown(states) == (True, 1.0)


def test_store_that_takes_no_decisions_is_not_up(
    tmp_path: Path, watch: Watch, counters: WorkerMetrics
) -> None:
    """A full disk can be read from; but what is counted then is not all there is."""
    url = f"sqlite:///{tmp_path / 'outcomes.db'}"
    Store.open(url).close()
    states = watch(url)
    before = shown(states)
    is_full = threading.Event()
    is_full.set()
    changed = threading.Semaphore(0)

    def opened() -> Store:
        if is_full.is_set():
            raise StoreError("it is full", "make room", is_passing=True)
        return Store.open(url)

    recorder = Recorder(
        Writer(opened, source()),
        dropped=lambda _: None,
        notice=lambda *_, **__: changed.release(),
        failing=lambda is_failing: counters.store_failing(is_failing=is_failing),
    )
    recorder.decided(decision())
    assert changed.acquire(timeout=PATIENCE_S)
    full = shown(states)
    is_full.clear()
    assert changed.acquire(timeout=PATIENCE_S)
    again = shown(states)
    recorder.close()

    assert (before, full, again) == ((True, 1.0), (False, 0.0), (True, 1.0))
