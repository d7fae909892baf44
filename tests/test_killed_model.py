"""A model that is damaged, fails or dies under a served app: everyone is answered by policy.

Through the whole stack, from a policy file to the responses and counters, on the shipped model.
The clock of the scheduler stands still unless a test moves it, and loads wait for permission.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from gatekeeper.asgi.services import Services, Shadows
from gatekeeper.errors import GatekeeperError, InferenceError, ModelFileError
from gatekeeper.front import gated
from gatekeeper.protocols import EncodedPair, PairScore
from gatekeeper.runtime.session import Session, load
from gatekeeper.scheduler import Scheduler
from tests.own_model import own_model
from tests.scheduler.stepped import ManualClock

ROOT = Path(__file__).parent.parent
PATIENCE_S = 30.0
PAGES = ["The lamp has a warranty of two years.", "The lamp is blue."]
SAID = "Two years is the lamp's warranty."
WITHHELD = "This answer was withheld because it could not be verified."

# What each route's policy makes of an answer that can't be checked.
ENFORCED = {"/withholds": WITHHELD, "/releases": SAID}
SHADOW = {"/watches": SAID}
POLICY = """
[[route]]
path = "{path}"
mode = "{mode}"
answer = "/answer"
context = [{{ response = "/contexts/*" }}]
budget_ms = 60000
on_flagged = "withhold"
on_unresolved = {{ default = "withhold"{more} }}
on_not_checked = {{ default = "withhold" }}
"""
RELEASED = ', warming = "release", model_error = "release"'


class Fragile(Session):
    """The shipped model; a test may stop its passes and have them raise."""

    def __init__(self, session: Session) -> None:
        super().__init__(session.manifest, session.tokens, session._runtime)
        self.raises: BaseException | None = None
        self.entered = threading.Semaphore(0)
        self.go: threading.Semaphore | None = None

    def score(self, pairs: Sequence[EncodedPair], *, width: int = 0) -> list[PairScore]:
        """Wait if held, raise if told to."""
        self.entered.release()
        if self.go is not None:
            assert self.go.acquire(timeout=PATIENCE_S)
        if self.raises is not None:
            raise self.raises
        return super().score(pairs, width=width)


async def answer(request: Request) -> Response:
    """Say what follows from a page, in other words: only the model can tell."""
    return JSONResponse({"answer": SAID, "contexts": PAGES})


async def alive(request: Request) -> Response:
    """Answer on a route without a policy."""
    return PlainTextResponse("alive")


class Stage:
    """An app behind a gate, and hold of its parts. ``loads`` has the clock reading of each load."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, modes: dict[str, str]) -> None:
        self.clock = ManualClock()
        self.may_load = threading.Semaphore(0)
        self.loads: list[float] = []
        self.models: list[Fragile] = []
        self.schedulers: list[Scheduler] = []
        self.shadows = Shadows()
        self.registry = CollectorRegistry()
        patch.setattr("gatekeeper.parts.load", self._load)
        patch.setattr("gatekeeper.parts.Scheduler", self._scheduler)
        patch.setattr("gatekeeper.front.Services", self._services)
        policy = folder / "gatekeeper.toml"
        policy.write_text(
            'model = "./model"\nprobes_per_minute = 0\n'
            + "".join(
                POLICY.format(path=path, mode=mode, more=RELEASED if path == "/releases" else "")
                for path, mode in modes.items()
            )
        )
        routes = [Route(path, answer, methods=["POST"]) for path in modes]
        app = Starlette(routes=[*routes, Route("/alive", alive)])
        self.app: ASGIApp = gated(app, policy=policy, registry=self.registry)

    def _load(self, folder: Path) -> Session:
        assert self.may_load.acquire(timeout=PATIENCE_S)
        self.loads.append(self.clock.now_s)
        self.models.append(Fragile(load(folder, threads=1)))
        return self.models[-1]

    def _scheduler(self, **given: Any) -> Scheduler:
        self.schedulers.append(Scheduler(**given, clock=self.clock))
        return self.schedulers[-1]

    def _services(self, **given: Any) -> Services:
        return Services(**given, clock=self.clock, shadows=self.shadows)

    async def load_once(self) -> GatekeeperError | None:
        """Let one load happen and return why it failed, None if it did not."""
        waits = asyncio.ensure_future(self.schedulers[0].start())
        await asyncio.sleep(0)
        self.may_load.release()
        try:
            await waits
        except GatekeeperError as error:
            return error
        return None

    async def ask(self, expected: dict[str, str], *, times: int = 1) -> None:
        """Send requests to all routes at once; each must be answered as expected, and the app on.

        ASGITransport knows no lifespan: the first request is what begins the loading.
        """
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            paths = list(expected) * times
            replies = await asyncio.gather(*(client.post(path) for path in paths))
            assert (await client.get("/alive")).text == "alive"
            # Checks of shadow routes end after their responses.
            await self.shadows.drain(PATIENCE_S)
        for path, reply in zip(paths, replies, strict=True):
            assert reply.json()["answer"] == expected[path], path

    def count(self, name: str, **labels: str) -> int:
        """Return the sum of a counter over the samples that have these labels."""
        found = (sample for family in self.registry.collect() for sample in family.samples)
        return sum(
            int(sample.value)
            for sample in found
            if sample.name == f"gatekeeper_{name}_total" and labels.items() <= sample.labels.items()
        )

    def settle(self, paths: Sequence[str], *, asked: int, **unresolved: int) -> None:
        """Hold the counters of each route against what happened."""
        for path in paths:
            totals = [self.count(name, route=path) for name in ("requests", "checks", "actions")]
            assert totals == [asked] * 3, path
            for reason in ("warming", "model_error"):
                found = self.count("unresolved", route=path, reason=reason)
                assert found == unresolved.get(reason, 0), (path, reason)
            good = asked - sum(unresolved.values())
            assert self.count("checks", route=path, verdict="SUPPORTED") == good, path


