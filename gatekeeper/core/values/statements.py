"""A sentence taken apart for the comparison of negation: clauses, what is denied, what bounds it.

Word lists only. Where the parts of a sentence cannot be told apart it has no statements, and the
model decides alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gatekeeper.core.terms import STOP_WORDS, stem
from gatekeeper.core.values.model import Value

# Longer sentences are near-copies of no claim.
MAX_TEXT = 1500  # characters
_MAX_SUBJECT = 4  # content words

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[,;:]")
_INTERJECTION = re.compile(r"^\W*(?:yes|no|well|so|indeed),\s", re.IGNORECASE)
_NO_MORE_THAN = re.compile(
    r"\bn(?:o|ot) (?:more|less|fewer|later|earlier|older|younger|exceed|only)\b", re.IGNORECASE
)
_CLAUSE_END = frozenset(
    "; : but however although though while whereas yet because since which who".split()
)
NEGATORS = frozenset("not no never cannot neither none nobody nothing without".split())
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
WEAK_TO_STRONG = (
    (frozenset("some several many most few".split()), frozenset("all every each".split())),
    (frozenset("sometimes often usually".split()), frozenset(("always",))),
    (frozenset("may can might could".split()), frozenset(("must",))),
)
_QUANTIFIERS = frozenset().union(*(weak | strong for weak, strong in WEAK_TO_STRONG))
_TIME = re.compile(r"(?<=[0-9]):[0-9]")
_JOINTS = frozenset((",", "or", "and", "nor"))
_PRONOUNS = frozenset("it they he she this that these those we you".split())
_AUXILIARIES = frozenset(
    """is are was were has have had do does did will would can could may might must shall should
    cannot""".split()
)
_SHORTENED = {"ca": "can", "wo": "will", "sha": "shall"}


def _root(word: str) -> str:
    """Stem a word twice: "covers", "cover" and "covered" are one only then."""
    return stem(stem(word))


def _antonyms() -> dict[str, tuple[str, bool]]:
    table: dict[str, tuple[str, bool]] = {}
    for line in _ANTONYMS.strip().splitlines():
        sides = [side.split() for side in line.split("|")]
        for negative, words in enumerate(sides):
            table.update({_root(word): (_root(sides[0][0]), bool(negative)) for word in words})
    return table


_CONTRARIES = _antonyms()


class Word(NamedTuple):
    """A word in lower case, or a mark that ends a piece of a clause, and where it begins."""

    low: str
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clause:
    """Words with their values, after the words of the clause that its subject stands in."""

    words: tuple[Word, ...]
    values: tuple[Value, ...]
    conditions: frozenset[str]
    before: tuple[Word, ...] = ()


def is_negative(text: str) -> bool:
    """True if a text has a negator, bounds such as "no more than" and a leading "no," apart."""
    rest = _NO_MORE_THAN.sub(" ", _INTERJECTION.sub("", text))
    return any(word.low in NEGATORS for word in _words(rest))


def statements(text: str, values: Sequence[Value]) -> list[Statement]:
    """Take the clauses of a sentence apart; none if its meaning is unclear.

    Args:
        text: The sentence.
        values: Its values, placed by their offsets in it.
    """
    denied, clauses = _read(text, values)
    return [_statement(clause.words, clause, denied=denied) for clause in clauses]


def all_statements(text: str, values: Sequence[Value]) -> Iterator[Statement]:
    """Yield ``statements``, and the parts that share a subject, each with it.

    "The pass lasts a year and does not cover meals" states "the pass does not cover meals". How
    many words the subject has is open, so the part is yielded with one word of it, two and so on.
    """
    denied, clauses = _read(text, values)
    for number, clause in enumerate(clauses):
        yield _statement(clause.words, clause, denied=denied)
        earlier = clauses[number - 1] if number else None
        for part in _parts(clause, earlier):
            for words in _with_subject(part):
                yield _statement(words, part, denied=denied)


def _words(text: str) -> Iterator[Word]:
    """Yield words and marks; "doesn't" is "does not", a possessive ending stands alone."""
    for found in _WORD.finditer(text):
        low, start = found.group().lower(), found.start()
        if (
            low == ":"
            and text[start - 1 : start].isdigit()
            and text[start + 1 : start + 2].isdigit()
        ):
            continue  # a time of day
        if low == "cannot" or low.endswith("n't"):
            verb = low.removesuffix("n't").removesuffix("not")
            yield Word(_SHORTENED.get(verb, verb), start)
            yield Word("not", start)
        else:
            for piece in low.split("'"):
                yield Word(piece, start)


def _read(text: str, values: Sequence[Value]) -> tuple[bool, list[_Clause]]:
    """Split a sentence into clauses; tell whether it denies them as a whole."""
    if len(text) > MAX_TEXT or _UNCLEAR.search(text):
        return False, []
    denied = _DENIALS.search(text)
    opening = _INTERJECTION.match(text)
    begin = denied.end() if denied else opening.end() if opening else 0
    clauses: list[list[Word]] = [[]]
    for word in _words(text):
        if word.start >= begin:
            if word.low in _CLAUSE_END:
                clauses.append([])
            else:
                clauses[-1].append(word)
    rows = [tuple(clause) for clause in clauses if clause]
    ends = [*(row[0].start for row in rows), len(text)][1:]
    judged = [value for value in values if not value.weak and value.start >= begin]
    return denied is not None, [
        _Clause(words=row, values=_between(judged, row[0].start, end), conditions=_conditions(row))
        for row, end in zip(rows, ends, strict=True)
    ]


def _between(values: Sequence[Value], start: int, end: int) -> tuple[Value, ...]:
    # A quotation or a sign may stand before the first word of the clause, never another value.
    return tuple(value for value in values if start < value.end and value.start < end)


def _conditions(words: Sequence[Word]) -> frozenset[str]:
    return _CONDITIONS.intersection(word.low for word in words)


def _parts(clause: _Clause, earlier: _Clause | None) -> Iterator[_Clause]:
    """Yield the parts of a clause that are clauses without a subject of their own.

    A condition in one part may bound all of them, and so may one where the subject stands.
    """
    words = clause.words
    cuts = [at for at in range(1, len(words)) if _goes_on(words, at)]
    ends = [*cuts, len(words)]
    if cuts:
        yield _cut(clause, 0, cuts[0], before=())
    for begin, end in zip(cuts, ends[1:], strict=True):
        yield _cut(clause, begin, end, before=words[: cuts[0]])
    if earlier is not None and _lacks_subject(words):
        first = _cut(clause, 0, ends[0], before=earlier.words)
        yield _Clause(
            words=first.words, values=first.values, before=first.before,
            conditions=first.conditions | earlier.conditions,
        )  # fmt: skip


def _goes_on(words: Sequence[Word], at: int) -> bool:
    """True if a part begins at a word: "and does not", "and it may"."""
    return words[at - 1].low == "and" and _lacks_subject(words[at:])


def _lacks_subject(words: Sequence[Word]) -> bool:
    at = 1 if words[0].low in _PRONOUNS and len(words) > 1 else 0
    return words[at].low in _AUXILIARIES or (at == 1 and words[0].low in ("it", "they"))


def _cut(clause: _Clause, begin: int, end: int, *, before: tuple[Word, ...]) -> _Clause:
    words = clause.words[begin:end]
    last = clause.words[end].start if end < len(clause.words) else MAX_TEXT + 1
    return _Clause(
        words=words, values=_between(clause.values, words[0].start, last),
        conditions=clause.conditions, before=before,
    )  # fmt: skip


def _with_subject(part: _Clause) -> Iterator[tuple[Word, ...]]:
    """Yield the words of a part after what may be its subject: words with a verb behind them.

    "Guests under 18 pay and may not swim" is not about guests as such.
    """
    if not part.before:
        yield part.words
        return
    found = 0
    for end, word in enumerate(part.before[:-1], 1):
        if word.low in _JOINTS or word.low in NEGATORS or found == _MAX_SUBJECT:
            return
        if word.low not in STOP_WORDS and word.low not in _QUANTIFIERS:
            found += 1
            if _is_verb(part.before[end].low):
                yield (*part.before[:end], *part.words)


def _is_verb(word: str) -> bool:
    """True for an auxiliary and for what ends like a third person."""
    return word in _AUXILIARIES or (word[-1] == "s" and len(word) > 3 and word not in STOP_WORDS)


def _statement(words: Sequence[Word], clause: _Clause, *, denied: bool) -> Statement:
    pieces: list[set[str]] = [set()]
    negated = [denied]
    for word, _ in words:
        if word in _JOINTS:
            pieces.append(set())
            negated.append(negated[-1])
        elif word in NEGATORS:
            negated[-1] = not negated[-1]
        elif word not in STOP_WORDS and word not in _QUANTIFIERS:
            name, contrary = _CONTRARIES.get(_root(word), (_root(word), False))
            negated[-1] ^= contrary
            pieces[-1].add(name)
    pairs = zip(pieces, negated, strict=True)
    full = [(frozenset(piece), turned) for piece, turned in pairs if piece]
    return Statement(
        pieces=tuple(piece for piece, _ in full),
        negated=tuple(turned for _, turned in full),
        conditions=clause.conditions,
        quantifiers=_QUANTIFIERS.intersection(word.low for word in words),
        values=clause.values,
    )
