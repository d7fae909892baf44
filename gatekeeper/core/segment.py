"""Segmentation as a fold (first version: sentences only)."""

import re
from dataclasses import dataclass, field
from enum import StrEnum

from gatekeeper.core.text import normalise
from gatekeeper.verdict import Segment, SegmentKind


class Form(StrEnum):
    """What a sentence is in the layout of its text."""

    PROSE = "prose"
    QUESTION = "question"
    HEADING = "heading"
    LEAD_IN = "lead_in"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CODE = "code"
    RECORD = "record"
    LAYOUT = "layout"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of a passage.

    ``text`` is normalised and carries lead-in, table header and speaker; ``resolved`` is the
    same with a pronoun at its start replaced by the subject before, and equals ``text`` where
    there is none. ``heading`` is the normalised heading it stands under, "" if none.
    """

    start: int
    end: int
    text: str
    resolved: str
    form: Form = Form.PROSE
    heading: str = ""


_END = re.compile(r"[.!?][\"')\]*_]*\s+(?=\S)|\n\s*\n?")


def sentences(text: str) -> tuple[Sentence, ...]:
    """Split a passage into sentences."""
    out, start = [], 0
    cuts = [m.end() for m in _END.finditer(text)] + [len(text)]
    for cut in cuts:
        plain = normalise(text[start:cut]).text
        if cut > start and plain:
            out.append(Sentence(start=start, end=cut, text=plain, resolved=plain))
            start = cut
    return tuple(out)


@dataclass(slots=True)
class Segmenter:
    """Fold an answer into segments."""

    boilerplate: tuple[str, ...] = ()
    _pieces: list[str] = field(default_factory=list)

    def feed(self, text: str) -> list[Segment]:
        """Take a piece; return the segments it completes."""
        self._pieces.append(text)
        return []

    def finish(self) -> list[Segment]:
        """Return the segments that are left."""
        text, start, out = "".join(self._pieces), 0, []
        for one in sentences(text):
            end = one.end
            out.append(Segment(start=start, end=end, kind=SegmentKind.CLAIM, plain=one.text,
                               hypothesis=one.text))  # fmt: skip
            start = end
        if start < len(text):
            out.append(Segment(start=start, end=len(text), kind=SegmentKind.LAYOUT))
        return out


def segments(text: str, boilerplate: tuple[str, ...] = ()) -> tuple[Segment, ...]:
    """Segment a whole answer."""
    fold = Segmenter(boilerplate)
    return (*fold.feed(text), *fold.finish())
