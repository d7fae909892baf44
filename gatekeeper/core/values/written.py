"""Judge the values that are compared as text: addresses, identifiers, versions, quotations."""

import re
from bisect import bisect_right

from gatekeeper.core.terms import terms
from gatekeeper.core.values.align import ALIGNED, Claim
from gatekeeper.core.values.facts import find_words
from gatekeeper.core.values.literals import MIN_QUOTE_WORDS, fold, spoken
from gatekeeper.core.values.match import Match, agreement, like_keys, part_key
from gatekeeper.core.values.model import Fact, FactIndex, Finding, Kind, Relation, Value

_GOES_ON = re.compile(r"\.?\w|[-/@]")  # after an address: it is part of a longer one
_PLACES = 32  # at which the same text is looked at
_NEAREST = 16  # sentences
_MAX_TEXT = 2000  # characters; no longer sentence only rewords a quotation
_STITCHED = 4  # sentences apart from which on pieces of a quotation are from different places
_MIN_FOLDED = 3  # characters: shorter identifiers are found in any text
_REWORDED = 0.75  # share of a quotation's terms in a sentence that words it differently


def judge_written(value: Value, claim: Claim) -> Finding | None:
    """Return the finding for one value compared as text.

    None for what may be a word or a formula ("3D", "T2") and stands nowhere in the evidence.
    """
    if value.kind is Kind.QUOTE:
        return _quotation(value, claim)
    reading, by_key = value.readings[0], claim.facts.by_key
    for key, relation, rule in (
        (reading.key, Relation.STATED, "same"),
        (part_key(reading.key), Relation.DERIVED, "part"),
    ):
        wanted = Match.SAME if relation is Relation.STATED else Match.BOUND
        for position in by_key.get(key, ())[:_PLACES]:
            if any(agreement(value, v) is wanted for v in claim.facts.facts[position].values):
                return _found(value, relation, rule, position)
    held = _elsewhere(value, claim.facts)
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


def _elsewhere(value: Value, index: FactIndex) -> int | None:
    """Look for the characters themselves, signs left out, where no value was read."""
    key = fold(value.readings[0].key)
    if value.kind in (Kind.URL, Kind.EMAIL) or len(key) < _MIN_FOLDED:
        return _verbatim(value, index)
    place = index.folded.find(key)
    return bisect_right(index.folded_starts, place) - 1 if place >= 0 else None


def _verbatim(value: Value, index: FactIndex) -> int | None:
    key, text = value.readings[0].key, index.lowered
    place = text.find(key)
    for _ in range(_PLACES):
        if place < 0:
            break
        if not _GOES_ON.match(text, place + len(key)) and not text[place - 1].isalnum():
            return bisect_right(index.lowered_starts, place) - 1
        place = text.find(key, place + 1)
    return None


def _lookalike(value: Value, claim: Claim) -> int | None:
    """Return a sentence with another value of the kind that this one seems to be made from."""
    near = [aligned.position for aligned in claim.aligned[:_NEAREST] if aligned.of_claim >= ALIGNED]
    keys = like_keys(value.readings[0])
    alike = [position for key in keys for position in claim.facts.by_key.get(key, ())[:_PLACES]]
    for position in (*near, *sorted(alike)):
        is_near = position in near
        if any(_is_lookalike(value, v, near=is_near) for v in claim.facts.facts[position].values):
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
    places = [find_words(piece, claim.facts) for piece in wanted[:_PLACES]]
    stands = [place for place in places if place is not None]
    if len(stands) == len(places):
        if max(stands) - min(stands) > _STITCHED:
            return _found(value, Relation.CLASHING, "stitched", stands[0])
        return _found(value, Relation.STATED, "verbatim", stands[0])
    quoted = frozenset(terms(value.text))
    for aligned in claim.aligned[:_NEAREST]:
        if _rewords(quoted, claim.facts.facts[aligned.position]):
            return _found(value, Relation.CLASHING, "quotation", aligned.position)
    return Finding(value=value, relation=Relation.ABSENT, rule="quotation")


def _rewords(quoted: frozenset[str], fact: Fact) -> bool:
    shared = len(quoted & frozenset(terms(fact.text[:_MAX_TEXT])))
    return len(quoted) >= MIN_QUOTE_WORDS and shared >= _REWORDED * len(quoted)