BOTH = {"/withholds": "enforce", "/releases": "enforce", "/watches": "shadow"}
UNCHECKED = {**ENFORCED, **SHADOW}
CHECKED = dict.fromkeys(UNCHECKED, SAID)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Enforced and watching routes over a model of one's own."""
    own_model(tmp_path)
    return Stage(tmp_path, monkeypatch, BOTH)


def played(stage: Stage, main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a test's coroutine, let shadow checks end, close the threads."""

    async def whole() -> None:
        async with asyncio.timeout(PATIENCE_S):
            await main()
            await asyncio.to_thread(stage.schedulers[0].close)

    asyncio.run(whole())


def test_damaged_file_without_lifespan(stage: Stage, tmp_path: Path) -> None:
    """A server that runs no lifespan meets the damage at the first request, then its repair."""
    model = tmp_path / "model" / "model.onnx"
    good = model.resolve()
    model.unlink()
    model.write_bytes(good.read_bytes()[:-1])

    async def main() -> None:
        await stage.ask(UNCHECKED)
        for pause_s in (0.5, 1.0, 2.0):
            assert isinstance(await stage.load_once(), ModelFileError)
            await stage.ask(UNCHECKED)
            stage.clock.now_s += pause_s
        shutil.copyfile(good, model)
        assert await stage.load_once() is None
        await stage.ask(CHECKED)

    played(stage, main)

    assert stage.loads == [100.0, 100.5, 101.5, 103.5]
    stage.settle(list(BOTH), asked=5, warming=1, model_error=3)


async def held(stage: Stage, asking: Awaitable[None], raises: BaseException) -> None:
    """Have requests come while the model is in a pass, then let the pass raise."""
    model = stage.models[-1]
    model.go, model.entered = threading.Semaphore(0), threading.Semaphore(0)
    asked = asyncio.ensure_future(asking)
    assert await asyncio.to_thread(model.entered.acquire, timeout=PATIENCE_S)
    model.raises = raises
    model.go.release(1000)
    await asked
    model.go, model.raises = None, None


def test_failing_passes(stage: Stage) -> None:
    """A failed pass costs the answers in it and nothing else: the next ones are checked."""

    async def main() -> None:
        await stage.ask(UNCHECKED)
        await stage.load_once()
        await held(stage, stage.ask(UNCHECKED, times=5), InferenceError("out of memory"))
        await stage.ask(CHECKED)

    played(stage, main)

    assert len(stage.loads) == 1
    stage.settle(list(BOTH), asked=7, warming=1, model_error=5)


@pytest.mark.parametrize("death", [SystemExit(1), KeyboardInterrupt(), GeneratorExit()])
def test_killed_worker_thread(stage: Stage, death: BaseException) -> None:
    """Who waits for a thread that dies is answered, and a new model comes up behind them."""

    async def main() -> None:
        await stage.ask(UNCHECKED)
        await stage.load_once()
        await held(stage, stage.ask(UNCHECKED, times=5), death)
        await stage.ask(UNCHECKED)
        stage.clock.now_s += 0.5
        await stage.load_once()
        await stage.ask(CHECKED)

    played(stage, main)

    assert stage.loads == [100.0, 100.5]
    assert stage.schedulers[0].statistics().deaths == 1
    stage.settle(list(BOTH), asked=8, warming=1, model_error=6)


def test_damaged_file_with_lifespan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An enforced route stops the start; one that watches is served, and checked once it can be."""
    model = own_model(tmp_path) / "model.onnx"
    good = model.resolve()
    model.unlink()
    model.write_bytes(b"")
    enforced = Stage(tmp_path, monkeypatch, dict.fromkeys(ENFORCED, "enforce"))
    enforced.may_load.release()
    with pytest.raises(ModelFileError), TestClient(enforced.app):
        pass  # pragma: no cover - never reached

    watching = Stage(tmp_path, monkeypatch, dict.fromkeys(SHADOW, "shadow"))
    watching.may_load.release()
    with TestClient(watching.app) as client:
        assert client.post("/watches").json()["answer"] == SAID
        shutil.copyfile(good, model)
        watching.clock.now_s += 0.5
        assert asyncio.run(watching.load_once()) is None
        assert client.post("/watches").json()["answer"] == SAID

    watching.settle(["/watches"], asked=2, model_error=1)


def test_killed_worker_thread_with_lifespan(stage: Stage) -> None:
    """The same recovery where a server runs the lifespan, requests coming from other threads."""
    stage.may_load.release()
    with TestClient(stage.app) as client:

        def ask(expected: dict[str, str]) -> None:
            for path, said in expected.items():
                assert client.post(path).json()["answer"] == said
            assert client.portal is not None
            client.portal.call(stage.shadows.drain, PATIENCE_S)

        ask(CHECKED)
        stage.models[0].raises = SystemExit(1)
        ask(UNCHECKED)
        stage.clock.now_s += 0.5
        assert asyncio.run(stage.load_once()) is None
        ask(CHECKED)

    stage.settle(list(BOTH), asked=3, model_error=1)


FORKED = """
import asyncio, json, os, sys
import httpx
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from gatekeeper import front, parts

SAID, PAGES = json.loads(sys.argv[1])
schedulers, loads = [], []
make, load = parts.Scheduler, parts.load

def keep(**given):
    schedulers.append(make(**given))
    return schedulers[-1]

def counted(folder):
    loads.append(os.getpid())
    return load(folder)

parts.Scheduler, parts.load = keep, counted

async def answer(request):
    return JSONResponse({"answer": SAID, "contexts": PAGES})

app = front.gated(
    Starlette(routes=[Route("/withholds", answer, methods=["POST"])]),
    policy="gatekeeper.toml", registry=CollectorRegistry(),
)

async def ask():
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        return (await client.post("/withholds")).json()["answer"] == SAID

async def use():
    before = await ask()
    await schedulers[0].start()
    return [before, await ask()]

assert asyncio.run(use()) == [False, True]
child = os.fork()
if child == 0:
    ok = asyncio.run(use()) == [False, True] and loads == [os.getppid(), os.getpid()]
    os._exit(0 if ok else 1)
_, status = os.waitpid(child, 0)
assert asyncio.run(ask())
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_worker_loads_again(tmp_path: Path) -> None:
    """A preloading server forks after the load: the child warms up and checks by itself."""
    own_model(tmp_path)
    policy = POLICY.format(path="/withholds", mode="enforce", more="")
    (tmp_path / "gatekeeper.toml").write_text('model = "./model"' + policy)

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED, json.dumps([SAID, PAGES])],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert (done.returncode, done.stderr) == (0, "")
