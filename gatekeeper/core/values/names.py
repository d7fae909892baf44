"""Judge a number that is part of a name: "Air 2", "Windows 11", "Gate 4"."""

from collections.abc import Sequence

from gatekeeper.core.values.align import ALIGNED, Claim
from gatekeeper.core.values.facts import find_words
from gatekeeper.core.values.literals import spoken
from gatekeeper.core.values.match import Match, agreement, name_key
from gatekeeper.core.values.model import Fact, Finding, Relation, Value


def judge_name(value: Value, holders: Sequence[int], claim: Claim) -> Finding | None:
    """Return the finding for a number that may be part of a name.

    It is stated where the name stands, or the number among others ("Gates 3 and 4"). It is not
    where the name stands with other numbers only: 11 laptops are no Windows 11. None, so that it
    is judged like any number, if the name stands with no number at all, or there is no name.
    """
    if not value.name:
        return None
    stands = find_words(f"{value.name} {spoken(value.text)}", claim.facts)
    if stands is None:
        facts = claim.facts.facts
        stands = next((position for position in holders if _has(value, facts[position])), None)
    if stands is not None:
        return Finding(value=value, relation=Relation.STATED, rule="same", sentence=stands)
    others = claim.facts.by_key.get(name_key(value.name))
    if not others or value.weak:
        return None
    closest = max(others, key=claim.share)
    if claim.share(closest) >= ALIGNED:
        return Finding(value=value, relation=Relation.CLASHING, rule="differs", sentence=closest)
    return Finding(value=value, relation=Relation.ABSENT, rule="name")


def _has(value: Value, fact: Fact) -> bool:
    """True if a sentence has the number, and not as a number of other things."""
    return any(
        agreement(value, other) is Match.SAME and other.noun in ("", value.noun)
        for other in fact.values
    )
