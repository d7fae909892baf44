"""Pairs of a summary's claims: with what they rest on, edited, lengthened, put elsewhere."""

import re
from collections.abc import Iterator

from models.construct import documents
from models.construct.documents import text_of
from models.construct.edits import ENTAILMENT, NEUTRAL, NOT_ENTAILMENT
from models.construct.makers import MAKERS, NAME
from models.construct.shop import Shop, exchanged
from models.construct.speech import retold
from models.pairs import Pair

# How much of what a summary says its premise must hold for the pair to count as true.
LEAST_COVERAGE = 0.55
# A window that holds less than this of a claim can't be what it rests on.
MOST_ELSEWHERE = 0.4
CLAIM_WORDS = (5, 45)
# Edits that almost every claim allows come last.
_COMMON = frozenset(("negation", "opposite", "entity"))


def summarised(shop: Shop, claim: str) -> Iterator[Pair]:
    """Put a summary's claim to the places it rests on, and with an edit to the same."""
    document, draw = shop.document, shop.draw
    lines = documents.joined(document, claim, draw, places=4)
    if lines is None or not CLAIM_WORDS[0] <= len(claim.split()) <= CLAIM_WORDS[1]:
        return
    covered = documents.coverage(document, lines, claim)
    premise = text_of(document, lines)
    whole = tuple(range(len(document.lines)))
    text = text_of(document, whole)
    if len(text) <= documents.PREMISE_CHARS and draw.random() < 0.5:
        lines, premise = whole, text
        covered = documents.coverage(document, whole, claim)
    if covered >= LEAST_COVERAGE:
        yield shop.pair(premise, claim, ENTAILMENT, "summary")
    yield from _wrong(shop, claim, premise, covered)
    yield from strange(shop, claim, lines)


def _wrong(shop: Shop, claim: str, premise: str, covered: float) -> Iterator[Pair]:
    """Edit a summary's claim, or the premise it rests on, or both alike."""
    document, draw = shop.document, shop.draw
    kinds = list(MAKERS)
    draw.shuffle(kinds)
    for kind in sorted(kinds, key=lambda kind: kind in _COMMON):
        edit = MAKERS[kind](claim, shop.texts, draw)
        if edit is None or (wrong := edit.apply(claim)) is None:
            continue
        if edit.kind == "entity" and covered < 0.3:
            continue
        other = edit.apply(premise)
        if other is not None and edit.backward == edit.forward and draw.random() < 0.6:
            yield shop.pair(other, claim, NOT_ENTAILMENT, f"summary_{kind}")
            if covered >= LEAST_COVERAGE:
                yield shop.pair(other, wrong, ENTAILMENT, f"summary_{kind}")
            return
        near = documents.joined(document, wrong, draw)
        if draw.random() < 0.4 and near:
            premise = text_of(document, near)
        yield shop.pair(premise, wrong, NOT_ENTAILMENT, f"summary_{kind}")
        return


def strange(shop: Shop, claim: str, lines: tuple[int, ...]) -> Iterator[Pair]:
    """Add to a summary's claim what its document doesn't say: another name, another detail."""
    draw = shop.draw
    if not shop.outside or draw.random() < 0.5:
        return
    part = draw.choice(shop.outside)
    if draw.random() < 0.5:
        claim = claim.rstrip(". ") + part
    else:
        names = [found.group() for found in NAME.finditer(claim)]
        fresh = [found.group() for found in NAME.finditer(part)]
        if not names or not fresh:
            return
        claim = claim.replace(draw.choice(names), draw.choice(fresh))
    yield shop.pair(text_of(shop.document, lines), claim, NOT_ENTAILMENT, "summary_invented")


def elsewhere(shop: Shop, claim: str) -> Iterator[Pair]:
    """Put a summary's claim to the best of the windows that it doesn't rest on."""
    document, draw = shop.document, shop.draw
    best = documents.joined(document, claim, draw)
    for lines in documents.ranked(document, claim, draw, most=8)[1:]:
        if best is None or set(lines) & set(best):
            continue
        if documents.coverage(document, lines, claim) < MOST_ELSEWHERE:
            yield shop.pair(text_of(document, lines), claim, NEUTRAL, "elsewhere")
            return


def spoken(shop: Shop, number: int, names: tuple[str, ...]) -> Iterator[Pair]:
    """Retell a turn of a chat in the third person: by who spoke, by another one, edited."""
    draw = shop.draw
    told = retold(shop.texts[number], names)
    if told is None:
        return
    name, claim = told
    premise = shop.window(number)
    others = [n for n in names if n != name and n in premise] or [n for n in names if n != name]
    yield shop.pair(premise, claim, ENTAILMENT, "speaker")
    if others:
        swapped = exchanged(claim, name, draw.choice(others))
        yield shop.pair(premise, swapped, NOT_ENTAILMENT, "speaker")
    kind = draw.choice(("number", "opposite", "negation", "member"))
    if (edit := MAKERS[kind](claim, shop.texts, draw)) and (wrong := edit.apply(claim)):
        yield shop.pair(premise, wrong, edit.forward, "speaker")


def told_by(shop: Shop, claim: str, names: tuple[str, ...]) -> Iterator[Pair]:
    """Let two speakers of a chat change places in a summary's claim."""
    held = [name for name in names if re.search(rf"\b{re.escape(name)}\b", claim)]
    if not held or len(names) < 2:
        return
    one = shop.draw.choice(held)
    wrong = exchanged(claim, one, shop.draw.choice([name for name in names if name != one]))
    lines = documents.joined(shop.document, wrong, shop.draw, places=4)
    if lines and f"{one}: " in text_of(shop.document, lines):
        yield shop.pair(text_of(shop.document, lines), wrong, NOT_ENTAILMENT, "summary_speaker")
