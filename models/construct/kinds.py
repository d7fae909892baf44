"""Which kinds of pairs are made of a text, and how many of each."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.construct import documents, joins, lines, speech, summaries
from models.construct.reductions import reductions
from models.construct.retellings import retellings
from models.construct.shop import Shop
from models.pairs import Pair

# Lines of a text that pairs are made of, edits on each of them, claims of each summary.
LINES = 5
EDITS = 2
CLAIMS = 3
# A rare edit goes first: almost every line has a word with an opposite or an auxiliary to negate.
RARE_FIRST = (
    "roles", "limit", "hedge", "only", "number", "member", "entity", "opposite", "negation",
)  # fmt: skip
# How often each is tried on a line.
ONE_LINE = (
    (0.5, lines.detailed),
    (0.25, lines.invented),
    (0.4, lines.missing),
    (0.15, lines.copied),
)
TWO_LINES = 0.3
NEAR = 3  # lines apart that two facts may stand


def all_pairs(
    source: str,
    group: str,
    context: str,
    written: Sequence[str],
    draw: random.Random,
    outside: tuple[str, ...],
) -> tuple[list[Pair], list[str]]:
    """Return the pairs made of one text, and details of it to hang on claims of other texts.

    ``written`` are summaries of the text by people.
    """
    if "\nAgent: " in context:
        context = speech.without_handles(context)
    if written:
        context, written = with_names(context, written, draw)
    document = documents.read_document(source, group, context)
    shop = Shop(document=document, draw=draw, outside=outside)
    made = list(_of_lines(shop))
    names = speech.speakers(context)
    if len(names) > 1:
        for number in range(len(document.lines)):
            made.extend(summaries.spoken(shop, number, names))
    for summary in written:
        made.extend(_of_summary(shop, summary, names))
    return made, _details(document, draw)


@dataclass(frozen=True, slots=True, kw_only=True)
class Others:
    """What other texts hold: details, and claims of their summaries."""

    details: tuple[str, ...]
    claims: tuple[str, ...]


def retold_pairs(
    source: str,
    group: str,
    context: str,
    written: Sequence[str],
    draw: random.Random,
    others: Others,
) -> tuple[list[Pair], list[str], list[str]]:
    """Return the pairs made of the summaries of a text, and its details and claims for others."""
    if "\nAgent: " in context:
        context = speech.without_handles(context)
    context, written = with_names(context, written, draw)
    document = documents.read_document(source, group, context)
    shop = Shop(document=document, draw=draw, outside=others.details)
    names = speech.speakers(context)
    claims = [claim for text in written for claim in documents.claims(text)]
    made = [pair for claim in claims for pair in retellings(shop, claim, names, others.claims)]
    return made, _details(document, draw), claims


def _details(document: documents.Document, draw: random.Random) -> list[str]:
    found = [
        reduction.part
        for line in document.lines
        for reduction in reductions(line.sentence.text)
        if reduction.kind == "detail"
    ]
    return draw.sample(found, min(3, len(found)))


def with_names(
    context: str, written: Sequence[str], draw: random.Random
) -> tuple[str, Sequence[str]]:
    """Give the speakers of a chat first names half of the time, the same in its summaries."""
    names = speech.speakers(context)
    if not 2 <= len(names) <= 5 or draw.random() < 0.4:
        return context, written
    new = tuple(draw.sample(speech.FIRST_NAMES, len(names)))
    first, *rest = speech.renamed([context, *written], names, new)
    return first, rest


def _of_lines(shop: Shop) -> Iterator[Pair]:
    numbers = documents.usable(shop.document)
    for number in shop.draw.sample(numbers, min(LINES, len(numbers))):
        yield from _edits(shop, number)
        for chance, make in ONE_LINE:
            if shop.draw.random() < chance:
                yield from make(shop, number)
        yield from _joins(shop, number, [other for other in numbers if other != number])


def _edits(shop: Shop, number: int) -> Iterator[Pair]:
    """Make the first two edits that a line allows, rare ones likelier to be tried early."""
    done = 0
    for kind in sorted(
        RARE_FIRST, key=lambda kind: RARE_FIRST.index(kind) + 5 * shop.draw.random()
    ):
        made = list(lines.edited(shop, number, kind))
        yield from made
        done += bool(made)
        if done == EDITS:
            break


def _joins(shop: Shop, number: int, others: Sequence[int]) -> Iterator[Pair]:
    if others and shop.draw.random() < TWO_LINES:
        near = [other for other in others if abs(other - number) <= NEAR] or others
        yield from joins.two_facts(shop, number, shop.draw.choice(near))
    for other in shop.draw.sample(others, min(4, len(others))):
        if made := list(joins.mixed(shop, number, other)):
            yield from made
            break


def _of_summary(shop: Shop, summary: str, names: tuple[str, ...]) -> Iterator[Pair]:
    for claim in documents.claims(summary)[:CLAIMS]:
        yield from summaries.summarised(shop, claim)
        if shop.draw.random() < 0.4:
            yield from summaries.elsewhere(shop, claim)
        if len(names) > 1:
            yield from summaries.told_by(shop, claim, names)
