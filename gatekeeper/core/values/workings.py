"""Explain a value of a claim by those of close sentences: a sum, a span of time, a list.

Pauses between sentences: beside the search this is the longest work on a value.
"""

from collections.abc import Generator, Sequence

from gatekeeper.core.values.align import Claim
from gatekeeper.core.values.derive import MAX_OPERANDS, Derivation, derive, derive_span
from gatekeeper.core.values.listed import counts, is_count, lists_itself
from gatekeeper.core.values.model import Finding, Kind, Relation, Value

_MAX_DERIVED = 24  # values of a claim, the first ones, that may be the result of a sum
_DERIVE_FROM = 3  # best-aligned sentences whose values are combined


def worked_out(value: Value, claim: Claim) -> Generator[None, None, Finding | None]:
    """Try each close sentence alone, then the closest ones together.

    Without a term in common a sentence explains nothing: some sum always fits. What is part of a
    name is stated or it is not.
    """
    if value.name or value.start > claim.values[:_MAX_DERIVED][-1].start:
        return None
    facts = claim.facts.facts
    nearest = [aligned.position for aligned in claim.aligned[:_DERIVE_FROM]]
    groups = [[position] for position in nearest] + [sorted(nearest)] * (len(nearest) > 1)
    for group in (*groups, *_lists(nearest, claim)):
        found = derive(value, [facts[position] for position in group])
        if found is not None:
            return _finding(value, found, group[0])
        yield
    for position in nearest if value.kind is Kind.DURATION else ():
        found = derive_span(value, facts[position : position + 2])
        if found is not None:
            return _finding(value, found, position)
    return _counted(value, claim, nearest)


def _finding(value: Value, found: Derivation, position: int) -> Finding:
    return Finding(
        value=value, relation=Relation.DERIVED, rule=found.rule, sentence=position, note=found.note
    )


def _lists(nearest: Sequence[int], claim: Claim) -> list[list[int]]:
    """Return the lists that close sentences are lead-in or items of, their first items."""
    runs = {claim.facts.runs[position] for position in nearest if position in claim.facts.runs}
    return [list(range(begin, min(end, begin + MAX_OPERANDS))) for begin, end in sorted(runs)]


def _counted(value: Value, claim: Claim, nearest: list[int]) -> Finding | None:
    """Accept the number of things that a close sentence, or the claim itself, lists."""
    if not is_count(value):
        return None
    for position in nearest:
        begin, end = claim.facts.runs.get(position, (0, 0))
        if end - begin == value.readings[-1].number or counts(
            value, claim.terms, claim.facts.facts[position]
        ):
            return Finding(value=value, relation=Relation.DERIVED, rule="count", sentence=position)
    if lists_itself(value, claim.plain, frozenset(claim.facts.by_term)):
        return Finding(value=value, relation=Relation.DERIVED, rule="count")
    return None
