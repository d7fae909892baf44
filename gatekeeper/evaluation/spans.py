"""Spans of an answer set beside each other: what a person marked, what the segmenter cut out."""

from collections.abc import Sequence
from typing import Protocol


class Span(Protocol):
    """Offsets into the answer, in code points."""

    @property
    def start(self) -> int:
        """First character."""
        ...

    @property
    def end(self) -> int:
        """Behind the last character."""
        ...


def letters(answer: str, start: int, end: int) -> int:
    """Count what is no blank: slices take the blanks round a sentence along, marks don't."""
    return sum(not character.isspace() for character in answer[start:end])


def overlap(one: Span, other: Span, answer: str) -> int:
    """Count the characters, blanks apart, that two spans share."""
    return letters(answer, max(one.start, other.start), min(one.end, other.end))


def match(one: Span, other: Span, answer: str) -> bool:
    """Tell whether two spans are about one thing: they share half of the shorter one."""
    shorter = min(letters(answer, one.start, one.end), letters(answer, other.start, other.end))
    return 0 < shorter <= 2 * overlap(one, other, answer)


def is_covered(mark: Span, spans: Sequence[Span], answer: str) -> bool:
    """Tell whether spans that don't overlap cover at least half of a mark between them."""
    covered = sum(overlap(mark, span, answer) for span in spans)
    return 2 * covered >= letters(answer, mark.start, mark.end)
