"""Pairs of one line of a text: edited, shortened, lengthened, copied, or put where it isn't."""

import re
from collections.abc import Iterator

from models.construct import documents
from models.construct.documents import text_of
from models.construct.edits import ENTAILMENT, NEUTRAL, NOT_ENTAILMENT
from models.construct.makers import MAKERS
from models.construct.reductions import finished, reduced, reductions
from models.construct.shop import Shop
from models.pairs import Pair

_SPEAKER = re.compile(r"\A[A-Z][\w ]{0,20}: ")
# Below this share of a claim's terms a window doesn't state it.
LEAST_LIKE = 0.7


def edited(shop: Shop, number: int, kind: str) -> Iterator[Pair]:
    """Make a true and a false pair of one line and one edit, each in one of two directions."""
    draw = shop.draw
    claim = _SPEAKER.sub("", shop.texts[number])
    edit = MAKERS[kind](claim, shop.texts, draw)
    if edit is None:
        return
    if draw.random() < 0.5 and (short := reduced(claim, draw)) and edit.apply(short.text):
        claim = short.text
    changed = edit.apply(claim)
    premise = shop.window(number)
    other = edit.apply(premise)
    if changed is None or changed == claim:
        return
    if other is not None and edit.backward is not None and draw.random() < 0.5:
        yield shop.pair(other, claim, edit.backward, kind)
        yield shop.pair(other, changed, ENTAILMENT, kind)
        return
    yield shop.pair(premise, changed, edit.forward, kind)
    if draw.random() < 0.5:
        yield shop.pair(premise, claim, ENTAILMENT, kind)
    elif other is not None:
        yield shop.pair(other, changed, ENTAILMENT, kind)


def detailed(shop: Shop, number: int) -> Iterator[Pair]:
    """Leave a detail out of the claim (true), or out of the premise (not in evidence)."""
    sentence = shop.texts[number]
    short = reduced(sentence, shop.draw)
    if short is None:
        return
    yield shop.pair(shop.window(number), short.text, ENTAILMENT, short.kind)
    bare = shop.window(number).replace(sentence, finished(short.text))
    if short.kind != "said" and sentence not in bare and len(set(short.part.split())) > 1:
        label = NEUTRAL if short.kind in ("detail", "apposition") else NOT_ENTAILMENT
        yield shop.pair(bare, sentence, label, short.kind)


def invented(shop: Shop, number: int) -> Iterator[Pair]:
    """Hang a detail of another place on a line: in the claim only, or in the premise too."""
    draw = shop.draw
    sentence = shop.texts[number].rstrip(". ")
    pool = [
        reduction.part
        for text in draw.sample(shop.texts, min(12, len(shop.texts)))
        if text != shop.texts[number]
        for reduction in reductions(text)
        if reduction.kind == "detail"
    ] or list(shop.outside)
    if not pool or sentence.endswith(('"', ")", "?", "!", ":")):
        return
    part = draw.choice(pool)
    premise = shop.window(number)
    if part.strip(" ,") in premise:
        return
    claim = f"{sentence}{part}"
    if draw.random() < 0.6:
        yield shop.pair(premise, claim, NEUTRAL, "invented")
    else:
        yield shop.pair(premise.replace(sentence, claim), claim, ENTAILMENT, "invented")


def missing(shop: Shop, number: int) -> Iterator[Pair]:
    """Put a line to its neighbours, or to a window like it, without itself."""
    document, draw = shop.document, shop.draw
    claim = document.lines[number].sentence.resolved
    short = reduced(claim, draw)
    claim = short.text if short and draw.random() < 0.5 else claim
    windows = [w for w in documents.ranked(document, claim, draw, most=6) if number not in w]
    if windows and draw.random() < 0.7:
        lines: tuple[int, ...] = draw.choice(windows[:3])
    else:
        lines = documents.window_around(document, number, draw, without=True)
    if lines and documents.coverage(document, lines, claim) < LEAST_LIKE:
        yield shop.pair(text_of(document, lines), claim, NEUTRAL, "missing")


def copied(shop: Shop, number: int) -> Iterator[Pair]:
    """Put a line, its pronoun resolved, to a window that holds it."""
    claim = shop.document.lines[number].sentence.resolved
    yield shop.pair(shop.window(number), claim, ENTAILMENT, "copied")
