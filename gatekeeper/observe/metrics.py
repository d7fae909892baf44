"""The worker metrics: what each worker counts, by name, label and bucket.

Every label has a closed set of values: routes come from the policy, everything else from the
enumerations of the product, and each of a counter's values is there, at zero, from the start. With
nothing in flight, requests = sum of checks over verdicts = sum of actions, for each route.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram

from gatekeeper.errors import MetricsError
from gatekeeper.observe.folder import MetricsMode, prepare
from gatekeeper.observe.page import find_sample
from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision
from gatekeeper.verdict import (
    Action,
    ClaimStatus,
    NotCheckedReason,
    Outcome,
    SegmentKind,
    UnresolvedReason,
)

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.5)
WORDS = (0, 10, 30, 100, 300, 1000, 3000, 10000)

# What stands where a value is none of its set, in production; in tests that is an error.
OTHER = "other"
NONE = "none"


class DropReason(StrEnum):
    """Why a shadow check was given up."""

    MEMORY = "memory"
    OVERLOAD = "overload"
    SHUTDOWN = "shutdown"
    WARMING = "warming"
    MODEL_ERROR = "model_error"
    BUDGET = "budget"


class ReloadOutcome(StrEnum):
    """What became of a changed policy or mode file."""

    APPLIED = "applied"
    INVALID = "invalid"


MODES = tuple(Mode)
ACTIONS = (*Action, NONE)
BLOCKING = (Action.WITHHOLD, Action.BLOCK, Action.REDACT)
EXEMPT_KINDS = tuple(kind for kind in SegmentKind if kind is not SegmentKind.CLAIM)


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
        self._declare_requests(kept)
        self._declare_verdicts(kept)
        self._declare_work(kept)
        self._declare_operation(kept)

    def began(self, route: str, mode: Mode) -> None:
        """Count a request at the beginning of its way."""
        self._requests.labels(self._route(route), mode).inc()
        self._queue.set(self._queue_pairs())

    def decided(self, decision: Decision) -> None:
        """Count a decision once, by what was found, what was done and what it took."""
        route, verdict = self._route(decision.route), decision.verdict
        self._checks.labels(route, decision.mode, verdict.outcome).inc()
        self._actions.labels(route, decision.action or NONE).inc()
        if verdict.outcome is Outcome.NOT_CHECKED:
            self._not_checked.labels(route, verdict.reason).inc()
        elif verdict.outcome is Outcome.UNRESOLVED:
            self._unresolved.labels(route, verdict.reason).inc()
        if not decision.enforced and decision.would in BLOCKING:
            self._would_block.labels(route, decision.would).inc()
        for claim in verdict.claims:
            self._claims.labels(route, claim.status).inc()
        for segment in verdict.segments:
            if not segment.is_claim:
                self._exempt.labels(route, segment.kind).inc()
        self._observe(route, decision)

    def shadow_dropped(self, route: str, reason: str) -> None:
        """Count a shadow check that was given up."""
        self._shadow_dropped.labels(self._route(route), self._known(reason, DropReason)).inc()

    def websocket(self) -> None:
        """Count a forwarded websocket."""
        self._websocket.inc()

    def policy_reloaded(self, outcome: ReloadOutcome) -> None:
        """Count a reload, also one that changed nothing because it was not valid."""
        self._reloads.labels(outcome).inc()

    def tripped(self, route: str) -> None:
        """Count a trip of a route."""
        self._trips.labels(self._route(route)).inc()

    def degraded(self, route: str, *, is_degraded: bool) -> None:
        """Say whether a route that should enforce only watches, for want of a calibration."""
        self._degraded.labels(self._route(route)).set(is_degraded)

    def _observe(self, route: str, decision: Decision) -> None:
        """Add durations and amounts; what was never checked took no time and read no evidence."""
        self._queue.set(self._queue_pairs())
        if decision.verdict.outcome is Outcome.NOT_CHECKED:
            return
        self._check_seconds.labels(route, decision.mode).observe(decision.check_s)
        self._added_seconds.labels(route, decision.mode).observe(decision.added_s)
        self._words.labels(route, decision.mode).observe(decision.evidence_words)
        self._pairs.inc(decision.pairs)
        self._pair_tokens.inc(decision.pair_tokens)

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
        info = Gauge(
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

    def _declare_requests(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "gatekeeper_requests",
            "Gated requests, counted at their beginning.",
            ["route", "mode"],
            registry=registry,
        )
        self._checks = Counter(
            "gatekeeper_checks",
            "Decisions by verdict, one a request.",
            ["route", "mode", "verdict"],
            registry=registry,
        )
        self._actions = Counter(
            "gatekeeper_actions",
            "What was done with answers; none: nothing was left to deliver.",
            ["route", "action"],
            registry=registry,
        )
        self._would_block = Counter(
            "gatekeeper_would_block",
            "Answers delivered that the policy would have stopped had it been enforced.",
            ["route", "action"],
            registry=registry,
        )
        for route in self._routes:
            for mode in MODES:
                self._requests.labels(route, mode)
                for outcome in Outcome:
                    self._checks.labels(route, mode, outcome)
            _start(self._actions, route, ACTIONS)
            _start(self._would_block, route, BLOCKING)

    def _declare_verdicts(self, registry: CollectorRegistry) -> None:
        self._not_checked = Counter(
            "gatekeeper_not_checked",
            "Answers that never came to a check, by their first reason.",
            ["route", "reason"],
            registry=registry,
        )
        self._unresolved = Counter(
            "gatekeeper_unresolved",
            "Checks without a final verdict, by their first reason.",
            ["route", "reason"],
            registry=registry,
        )
        self._claims = Counter(
            "gatekeeper_claims", "Claims by status.", ["route", "status"], registry=registry
        )
        self._exempt = Counter(
            "gatekeeper_exempt_segments",
            "Segments that assert nothing to check, by kind.",
            ["route", "kind"],
            registry=registry,
        )
        for route in self._routes:
            _start(self._not_checked, route, NotCheckedReason)
            _start(self._unresolved, route, UnresolvedReason)
            _start(self._claims, route, ClaimStatus)
            _start(self._exempt, route, EXEMPT_KINDS)

    def _declare_work(self, registry: CollectorRegistry) -> None:
        self._check_seconds = Histogram(
            "gatekeeper_check_seconds",
            "The gate's own service time of a check.",
            ["route", "mode"],
            buckets=SECONDS,
            registry=registry,
        )
        self._added_seconds = Histogram(
            "gatekeeper_added_seconds",
            "Time a response was held after the app's last byte.",
            ["route", "mode"],
            buckets=SECONDS,
            registry=registry,
        )
        self._words = Histogram(
            "gatekeeper_evidence_words",
            "Words of evidence an answer was checked against.",
            ["route", "mode"],
            buckets=WORDS,
            registry=registry,
        )
        self._pairs = Counter(
            "gatekeeper_pairs", "Pairs the model scored for decisions.", registry=registry
        )
        self._pair_tokens = Counter(
            "gatekeeper_pair_tokens", "Tokens of those pairs, padding left out.", registry=registry
        )
        self._queue = Gauge(
            "gatekeeper_queue_pairs",
            "Pairs in line when a request last began or was decided.",
            registry=registry,
            multiprocess_mode="livesum",
        )

    def _declare_operation(self, registry: CollectorRegistry) -> None:
        self._shadow_dropped = Counter(
            "gatekeeper_shadow_dropped",
            "Shadow checks that were given up.",
            ["route", "reason"],
            registry=registry,
        )
        self._reloads = Counter(
            "gatekeeper_policy_reloads",
            "Changed policy or mode files, by what became of them.",
            ["outcome"],
            registry=registry,
        )
        self._trips = Counter(
            "gatekeeper_trips",
            "Times a route left enforce by itself.",
            ["route"],
            registry=registry,
        )
        self._degraded = Gauge(
            "gatekeeper_enforcement_degraded",
            "1 while a route that should enforce only watches, for want of a calibration.",
            ["route"],
            registry=registry,
            multiprocess_mode="livemax",
        )
        self._websocket = Counter(
            "gatekeeper_websocket", "Websockets forwarded, which are not gated.", registry=registry
        )
        for outcome in ReloadOutcome:
            self._reloads.labels(outcome)
        for route in self._routes:
            _start(self._shadow_dropped, route, DropReason)
            self._trips.labels(route)
            self._degraded.labels(route)


def _start(counter: Counter, route: str, values: Iterable[str]) -> None:
    """Have each value of a route's second label on the page, at zero, before it is first counted.

    A counter that appears with its first increase shows no increase.
    """
    for value in values:
        counter.labels(route, value)
