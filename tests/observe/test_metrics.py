"""What is counted: names, labels, buckets, and sums that must agree."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry

from gatekeeper.core.decide import Side
from gatekeeper.errors import MetricsError
from gatekeeper.observe.declared import SECONDS, Truth
from gatekeeper.observe.folder import MetricsMode
from gatekeeper.observe.metrics import (
    DropReason,
    ReloadOutcome,
    StoreDropReason,
    WorkerMetrics,
)
from gatekeeper.observe.page import InfoStates, render
from gatekeeper.observe.states import PolicyStates, StoreSays, StoreStates
from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision
from gatekeeper.verdict import (
    Action,
    ClaimStatus,
    ClaimVerdict,
    NotCheckedReason,
    Segment,
    SegmentKind,
    UnresolvedReason,
    Verdict,
)

ROUTES = ("/answer", "/summary")


def claim(status: ClaimStatus) -> ClaimVerdict:
    """Return a claim with a status."""
    is_open = status is ClaimStatus.UNRESOLVED
    return ClaimVerdict(
        start=0,
        end=2,
        text="Hi",
        status=status,
        support=None,
        contradiction=None,
        score=None if is_open else 0.5,
        unresolved=UnresolvedReason.BUDGET if is_open else None,
    )


SEGMENTS = (
    Segment(start=0, end=2, kind=SegmentKind.GREETING),
    Segment(start=2, end=9, kind=SegmentKind.CLAIM, plain="It is.", hypothesis="It is."),
)
VERDICTS = (
    *(Verdict(segments=SEGMENTS, claims=(claim(status),)) for status in ClaimStatus),
    *(Verdict(not_checked=reason) for reason in NotCheckedReason),
    Verdict(segments=SEGMENTS[:1]),
)


def decision(
    verdict: Verdict,
    *,
    route: str = ROUTES[0],
    mode: Mode = Mode.ENFORCE,
    action: Action | None = Action.RELEASE,
    would: Action = Action.RELEASE,
) -> Decision:
    """Return a decision with a verdict."""
    return Decision(
        id="d1",
        route=route,
        mode=mode,
        enforced=mode is Mode.ENFORCE,
        verdict=verdict,
        action=action,
        would=would,
        check_s=0.03,
        added_s=0.04,
        evidence_words=120,
        pairs=7,
        pair_tokens=300,
    )


DECISIONS = st.builds(
    decision,
    st.sampled_from(VERDICTS),
    route=st.sampled_from(ROUTES),
    mode=st.sampled_from(Mode),
    action=st.sampled_from([*Action, None]),
    would=st.sampled_from(Action),
)


class Counted:
    """Metrics in a registry of their own, and what a scrape of them shows."""

    def __init__(self, *, strict: bool = True, queue: Sequence[int] = ()) -> None:
        self.registry = CollectorRegistry()
        waiting = iter(queue)
        self.metrics = WorkerMetrics(
            ROUTES,
            registry=self.registry,
            queue_pairs=lambda: next(waiting, 0),
            strict=strict,
        )

    def value(self, name: str, **labels: str) -> float | None:
        """Return the value of one sample."""
        return self.registry.get_sample_value(f"gatekeeper_{name}", labels)

    def total(self, name: str, **labels: str) -> float:
        """Return the sum of a counter over the samples that have some labels."""
        return sum(
            sample.value
            for family in self.registry.collect()
            for sample in family.samples
            if sample.name == f"gatekeeper_{name}_total" and labels.items() <= sample.labels.items()
        )


@settings(deadline=None, derandomize=True, max_examples=20)
@given(st.lists(st.tuples(DECISIONS, st.booleans()), max_size=25))
def test_identities(requests: Sequence[tuple[Decision, bool]]) -> None:
    """Requests = checks + unfinished and checks = actions, or something went by uncounted."""
    counted = Counted()
    for made, ends in requests:
        counted.metrics.began(made.route, made.mode)
        if ends:
            counted.metrics.decided(made)

    for route in ROUTES:
        number = sum(made.route == route for made, _ in requests)
        decided = sum(made.route == route and ends for made, ends in requests)
        assert counted.total("requests", route=route) == number
        assert counted.value("unfinished", route=route) == number - decided
        for name in ("checks", "actions"):
            assert counted.total(name, route=route) == decided
        for verdict, name in (("NOT_CHECKED", "not_checked"), ("UNRESOLVED", "unresolved")):
            checks = counted.total("checks", route=route, verdict=verdict)
            assert counted.total(name, route=route) == checks


def test_request_is_counted_at_its_beginning() -> None:
    """Requests that hang must show: they have begun and were never decided."""
    counted = Counted()

    counted.metrics.began("/answer", Mode.SHADOW)

    assert counted.value("requests_total", route="/answer", mode="shadow") == 1.0
    assert counted.total("checks") == 0.0
    assert counted.value("unfinished", route="/answer") == 1.0
    assert counted.value("unfinished", route="/summary") == 0.0


def test_answer_that_went_nowhere_has_action_none() -> None:
    """An app that failed left nothing to act on, and the sums must agree all the same."""
    counted = Counted()

    verdict = Verdict(not_checked=NotCheckedReason.APP_ERROR)
    counted.metrics.decided(decision(verdict, action=None))

    assert counted.value("actions_total", route="/answer", action="none") == 1.0
    assert counted.value("not_checked_total", route="/answer", reason="app_error") == 1.0


def test_claims_and_segments_are_counted_one_by_one() -> None:
    """How many claims stood and what was exempt tell whether the segmenter fits the answers."""
    counted = Counted()

    counted.metrics.decided(decision(VERDICTS[0]))

    assert counted.value("claims_total", route="/answer", status="SUPPORTED") == 1.0
    assert counted.value("exempt_segments_total", route="/answer", kind="greeting") == 1.0
    assert counted.value("exempt_segments_total", route="/answer", kind="claim") is None


@pytest.mark.parametrize(
    ("mode", "would", "counts"),
    [
        (Mode.SHADOW, Action.WITHHOLD, 1.0),
        (Mode.SHADOW, Action.RELEASE, 0.0),
        (Mode.SHADOW, Action.ANNOTATE, 0.0),
        (Mode.ENFORCE, Action.WITHHOLD, 0.0),
    ],
)
def test_would_block_is_for_what_was_let_go(mode: Mode, would: Action, counts: float) -> None:
    """Before a route is enforced one must see what that would have stopped."""
    counted = Counted()

    counted.metrics.decided(decision(VERDICTS[0], mode=mode, would=would))

    assert counted.total("would_block") == counts


def test_durations_and_amounts() -> None:
    """Buckets are where budgets are, and what was never checked took no time."""
    counted = Counted()

    counted.metrics.decided(decision(VERDICTS[0]))
    counted.metrics.decided(decision(Verdict(not_checked=NotCheckedReason.METHOD)))

    labels = {"route": "/answer", "mode": "enforce"}
    assert counted.value("check_seconds_count", **labels) == 1.0
    assert counted.value("check_seconds_bucket", le="0.035", **labels) == 1.0
    assert counted.value("check_seconds_bucket", le="0.02", **labels) == 0.0
    assert counted.value("added_seconds_sum", **labels) == pytest.approx(0.04)
    assert counted.value("evidence_words_bucket", le="300.0", **labels) == 1.0
    assert counted.value("pairs_total") == 7.0
    assert counted.value("pair_tokens_total") == 300.0
    assert len(SECONDS) == 15


def test_queue_is_read_at_both_ends_of_a_request() -> None:
    """The gauge must not stand where the last burst left it."""
    counted = Counted(queue=(12, 0))

    counted.metrics.began("/answer", Mode.SHADOW)
    during = counted.value("queue_pairs")
    counted.metrics.decided(decision(VERDICTS[0]))

    assert (during, counted.value("queue_pairs")) == (12.0, 0.0)


def test_operation_is_counted() -> None:
    """Drops, reloads, trips, websockets and degraded routes are things to be woken for."""
    counted = Counted()

    counted.metrics.shadow_dropped("/answer", "memory")
    counted.metrics.policy_reloaded(ReloadOutcome.INVALID)
    counted.metrics.tripped("/summary")
    counted.metrics.degraded("/summary", is_degraded=True)
    counted.metrics.websocket()

    assert counted.value("shadow_dropped_total", route="/answer", reason="memory") == 1.0
    assert counted.value("policy_reloads_total", outcome="invalid") == 1.0
    assert counted.value("trips_total", route="/summary") == 1.0
    assert counted.value("enforcement_degraded", route="/summary") == 1.0
    assert counted.value("enforcement_degraded", route="/answer") == 0.0
    assert counted.value("websocket_total") == 1.0


def test_every_value_is_there_from_the_start() -> None:
    """A counter that appears with its first increase shows none, so no alert would fire."""
    counted = Counted()

    for reason in DropReason:
        assert counted.value("shadow_dropped_total", route="/answer", reason=reason) == 0.0
    for unresolved in UnresolvedReason:
        assert counted.value("unresolved_total", route="/summary", reason=unresolved) == 0.0
    assert counted.value("checks_total", route="/answer", mode="off", verdict="FLAGGED") == 0.0


def test_values_outside_their_set_are_errors_in_tests() -> None:
    """A path or a text as a label would fill the memory of the monitoring, or leak."""
    counted = Counted()

    with pytest.raises(MetricsError, match="no route of the policy"):
        counted.metrics.began("/users/17", Mode.SHADOW)
    with pytest.raises(MetricsError, match="no DropReason"):
        counted.metrics.shadow_dropped("/answer", "the moon")


def test_values_outside_their_set_are_other_in_production() -> None:
    """There the count is kept and the set stays closed."""
    counted = Counted(strict=False)

    counted.metrics.began("/users/17", Mode.SHADOW)
    counted.metrics.shadow_dropped("/answer", "the moon")

    assert counted.value("requests_total", route="other", mode="shadow") == 1.0
    assert counted.value("shadow_dropped_total", route="/answer", reason="other") == 1.0
    assert b"/users/17" not in render(MetricsMode.SINGLE, counted.registry)
    assert b"moon" not in render(MetricsMode.SINGLE, counted.registry)


def test_text_that_went_out_before_its_verdict_is_counted() -> None:
    """Who chose to release first has to see how often."""
    counted = Counted()

    counted.metrics.decided(decision(VERDICTS[0]))
    counted.metrics.decided(replace(decision(VERDICTS[0]), released_early=True))

    assert counted.value("released_before_verdict_total", route="/answer") == 1.0
    assert counted.value("released_before_verdict_total", route="/summary") == 0.0


def test_decision_that_was_not_stored_is_counted() -> None:
    """Rates are counted from the store; what it lacks must be seen."""
    counted = Counted()

    counted.metrics.store_dropped(StoreDropReason.ENTRIES)

    assert counted.value("store_dropped_total", reason="entries") == 1.0
    assert counted.value("store_dropped_total", reason="bytes") == 0.0


def test_adjudications_are_counted_and_taken_back() -> None:
    """How far the reviewers have come is asked more often than what they found."""
    counted = Counted()

    counted.metrics.adjudicated("/answer", "blocked", "wrong")
    counted.metrics.adjudicated("/answer", "blocked", "wrong")
    counted.metrics.adjudication_retracted("/answer", "blocked", "wrong")

    labels = {"route": "/answer", "side": "blocked", "truth": "wrong"}
    assert counted.value("adjudications_total", **labels) == 2.0
    assert counted.value("adjudications_retracted_total", **labels) == 1.0
    assert counted.total("adjudications") == 2.0
    with pytest.raises(MetricsError, match="no Truth"):
        counted.metrics.adjudicated("/answer", "blocked", "sure")
    with pytest.raises(MetricsError, match="no Side"):
        counted.metrics.adjudication_retracted("/answer", "left", "wrong")
    for side in Side:
        for truth in Truth:
            shown = counted.value("adjudications_total", route="/summary", side=side, truth=truth)
            assert shown == 0.0


def test_names_are_those_of_the_dashboards() -> None:
    """Dashboards and alerts name these metrics; a renamed one is a blind spot."""
    names = {family.name for family in Counted().registry.collect()}

    assert names == {
        f"gatekeeper_{name}"
        for name in (
            *("requests", "checks", "not_checked", "unresolved", "actions", "would_block"),
            *("claims", "exempt_segments", "check_seconds", "added_seconds", "evidence_words"),
            *("pairs", "pair_tokens", "queue_pairs", "shadow_dropped", "policy_reloads", "trips"),
            *("enforcement_degraded", "websocket", "metrics_mode_info"),
            *("released_before_verdict", "store_dropped", "store_failing", "unfinished", "probes"),
            *("adjudications", "adjudications_retracted"),
        )
    }


def test_one_of_many_without_a_folder_shows_no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that shows another worker's counts at each scrape is worse than none."""
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)
    monkeypatch.setenv("WEB_CONCURRENCY", "4")
    counted = Counted()

    counted.metrics.began("/answer", Mode.SHADOW)

    assert counted.metrics.mode is MetricsMode.UNSHARED
    assert counted.value("metrics_mode_info", mode="unshared") == 1.0
    assert [family.name for family in counted.registry.collect()] == [
        "gatekeeper_metrics_mode_info"
    ]


