"""From score to action: what a policy does with every verdict there can be."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.aggregate import Planned, Ruling, Thresholds, claim_score, decide_claim
from gatekeeper.core.decide import Side, assigned, decide, side
from gatekeeper.core.evidence import Premise
from gatekeeper.policy import CLIENT_REASONS, Mode, Reactions, Route, StateSource
from gatekeeper.protocols import PairScore
from gatekeeper.verdict import (
    Action,
    ClaimStatus,
    ClaimVerdict,
    NotCheckedReason,
    PremiseRef,
    UnresolvedReason,
    Verdict,
)

SECRET = b"the secret of an installation"
WITHHOLDING = Reactions(default=Action.WITHHOLD)
ROUTE = Route(
    path="/v1/answer",
    answer="/answer",
    context=(StateSource(name="passages"),),
    mode=Mode.ENFORCE,
    on_flagged=Action.WITHHOLD,
    on_unresolved=WITHHOLDING,
    on_not_checked=WITHHOLDING,
)


def claim(status: ClaimStatus, unresolved: UnresolvedReason | None = None) -> ClaimVerdict:
    """Make a claim with a status."""
    is_open = status is ClaimStatus.UNRESOLVED
    return ClaimVerdict(
        start=0,
        end=1,
        text="x",
        status=status,
        support=None,
        contradiction=None,
        score=None if is_open else 0.5,
        unresolved=unresolved or (UnresolvedReason.BUDGET if is_open else None),
    )


def verdict(*statuses: ClaimStatus) -> Verdict:
    """Make a verdict with one claim a status."""
    return Verdict(claims=tuple(claim(status) for status in statuses))


def unresolved(reason: UnresolvedReason) -> Verdict:
    """Make a verdict with one claim left open."""
    return Verdict(claims=(claim(ClaimStatus.UNRESOLVED, reason),))


def reactions(default: Action, **by_reason: Action) -> Reactions:
    """Make a table of reactions."""
    return Reactions(default=default, by_reason=by_reason)


EVERY_VERDICT: Mapping[str, Verdict] = {
    "no claims": Verdict(),
    **{str(status): verdict(status) for status in ClaimStatus},
    **{f"unresolved {reason}": unresolved(reason) for reason in UnresolvedReason},
    **{f"not checked {reason}": Verdict(not_checked=reason) for reason in NotCheckedReason},
}


def scored(support: float, contradiction: float, ruling: Ruling) -> Verdict:
    """Make the verdict on a claim with one premise, the way the gate does."""
    marks = Thresholds(support=0.5, contradiction=0.9)
    ref = PremiseRef(passage="0", start=0, end=1)
    premise = Premise(text="text", lines=(0,), passages=(0,), refs=(ref,))
    pair = PairScore(entailment=support, contradiction=contradiction)
    finding = decide_claim([Planned(premise=premise)], [pair], ruling, marks)
    score = claim_score(finding, ruling, marks)
    decided = replace(claim(ClaimStatus.SUPPORTED), status=finding.status, score=score)
    return Verdict(claims=(decided,))


@pytest.mark.parametrize(
    ("support", "contradiction", "ruling", "action"),
    [
        (0.50, 0.00, Ruling(), Action.RELEASE),
        (0.49, 0.00, Ruling(), Action.BLOCK),
        (1.00, 0.89, Ruling(), Action.RELEASE),
        (1.00, 0.90, Ruling(), Action.BLOCK),
        (1.00, 0.00, Ruling(clashing=True), Action.BLOCK),
        (1.00, 0.00, Ruling(absent=True), Action.BLOCK),
        (0.00, 0.00, Ruling(), Action.BLOCK),
    ],
)
def test_score_band_leads_to_its_action(
    support: float, contradiction: float, ruling: Ruling, action: Action
) -> None:
    """A threshold branch that leads elsewhere is how guards come to release what they flagged."""
    route = replace(ROUTE, on_flagged=Action.BLOCK)

    assert decide(route, scored(support, contradiction, ruling)) is action


@pytest.mark.parametrize(
    ("status", "action"),
    [
        (ClaimStatus.SUPPORTED, Action.RELEASE),
        (ClaimStatus.CONTRADICTED, Action.BLOCK),
        (ClaimStatus.UNSUPPORTED, Action.BLOCK),
        (ClaimStatus.CONFLICTING, Action.BLOCK),
        (ClaimStatus.UNRESOLVED, Action.WITHHOLD),
    ],
)
def test_worst_claim_decides_the_action(status: ClaimStatus, action: Action) -> None:
    """Nine supported claims don't outvote the wrong date."""
    route = replace(ROUTE, on_flagged=Action.BLOCK)

    assert decide(route, verdict(*[ClaimStatus.SUPPORTED] * 9, status)) is action


