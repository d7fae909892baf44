"""Explain a small number by counting: the things a sentence lists are as many as the claim says."""

import re
from collections.abc import Iterator

from gatekeeper.core.terms import terms
from gatekeeper.core.values.model import Fact, Kind, Value

MAX_COUNT = 30  # longest list that is counted
_MAX_TEXT = 4000  # characters of a sentence that are searched for lists
_LONGEST_ITEM = 8  # words; what is longer is a clause
_SAME_MATTER = 2  # terms a claim shares with a sentence whose list may be what it counts

_MARK = re.compile(r"(,\s?(?:and|or|as well as)\b|,|;|\b(?:and|or|as well as)\b|&)")
_CONJUNCTION = re.compile(r"[a-z&]")
_NAMES = re.compile(r"[A-Z]\w{0,40} (?:and|or|&) [A-Z]")
_WORD = re.compile(r"[^\W_]+")
_CLAUSE = re.compile(
    r"\W*(?:it|they|he|she|we|you|this|that|these|those|which|who|is|are|was|were|has|have|had|do|does"
    r"|did|will|can|may|must|should|would|could|not|but|so)\b",
    re.IGNORECASE,
)
# "In 2030, a, b and c": what stands before the first comma may be no item.
_OPENING = re.compile(
    r"\W*(?:in|on|at|for|from|with|when|if|after|before|since|during|as|among|besides|today|now"
    r"|also|however|thus|then|here|there|yes|no|finally)\b",
    re.IGNORECASE,
)


def is_count(value: Value) -> bool:
    """True for a small whole number of things, and not of hours or years."""
    reading = value.readings[-1] if value.kind is Kind.DATE else value.readings[0]
    if reading.unit or reading.kind is not Kind.NUMBER or not value.noun or value.name:
        return False
    return reading.number.denominator == 1 and 2 <= reading.number <= MAX_COUNT


def counts(value: Value, claim_terms: frozenset[str], fact: Fact) -> bool:
    """True if a sentence lists as many things as the claim counts, and is about that matter.

    The list, or the words around it, must share a term with the claim; for two things, of which
    any sentence has a pair, that is the noun counted, or several terms, or they are names. No
    other number may stand with that noun.
    """
    if any(other.noun == value.noun and not other.weak for other in fact.values):
        return False
    shared = fact.terms & claim_terms
    wanted = int(value.readings[-1].number)
    is_near = value.noun in shared or len(shared) >= _SAME_MATTER
    if not shared or (wanted == 2 and not is_near and not _NAMES.search(fact.text[:_MAX_TEXT])):
        return False
    near = claim_terms | {value.noun}
    return any(
        wanted in lengths and not near.isdisjoint(terms(stretch))
        for stretch, lengths in lists(fact.text[:_MAX_TEXT])
    )


def lists_itself(value: Value, plain: str, known: frozenset[str]) -> bool:
    """True if the claim goes on to list what it counts, in words that the evidence has.

    "Two plans: A and B" is right if A and B are, which is for the model to say.
    """
    _, colon, rest = plain[value.end :].partition(":")
    if not colon:
        return False
    if not rest.strip():
        return True
    wanted = int(value.readings[-1].number)
    words = frozenset(terms(rest))
    return words <= known and any(wanted in lengths for _, lengths in lists(rest[:_MAX_TEXT]))


def lists(text: str) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield each enumeration of a text, with the numbers of items it may have.

    An enumeration is a row of short pieces with a conjunction before the last, or of three or
    more with commas only.
    """
    pieces = _MARK.split(text)
    run: list[str] = pieces[:1]
    for mark, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        last = _CONJUNCTION.search(mark) is not None
        if _CLAUSE.match(piece) or (not last and len(_WORD.findall(piece)) > _LONGEST_ITEM):
            yield from _ended(run, joined=False)
            run = [piece]
            continue
        run.append(piece)
        if last:
            yield from _ended(run, joined=True)
            run = [piece]
    yield from _ended(run, joined=False)


def _ended(run: list[str], *, joined: bool) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield a row of pieces if it is an enumeration."""
    if len(run) >= (2 if joined else 3) and all(map(_WORD.search, run)):
        lengths = {len(run)}
        if _OPENING.match(run[0]) and len(run) > 2:
            lengths.add(len(run) - 1)
        yield " ".join(run), frozenset(lengths)