def test_documentation_names_every_metric() -> None:
    """Who writes a dashboard reads the page, not the code; both must name the same things."""
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(gatekeeper_\w+)` \| (\w+) \| (.*?) ?\|", page, re.MULTILINE)
    documented = {
        name.removesuffix("_total"): (kind, set(re.findall(r"`(\w+)`", labels)))
        for name, kind, labels in rows
    }
    counted = Counted()
    counted.metrics.began("/answer", Mode.SHADOW)
    counted.metrics.decided(decision(VERDICTS[0]))
    says = StoreSays(
        rates={("/answer", "coverage", "point", "7d"): 1.0},
        labels={("/answer", "blocked"): 1.0},
        waiting={("/answer", "blocked"): 1.0},
    )
    states = (
        InfoStates(model=lambda: "f00d", policy=lambda: "cafe"),
        PolicyStates(
            targets=lambda: {("/answer", "false_block"): 0.05},
            tripped=lambda: {"/answer": False},
            probes=lambda: 12.0,
        ),
        StoreStates(lambda _: says, failed=lambda *_: None),
    )

    found = {
        family.name: (
            family.type,
            {label for sample in family.samples for label in sample.labels} - {"le"},
        )
        for family in chain(counted.registry.collect(), *(state.collect() for state in states))
    }

    assert documented == found
