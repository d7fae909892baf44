"""Negation and quantifiers: a claim that copies a sentence but turns it round.

Only near-copies count. What differs in anything but a negator, an antonym, a quantifier or the
items of a list is left to the model, and so is what has a condition on one side only.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatekeeper.core.terms import STOP_WORDS, stem
from gatekeeper.core.values.align import Claim
from gatekeeper.core.values.extract import extract
from gatekeeper.core.values.match import Match, agreement
from gatekeeper.core.values.model import Finding, Relation, Value

_SENTENCES = 4  # closest sentences looked at
_CLOSE = 0.6  # share of the claim's terms; synonyms may be missing from it

_WORD = re.compile(r"[^\W_]+|[,;:?]")
_INTERJECTION = re.compile(r"^\W*(?:yes|no|well|so|indeed),\s", re.IGNORECASE)
_CLAUSE_END = frozenset(
    "; : but however although though while whereas yet because since which who".split()
)
_NEGATORS = frozenset("not no never cannot neither none nobody nothing without".split())
# "It is a myth that ...": the rest is denied as a whole.
_DENIALS = re.compile(
    r"\b(?:myth|false|untrue|wrong|incorrect|misconception|denie[sd]|deny) that\b|\bdenie[sd] the claim\b",
    re.IGNORECASE,
)
# With one of these a negator, or a copy, may mean something else.
_UNCLEAR = re.compile(
    r"\b(?:not only|not just|not merely|not necessarily|not until|not least|no doubt|or not|if not"
    r"|why not|no one knows|no\.? ?[0-9]|n(?:o|ot) (?:more|less|fewer|later) than)\b|\?",
    re.IGNORECASE,
)
_CONDITIONS = frozenset(
    """after before until till within beyond unless except if when than only outside during
    otherwise instead rather hardly barely""".split()
)
# Each line: one thing, its names, and after the bar the names of its contrary.
_ANTONYMS = """
includes include included including | exclude excludes excluded excluding
allowed allow allows permitted permit permits welcome | prohibited prohibits forbidden forbids banned bans disallowed
open opens | closed closes shut
possible | impossible
legal | illegal
available | unavailable
enabled | disabled
refundable | nonrefundable
required mandatory | optional
safe | unsafe
true | false
"""  # noqa: E501 - a table of data
_WEAK_TO_STRONG = (
    (frozenset("some several many most few".split()), frozenset("all every each".split())),
    (frozenset("sometimes often usually".split()), frozenset(("always",))),
    (frozenset("may can might could".split()), frozenset(("must",))),
)
_QUANTIFIERS = frozenset().union(*(weak | strong for weak, strong in _WEAK_TO_STRONG))


def _antonyms() -> dict[str, tuple[str, bool]]:
    table: dict[str, tuple[str, bool]] = {}
    for line in _ANTONYMS.strip().splitlines():
        sides = [side.split() for side in line.split("|")]
        for negative, words in enumerate(sides):
            table.update({stem(word): (stem(sides[0][0]), bool(negative)) for word in words})
    return table


_CONTRARIES = _antonyms()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A clause taken apart: its list pieces as sets of terms, and what turns or bounds it."""

    pieces: tuple[frozenset[str], ...]
    is_negated: bool
    conditions: frozenset[str]
    quantifiers: frozenset[str]
    values: tuple[Value, ...]

    @property
    def terms(self) -> frozenset[str]:
        """All terms of the clause."""
        return frozenset().union(*self.pieces)


def polarity(hypothesis: str, claim: Claim) -> Iterator[Finding]:
    """Yield at most one finding: the claim negates, or says more strongly, what it copies.

    None if another sentence says what the claim says.
    """
    mine = _statements(hypothesis)
    if len(mine) != 1 or len(mine[0].terms) < 2:
        return
    found: Finding | None = None
    for aligned in claim.aligned[:_SENTENCES]:
        if aligned.of_claim < _CLOSE:
            break
        for theirs in _statements(claim.facts.facts[aligned.position].text):
            rule = _verdict(mine[0], theirs)
            if rule == "copy":
                return
            if rule and found is None:
                found = Finding(relation=Relation.CLASHING, rule=rule, sentence=aligned.position)
    if found is not None:
        yield found


def _statements(text: str) -> list[_Statement]:
    """Split a sentence into clauses and take them apart; none if its meaning is unclear."""
    if _UNCLEAR.search(text):
        return []
    text = _INTERJECTION.sub("", text)
    denied = _DENIALS.search(text)
    rest = text[denied.end() :] if denied else text
    clauses: list[list[str]] = [[]]
    for word in _WORD.findall(rest.lower().replace("n't", " not").replace("cannot", "can not")):
        if word in _CLAUSE_END:
            clauses.append([])
        else:
            clauses[-1].append(word)
    values = tuple(value for value in extract(rest) if not value.weak)
    kept = [clause for clause in clauses if clause]
    # The values of a sentence of several clauses are not told apart: such a clause has to be
    # matched by a claim with all of them.
    return [_statement(clause, values, denied=bool(denied)) for clause in kept]


def _statement(words: Sequence[str], values: tuple[Value, ...], *, denied: bool) -> _Statement:
    negated, pieces = denied, [set[str]()]
    for word in words:
        if word in (",", "or", "and", "nor"):
            pieces.append(set())
        elif word in _NEGATORS:
            negated = not negated
        elif word not in STOP_WORDS and word not in _QUANTIFIERS:
            name, contrary = _CONTRARIES.get(stem(word), (stem(word), False))
            negated ^= contrary
            pieces[-1].add(name)
    return _Statement(
        pieces=tuple(frozenset(piece) for piece in pieces if piece),
        is_negated=negated,
        conditions=_CONDITIONS.intersection(words),
        quantifiers=_QUANTIFIERS.intersection(words),
        values=values,
    )


def _verdict(mine: _Statement, theirs: _Statement) -> str | None:
    """Return "negation" or "quantifier" for a clash, "copy" for agreement, None if neither."""
    if mine.conditions != theirs.conditions or not _same_values(mine.values, theirs.values):
        return None
    if not _same_words(mine, theirs):
        return None
    if mine.quantifiers == theirs.quantifiers:
        return "negation" if mine.is_negated != theirs.is_negated else "copy"
    if mine.is_negated or theirs.is_negated:
        return None
    for weak, strong in _WEAK_TO_STRONG:
        stronger = mine.quantifiers & strong and not mine.quantifiers & weak
        if stronger and theirs.quantifiers & weak and not theirs.quantifiers & strong:
            return "quantifier"
    return "copy"


def _same_words(mine: _Statement, theirs: _Statement) -> bool:
    """True if the terms are the same, apart from items of a list the claim leaves out."""
    if mine.terms == theirs.terms:
        return True
    if len(mine.pieces) != 1 or len(theirs.pieces) < 2 or not mine.terms < theirs.terms:
        return False
    # The first piece has subject and verb as well as the first item of the list.
    head, *items = theirs.pieces
    if len(head & mine.terms) < 2:
        return False
    return mine.terms == head or (
        len(head - mine.terms) <= 1 and any(item == mine.terms - head for item in items)
    )


def _same_values(mine: Sequence[Value], theirs: Sequence[Value]) -> bool:
    if len(mine) != len(theirs):
        return False
    return all(any(agreement(one, two) is Match.SAME for two in theirs) for one in mine)
