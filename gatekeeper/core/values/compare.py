"""Compare the values of a claim with those of the evidence.

Stated and derived are generous, clashing and absent strict: a false alarm blocks a right answer,
a miss leaves the claim to the model.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gatekeeper.core.values.align import ALIGNED, Aligned, Claim, align, fits_worse
from gatekeeper.core.values.derive import derive
from gatekeeper.core.values.extract import extract
from gatekeeper.core.values.facts import SCAN_ALL, blanked_terms, find_words
from gatekeeper.core.values.listed import counts, is_count, lists_itself
from gatekeeper.core.values.literals import spoken
from gatekeeper.core.values.match import LITERAL, Match, agreement, comparable, keys
from gatekeeper.core.values.model import FactIndex, Finding, Kind, Relation, Value
from gatekeeper.core.values.names import judge_name
from gatekeeper.core.values.polarity import polarity
from gatekeeper.core.values.statements import is_negative
from gatekeeper.core.values.written import judge_written

_DERIVE_FROM = 3  # best-aligned sentences whose values are combined
_RIVALS_FROM = 5  # best-aligned sentences searched for another value in the same place


@dataclass(frozen=True, slots=True, kw_only=True)
class _Holder:
    """A sentence that explains a value, how, and the share of the claim's terms it has."""

    position: int
    match: Match
    share: float


def compare(plain: str, hypothesis: str, facts: FactIndex) -> tuple[Finding, ...]:
    """Say of every value in the claim whether the evidence states, explains or denies it.

    Args:
        plain: The claim in its own words; its values are judged.
        hypothesis: The claim with carried subject or heading; aligns it with the evidence.
        facts: The evidence.

    Returns:
        One finding a value in the order of the text, then those about negation and quantifiers.
        A value that may be an idiom has a finding only when it is stated.
    """
    values = extract(plain)
    claim_terms = blanked_terms(hypothesis, extract(hypothesis))
    claim = Claim(
        plain=plain, values=values, terms=claim_terms, aligned=align(claim_terms, facts),
        facts=facts,
    )  # fmt: skip
    findings = [finding for value in values for finding in _judge(value, claim)]
    if is_negative(plain):
        findings = [finding for finding in findings if _holds_under_negation(finding, facts)]
    return (*findings, *polarity(plain, hypothesis, claim))


def _holds_under_negation(finding: Finding, facts: FactIndex) -> bool:
    """False for a clash or absence that a negated claim may have by rights.

    "It did not open in 2018" is no error where the evidence says 2014; "not after 60 days" is one
    where it says "not after 14 days".
    """
    if finding.value is not None and finding.value.kind is Kind.QUOTE:
        return True
    if finding.relation is Relation.CLASHING and finding.sentence is not None:
        return is_negative(facts.facts[finding.sentence].text)
    return finding.relation is not Relation.ABSENT


def _judge(value: Value, claim: Claim) -> Iterator[Finding]:
    if value.kind in LITERAL:
        found = judge_written(value, claim)
    else:
        holders = _holders(value, claim)
        named = judge_name(value, [holder.position for holder in holders], claim)
        found = named or _judge_amount(value, claim, holders)
    if found is not None:
        yield found


def _judge_amount(value: Value, claim: Claim, holders: list[_Holder]) -> Finding | None:
    rival = _rival(value, claim)
    if holders:
        return _explained(value, claim, holders, rival)
    found = (
        _points(value, claim)
        or _composed(value, claim)
        or _in_words(value, claim)
        or _derived(value, claim)
    )
    if found is not None or value.weak:
        return found
    if rival is not None and rival.of_claim >= ALIGNED:
        return _clash(value, rival.position, "differs")
    if value.kind is Kind.ORDINAL:
        return None
    return Finding(value=value, relation=Relation.ABSENT, rule="absent")


def _clash(value: Value, position: int, rule: str) -> Finding:
    return Finding(value=value, relation=Relation.CLASHING, rule=rule, sentence=position)


def _holders(value: Value, claim: Claim) -> list[_Holder]:
    """Return the sentences with a value that explains this one, best first."""
    found = []
    for position in _candidates(value, claim):
        matches = [agreement(value, other) for other in claim.facts.facts[position].values]
        known = [match for match in Match if match in matches]
        if known:
            found.append(_Holder(position=position, match=known[0], share=claim.share(position)))
    order = list(Match)
    return sorted(found, key=lambda h: (order.index(h.match), -h.share, h.position))


def _candidates(value: Value, claim: Claim) -> list[int]:
    facts = claim.facts
    if len(facts.facts) <= SCAN_ALL:
        return list(range(len(facts.facts)))
    near = {aligned.position for aligned in claim.aligned[:SCAN_ALL]}
    return sorted(near.union(*(facts.by_key.get(key, ())[:SCAN_ALL] for key in keys(value))))


