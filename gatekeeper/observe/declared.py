"""The worker metrics as declared: names, labels, buckets and the closed sets of label values."""

from collections.abc import Iterable
from enum import StrEnum

from prometheus_client import CollectorRegistry

from gatekeeper.core.decide import Side
from gatekeeper.observe.slots import SlotCounter as Counter
from gatekeeper.observe.slots import SlotGauge as Gauge
from gatekeeper.observe.slots import SlotHistogram as Histogram
from gatekeeper.policy import Mode
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


class StoreDropReason(StrEnum):
    """Why a decision is not in the outcome store."""

    ENTRIES = "entries"
    BYTES = "bytes"
    REJECTED = "rejected"
    SHUTDOWN = "shutdown"


class Truth(StrEnum):
    """What a reviewer says of an answer; the words of the outcome store."""

    WRONG = "wrong"
    CORRECT = "correct"
    CANNOT_TELL = "cannot_tell"


class ReloadOutcome(StrEnum):
    """What became of a changed policy or mode file."""

    APPLIED = "applied"
    INVALID = "invalid"


class Expected(StrEnum):
    """What a known-answer check should come to."""

    SUPPORTED = "supported"
    FLAGGED = "flagged"


MODES = tuple(Mode)
ACTIONS = (*Action, NONE)
BLOCKING = (Action.WITHHOLD, Action.BLOCK, Action.REDACT)
EXEMPT_KINDS = tuple(kind for kind in SegmentKind if kind is not SegmentKind.CLAIM)


