"""Claims of summaries that people wrote, put to what they rest on and to what they don't.

What is false here was never said in the words of the text: the claim belongs to another place or
another text, somebody else did it, or it holds a detail from elsewhere. No single word gives it
away, as it does where one is edited.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from models.construct import documents, summaries
from models.construct.documents import text_of
from models.construct.edits import ENTAILMENT, NEUTRAL, NOT_ENTAILMENT
from models.construct.makers import MAKERS
from models.construct.shop import Shop
from models.pairs import Pair

RETOLD = "retold"
CLAIM_WORDS = (5, 45)
# Less than this of a claim's terms in its best places: the text may not state it.
LEAST_COVERAGE = 0.45
# Of the claims of other texts, the one most like this text is put to it, if it isn't the same.
STRANGERS = 40
MOST_ALIKE = 0.7
SWAPS = ("roles", "entity")


def retellings(
    shop: Shop, claim: str, names: tuple[str, ...], strangers: Sequence[str]
) -> Iterator[Pair]:
    """Make pairs of one claim of a summary; ``strangers`` are claims about other texts."""
    for pair in _made(shop, claim, names, strangers):
        kind = pair.kind.removeprefix("summary_")
        named = kind if kind.startswith(RETOLD) else f"{RETOLD}_{kind}"
        yield replace(pair, kind=named)


def _made(
    shop: Shop, claim: str, names: tuple[str, ...], strangers: Sequence[str]
) -> Iterator[Pair]:
    document, draw = shop.document, shop.draw
    if not CLAIM_WORDS[0] <= len(claim.split()) <= CLAIM_WORDS[1]:
        return
    lines = documents.joined(document, claim, draw, places=4)
    if lines is None or documents.coverage(document, lines, claim) < LEAST_COVERAGE:
        return
    premise = text_of(document, lines)
    yield shop.pair(premise, claim, ENTAILMENT, RETOLD)
    yield from summaries.elsewhere(shop, claim)
    yield from _swapped(shop, claim, premise, names)
    yield from summaries.strange(shop, claim, lines)
    yield from _stranger(shop, strangers)


def _swapped(shop: Shop, claim: str, premise: str, names: tuple[str, ...]) -> Iterator[Pair]:
    """Let somebody else of the text do it: another speaker, another name, or both swapped."""
    if len(names) > 1:
        yield from summaries.told_by(shop, claim, names)
        return
    for kind in SWAPS:
        edit = MAKERS[kind](claim, shop.texts, shop.draw)
        if edit and (wrong := edit.apply(claim)):
            yield shop.pair(premise, wrong, NOT_ENTAILMENT, f"{RETOLD}_swapped")
            return


def _stranger(shop: Shop, strangers: Sequence[str]) -> Iterator[Pair]:
    """Put the claim about another text that is most like this one to its best place here."""
    document, draw = shop.document, shop.draw
    whole = range(len(document.lines))
    shares = [
        (documents.coverage(document, whole, other), other)
        for other in draw.sample(strangers, min(STRANGERS, len(strangers)))
        if CLAIM_WORDS[0] <= len(other.split()) <= CLAIM_WORDS[1]
    ]
    fitting = [(share, other) for share, other in shares if share <= MOST_ALIKE]
    if not fitting:
        return
    claim = max(fitting)[1]
    if lines := documents.joined(document, claim, draw, places=4):
        yield shop.pair(text_of(document, lines), claim, NEUTRAL, f"{RETOLD}_stranger")
