"""The evidence with its values and terms computed once, and how close a sentence is to a claim."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Generator, Sequence

from gatekeeper.core.terms import WORD, terms
from gatekeeper.core.values.extract import extract
from gatekeeper.core.values.frames import SLOT, frame
from gatekeeper.core.values.literals import fold, spoken
from gatekeeper.core.values.match import keys
from gatekeeper.core.values.model import Fact, FactIndex, Key, Kind, Value

_LABEL = re.compile(r"[^\W\d_][\w ]{0,40}: ")
_ITEMS_A_STEP = 256  # sentences and values indexed between two pauses
_ANAPHORS = frozenset("it they this these that those he she its their his her them there".split())


def find_words(words: str, index: FactIndex) -> int | None:
    """Return the sentence in which words begin that stand in the evidence, None if they do not.

    The words are as ``spoken`` gives them; they may run on into the next sentence.
    """
    place = index.words.find(f" {words} ") if words else -1
    return bisect_right(index.word_starts, place + 1) - 1 if place >= 0 else None


def find_digits(digits: str, index: FactIndex) -> int | None:
    """Return the sentence in which a number in digits stands, letters beside it or not."""
    found = re.search(rf"(?<![0-9]){digits}(?![0-9])", index.folded)
    return None if found is None else bisect_right(index.folded_starts, found.start()) - 1


def find_glued(digits: str, index: FactIndex) -> int | None:
    """Return the sentence in which a number in digits ends a word."""
    found = re.search(rf"(?<=[^\W\d_]){digits}(?!\w)", index.lowered)
    return None if found is None else bisect_right(index.lowered_starts, found.start()) - 1


def index(sentences: Sequence[str]) -> FactIndex:
    """Compute the values and terms of evidence sentences, for any number of comparisons."""
    steps = index_steps(tuple(read_fact(text) for text in sentences))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: FactIndex = end.value
            return found


def index_steps(facts: tuple[Fact, ...]) -> Generator[None, None, FactIndex]:
    """Index facts that were read one by one, pausing after each few of them."""
    by_term: defaultdict[str, list[int]] = defaultdict(list)
    by_key: defaultdict[Key, list[int]] = defaultdict(list)
    slots: list[tuple[int, Value]] = []
    done = 0
    for position, fact in enumerate(facts):
        for term in fact.terms:
            by_term[term].append(position)
        for key in {key for value in fact.values for key in keys(value)}:
            by_key[key].append(position)
        slots += ((position, slot) for slot in fact.slots)
        done += 1 + len(fact.values)
        if done >= _ITEMS_A_STEP:
            done = 0
            yield
    yield
    words, word_starts = _joined([fact.words for fact in facts], " ")
    yield
    folded, folded_starts = _joined([fact.folded for fact in facts], "\n")
    yield
    lowered, lowered_starts = _joined([fact.text.lower() for fact in facts], "\n")
    yield
    frames, _ = _joined([fact.frame for fact in facts], " ")
    yield
    slot_places = [found.start() for found in re.finditer(SLOT, frames)]
    yield
    return FactIndex(
        facts=facts,
        by_term=dict(by_term),
        by_key=dict(by_key),
        words=words,
        word_starts=word_starts,
        folded=folded,
        folded_starts=folded_starts,
        lowered=lowered,
        lowered_starts=lowered_starts,
        frames=frames,
        slots=slots,
        slot_places=slot_places,
        runs=_runs(facts),
        value_count=sum(len(fact.values) for fact in facts),
    )


def _runs(facts: Sequence[Fact]) -> dict[int, tuple[int, int]]:
    """Find lists: sentences that go on with what the one before them says, or share a label.

    An item is read with its lead-in, a row of a table with the label of its first cell.
    """
    found: dict[int, tuple[int, int]] = {}
    at = 0
    while at < len(facts):
        lead, label = facts[at].words + " ", _LABEL.match(facts[at].text)
        begin = end = at + 1
        while end < len(facts) and lead != " " and facts[end].words.startswith(lead):
            end += 1
        if end == begin and label is not None:
            begin = at
            while end < len(facts) and facts[end].text.startswith(label[0]):
                end += 1
        if end - begin > 1:
            found.update((position, (begin, end)) for position in range(at, end))
        at = end
    return found


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


def blanked_terms(text: str, values: Sequence[Value]) -> frozenset[str]:
    """Return the terms of a text outside its values; quotations and weak values stay in."""
    pieces, end = [], 0
    for value in values:
        if value.kind is not Kind.QUOTE and not value.weak and value.start >= end:
            pieces.append(text[end : value.start])
            end = value.end
    pieces.append(text[end:])
    return frozenset(terms(" ".join(pieces)))