@pytest.mark.parametrize("name", EVERY_VERDICT)
def test_every_verdict_has_an_action_under_every_policy(name: str) -> None:
    """The table is total: nothing raises, and nothing is without an action."""
    for flagged, default, named in product(Action, Action, Action):
        table = reactions(default, overload=named, method=named, status=named)
        route = replace(
            ROUTE,
            on_flagged=flagged,
            on_unresolved=table,
            on_not_checked=table,
            on_no_claims=named,
        )

        assert isinstance(decide(route, EVERY_VERDICT[name]), Action)


def test_no_claims_has_an_action_of_its_own() -> None:
    """A refusal asserts nothing; whether it may pass is for the policy to say."""
    assert decide(ROUTE, Verdict()) is Action.RELEASE
    assert decide(replace(ROUTE, on_no_claims=Action.WITHHOLD), Verdict()) is Action.WITHHOLD


@pytest.mark.parametrize("default", [Action.RELEASE, Action.ANNOTATE, Action.REDACT])
@pytest.mark.parametrize("reason", [*UnresolvedReason, *NotCheckedReason])
def test_default_never_delivers_for_a_reason_of_the_clients(
    reason: UnresolvedReason | NotCheckedReason, default: Action
) -> None:
    """Who can choose the encoding must not be able to choose that nobody checks."""
    table = Reactions(default=default)
    route = replace(ROUTE, on_unresolved=table, on_not_checked=table)
    found = (
        unresolved(reason) if isinstance(reason, UnresolvedReason) else Verdict(not_checked=reason)
    )

    withheld = decide(route, found) is Action.WITHHOLD

    assert withheld == (reason in CLIENT_REASONS)


def test_named_reason_is_released() -> None:
    """A policy that wants a client's reason released says so by name."""
    route = replace(ROUTE, on_unresolved=reactions(Action.WITHHOLD, overload=Action.RELEASE))

    assert decide(route, unresolved(UnresolvedReason.OVERLOAD)) is Action.RELEASE
    assert decide(route, unresolved(UnresolvedReason.BUDGET)) is Action.WITHHOLD


def test_first_reason_of_the_list_decides() -> None:
    """Two open claims have one reason, the same for counters, logs and policy."""
    claims = (
        claim(ClaimStatus.UNRESOLVED, UnresolvedReason.MODEL_ERROR),
        claim(ClaimStatus.UNRESOLVED, UnresolvedReason.OVERLOAD),
    )
    route = replace(ROUTE, on_unresolved=reactions(Action.RELEASE, overload=Action.BLOCK))

    assert decide(route, Verdict(claims=claims)) is Action.BLOCK


def test_error_of_the_app_passes_unless_named() -> None:
    """A 500 of the app is no answer; turning it into something else would hide it."""
    found = Verdict(not_checked=NotCheckedReason.STATUS)
    named = replace(ROUTE, on_not_checked=reactions(Action.WITHHOLD, status=Action.BLOCK))

    assert decide(ROUTE, found) is Action.RELEASE
    assert decide(named, found) is Action.BLOCK


@pytest.mark.parametrize("reason", [NotCheckedReason.NO_ROUTE, NotCheckedReason.OFF])
def test_what_is_not_gated_is_released(reason: NotCheckedReason) -> None:
    """Off is off, whatever the reactions say."""
    assert decide(ROUTE, Verdict(not_checked=reason)) is Action.RELEASE


