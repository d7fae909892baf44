"""Negation and quantifiers: a claim that copies a sentence but turns it round.

Only near-copies count. What differs in anything but a negator, an antonym, a quantifier or the
items of a list is left to the model, and so is what has a condition on one side only.
"""

from collections.abc import Iterator, Sequence

from gatekeeper.core.values.align import Claim
from gatekeeper.core.values.extract import extract
from gatekeeper.core.values.match import Match, agreement
from gatekeeper.core.values.model import Finding, Relation, Value
from gatekeeper.core.values.statements import (
    MAX_TEXT,
    WEAK_TO_STRONG,
    Statement,
    all_statements,
    statements,
)

_SENTENCES = 4  # closest sentences looked at
_CLOSE = 0.6  # share of the claim's terms; synonyms may be missing from it


def polarity(plain: str, hypothesis: str, claim: Claim) -> Iterator[Finding]:
    """Yield at most one finding: the claim negates, or says more strongly, what it copies.

    None if another sentence says what the claim says.
    """
    mine = _taken_apart(hypothesis)
    if len(mine) != 1:  # a carried heading is a clause of its own
        mine = _taken_apart(plain)
    if len(mine) != 1 or len(mine[0].terms) < 2:
        return
    clash: Finding | None = None
    for position, rule in _verdicts(mine[0], claim):
        if rule == "copy":
            return
        if clash is None:
            clash = Finding(relation=Relation.CLASHING, rule=rule, sentence=position)
    if clash is not None:
        yield clash


def _taken_apart(text: str) -> list[Statement]:
    return statements(text, extract(text)) if len(text) <= MAX_TEXT else []


def _verdicts(mine: Statement, claim: Claim) -> Iterator[tuple[int, str]]:
    """Yield the close sentences that copy the claim or turn it round, and which they do."""
    for aligned in claim.aligned[:_SENTENCES]:
        if aligned.of_claim < _CLOSE:
            return
        fact = claim.facts.facts[aligned.position]
        for theirs in all_statements(fact.text, fact.values):
            rule = _verdict(mine, theirs)
            if rule is not None:
                yield aligned.position, rule


def _verdict(mine: Statement, theirs: Statement) -> str | None:
    """Return "negation" or "quantifier" for a clash, "copy" for agreement, None if neither."""
    if mine.conditions != theirs.conditions or not _same_values(mine.values, theirs.values):
        return None
    piece = _matching_piece(mine, theirs)
    if piece is None:
        return None
    turned, other_turned = mine.negated[-1], theirs.negated[piece]
    if mine.quantifiers == theirs.quantifiers:
        return "negation" if turned != other_turned else "copy"
    if turned or other_turned:
        return None
    for weak, strong in WEAK_TO_STRONG:
        stronger = mine.quantifiers & strong and not mine.quantifiers & weak
        if stronger and theirs.quantifiers & weak and not theirs.quantifiers & strong:
            return "quantifier"
    return "copy"


def _matching_piece(mine: Statement, theirs: Statement) -> int | None:
    """Return the piece of their list that the claim is about, -1 for the clause as a whole.

    None if the terms differ in more than the items of a list that the claim leaves out.
    """
    if mine.terms == theirs.terms:
        return -1
    if len(mine.pieces) != 1 or len(theirs.pieces) < 2 or not mine.terms < theirs.terms:
        return None
    # The first piece has subject and verb as well as the first item of the list.
    head, *items = theirs.pieces
    if len(head & mine.terms) < 2:
        return None
    if mine.terms == head:
        return 0
    item = mine.terms - head
    return items.index(item) + 1 if item in items and len(head - mine.terms) <= 1 else None


def _same_values(mine: Sequence[Value], theirs: Sequence[Value]) -> bool:
    if len(mine) != len(theirs):
        return False
    return all(any(agreement(one, two) is Match.SAME for two in theirs) for one in mine)
