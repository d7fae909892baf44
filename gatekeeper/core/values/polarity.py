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
_NO_MORE_THAN = re.compile(
    r"\bn(?:o|ot) (?:more|less|fewer|later|earlier|older|younger|exceed|only)\b", re.IGNORECASE
)
_CLAUSE_END = frozenset(
    "; : but however although though while whereas yet because since which who".split()
)
_NEGATORS = frozenset("not no never cannot neither none nobody nothing without".split())
# "It is a myth that ...": the rest is denied as a whole.
_DENIALS = re.compile(
    r"\b(?:myth|false|untrue|wrong|incorrect|misconception|denie[sd]|deny) that\b",
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
    """A clause taken apart: the pieces of its list as sets of terms, and what bounds it.

    ``negated`` tells of every piece whether it stands under a negation.
    """

    pieces: tuple[frozenset[str], ...]
    negated: tuple[bool, ...]
    conditions: frozenset[str]
    quantifiers: frozenset[str]
    values: tuple[Value, ...]

    @property
    def terms(self) -> frozenset[str]:
        """All terms of the clause."""
        return frozenset().union(*self.pieces)


def is_negative(text: str) -> bool:
    """True if a text has a negator, bounds such as "no more than" and a leading "no," apart."""
    rest = _NO_MORE_THAN.sub(" ", _INTERJECTION.sub("", text))
    return not _NEGATORS.isdisjoint(_words(rest))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("n't", " not").replace("cannot", "can not"))


def polarity(plain: str, hypothesis: str, claim: Claim) -> Iterator[Finding]:
    """Yield at most one finding: the claim negates, or says more strongly, what it copies.

    None if another sentence says what the claim says.
    """
    mine = _statements(hypothesis)
    if len(mine) != 1:  # a carried heading is a clause of its own
        mine = _statements(plain)
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


def _verdicts(mine: _Statement, claim: Claim) -> Iterator[tuple[int, str]]:
    """Yield the close sentences that copy the claim or turn it round, and which they do."""
    for aligned in claim.aligned[:_SENTENCES]:
        if aligned.of_claim < _CLOSE:
            return
        for theirs in _statements(claim.facts.facts[aligned.position].text):
            rule = _verdict(mine, theirs)
            if rule is not None:
                yield aligned.position, rule


def _statements(text: str) -> list[_Statement]:
    """Split a sentence into clauses and take them apart; none if its meaning is unclear."""
    if _UNCLEAR.search(text):
        return []
    text = _INTERJECTION.sub("", text)
    denied = _DENIALS.search(text)
    rest = text[denied.end() :] if denied else text
    clauses: list[list[str]] = [[]]
    for word in _words(rest):
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
    pieces: list[set[str]] = [set()]
    negated = [denied]
    for word in words:
        if word in (",", "or", "and", "nor"):
            pieces.append(set())
            negated.append(negated[-1])
        elif word in _NEGATORS:
            negated[-1] = not negated[-1]
        elif word not in STOP_WORDS and word not in _QUANTIFIERS:
            name, contrary = _CONTRARIES.get(stem(word), (stem(word), False))
            negated[-1] ^= contrary
            pieces[-1].add(name)
    pairs = zip(pieces, negated, strict=True)
    full = [(frozenset(piece), turned) for piece, turned in pairs if piece]
    return _Statement(
        pieces=tuple(piece for piece, _ in full),
        negated=tuple(turned for _, turned in full),
        conditions=_CONDITIONS.intersection(words),
        quantifiers=_QUANTIFIERS.intersection(words),
        values=values,
    )


def _verdict(mine: _Statement, theirs: _Statement) -> str | None:
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
    for weak, strong in _WEAK_TO_STRONG:
        stronger = mine.quantifiers & strong and not mine.quantifiers & weak
        if stronger and theirs.quantifiers & weak and not theirs.quantifiers & strong:
            return "quantifier"
    return "copy"


def _matching_piece(mine: _Statement, theirs: _Statement) -> int | None:
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
