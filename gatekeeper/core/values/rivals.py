"""Decide between the sentence that has a value and one that has another in its place."""

from dataclasses import dataclass

from gatekeeper.core.values.align import ALIGNED, Aligned, Claim
from gatekeeper.core.values.match import Match, agreement, comparable
from gatekeeper.core.values.model import Kind, Value

MAX_HOLDERS = 24  # sentences with the value; with more, one of them is the one meant


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A sentence that explains a value, how, and the share of the claim's terms it has."""

    position: int
    match: Match
    share: float


def is_narrowed(value: Value, claim: Claim, narrowed: list[Holder], others: list[Holder]) -> bool:
    """True if the claim keeps one end of the only range it can mean.

    A sentence about the claim's matter is needed, or a bound on an amount of a kind of which the
    evidence has nothing else ("at most 5 business days" where "5 to 7 business days" stands).
    """
    if value.hedged or value.weak or any(r.kind is Kind.TIME for r in value.readings):
        return False
    if _has_other_end(value, claim, narrowed):
        return False
    best = max(narrowed, key=lambda holder: holder.share)
    if any(holder.share >= best.share or holder.match is Match.SAME for holder in others):
        return False
    return best.share >= ALIGNED or (value.bound is not None and bool(value.readings[0].unit))


def _has_other_end(value: Value, claim: Claim, narrowed: list[Holder]) -> bool:
    """True if two values of the claim are the two ends of one range: "from 3 to 5"."""
    mine = value.readings[0].number
    others = {other.readings[0].number for other in claim.values if other is not value}
    for holder in narrowed[:MAX_HOLDERS]:
        for other in claim.facts.facts[holder.position].values:
            low, high = other.readings[0].number, other.readings[0].top
            if (low == mine and high in others) or (high == mine and low in others):
                return True
    return False


def rival_of(value: Value, claim: Claim) -> Aligned | None:
    """Return the closest sentence with another value in this one's place, without this one."""
    for aligned in claim.aligned[: len(claim.placed)]:
        values = claim.facts.facts[aligned.position].values
        if not any(_takes_place(value, v, aligned) for v in claim.placed[aligned.position]):
            continue
        if not any(agreement(value, other) for other in values):
            return aligned
    return None


def _takes_place(value: Value, other: Value, aligned: Aligned) -> bool:
    if not comparable(value, other):
        return False
    if value.kind is Kind.DATE:
        return _conflict(value, other)
    if value.name or other.name:
        return value.name == other.name
    if value.readings[0].unit or value.noun == other.noun:
        return True
    return aligned.is_copy


def _conflict(value: Value, other: Value) -> bool:
    pairs = zip(value.readings[0].parts, other.readings[0].parts, strict=True)
    return any(mine and theirs and mine != theirs for mine, theirs in pairs)
