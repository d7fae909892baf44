"""Puts a gate in front of an app: policy file, model, scheduler, counters and log, wired once.

Apart from ``build`` because it takes the web and metrics libraries, which checking a single answer
does not need.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import REGISTRY, CollectorRegistry

from gatekeeper.asgi.lifespan import Step
from gatekeeper.asgi.middleware import GatekeeperMiddleware
from gatekeeper.asgi.services import Services
from gatekeeper.build import SHIPPED_MODEL, thresholds_of
from gatekeeper.config import forced_mode, load_policy, policy_hash, uncalibrated_paths
from gatekeeper.config.combinations import SECRET_VARIABLE
from gatekeeper.config.controls import Files, LiveControls
from gatekeeper.config.modefile import mode_path
from gatekeeper.config.reports import Reports
from gatekeeper.config.standing import Surroundings
from gatekeeper.errors import SelfTestError
from gatekeeper.evaluation.calibration import Calibration, read_calibration
from gatekeeper.gate import Gate, Settings
from gatekeeper.observe.logs import EventLog
from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.observe.page import InfoStates, metrics_app
from gatekeeper.observe.telemetry import Observers
from gatekeeper.policy import Policy
from gatekeeper.protocols import EncodedPair, Model, PairScore
from gatekeeper.runtime.manifest import model_folder, read_manifest
from gatekeeper.runtime.selftest import self_test
from gatekeeper.runtime.session import load
from gatekeeper.scheduler import Scheduler

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class _LateModel:
    """The model as the gate sees it: known by its manifest at once, at work when it is loaded."""

    def __init__(self, fingerprint: str, scheduler: Scheduler) -> None:
        self.fingerprint = fingerprint
        self._scheduler = scheduler

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode with the loaded model."""
        return self._scheduler.model.encode(premise, hypothesis)

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """Ask the loaded model."""
        return self._scheduler.model.unknown_words(text)

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Score with the loaded model, past the scheduler."""
        return self._scheduler.model.score(pairs)


def gated(
    app: "ASGIApp",
    *,
    policy: Path | str,
    metrics: str | None = None,
    registry: CollectorRegistry = REGISTRY,
) -> "ASGIApp":
    """Return an app with a gate in front, as a policy file wants it.

    The model is loaded, tested and warmed when the server starts the app (lifespan), off the
    event loop. Nothing is read from the network.

    Args:
        app: The app whose answers are checked.
        policy: The policy file.
        metrics: Path under which the counters are served; None serves them nowhere.
        registry: Where the counters are kept; two gated apps of one process need one each.

    Raises:
        ConfigurationError: If the policy has faults; it names them all.
        ModelError: If the model's folder or manifest is not what it should be.
    """
    path = Path(policy)
    running = load_policy(path, calibration_of=_calibration)
    folder = _folder(running)
    log = EventLog()
    scheduler = Scheduler(load=lambda: _load(folder), notice=log.notice)
    gate = _gate(folder, scheduler)
    counters = WorkerMetrics(
        [route.path for route in running.routes],
        registry=registry,
        queue_pairs=lambda: scheduler.statistics().queue_pairs,
    )
    controls = LiveControls(
        running,
        around=_around,
        watched=Reports(counters, log),
        files=Files(
            mode_file=mode_path(path),
            policy_file=path,
            load=lambda: load_policy(path, calibration_of=_calibration),
        ),
    )
    front = GatekeeperMiddleware(
        app,
        policy=running,
        services=Services(
            gate=gate,
            judge=scheduler,
            controls=controls,
            telemetry=Observers([counters, log], failed=log.failed),
            secret=os.environ.get(SECRET_VARIABLE, "").encode(),
        ),
        startup=_startup(scheduler, controls),
        shutdown=_shutdown(scheduler, controls),
    )
    states = InfoStates(model=lambda: gate.fingerprint, policy=lambda: policy_hash(controls.policy))
    if metrics is None:
        return front
    return _with_page(front, metrics, metrics_app(counters.mode, counters.registry, [states]))


def _folder(policy: Policy) -> Path:
    """Return the folder of the model that a policy names; a name is that of a shipped one."""
    if policy.model is None:
        return model_folder(SHIPPED_MODEL)
    return Path(policy.model) if "/" in policy.model else model_folder(policy.model)


def _load(folder: Path) -> Model:
    """Load a model and prove that it scores as it must on this machine."""
    session = load(folder)
    report = self_test(session, session.manifest)
    if not report.matches:
        found = f"scores are {report.largest_difference:.3f} from the stored ones"
        raise SelfTestError(found, "see `gatekeeper doctor`")
    return session


def _gate(folder: Path, scheduler: Scheduler) -> Gate:
    model = _LateModel(read_manifest(folder).fingerprint, scheduler)
    return Gate(model, scheduler, Settings(thresholds=thresholds_of(folder)))


def _calibration(policy: Policy) -> Calibration | None:
    """Return the calibration of the scorer a policy asks for, None if it was fitted for another."""
    folder = _folder(policy)
    path = folder / "calibration.json"
    if not path.exists():
        return None
    found = read_calibration(path)
    scorer = _gate(folder, Scheduler(load=lambda: _load(folder))).fingerprint
    return found if found.fingerprint == scorer else None


def _around(policy: Policy) -> Surroundings:
    return Surroundings(
        forced=forced_mode(os.environ),
        has_secret=bool(os.environ.get(SECRET_VARIABLE)),
        uncalibrated=uncalibrated_paths(policy, _calibration(policy)),
    )


def _startup(scheduler: Scheduler, controls: LiveControls) -> Step:
    async def start() -> None:
        controls.start()
        await scheduler.start()

    return start


def _shutdown(scheduler: Scheduler, controls: LiveControls) -> Step:
    async def stop() -> None:
        await asyncio.to_thread(scheduler.close)
        await asyncio.to_thread(controls.close)

    return stop


def _with_page(front: "ASGIApp", path: str, page: "ASGIApp") -> "ASGIApp":
    """Serve one more page beside an app."""

    async def app(scope: "Scope", receive: "Receive", send: "Send") -> None:
        is_page = scope["type"] == "http" and scope["path"] == path
        await (page if is_page else front)(scope, receive, send)

    return app
