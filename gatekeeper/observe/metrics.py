"""The worker metrics: what each worker counts, by name, label and bucket.

Every label has a closed set of values: routes come from the policy, everything else from the
enumerations of the product, and each of a counter's values is there, at zero, from the start. With
nothing in flight, requests = sum of checks over verdicts = sum of actions, for each route; at any
time, requests = sum of checks + unfinished.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum

from prometheus_client import REGISTRY, CollectorRegistry

from gatekeeper.core.decide import Side
from gatekeeper.errors import MetricsError
from gatekeeper.observe.declared import (
    BLOCKING,
    NONE,
    OTHER,
    Declared,
    DropReason,
    Expected,
    ReloadOutcome,
    StoreDropReason,
    Truth,
)
from gatekeeper.observe.folder import MetricsMode, prepare
from gatekeeper.observe.page import find_sample, live_sum
from gatekeeper.observe.slots import SlotGauge
from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision
from gatekeeper.verdict import Outcome

__all__ = ["DropReason", "ReloadOutcome", "StoreDropReason", "WorkerMetrics"]


class WorkerMetrics:
    """The counters of one worker; a ``gatekeeper.protocols.Telemetry`` that only counts.

    Make it in the worker, after any fork. In a process that is one of several without a shared
    folder everything is counted into a registry that nobody reads, for a page would show another
    worker's numbers at each scrape; ``mode`` then is UNSHARED and so says the info metric.

    Args:
        routes: The paths of the policy.
        registry: Where the metrics are registered; each name may be in it once.
        queue_pairs: Asked for the pairs in line, at the beginning and end of each request.
        strict: Raise for a label value outside its set, instead of counting ``other``.

    Raises:
        MetricsError: If a sample that was written can't be read back.
    """

    def __init__(
        self,
        routes: Iterable[str],
        *,
        registry: CollectorRegistry = REGISTRY,
        queue_pairs: Callable[[], int] = lambda: 0,
        strict: bool = False,
    ) -> None:
        self.mode = prepare()
        self.registry = registry
        self._routes = tuple(routes)
        self._queue_pairs = queue_pairs
        self._strict = strict
        self._announce()
        kept = CollectorRegistry() if self.mode is MetricsMode.UNSHARED else registry
        self._counted = Declared(kept, self._routes)

    def began(self, route: str, mode: Mode) -> None:
        """Count a request at the beginning of its way."""
        known = self._route(route)
        requests = self._counted.requests.labels(known, mode)
        unfinished = self._counted.unfinished.labels(known)
        # Side by side, so that hardly anything can come between them, such as the worker's end.
        requests.inc()
        unfinished.inc()
        self._counted.queue.set(self._queue_pairs())

    def decided(self, decision: Decision) -> None:
        """Count a decision once, by what was found, what was done and what it took."""
        route, verdict = self._route(decision.route), decision.verdict
        checks = self._counted.checks.labels(route, decision.mode, verdict.outcome)
        unfinished = self._counted.unfinished.labels(route)
        checks.inc()
        unfinished.dec()
        self._counted.actions.labels(route, decision.action or NONE).inc()
        if verdict.outcome is Outcome.NOT_CHECKED:
            self._counted.not_checked.labels(route, verdict.reason).inc()
        elif verdict.outcome is Outcome.UNRESOLVED:
            self._counted.unresolved.labels(route, verdict.reason).inc()
        if not decision.enforced and decision.would in BLOCKING:
            self._counted.would_block.labels(route, decision.would).inc()
        if decision.released_early:
            self._counted.released_early.labels(route).inc()
        for claim in verdict.claims:
            self._counted.claims.labels(route, claim.status).inc()
        for segment in verdict.segments:
            if not segment.is_claim:
                self._counted.exempt.labels(route, segment.kind).inc()
        self._observe(route, decision)

    def shadow_dropped(self, route: str, reason: str) -> None:
        """Count a shadow check that was given up."""
        self._counted.shadow_dropped.labels(
            self._route(route), self._known(reason, DropReason)
        ).inc()

    def websocket(self) -> None:
        """Count a forwarded websocket."""
        self._counted.websocket.inc()

    def store_dropped(self, reason: StoreDropReason) -> None:
        """Count a decision that the outcome store did not take."""
        self._counted.store_dropped.labels(reason).inc()

    def store_failing(self, *, is_failing: bool) -> None:
        """Say whether this worker's last write to the outcome store failed."""
        self._counted.store_failing.set(is_failing)

    @property
    def is_store_failing(self) -> bool:
        """Whether that holds for any worker whose counts the page shows; blocking."""
        return live_sum(self.mode, self._counted.store_failing) > 0

    def policy_reloaded(self, outcome: ReloadOutcome) -> None:
        """Count a reload, also one that changed nothing because it was not valid."""
        self._counted.reloads.labels(outcome).inc()

    def tripped(self, route: str) -> None:
        """Count a trip of a route."""
        self._counted.trips.labels(self._route(route)).inc()

    def probed(self, expected: Expected, outcome: Outcome) -> None:
        """Count a known-answer check, which is no decision."""
        self._counted.probes.labels(expected, outcome).inc()

    def degraded(self, route: str, *, is_degraded: bool) -> None:
        """Say whether a route that should enforce only watches, for want of a calibration."""
        self._counted.degraded.labels(self._route(route)).set(is_degraded)

    def adjudicated(self, route: str, side: str, truth: str) -> None:
        """Count a reviewer's label on a decision."""
        self._counted.adjudications.labels(*self._label(route, side, truth)).inc()

    def adjudication_retracted(self, route: str, side: str, truth: str) -> None:
        """Count a label that its reviewer took back."""
        self._counted.retracted.labels(*self._label(route, side, truth)).inc()

    def _label(self, route: str, side: str, truth: str) -> tuple[str, str, str]:
        return self._route(route), self._known(side, Side), self._known(truth, Truth)

    def _observe(self, route: str, decision: Decision) -> None:
        """Add durations and amounts; what was never checked took no time and read no evidence."""
        self._counted.queue.set(self._queue_pairs())
        if decision.verdict.outcome is Outcome.NOT_CHECKED:
            return
        self._counted.check_seconds.labels(route, decision.mode).observe(decision.check_s)
        self._counted.added_seconds.labels(route, decision.mode).observe(decision.added_s)
        self._counted.words.labels(route, decision.mode).observe(decision.evidence_words)
        self._counted.pairs.inc(decision.pairs)
        self._counted.pair_tokens.inc(decision.pair_tokens)

    def _route(self, route: str) -> str:
        if route in self._routes:
            return route
        if self._strict:
            raise MetricsError(f"{route!r} is no route of the policy", "pass its path")
        return OTHER

    def _known(self, value: str, known: type[StrEnum]) -> str:
        if value in list(known):
            return value
        if self._strict:
            raise MetricsError(f"{value!r} is no {known.__name__}", "use one of the enumeration")
        return OTHER

    def _announce(self) -> None:
        """Write the info metric and read it back: an empty page must not pass for a quiet one."""
        info = SlotGauge(
            "gatekeeper_metrics_mode_info",
            "Always 1; mode: whose counts this page shows.",
            ["mode"],
            registry=self.registry,
            multiprocess_mode="livemax",
        )
        info.labels(self.mode).set(1)
        found = find_sample(
            self.mode, self.registry, "gatekeeper_metrics_mode_info", {"mode": self.mode}
        )
        if found != 1.0:
            raise MetricsError(
                "a sample that was written can't be read back",
                "set PROMETHEUS_MULTIPROC_DIR before anything imports prometheus_client, "
                "or not at all",
            )
