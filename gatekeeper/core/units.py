"""The words of layout: slices of a text and the units a text is made of."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Slice(NamedTuple):
    """A slice of the text and what stands there."""

    start: int
    end: int
    text: str


class Form(StrEnum):
    """What a sentence is in the layout of its text."""

    PROSE = "prose"
    QUESTION = "question"
    HEADING = "heading"
    LEAD_IN = "lead_in"
    LIST_ITEM = "list_item"
    TABLE_HEADER = "table_header"
    TABLE_ROW = "table_row"
    CODE = "code"
    RECORD = "record"  # a key of JSON with its value
    LAYOUT = "layout"  # rules, table rulers, fences


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A slice of the text with its place in the layout; ``text`` is the slice, blanks included.

    ``carried`` is what an item is read with, outermost first: headings, then lead-ins. ``cells``
    and ``header`` are those of a table row. ``label`` is the speaker or label that began the
    paragraph ("Anna" in "Anna: ..."), ``heading`` the nearest heading. ``fresh`` units are the
    first under a heading: no pronoun reaches back from there.
    """

    start: int
    text: str
    form: Form
    carried: tuple[Slice, ...] = ()
    cells: tuple[Slice, ...] = ()
    header: tuple[Slice, ...] = ()
    heading: Slice | None = None
    label: Slice | None = None
    fresh: bool = False

    @property
    def end(self) -> int:
        """Offset behind the slice."""
        return self.start + len(self.text)

    @property
    def slice(self) -> Slice:
        """The unit as something others are read with."""
        return Slice(self.start, self.end, self.text)
