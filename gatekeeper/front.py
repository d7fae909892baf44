"""Puts a gate in front of an app: policy file, model, scheduler, counters and log, wired once.

Apart from ``build`` because it takes the web and metrics libraries, which checking a single answer
does not need.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import REGISTRY, CollectorRegistry

from gatekeeper.asgi.known import unmatched
from gatekeeper.asgi.lifespan import Step
from gatekeeper.asgi.middleware import GatekeeperMiddleware
from gatekeeper.asgi.paths import below
from gatekeeper.asgi.services import Services
from gatekeeper.build import LateModel, prove
from gatekeeper.config import forced_mode, policy_hash, uncalibrated_paths
from gatekeeper.config.combinations import SECRET_VARIABLE
from gatekeeper.config.controls import Files, LiveControls
from gatekeeper.config.modefile import mode_path
from gatekeeper.config.reports import Reports
from gatekeeper.config.scorer import Scorer, load_with_scorer
from gatekeeper.config.standing import Surroundings
from gatekeeper.errors import ConfigurationError, Fault, ManifestError, ModelError
from gatekeeper.gate import Gate, Settings
from gatekeeper.observe.folder import MetricsMode, workers_expected
from gatekeeper.observe.logs import EventLog
from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.observe.page import InfoStates, metrics_app
from gatekeeper.observe.states import PolicyStates, StoreStates
from gatekeeper.observe.telemetry import Observers
from gatekeeper.policy import Mode, Policy, Route
from gatekeeper.probing import Prober, known_answers
from gatekeeper.protocols import Model
from gatekeeper.recording import begin_recording, open_store, optional_part, watch_store
from gatekeeper.runtime.manifest import MANIFEST, read_manifest
from gatekeeper.runtime.session import load
from gatekeeper.scheduler import Notice, Scheduler

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from gatekeeper.outcomes.recorder import Recorder
    from gatekeeper.review.app import ReviewApp


class _Loader:
    """Loads the model of a scorer for the scheduler, tested.

    A model whose scores are not the stored ones is refused while a route is enforced. Where all
    routes only watch it is used, and ``differs`` is True: no route may be enforced then.

    Args:
        scorer: What was read at the start.
        notice: Takes events.
        controls: Gives the controls, which are made after this; they watch from the first load on.
        prober: Gives the prober, likewise; it begins when the model can be used.
    """

    def __init__(
        self,
        scorer: Scorer,
        *,
        notice: Notice,
        controls: Callable[[], LiveControls],
        prober: Callable[[], Prober],
    ) -> None:
        self.differs = False
        self._scorer = scorer
        self._notice = notice
        self._controls = controls
        self._prober = prober

    def __call__(self) -> Model:
        """Load and test; raises ModelError."""
        controls = self._controls()
        controls.start()
        session = load(self._scorer.folder)
        if session.fingerprint != self._scorer.model:
            found, expected = (
                f"model {session.fingerprint}",
                f"{self._scorer.model} as at the start",
            )
            raise ManifestError(self._scorer.folder / MANIFEST, found, expected)
        proven = prove(session)
        report = proven.report
        if not report.is_invariant:
            self._notice("model_not_invariant", difference=report.largest_shift)
        if not report.matches:
            self._notice("model_scores_differ", difference=report.largest_difference)
        model = proven.accepted() if _enforces(controls) else proven.model
        self.differs = not report.matches
        controls.renew()
        self._prober().start()
        return model


def gated(
    app: "ASGIApp",
    *,
    policy: Path | str,
    metrics: str | None = None,
    registry: CollectorRegistry = REGISTRY,
) -> "ASGIApp":
    """Return an app with a gate in front, as a policy file wants it.

    The model is loaded, tested and warmed when the server starts the app (lifespan), without
    lifespan at the first gated request; off the event loop. Nothing is read from the network.

    Args:
        app: The app whose answers are checked.
        policy: The policy file.
        metrics: Path under which the counters are served; None serves them nowhere.
        registry: Where the counters are kept; two gated apps of one process need one each.

    Raises:
        ConfigurationError: If the policy or the model it asks for has faults; it names them all.
        StoreError: If decisions are to be stored and there can be no such store here.
    """
    path = Path(policy)
    running, scorer = load_with_scorer(path)
    _refuse_shared(running, path, metrics)
    log = EventLog()
    loader = _Loader(scorer, notice=log.notice, controls=lambda: controls, prober=lambda: prober)
    scheduler = Scheduler(load=loader, notice=log.notice)
    counters = _counters(running, registry, scheduler, log)
    controls = LiveControls(
        running,
        around=lambda policy: _around(policy, scorer, loader),
        watched=Reports(counters, log),
        files=Files(
            mode_file=mode_path(path),
            policy_file=path,
            load=lambda: load_with_scorer(path, running=scorer)[0],
        ),
    )
    prober = Prober(
        _gate(scorer, scheduler),
        known_answers(read_manifest(scorer.folder)),
        per_minute=lambda: controls.policy.probes_per_minute,
        counted=counters.probed,
        ready=scheduler.start,
        log=log,
    )
    recorders = _recorders(running, scorer, counters, log)
    stores = _stores(running, scorer, recorders, controls, log)
    review = _review(running, controls, counters, log)
    closes: list[Callable[[], None]] = [prober.close, scheduler.close, controls.close]
    closes += [recorder.close for recorder in recorders]
    closes += [states.close for states in stores]
    closes += [page.close for page in review.values()]
    for unknown in unmatched(app, [route.path for route in running.routes]):
        log.notice("route_unmatched", route=unknown)
    front = GatekeeperMiddleware(
        app,
        policy=lambda: controls.policy,
        services=Services(
            gate=_gate(scorer, scheduler),
            gate_for=lambda route: _gate(scorer, scheduler, route),
            judge=scheduler,
            controls=controls,
            telemetry=Observers([counters, log, *recorders], failed=log.failed),
            failed=log.failed,
            secret=_secret(),
        ),
        startup=_startup(scheduler, controls),
        shutdown=_shutdown(closes),
    )
    states = InfoStates(
        model=lambda: scorer.fingerprint, policy=lambda: policy_hash(controls.policy)
    )
    pages: dict[str, ASGIApp] = {f"{where}/": page for where, page in review.items()}
    if metrics is not None:
        collectors = [states, _policy_states(controls), *stores]
        pages[metrics] = metrics_app(counters.mode, counters.registry, collectors)
    return _with_pages(front, pages)


def _counters(
    policy: Policy, registry: CollectorRegistry, scheduler: Scheduler, log: EventLog
) -> WorkerMetrics:
    counters = WorkerMetrics(
        [route.path for route in policy.routes],
        registry=registry,
        queue_pairs=lambda: scheduler.queue_pairs,
    )
    if counters.mode is MetricsMode.UNSHARED:
        log.notice("metrics_unshared", workers=workers_expected(sys.argv, os.environ))
    return counters


def _recorders(
    policy: Policy, scorer: Scorer, counters: WorkerMetrics, log: EventLog
) -> "tuple[Recorder, ...]":
    """Return what stores decisions, if the policy wants them stored."""
    if policy.outcomes is None:
        return ()
    recorder = begin_recording(
        policy.outcomes,
        key=_secret(),
        fingerprint=scorer.fingerprint,
        support=scorer.thresholds.support,
        counters=counters,
        log=log,
    )
    return (recorder,)


def _stores(
    policy: Policy,
    scorer: Scorer,
    recorders: "tuple[Recorder, ...]",
    controls: LiveControls,
    log: EventLog,
) -> tuple[StoreStates, ...]:
    """Return what the page says of the store, if there is one."""
    if policy.outcomes is None:
        return ()
    states = watch_store(
        policy.outcomes,
        fingerprint=scorer.fingerprint,
        routes=lambda: [route.path for route in controls.policy.routes],
        recorder=recorders[0],
        log=log,
    )
    return (states,)


def _policy_states(controls: LiveControls) -> PolicyStates:
    """Return what the page says of targets and trips."""

    def targets() -> dict[tuple[str, str], float]:
        return {
            (route.path, rate): getattr(route.targets, rate)
            for route in controls.policy.routes
            if route.targets is not None
            for rate in ("false_block", "accepted_error")
        }

    return PolicyStates(
        targets=targets,
        tripped=lambda: {
            route.path: controls.now(route).tripped for route in controls.policy.routes
        },
    )


def _secret() -> bytes:
    return os.environ.get(SECRET_VARIABLE, "").encode()


def _gate(scorer: Scorer, scheduler: Scheduler, route: Route | None = None) -> Gate:
    """Return the gate of a route; all have one model and one line."""
    boilerplate = () if route is None else route.boilerplate
    settings = Settings(
        thresholds=scorer.thresholds, weighing=scorer.weighing, boilerplate=boilerplate
    )
    return Gate(LateModel(scorer.model, scheduler), scheduler, settings)


def _around(policy: Policy, scorer: Scorer, loader: _Loader) -> Surroundings:
    # Marks that were fitted to other scores are no calibration.
    fitted = None if loader.differs else scorer.fitted
    return Surroundings(
        forced=forced_mode(os.environ),
        has_secret=bool(os.environ.get(SECRET_VARIABLE)),
        uncalibrated=uncalibrated_paths(policy, fitted),
    )


def _enforces(controls: LiveControls) -> bool:
    return any(controls.now(route).mode is Mode.ENFORCE for route in controls.policy.routes)


def _startup(scheduler: Scheduler, controls: LiveControls) -> Step:
    async def start() -> None:
        controls.start()
        try:
            await scheduler.start()
        except (KeyboardInterrupt, SystemExit) as error:
            # Raised by code of the load, in its thread; from here it would end the server's loop.
            raise ModelError(f"loading ended with {type(error).__name__}") from error

    return start


def _shutdown(closes: Sequence[Callable[[], None]]) -> Step:
    async def stop() -> None:
        for close in closes:
            await asyncio.to_thread(close)

    return stop


def _review(
    policy: Policy, controls: LiveControls, counters: WorkerMetrics, log: EventLog
) -> "dict[str, ReviewApp]":
    """Return the page that decisions are labelled on by its path, if the policy has one."""
    outcomes, review = policy.outcomes, policy.review
    if outcomes is None or review is None:
        return {}
    page: ReviewApp = optional_part("gatekeeper.review.app").review_app(
        review,
        secret=_secret(),
        open_store=lambda: open_store(outcomes),
        routes=lambda: [route.path for route in controls.policy.routes],
        counters=counters,
        log=log,
    )
    return {review.path: page}


def _refuse_shared(policy: Policy, path: Path, metrics: str | None) -> None:
    """Refuse a review page that stands where the counters are."""
    if policy.review is not None and f"{metrics}/".startswith(f"{policy.review.path}/"):
        found, expected = "the path of the counters or one above it", "one of its own"
        fault = Fault(place="review.path", found=found, expected=expected)
        raise ConfigurationError(str(path), [fault])


def _with_pages(front: "ASGIApp", pages: "Mapping[str, ASGIApp]") -> "ASGIApp":
    """Serve pages beside an app, by path; one that ends in a slash has all below it too."""

    async def app(scope: "Scope", receive: "Receive", send: "Send") -> None:
        asked = front
        if scope["type"] == "http":
            path = below(scope.get("root_path", ""), scope["path"])
            for where, page in pages.items():
                if path == where.rstrip("/") or (where[-1] == "/" and path.startswith(where)):
                    asked = page
        await asked(scope, receive, send)

    return app if pages else front