class Declared:
    """One set of metrics in a registry, each value of the closed sets at zero from the start."""

    def __init__(self, registry: CollectorRegistry, routes: tuple[str, ...]) -> None:
        self._declare_requests(registry, routes)
        self._declare_verdicts(registry, routes)
        self._declare_work(registry)
        self._declare_operation(registry, routes)
        self._declare_probes(registry)
        self._declare_adjudications(registry, routes)

    def _declare_requests(self, registry: CollectorRegistry, routes: tuple[str, ...]) -> None:
        self.requests = Counter(
            "gatekeeper_requests",
            "Gated requests, counted at their beginning.",
            ["route", "mode"],
            registry=registry,
        )
        self.checks = Counter(
            "gatekeeper_checks",
            "Decisions by verdict, one a request.",
            ["route", "mode", "verdict"],
            registry=registry,
        )
        # A worker that dies leaves what it had begun: it is never decided.
        self.unfinished = Gauge(
            "gatekeeper_unfinished",
            "Gated requests begun and not decided, those of workers that died included.",
            ["route"],
            registry=registry,
            multiprocess_mode="sum",
        )
        self.actions = Counter(
            "gatekeeper_actions",
            "What was done with answers; none: nothing was left to deliver.",
            ["route", "action"],
            registry=registry,
        )
        self.would_block = Counter(
            "gatekeeper_would_block",
            "Answers delivered that the policy would have stopped had it been enforced.",
            ["route", "action"],
            registry=registry,
        )
        for route in routes:
            for mode in MODES:
                self.requests.labels(route, mode)
                for outcome in Outcome:
                    self.checks.labels(route, mode, outcome)
            self.unfinished.labels(route)
            _start(self.actions, route, ACTIONS)
            _start(self.would_block, route, BLOCKING)

    def _declare_verdicts(self, registry: CollectorRegistry, routes: tuple[str, ...]) -> None:
        self.not_checked = Counter(
            "gatekeeper_not_checked",
            "Answers that never came to a check, by their first reason.",
            ["route", "reason"],
            registry=registry,
        )
        self.unresolved = Counter(
            "gatekeeper_unresolved",
            "Checks without a final verdict, by their first reason.",
            ["route", "reason"],
            registry=registry,
        )
        self.claims = Counter(
            "gatekeeper_claims", "Claims by status.", ["route", "status"], registry=registry
        )
        self.exempt = Counter(
            "gatekeeper_exempt_segments",
            "Segments that assert nothing to check, by kind.",
            ["route", "kind"],
            registry=registry,
        )
        for route in routes:
            _start(self.not_checked, route, NotCheckedReason)
            _start(self.unresolved, route, UnresolvedReason)
            _start(self.claims, route, ClaimStatus)
            _start(self.exempt, route, EXEMPT_KINDS)

    def _declare_work(self, registry: CollectorRegistry) -> None:
        self.check_seconds = Histogram(
            "gatekeeper_check_seconds",
            "The gate's own service time of a check.",
            ["route", "mode"],
            buckets=SECONDS,
            registry=registry,
        )
        self.added_seconds = Histogram(
            "gatekeeper_added_seconds",
            "Time a response was held after the app's last byte.",
            ["route", "mode"],
            buckets=SECONDS,
            registry=registry,
        )
        self.words = Histogram(
            "gatekeeper_evidence_words",
            "Words of evidence an answer was checked against.",
            ["route", "mode"],
            buckets=WORDS,
            registry=registry,
        )
        self.pairs = Counter(
            "gatekeeper_pairs", "Pairs the model scored for decisions.", registry=registry
        )
        self.pair_tokens = Counter(
            "gatekeeper_pair_tokens", "Tokens of those pairs, padding left out.", registry=registry
        )
        self.queue = Gauge(
            "gatekeeper_queue_pairs",
            "Pairs in line when a request last began or was decided.",
            registry=registry,
            multiprocess_mode="livesum",
        )

    def _declare_operation(self, registry: CollectorRegistry, routes: tuple[str, ...]) -> None:
        self.shadow_dropped = Counter(
            "gatekeeper_shadow_dropped",
            "Shadow checks that were given up.",
            ["route", "reason"],
            registry=registry,
        )
        self.released_early = Counter(
            "gatekeeper_released_before_verdict",
            "Answers of which text went out before there was a verdict on it.",
            ["route"],
            registry=registry,
        )
        self.store_dropped = Counter(
            "gatekeeper_store_dropped",
            "Decisions that the outcome store did not take.",
            ["reason"],
            registry=registry,
        )
        # Of those that live: a worker that is gone writes nothing any more, and what it could not
        # write is counted as dropped.
        self.store_failing = Gauge(
            "gatekeeper_store_failing",
            "Workers whose last write to the outcome store failed.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.reloads = Counter(
            "gatekeeper_policy_reloads",
            "Changed policy or mode files, by what became of them.",
            ["outcome"],
            registry=registry,
        )
        self.trips = Counter(
            "gatekeeper_trips",
            "Times a route left enforce by itself.",
            ["route"],
            registry=registry,
        )
        self.degraded = Gauge(
            "gatekeeper_enforcement_degraded",
            "1 while a route that should enforce only watches, for want of a calibration.",
            ["route"],
            registry=registry,
            multiprocess_mode="livemax",
        )
        self.websocket = Counter(
            "gatekeeper_websocket", "Websockets forwarded, which are not gated.", registry=registry
        )
        for outcome in ReloadOutcome:
            self.reloads.labels(outcome)
        for reason in StoreDropReason:
            self.store_dropped.labels(reason)
        for route in routes:
            _start(self.shadow_dropped, route, DropReason)
            self.released_early.labels(route)
            self.trips.labels(route)
            self.degraded.labels(route)

    def _declare_probes(self, registry: CollectorRegistry) -> None:
        self.probes = Counter(
            "gatekeeper_probes",
            "Known-answer checks, by what they should come to and what they came to.",
            ["expected", "verdict"],
            registry=registry,
        )
        for expected in Expected:
            for verdict in Outcome:
                self.probes.labels(expected, verdict)

    def _declare_adjudications(self, registry: CollectorRegistry, routes: tuple[str, ...]) -> None:
        self.adjudications = Counter(
            "gatekeeper_adjudications",
            "Reviewers' labels on decisions, those taken back later included.",
            ["route", "side", "truth"],
            registry=registry,
        )
        self.retracted = Counter(
            "gatekeeper_adjudications_retracted",
            "Reviewers' labels that were taken back.",
            ["route", "side", "truth"],
            registry=registry,
        )
        for route in routes:
            for side in Side:
                for truth in Truth:
                    self.adjudications.labels(route, side, truth)
                    self.retracted.labels(route, side, truth)


def _start(counter: Counter, route: str, values: Iterable[str]) -> None:
    """Have each value of a route's second label on the page, at zero, before it is first counted.

    A counter that appears with its first increase shows no increase.
    """
    for value in values:
        counter.labels(route, value)
