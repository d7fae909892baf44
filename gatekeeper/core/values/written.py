"""Judge the values that are compared as text: addresses, identifiers, versions, quotations."""

import re
from bisect import bisect_right

from gatekeeper.core.terms import terms
from gatekeeper.core.values.align import ALIGNED, Claim
from gatekeeper.core.values.literals import MIN_QUOTE_WORDS, fold, spoken
from gatekeeper.core.values.match import Match, agreement
from gatekeeper.core.values.model import Fact, Finding, Kind, Relation, Value

_GOES_ON = re.compile(r"\.?\w|[-/@]")  # after an address: it is part of a longer one
_MIN_FOLDED = 3  # characters: shorter identifiers are found in any text
_REWORDED = 0.75  # share of a quotation's terms in a sentence that words it differently


def judge_written(value: Value, claim: Claim) -> Finding | None:
    """Return the finding for one value compared as text.

    None for what may be a word or a formula ("3D", "T2") and stands nowhere in the evidence.
    """
    if value.kind is Kind.QUOTE:
        return _quotation(value, claim)
    for position, fact in enumerate(claim.facts.facts):
        matches = [agreement(value, other) for other in fact.values]
        if Match.SAME in matches:
            return _found(value, Relation.STATED, "same", position)
        if Match.BOUND in matches:
            return _found(value, Relation.DERIVED, "part", position)
    held = _elsewhere(value, claim)
    if held is not None:
        return _found(value, Relation.STATED, "same", held)
    return None if value.weak else _unstated(value, claim)


def _unstated(value: Value, claim: Claim) -> Finding | None:
    rival = _lookalike(value, claim)
    if rival is not None:
        return _found(value, Relation.CLASHING, "differs", rival)
    if value.kind is Kind.IDENTIFIER and len(value.readings[0].key) < _MIN_FOLDED:
        return None
    return Finding(value=value, relation=Relation.ABSENT, rule="absent")


def _found(value: Value, relation: Relation, rule: str, position: int) -> Finding:
    return Finding(value=value, relation=relation, rule=rule, sentence=position)


def _elsewhere(value: Value, claim: Claim) -> int | None:
    """Look for the characters themselves, signs left out, where no value was read."""
    key = fold(value.readings[0].key)
    if value.kind in (Kind.URL, Kind.EMAIL) or len(key) < _MIN_FOLDED:
        return _verbatim(value, claim)
    if key not in claim.facts.words.replace(" ", ""):
        return None
    facts = enumerate(claim.facts.facts)
    return next((position for position, fact in facts if key in fold(fact.text)), None)


def _verbatim(value: Value, claim: Claim) -> int | None:
    key = value.readings[0].key
    for position, fact in enumerate(claim.facts.facts):
        before, found, after = fact.text.lower().partition(key)
        if found and not _GOES_ON.match(after) and not before[-1:].isalnum():
            return position
    return None


def _lookalike(value: Value, claim: Claim) -> int | None:
    """Return a sentence with another value of the kind that this one seems to be made from."""
    for aligned in claim.aligned:
        fact = claim.facts.facts[aligned.position]
        near = aligned.of_claim >= ALIGNED
        if any(_is_lookalike(value, other, near=near) for other in fact.values):
            return aligned.position
    for position, fact in enumerate(claim.facts.facts):
        if any(_is_lookalike(value, other, near=False) for other in fact.values):
            return position
    return None


def _is_lookalike(value: Value, other: Value, *, near: bool) -> bool:
    if value.kind is not other.kind:
        return False
    mine, theirs = value.readings[0].key, other.readings[0].key
    if value.kind is Kind.URL:
        return mine.partition("/")[0] == theirs.partition("/")[0]
    if value.kind is Kind.EMAIL:
        return bool(set(mine.split("@")) & set(theirs.split("@")))
    return near and (value.kind is Kind.VERSION or _shape(mine) == _shape(theirs))


def _shape(key: str) -> str:
    return "".join("0" if char.isdigit() else "a" for char in key)


def _quotation(value: Value, claim: Claim) -> Finding:
    """Look for a quotation word for word; what is left out by dots may be left out."""
    pieces = [spoken(piece) for piece in value.text.replace("[", "...").split("...")]
    wanted = [piece for piece in pieces if piece.count(" ") >= 1] or [value.readings[0].key]
    places = [f" {claim.facts.words} ".find(f" {piece} ") for piece in wanted]
    if all(place >= 0 for place in places):
        position = max(0, bisect_right(claim.facts.word_starts, places[0]) - 1)
        return _found(value, Relation.STATED, "verbatim", position)
    quoted = frozenset(terms(value.text))
    for aligned in claim.aligned:
        if _rewords(quoted, claim.facts.facts[aligned.position]):
            return _found(value, Relation.CLASHING, "quotation", aligned.position)
    return Finding(value=value, relation=Relation.ABSENT, rule="quotation")


def _rewords(quoted: frozenset[str], fact: Fact) -> bool:
    shared = len(quoted & frozenset(terms(fact.text)))
    return len(quoted) >= MIN_QUOTE_WORDS and shared >= _REWORDED * len(quoted)
