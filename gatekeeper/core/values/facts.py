"""The evidence with its values and terms computed once, and how close a sentence is to a claim."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from gatekeeper.core.terms import WORD, terms
from gatekeeper.core.values.extract import extract
from gatekeeper.core.values.frames import SLOT, frame
from gatekeeper.core.values.literals import fold, spoken
from gatekeeper.core.values.match import keys
from gatekeeper.core.values.model import Fact, FactIndex, Key, Kind, Value

T = TypeVar("T", bound=Key)

_ANAPHORS = frozenset("it they this these that those he she its their his her them there".split())


def find_words(words: str, index: FactIndex) -> int | None:
    """Return the sentence in which words begin that stand in the evidence, None if they do not.

    The words are as ``spoken`` gives them; they may run on into the next sentence.
    """
    place = index.words.find(f" {words} ") if words else -1
    return bisect_right(index.word_starts, place + 1) - 1 if place >= 0 else None


def index(sentences: Sequence[str]) -> FactIndex:
    """Compute the values and terms of evidence sentences, for any number of comparisons."""
    return index_facts(tuple(read_fact(text) for text in sentences))


def index_facts(facts: tuple[Fact, ...]) -> FactIndex:
    """Index facts that were read one by one."""
    words, word_starts = _joined([fact.words for fact in facts], " ")
    folded, folded_starts = _joined([fact.folded for fact in facts], "\n")
    lowered, lowered_starts = _joined([fact.text.lower() for fact in facts], "\n")
    frames, _ = _joined([fact.frame for fact in facts], " ")
    return FactIndex(
        facts=facts,
        by_term=_positions(fact.terms for fact in facts),
        by_key=_positions({key for value in f.values for key in keys(value)} for f in facts),
        words=words,
        word_starts=word_starts,
        folded=folded,
        folded_starts=folded_starts,
        lowered=lowered,
        lowered_starts=lowered_starts,
        frames=frames,
        slots=tuple((position, slot) for position, f in enumerate(facts) for slot in f.slots),
        slot_places=tuple(found.start() for found in re.finditer(SLOT, frames)),
        value_count=sum(len(fact.values) for fact in facts),
    )


def _joined(texts: Sequence[str], mark: str) -> tuple[str, tuple[int, ...]]:
    """Join texts with a mark before, between and after them; return where each begins as well."""
    starts, length = [], len(mark)
    for text in texts:
        starts.append(length)
        length += len(text) + len(mark)
    return mark + mark.join(texts) + mark, tuple(starts)


def read_fact(text: str) -> Fact:
    """Read the values and terms of one evidence sentence."""
    values = extract(text)
    framed = frame(text, values)
    return Fact(
        text=text,
        values=values,
        terms=blanked_terms(text, values),
        words=spoken(text),
        folded=fold(text),
        refers_back=not _ANAPHORS.isdisjoint(WORD.findall(text.lower())),
        frame=framed.words,
        slots=framed.slots,
    )


def _positions(groups: Iterable[Collection[T]]) -> dict[T, tuple[int, ...]]:
    found: dict[T, list[int]] = defaultdict(list)
    for position, group in enumerate(groups):
        for item in group:
            found[item].append(position)
    return {item: tuple(positions) for item, positions in found.items()}


def blanked_terms(text: str, values: Sequence[Value]) -> frozenset[str]:
    """Return the terms of a text outside its values; quotations and weak values stay in."""
    pieces, end = [], 0
    for value in values:
        if value.kind is not Kind.QUOTE and not value.weak and value.start >= end:
            pieces.append(text[end : value.start])
            end = value.end
    pieces.append(text[end:])
    return frozenset(terms(" ".join(pieces)))
