"""Rows and sentences built alike: what is said of one thing is not said of the other.

"The blue ladder is kept in the cellar" has all its words in the evidence where the ladder is kept
in the loft and a rake in the cellar. Only evidence that itself sets the two against each other
counts, and only if no sentence has all terms of the claim.
"""

import re
from collections.abc import Iterator, Sequence

from gatekeeper.core.terms import STOP_WORDS, stem
from gatekeeper.core.values.align import Claim
from gatekeeper.core.values.facts import find_words
from gatekeeper.core.values.literals import spoken
from gatekeeper.core.values.model import Fact, Finding, Relation

_SENTENCES = 12  # closest sentences looked at
_MAX_WORDS = 60  # of a claim or a sentence
_MAX_FOREIGN = 2  # terms of a claim that name the other thing
_NAME_WITHIN = 3  # words from the beginning
_SPEAKER = re.compile(r"\w+:")
_SHORT = 4  # words of a row that begins with the name
_COPIED = 4  # words that a claim and a sentence begin with alike
_SUBJECT = 4  # content words among them: fewer begin many a sentence ("Click Create and select")
_FILLER = 4  # words put in the place of others
_LEAD = 3  # words before them that stand elsewhere too


def siblings(plain: str, claim: Claim) -> Iterator[Finding]:
    """Yield at most one finding: the claim says of one thing what is said of another."""
    if len(claim.terms) < 2 or any(near.of_claim == 1 for near in claim.aligned[:1]):
        return
    words = spoken(plain).split(" ")
    if len(words) > _MAX_WORDS:
        return
    position = _refilled(words, claim)
    rule = "place"
    if position is None:
        position, rule = _crossed(words, claim), "other"
    if position is not None:
        yield Finding(relation=Relation.ABSENT, rule=rule, sentence=position)


def _refilled(words: list[str], claim: Claim) -> int | None:
    """Return a sentence that begins like the claim and goes on otherwise.

    What the claim goes on with must stand in the same place of another sentence.
    """
    for near in claim.aligned[:_SENTENCES]:
        theirs = claim.facts.facts[near.position].words.split(" ")
        if len(theirs) > _MAX_WORDS:
            continue
        same = _alike(words, theirs)
        filler = words[same:]
        if same < _COPIED or same == len(theirs) or not 0 < len(filler) <= _FILLER:
            continue
        if _is_other(filler, theirs[same:], words[:same]) and _stands(
            [*words[same - _LEAD : same], *filler], claim
        ):
            return near.position
    return None


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words two texts begin with alike."""
    same = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        same += 1
    return same


def _is_other(filler: list[str], rest: list[str], before: list[str]) -> bool:
    """True if both go on with names of things, and the claim's is not among what follows."""
    mine, theirs = _content(filler), _content(rest)
    if not mine or not _content(rest[:1]) or not mine.isdisjoint(theirs):
        return False
    return len(_content(before)) >= _SUBJECT and filler[0] not in STOP_WORDS


def _content(words: Sequence[str]) -> frozenset[str]:
    return frozenset(stem(word) for word in words if word not in STOP_WORDS)


def _stands(words: list[str], claim: Claim) -> bool:
    return find_words(" ".join(words), claim.facts) is not None


def _crossed(words: Sequence[str], claim: Claim) -> int | None:
    """Return a sentence that says of another thing what the claim says of the thing it names.

    It says the claim's figures too: with others it is no source of the claim.
    """
    facts = claim.facts
    figures = {word for word in words if any(map(str.isdigit, word))}
    for near in claim.aligned[:_SENTENCES]:
        theirs = facts.facts[near.position]
        foreign = claim.terms - theirs.terms
        if not figures <= set(theirs.words.split(" ")):
            continue
        if not 0 < len(foreign) <= _MAX_FOREIGN or len(foreign) >= len(claim.terms):
            continue
        for other in claim.aligned[:_SENTENCES]:
            mine = facts.facts[other.position]
            lacks = claim.terms - mine.terms
            if foreign <= mine.terms and lacks and _name(mine, theirs, claim, foreign):
                return near.position
    return None


def _name(mine: Fact, theirs: Fact, claim: Claim, foreign: frozenset[str]) -> bool:
    """True if two sentences are alike but for the name of what they are about.

    The names are one word each, near the beginning, with the same word behind them or none: the
    end of a label.
    """
    one, other = mine.words.split(" ", 8), theirs.words.split(" ", 8)
    at = _alike(one, other)
    # At the very beginning it may be a speaker, who tells of others.
    if not at and max(len(one), len(other)) > _SHORT and _SPEAKER.match(mine.text):
        return False
    if at >= _NAME_WITHIN or len(one) < at + 2 or len(other) < at + 2:
        return False
    named, rival = stem(one[at]), stem(other[at])
    if named not in foreign or rival in claim.terms:
        return False
    labels = [fact.text.lower().partition(":")[0] for fact in (mine, theirs)]
    labelled = labels[0].endswith(one[at]) and labels[1].endswith(other[at])
    return (labelled or one[at + 1] == other[at + 1]) and STOP_WORDS.isdisjoint(
        (one[at], other[at])
    )