@pytest.mark.parametrize(
    ("table", "action"),
    [
        (WITHHOLDING, Action.WITHHOLD),
        (reactions(Action.WITHHOLD, budget=Action.BLOCK), Action.BLOCK),
        (reactions(Action.WITHHOLD, budget=Action.RELEASE), Action.WITHHOLD),
        (reactions(Action.RELEASE, budget=Action.REDACT), Action.REDACT),
    ],
)
def test_redaction_leaves_no_open_claim_the_policy_withholds(
    table: Reactions, action: Action
) -> None:
    """One false claim must not carry unchecked ones past a policy that stops them."""
    route = replace(ROUTE, on_flagged=Action.REDACT, on_unresolved=table)

    found = Verdict(
        claims=(
            claim(ClaimStatus.CONTRADICTED),
            claim(ClaimStatus.UNRESOLVED, UnresolvedReason.BUDGET),
            claim(ClaimStatus.UNRESOLVED, UnresolvedReason.SHUTDOWN),
        )
    )

    assert decide(route, found) is action
    assert decide(route, verdict(ClaimStatus.CONTRADICTED)) is Action.REDACT


@pytest.mark.parametrize(
    ("action", "found", "expected"),
    [
        (Action.WITHHOLD, "SUPPORTED", Side.BLOCKED),
        (Action.BLOCK, "not checked size", Side.BLOCKED),
        (Action.REDACT, "UNSUPPORTED", Side.BLOCKED),
        (Action.RELEASE, "SUPPORTED", Side.ACCEPTED),
        (Action.RELEASE, "CONTRADICTED", Side.ACCEPTED),
        (Action.ANNOTATE, "CONTRADICTED", Side.ACCEPTED),
        (Action.RELEASE, "no claims", Side.UNCHECKED),
        (Action.RELEASE, "unresolved overload", Side.UNCHECKED),
        (Action.ANNOTATE, "not checked size", Side.UNCHECKED),
    ],
)
def test_side_follows_action_and_verdict(action: Action, found: str, expected: Side) -> None:
    """The live rates stand on this table: an unchecked answer must not count as accepted."""
    assert side(action, EVERY_VERDICT[found]) is expected


def test_cut_stream_is_blocked() -> None:
    """Who saw half an answer did not get the answer."""
    assert side(Action.RELEASE, EVERY_VERDICT["SUPPORTED"], cut=True) is Side.BLOCKED


@settings(deadline=None, derandomize=True)
@given(st.text(), st.text(), st.floats(0, 1), st.floats(0, 1))
def test_raising_the_share_keeps_those_who_were_in(
    route: str, key: str, one: float, other: float
) -> None:
    """A user must not fall out of enforcement because more users are taken in."""
    low, high = sorted((one, other))

    assert assigned(SECRET, route, key, low) <= assigned(SECRET, route, key, high)
    assert assigned(SECRET, route, key, 1.0)
    assert not assigned(SECRET, route, key, 0.0)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9])
def test_share_is_met(share: float) -> None:
    """Ten per cent means ten per cent: four standard errors over 10,000 fixed keys."""
    n = 10_000

    inside = sum(assigned(SECRET, "/v1/answer", f"user-{k}", share) for k in range(n))

    assert abs(inside / n - share) <= 4 * (share * (1 - share) / n) ** 0.5


def test_assignment_is_stored_by_nobody_and_still_fixed() -> None:
    """Every worker, and the next release, puts a user on the same side."""
    keys = [f"user-{k}" for k in range(8)]

    draws = [assigned(SECRET, "/v1/answer", key, 0.5) for key in keys]

    assert draws == [False, True, True, False, False, False, True, False]


def test_routes_and_secrets_draw_anew() -> None:
    """Whoever is in on one route or installation says nothing about another."""
    keys = [f"user-{k}" for k in range(400)]

    def inside(secret: bytes, route: str) -> set[str]:
        return {key for key in keys if assigned(secret, route, key, 0.5)}

    one = inside(SECRET, "/a")
    for other in (inside(SECRET, "/b"), inside(b"another secret", "/a")):
        assert 60 <= len(one & other) <= 140


def test_key_with_a_lone_surrogate_has_its_side() -> None:
    """JSON can hold what UTF-8 can't; such a user is not left out by a crash."""
    assert assigned(SECRET, "/a", "\ud800", 1.0)
    assert not assigned(SECRET, "/\udfff", "a", 0.0)


def test_route_and_key_are_kept_apart() -> None:
    """("/a", "bc") and ("/ab", "c") must not be one draw."""
    pairs = [("/a" + "b" * n, "b" * (40 - n) + "c") for n in range(40)]

    assert len({assigned(SECRET, route, key, 0.5) for route, key in pairs}) == 2
