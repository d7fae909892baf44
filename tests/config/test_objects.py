"""Policies made in Python: held to the rules of files, and told apart by their hash."""

from dataclasses import replace
from typing import Any

from gatekeeper.config import check_policy, policy_hash
from gatekeeper.policy import (
    Bounds,
    Mode,
    Outcomes,
    Policy,
    Reactions,
    RequestSource,
    ResolverSource,
    ResponseSource,
    Route,
    StateSource,
)
from gatekeeper.verdict import Action
from tests.config.policies import OWN, PLACE

ROUTE = Route(
    path="/v1/answer",
    answer="/answer",
    context=(StateSource(name="passages"),),
    mode=Mode.SHADOW,
    on_flagged=Action.WITHHOLD,
    on_unresolved=Reactions(default=Action.WITHHOLD),
    on_not_checked=Reactions(default=Action.WITHHOLD),
)


def python_faults(route: Route, *, secret: bytes | None = b"x" * 16) -> list[tuple[str, str, str]]:
    """Return the faults of a policy made in Python: key, finding, advice."""
    found = check_policy(Policy(routes=(route,)), calibration=OWN, secret=secret)
    return [(fault.place.removeprefix(f"{PLACE}."), fault.found, fault.instead) for fault in found]


def test_policy_from_python_without_a_fault() -> None:
    """The objects' own defaults pass their own check."""
    assert python_faults(ROUTE) == []


def test_policy_from_python_is_held_to_the_same_rules() -> None:
    """Two ways to write a policy must not be two sets of rules; names are those of the objects."""
    bad = replace(
        ROUTE,
        budget_s=200,
        on_flagged=Action.RELEASE,
        on_no_claims=Action.REDACT,
        uncalibrated=Mode.OFF,
        context=(RequestSource(), ResolverSource(target="gone:find")),
        share=0.5,
        bounds=Bounds(send_s=0.01),
    )

    assert [key for key, _, _ in python_faults(bad, secret=None)] == [
        "budget_s",
        "bounds.send_s",
        "uncalibrated",
        "context[0].request",
        "share_key",
        "share",
        "on_flagged",
        "on_no_claims",
        "context[1].resolver",
    ]
    assert python_faults(replace(ROUTE, budget_s=200)) == [
        ("budget_s", "200", "write budget_s = 0.2, it counts seconds")
    ]


def test_words_at_the_top_from_python() -> None:
    """What is stored of people's texts must not hang on a slip of the pen."""
    outcomes = Outcomes(url="sqlite:///x.db", store_text="all", retention_days=30)
    policy = Policy(routes=(ROUTE,), outcomes=outcomes)

    [fault] = check_policy(policy, calibration=None, secret=b"x" * 32)

    assert (fault.place, fault.found) == ("outcomes.store_text", '"all"')


def test_enforcing_from_python_needs_a_calibration_too() -> None:
    """The forced mode counts as the route's own."""
    policy = Policy(routes=(ROUTE,))

    assert check_policy(policy, calibration=None, secret=None) == []
    forced = check_policy(policy, calibration=None, secret=None, forced=Mode.ENFORCE)
    assert [fault.place for fault in forced] == [f"{PLACE}.mode"]


def test_plain_words_in_place_of_enums_are_found() -> None:
    """A word that only looks like the enum is unequal to it where it counts."""
    words: dict[str, Any] = {
        "mode": "enforce",
        "on_flagged": "redact",
        "on_unresolved": Reactions(default=Action.BLOCK, by_reason={"budget": "release"}),  # type: ignore[dict-item]  # that is the case
    }

    assert [key for key, _, _ in python_faults(replace(ROUTE, **words))] == [
        "mode",
        "on_flagged",
        "on_unresolved.budget",
    ]


def test_hash_tells_policies_apart_and_nothing_else() -> None:
    """Workers compare policies by it: equal ones are equal, any change is one."""
    reasons = {"budget": Action.BLOCK, "overload": Action.RELEASE}
    one, other = (
        replace(ROUTE, on_unresolved=Reactions(default=Action.BLOCK, by_reason=dict(items)))
        for items in (reasons.items(), reversed(reasons.items()))
    )

    def hashed(route: Route) -> str:
        return policy_hash(Policy(routes=(route,)))

    assert hashed(one) == hashed(other)
    changed = [
        ROUTE,
        replace(ROUTE, budget_s=0.3),
        replace(ROUTE, bounds=Bounds(passages=3)),
        replace(ROUTE, context=(RequestSource(pointer="/a"),)),
        replace(ROUTE, context=(ResponseSource(pointer="/a"),)),
    ]
    assert len({hashed(route) for route in (one, *changed)}) == len(changed) + 1
