"""The parts of a gate in front of an app, each made once: model, line, counters, controls, store.

The model is loaded late, by the scheduler; all else is made at once, and told of faults at once.
"""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gatekeeper.build import LateModel, prove
from gatekeeper.config import forced_mode, policy_hash, uncalibrated_paths
from gatekeeper.config.combinations import SECRET_VARIABLE
from gatekeeper.config.controls import Files, LiveControls
from gatekeeper.config.modefile import mode_path
from gatekeeper.config.reports import Reports
from gatekeeper.config.scorer import Scorer, load_with_scorer
from gatekeeper.config.standing import Surroundings
from gatekeeper.errors import ManifestError
from gatekeeper.gate import Gate, Settings
from gatekeeper.observe.folder import MetricsMode, workers_expected
from gatekeeper.observe.logs import EventLog
from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.observe.page import InfoStates
from gatekeeper.observe.states import PolicyStates, StoreStates
from gatekeeper.policy import Mode, Outcomes, Policy, Route
from gatekeeper.probing import Prober, known_answers
from gatekeeper.protocols import Model
from gatekeeper.recording import begin_recording, open_store, optional_part, watch_store
from gatekeeper.runtime.manifest import MANIFEST, read_manifest
from gatekeeper.runtime.session import load
from gatekeeper.scheduler import Scheduler

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.registry import Collector

    from gatekeeper.outcomes.recorder import Recorder
    from gatekeeper.review.app import ReviewApp


