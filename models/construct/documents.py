"""A document as the gate reads it, and windows of it as the gate would put them to the model."""

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from gatekeeper.core.evidence import (
    EvidenceIndex,
    Line,
    build_index,
    join_lines,
    joint_premise,
    rank,
)
from gatekeeper.core.segment import Form, segments
from gatekeeper.core.terms import terms
from gatekeeper.verdict import Evidence, Passage, SegmentKind

# A window is cut where it would not fit the model's usual lengths.
PREMISE_CHARS = 700
CLAIM_WORDS = (5, 34)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text and its sentences with their terms."""

    source: str
    group: str
    index: EvidenceIndex

    @property
    def lines(self) -> tuple[Line, ...]:
        """Return the sentences in order."""
        return self.index.lines


def read_document(source: str, group: str, context: str) -> Document:
    """Segment a context."""
    evidence = Evidence(passages=(Passage(id="a", text=context),))
    return Document(source=source, group=group, index=_finish(build_index(evidence)))


def claims(summary: str) -> tuple[str, ...]:
    """Return what the gate would ask of a summary, claim by claim."""
    return tuple(
        segment.hypothesis for segment in segments(summary) if segment.kind is SegmentKind.CLAIM
    )


def _finish(steps: Generator[None, None, EvidenceIndex]) -> EvidenceIndex:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: EvidenceIndex = end.value
            return found


def usable(document: Document) -> list[int]:
    """Return the lines that state something of a claim's size."""
    least, most = CLAIM_WORDS
    return [
        number
        for number, line in enumerate(document.lines)
        if line.sentence.form in (Form.PROSE, Form.LIST_ITEM)
        and least <= len(line.sentence.text.split()) <= most
        and line.terms
        and not set("|*#_{}=") & set(line.sentence.text)
        and line.sentence.text[0].isupper()
    ]


def window_around(
    document: Document, number: int, draw: random.Random, *, without: bool = False
) -> tuple[int, ...]:
    """Return one to four neighbouring lines round one of them, or these less that one."""
    lines = document.lines
    size = draw.choices((1, 2, 3, 4), weights=(30, 40, 20, 10))[0] + without
    first = max(0, number - draw.randrange(size))
    chosen = list(range(first, min(len(lines), first + size)))
    while len(chosen) > 1 and _chars(document, chosen) > PREMISE_CHARS:
        chosen.remove(chosen[-1] if chosen[-1] != number else chosen[0])
    return tuple(n for n in chosen if not (without and n == number))


def text_of(document: Document, numbers: Sequence[int]) -> str:
    """Join lines to a premise as the gate does."""
    return join_lines(numbers, document.index).text


def ranked(
    document: Document, claim: str, draw: random.Random, *, most: int = 4
) -> list[tuple[int, ...]]:
    """Return the gate's windows for a claim, best first; windows of up to two or three lines."""
    found = rank(claim, document.index, longest=draw.choice((2, 2, 3)), most=most)
    return [premise.lines for premise in found.premises if _fits(document, premise.lines)]


def joined(
    document: Document, claim: str, draw: random.Random, *, places: int = 3
) -> tuple[int, ...] | None:
    """Return the lines of the gate's joint premise; the best window if nothing adds to it."""
    found = rank(claim, document.index, longest=2, most=10)
    if not found.premises:
        return None
    joint = joint_premise(found, document.index, places=draw.choice((2, places)))
    lines = joint.lines if joint else found.premises[0].lines
    return lines if _fits(document, lines) else None


def coverage(document: Document, numbers: Sequence[int], claim: str) -> float:
    """Return the share of a claim's terms that some lines hold."""
    wanted = set(terms(claim))
    held = set().union(*(document.lines[n].terms for n in numbers))
    return len(wanted & held) / len(wanted) if wanted else 0.0


def _chars(document: Document, numbers: Sequence[int]) -> int:
    return sum(len(document.lines[n].sentence.text) for n in numbers)


def _fits(document: Document, numbers: Sequence[int]) -> bool:
    return _chars(document, numbers) <= PREMISE_CHARS