def _explained(
    value: Value, claim: Claim, holders: list[_Holder], rival: Aligned | None
) -> Finding:
    """Decide between a sentence that has the value and a closer one that has another."""
    narrowed = [holder for holder in holders if holder.match is Match.NARROWED]
    others = [holder for holder in holders if holder.match is not Match.NARROWED]
    if narrowed and _is_narrowed(value, claim, narrowed, others):
        return _clash(value, narrowed[0].position, "narrowed")
    if rival is not None and all(fits_worse(claim, holder.position, rival) for holder in holders):
        return _clash(value, rival.position, "differs")
    best = (others or narrowed)[0]
    if best.match in (Match.SAME, Match.NARROWED):
        rule = "same" if best.match is Match.SAME else "endpoint"
        return Finding(value=value, relation=Relation.STATED, rule=rule, sentence=best.position)
    return Finding(
        value=value, relation=Relation.DERIVED, rule=str(best.match), sentence=best.position
    )


def _is_narrowed(
    value: Value, claim: Claim, narrowed: list[_Holder], others: list[_Holder]
) -> bool:
    """True if the claim keeps one end of the only range it can mean.

    A sentence about the claim's matter is needed, or a bound on an amount of a kind of which the
    evidence has nothing else ("at most 5 business days" where "5 to 7 business days" stands).
    """
    if value.hedged or value.weak or any(r.kind is Kind.TIME for r in value.readings):
        return False
    if any(mine is not value and _other_end(value, mine, claim, narrowed) for mine in claim.values):
        return False
    best = max(narrowed, key=lambda holder: holder.share)
    if any(holder.share >= best.share or holder.match is Match.SAME for holder in others):
        return False
    return best.share >= ALIGNED or (value.bound is not None and bool(value.readings[0].unit))


def _other_end(value: Value, mine: Value, claim: Claim, narrowed: list[_Holder]) -> bool:
    """True if two values of the claim are the two ends of one range: "from 3 to 5"."""
    numbers = {value.readings[0].number, mine.readings[0].number}
    return any(
        numbers == {other.readings[0].number, other.readings[0].top}
        for holder in narrowed
        for other in claim.facts.facts[holder.position].values
    )


def _rival(value: Value, claim: Claim) -> Aligned | None:
    """Return the closest sentence with another value in this one's place, without this one."""
    for aligned in claim.aligned[:_RIVALS_FROM]:
        values = claim.facts.facts[aligned.position].values
        if any(agreement(value, other) for other in values):
            continue
        if any(_takes_place(value, other, claim, aligned) for other in values):
            return aligned
    return None


def _takes_place(value: Value, other: Value, claim: Claim, aligned: Aligned) -> bool:
    if other.weak or not comparable(value, other):
        return False
    if any(agreement(mine, other) for mine in claim.values):
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


def _composed(value: Value, claim: Claim) -> Finding | None:
    """Accept a date whose day and whose year stand in different places."""
    for reading in value.readings:
        year, month, day = reading.parts
        if not (year and month):
            continue
        rest = claim.facts.by_key.get(f"{month}-{day}")
        if rest and claim.facts.by_key.get(f"{year}"):
            return Finding(value=value, relation=Relation.DERIVED, rule="date", sentence=rest[0])
    return None


def _in_words(value: Value, claim: Claim) -> Finding | None:
    """Accept the very words of a value where they were read as something else.

    "7.8 per cent" may have been cut in two as sentences, "113" be part of "A-113".
    """
    words = spoken(value.text)
    if len(words) < 2 or value.bound is not None:
        return None
    position = find_words(words, claim.facts)
    if position is None:
        return None
    return Finding(value=value, relation=Relation.STATED, rule="words", sentence=position)


def _points(value: Value, claim: Claim) -> Finding | None:
    """Catch "by 10 percent" where 40 percent became 50 percent: those are 10 points."""
    if value.kind is not Kind.PERCENT:
        return None
    asked = replace(value.readings[0], kind=Kind.POINTS, unit="points")
    for aligned in claim.aligned[:1]:
        fact = claim.facts.facts[aligned.position]
        found = derive(replace(value, readings=(asked,)), (fact,))
        change = derive(value, (fact,))
        if aligned.of_claim >= ALIGNED and found and found.rule == "difference" and change is None:
            return _clash(value, aligned.position, "points")
    return None


def _derived(value: Value, claim: Claim) -> Finding | None:
    """Try each close sentence alone, then the closest ones together.

    Without a term in common a sentence explains nothing: some sum always fits. What is part of a
    name is stated or it is not.
    """
    if value.name:
        return None
    facts = claim.facts.facts
    nearest = [aligned.position for aligned in claim.aligned[:_DERIVE_FROM]]
    groups = [[position] for position in nearest] + [sorted(nearest)] * (len(nearest) > 1)
    for group in groups:
        found = derive(value, [facts[position] for position in group])
        if found is not None:
            return Finding(
                value=value, relation=Relation.DERIVED, rule=found.rule, sentence=group[0],
                note=found.note,
            )  # fmt: skip
    return _counted(value, claim, nearest)


def _counted(value: Value, claim: Claim, nearest: list[int]) -> Finding | None:
    """Accept the number of things that a close sentence, or the claim itself, lists."""
    if not is_count(value):
        return None
    for position in nearest:
        if counts(value, claim.terms, claim.facts.facts[position]):
            return Finding(value=value, relation=Relation.DERIVED, rule="count", sentence=position)
    if lists_itself(value, claim.plain, frozenset(claim.facts.by_term)):
        return Finding(value=value, relation=Relation.DERIVED, rule="count")
    return None