class Parts:
    """All that a gated app needs beside itself.

    Args:
        path: The policy file.
        policy: What stands in it.
        scorer: The scorer it asks for.
        registry: Where the counters are kept.

    Raises:
        StoreError: If decisions are to be stored and there can be no such store here.
    """

    def __init__(
        self, path: Path, policy: Policy, scorer: Scorer, registry: "CollectorRegistry"
    ) -> None:
        self._path = path
        self._scorer = scorer
        # Set once the loaded model's scores turn out not to be the stored ones.
        self._differs = False
        self.log = EventLog()
        self.scheduler = Scheduler(load=self._load, notice=self.log.notice)
        self.counters = self._counted(policy, registry)
        self.controls = self._controlled(policy)
        self._prober = self._probing()
        self.recorders: list[Recorder] = []
        self._stores: list[StoreStates] = []
        self.reviews: dict[str, ReviewApp] = {}
        if policy.outcomes is not None:
            self._keep(policy.outcomes)
            self._review(policy, policy.outcomes)

    def gate(self, route: Route | None = None) -> Gate:
        """Return the gate of a route; all have one model and one line."""
        scorer = self._scorer
        settings = Settings(
            thresholds=scorer.thresholds,
            weighing=scorer.weighing,
            boilerplate=() if route is None else route.boilerplate,
        )
        return Gate(LateModel(scorer.model, self.scheduler), self.scheduler, settings)

    @property
    def collectors(self) -> "list[Collector]":
        """What the metrics page works out when it is made."""
        info = InfoStates(
            model=lambda: self._scorer.fingerprint,
            policy=lambda: policy_hash(self.controls.policy),
        )
        states = PolicyStates(
            targets=self._targets, tripped=self._tripped, probes=self._probes_per_minute
        )
        return [info, states, *self._stores]

    @property
    def closes(self) -> list[Callable[[], None]]:
        """What ends at the shutdown, in this order; each may block."""
        return [
            self._prober.close,
            self.scheduler.close,
            self.controls.close,
            *(recorder.close for recorder in self.recorders),
            *(states.close for states in self._stores),
            *(page.close for page in self.reviews.values()),
        ]

    def _load(self) -> Model:
        """Load the model for the scheduler, tested; raises ModelError.

        A model whose scores are not the stored ones is refused while a route is enforced. Where all
        routes only watch it is used, and no route may be enforced then.
        """
        scorer, notice = self._scorer, self.log.notice
        self.controls.start()
        session = load(scorer.folder)
        if session.fingerprint != scorer.model:
            found, expected = f"model {session.fingerprint}", f"{scorer.model} as at the start"
            raise ManifestError(scorer.folder / MANIFEST, found, expected)
        proven = prove(session)
        report = proven.report
        if not report.is_invariant:
            notice("model_not_invariant", difference=report.largest_shift)
        if not report.matches:
            notice("model_scores_differ", difference=report.largest_difference)
        model = proven.accepted() if self._enforces() else proven.model
        self._differs = not report.matches
        self.controls.renew()
        self._prober.start()
        return model

    def _enforces(self) -> bool:
        now = self.controls.now
        return any(now(route).mode is Mode.ENFORCE for route in self.controls.policy.routes)

    def _counted(self, policy: Policy, registry: "CollectorRegistry") -> WorkerMetrics:
        counters = WorkerMetrics(
            [route.path for route in policy.routes],
            registry=registry,
            queue_pairs=lambda: self.scheduler.queue_pairs,
        )
        if counters.mode is MetricsMode.UNSHARED:
            workers = workers_expected(sys.argv, os.environ)
            self.log.notice("metrics_unshared", workers=workers)
        return counters

    def _controlled(self, policy: Policy) -> LiveControls:
        return LiveControls(
            policy,
            around=self._around,
            watched=Reports(self.counters, self.log),
            files=Files(
                mode_file=mode_path(self._path),
                policy_file=self._path,
                load=lambda: load_with_scorer(self._path, running=self._scorer)[0],
            ),
        )

    def _around(self, policy: Policy) -> Surroundings:
        # Marks that were fitted to other scores are no calibration.
        fitted = None if self._differs else self._scorer.fitted
        return Surroundings(
            forced=forced_mode(os.environ),
            has_secret=bool(secret()),
            uncalibrated=uncalibrated_paths(policy, fitted),
        )

    def _probing(self) -> Prober:
        return Prober(
            self.gate(),
            known_answers(read_manifest(self._scorer.folder)),
            per_minute=self._probes_per_minute,
            counted=self.counters.probed,
            ready=self.scheduler.start,
            log=self.log,
        )

    def _keep(self, outcomes: Outcomes) -> None:
        """Store decisions, and have the metrics page say what is stored."""
        recorder = begin_recording(
            # A policy that says no more of a store closes none before the next start.
            lambda: self.controls.policy.outcomes or outcomes,
            key=secret(),
            fingerprint=self._scorer.fingerprint,
            support=self._scorer.thresholds.support,
            counters=self.counters,
            log=self.log,
        )
        states = watch_store(
            outcomes,
            fingerprint=self._scorer.fingerprint,
            routes=self._paths,
            is_failing=lambda: self.counters.is_store_failing,
            log=self.log,
        )
        self.recorders, self._stores = [recorder], [states]

    def _review(self, policy: Policy, outcomes: Outcomes) -> None:
        """Make the page that decisions are labelled on, if the policy has one."""
        if policy.review is not None:
            self.reviews[policy.review.path] = optional_part("gatekeeper.review.app").review_app(
                policy.review,
                secret=secret(),
                open_store=lambda: open_store(outcomes),
                routes=self._paths,
                counters=self.counters,
                log=self.log,
            )

    def _paths(self) -> list[str]:
        return [route.path for route in self.controls.policy.routes]

    def _probes_per_minute(self) -> float:
        return self.controls.policy.probes_per_minute

    def _targets(self) -> Mapping[tuple[str, str], float]:
        return {
            (route.path, rate): getattr(route.targets, rate)
            for route in self.controls.policy.routes
            if route.targets is not None
            for rate in ("false_block", "accepted_error")
        }

    def _tripped(self) -> Mapping[str, bool]:
        now = self.controls.now
        return {route.path: now(route).tripped for route in self.controls.policy.routes}


def secret() -> bytes:
    """Return the installation's secret, empty if there is none."""
    return os.environ.get(SECRET_VARIABLE, "").encode()
