"""Decisions made up for the tests of the store, and databases to put them in."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from gatekeeper.outcomes.records import Stored, stored
from gatekeeper.outcomes.sampling import WeekPlan
from gatekeeper.outcomes.words import milliseconds
from gatekeeper.outcomes.writer import Source
from gatekeeper.policy import Keep, Mode, Outcomes
from gatekeeper.protocols import Decision
from gatekeeper.testing import write_verdict
from gatekeeper.verdict import Action, Evidence, NotCheckedReason, Passage, UnresolvedReason

KEY = b"0123456789abcdef0123456789abcdef"
ALL = Keep(blocked=1.0, accepted_low=1.0, accepted_high=1.0, unchecked=1.0)
PLAN = WeekPlan(cut=0.5, cut_from="calibration", keep=ALL)
ROUTE = "/v1/answer"
PASSAGES = (Passage(id="a", text="Refunds take 14 days."), Passage(id="b", text="Cups are blue."))

# A Wednesday.
NOON = datetime(2024, 5, 8, 12, 0, tzinfo=UTC)
NOON_MS = milliseconds(NOON)


def decision(number: int = 0, **changes: object) -> Decision:
    """Return a decision on an answer of two claims, the second without support, in shadow."""
    answer = "Refunds take 14 days. Cups are red."
    plain = Decision(
        id=f"{number:032x}",
        route=ROUTE,
        mode=Mode.SHADOW,
        enforced=False,
        verdict=write_verdict(answer, flagged=[" Cups are red."]),
        action=Action.RELEASE,
        would=Action.WITHHOLD,
        check_s=0.01,
        added_s=0.0,
        evidence_words=7,
        pairs=4,
        pair_tokens=80,
        answers=(answer,),
        evidence=Evidence(passages=PASSAGES, question="How long?"),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def accepted(number: int = 0, **changes: object) -> Decision:
    """Return a decision to release an answer whose claims hold."""
    answer = "Refunds take 14 days."
    good = {"verdict": write_verdict(answer), "would": Action.RELEASE, "answers": (answer,)}
    return decision(number, **{**good, **changes})


def unchecked(
    number: int = 0, reason: NotCheckedReason = NotCheckedReason.SHAPE, **changes: object
) -> Decision:
    """Return a decision to release what was not read."""
    verdict = replace(write_verdict("", not_checked=reason), fingerprint="")
    blank = {"verdict": verdict, "would": Action.RELEASE, "answers": (), "evidence": None}
    return decision(number, **{**blank, **changes})


def given_up(number: int = 0, **changes: object) -> Decision:
    """Return a shadow check that there was no time for."""
    verdict = write_verdict("Cups are red.", unresolved=UnresolvedReason.OVERLOAD)
    return decision(number, **{"verdict": verdict, **changes})


def made(one: Decision, at: datetime = NOON, plan: WeekPlan = PLAN) -> Stored:
    """Return a decision as it is stored."""
    at_ms = milliseconds(at)
    return stored(one, at_ms=at_ms, key=KEY, plan=plan, fingerprint="running")


def source(**changes: object) -> Source:
    """Return an installation that keeps everything and no texts."""
    plain = Outcomes(url="sqlite:///unused", store_text="none", retention_days=30, keep=ALL)
    outcomes = replace(plain, **changes)  # type: ignore[arg-type]
    return Source(
        key=KEY,
        outcomes=outcomes,
        keep=lambda: outcomes.keep,
        fingerprint="running",
        first_cut=0.5,
    )


def days(number: float) -> timedelta:
    """Return a time span."""
    return timedelta(days=number)


def ids(rows: Sequence[Stored]) -> list[str]:
    """Return the ids in order."""
    return [row.id for row in rows]
