"""Layout, as a fold: parts of lines become units, each with the heading and lead-in above it.

A unit is a sentence, a heading, a list item, a table row or a line of code.

Rules. A line break inside a paragraph is a blank, two end the paragraph. A list item, heading,
fence or table row begins with its line. A row of dashes under a row with bars makes that row a
header. A line all in bold without a stop is a heading. A sentence that ends in a colon before a
list, table or code is its lead-in; so is an item before deeper items. No Markdown parser: an
answer is cut anywhere and is often not valid, and its slices must join again.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gatekeeper.core.boundaries import Part
from gatekeeper.core.markup import INFO
from gatekeeper.core.predicates import turns
from gatekeeper.core.units import Form, Slice, Unit

_MARKER = re.compile(
    r"(?:[-*+\u2022\u2023\u25e6\u2013\u2014]|\(?\d{1,3}[.)]|[a-z]\))(?:[ \t]+|\Z)"
    r"(?:\[[ xX]\][ \t]+)?"
)
_QUOTE_MARKS = re.compile(r"(?:>[ \t]?)+")
# An inline span may begin with three backticks as well, and ends on its line.
_FENCE = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_BARE_FENCE = re.compile(rf"(?:`{{3,}}|~{{3,}})[ \t]*{INFO}[ \t]*\Z")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]|\Z)")
_BOLD_LINE = re.compile(r"(\*\*|__)[^*_\n]{0,99}[^*_\n.!?]\1:?\Z")
_RULE = re.compile(r"(?:-[ \t]*){3,}\Z|(?:\*[ \t]*){3,}\Z|(?:_[ \t]*){3,}\Z|=+\Z")
_RULER = re.compile(r"[:| \t]*-[-:| \t]*\Z")
_LABEL = re.compile(r"[^\W\d_a-z][\w.'-]{0,30}(?: [\w.'()-]{1,30}){0,3}:(?=\s)")
_MAX_COLUMNS = 64  # cells of a row read together; a wider row is read in several pieces
_STRUCTURAL = ("#", "|", "```", "~~~", "**", "__", "---", "===", "- - ", "* * ", "_ _ ")


@dataclass(slots=True)
class _Open:
    """The unit being read."""

    form: Form
    indent: int
    pieces: list[Part]
    carried: tuple[Slice, ...] = ()
    label: Slice | None = None
    fresh: bool = False

    def ends_with_colon(self) -> bool:
        return self.pieces[-1].text.rstrip("*_").endswith(":")

    def is_bold(self) -> bool:
        """True for an item that is all bold on one line: a name for what follows."""
        text = self.pieces[0].text
        marker = _MARKER.match(text)
        return len(self.pieces) == 1 and bool(marker and _BOLD_LINE.match(text[marker.end() :]))

    def ends_with_stop(self) -> bool:
        return self.pieces[-1].text.rstrip("*_\"')").endswith((".", "!", "?"))


@dataclass(slots=True)
class Blocks:
    """The fold: ``feed`` a part, get the units that are complete; ``finish`` once."""

    _line: list[Part] = field(default_factory=list)
    _held: list[Part] = field(default_factory=list)  # a line that may be the header of a table
    _open: _Open | None = None
    _fence: str = ""  # the marks that opened the code at hand
    _header: tuple[Slice, ...] | None = None
    _headings: list[tuple[int, Slice, bool]] = field(default_factory=list)  # level, it, turns
    _leads: list[tuple[int, Slice]] = field(default_factory=list)  # (column of its items, lead-in)
    _turn: Slice | None = None  # a line before that turns what is listed or said below it
    _listed: bool = False  # items were read since the last line of prose
    _label: Slice | None = None
    _fresh: bool = True

    def feed(self, part: Part) -> Iterator[Unit]:
        """Take the next part; yield the units it completes."""
        if self._line or (part.first and self._is_structural(part.text)):
            self._line.append(part)
            if part.breaks:
                yield from self._end_line()
        else:
            yield from self._prose(part)

    def finish(self) -> Iterator[Unit]:
        """Yield the units that are left."""
        if self._line:
            yield from self._end_line()
        yield from self._release_held(is_header=False)
        yield from self._close(None)

    def _is_structural(self, text: str) -> bool:
        """True if the line has to be seen whole before its form is known."""
        return bool(self._fence) or bool(self._held) or text.startswith(_STRUCTURAL) or "|" in text

    def _end_line(self) -> Iterator[Unit]:
        line, self._line = self._line, []
        text = _text(line).rstrip()
        if self._fence:
            yield self._code(line, text)
        elif self._held:
            is_header = "|" in text and bool(_RULER.match(text))
            yield from self._release_held(is_header=is_header)
            if is_header:
                yield Unit(start=line[0].start, text=_text(line), form=Form.LAYOUT)
                self._end_paragraph(line)
            else:
                yield from self._whole_line(line, text)
        else:
            yield from self._whole_line(line, text)

    def _whole_line(self, line: list[Part], text: str) -> Iterator[Unit]:
        if fence := _FENCE.match(text):
            yield from self._close(Form.CODE)
            self._fence, self._header = fence.group(), None
            form = Form.LAYOUT if _BARE_FENCE.match(text) else Form.PROSE
            yield Unit(start=line[0].start, text=_text(line), form=form, carried=self._turning())
        elif _RULE.match(text):
            yield from self._rule(line, text)
        elif _HEADING.match(text) or _BOLD_LINE.match(text):
            yield from self._heading(line, text)
        elif "|" in text:
            yield from self._row(line)
        else:
            yield from self._replay(line)

    def _code(self, line: list[Part], text: str) -> Unit:
        closing = text.startswith(self._fence) and not text.strip(self._fence[0])
        self._fence = "" if closing else self._fence
        form = Form.LAYOUT if closing else Form.CODE
        return Unit(start=line[0].start, text=_text(line), form=form, heading=self._nearest())

    def _rule(self, line: list[Part], text: str) -> Iterator[Unit]:
        """A rule, or the line under a heading of its own ("Title" over "=====")."""
        unit = self._open
        if unit and unit.form is Form.PROSE and len(unit.pieces) == 1 and text[0] in "=-":
            unit.form = Form.HEADING
            self._enter(2, Slice(unit.pieces[0].start, unit.pieces[0].end, _text(unit.pieces)))
        yield from self._close(None)
        yield Unit(start=line[0].start, text=_text(line), form=Form.LAYOUT)
        self._end_paragraph(line)

    def _heading(self, line: list[Part], text: str) -> Iterator[Unit]:
        yield from self._close(None)
        marks = _HEADING.match(text)
        unit = Unit(start=line[0].start, text=_text(line), form=Form.HEADING,
                    heading=self._nearest())  # fmt: skip
        yield unit
        self._enter(len(marks[1]) if marks else 7, unit.slice)
        self._end_paragraph(line)

    def _enter(self, level: int, heading: Slice) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, heading, turns(heading.text)))
        self._leads, self._header, self._turn, self._fresh = [], None, None, True

    def _nearest(self) -> Slice | None:
        return self._headings[-1][1] if self._headings else None

    def _turning(self) -> tuple[Slice, ...]:
        """Return what turns the prose and tables that stand here."""
        found = [heading for _, heading, turning in self._headings if turning]
        return (*found, self._turn) if self._turn else tuple(found)

    def _row(self, line: list[Part]) -> Iterator[Unit]:
        """A row of a table that has begun, or a line that may be its header."""
        if self._header is not None:
            yield from self._table_row(line, self._header)
            return
        self._held = line
        if line[-1].breaks != 1:
            yield from self._release_held(is_header=False)

    def _table_row(self, line: list[Part], header: tuple[Slice, ...]) -> Iterator[Unit]:
        text, cells, start, begin = _text(line), _cells(line), line[0].start, 0
        for first in range(0, max(1, len(cells)), _MAX_COLUMNS):
            last = first + _MAX_COLUMNS
            end = cells[last].start - start if last < len(cells) else len(text)
            yield Unit(start=start + begin, text=text[begin:end], form=Form.TABLE_ROW,
                       carried=self._turning(), cells=cells[first:last],
                       header=header[first:last], heading=self._nearest())  # fmt: skip
            begin = end
        self._end_paragraph(line)

    def _release_held(self, *, is_header: bool) -> Iterator[Unit]:
        line, self._held = self._held, []
        if not line:
            return
        if not is_header and not line[0].text.startswith("|"):
            yield from self._replay(line)
            return
        yield from self._close(Form.TABLE_ROW)
        if is_header:
            self._header = _cells(line)
            yield Unit(start=line[0].start, text=_text(line), form=Form.TABLE_HEADER,
                       heading=self._nearest())  # fmt: skip
        else:
            yield from self._table_row(line, ())

    def _replay(self, line: list[Part]) -> Iterator[Unit]:
        for part in line:
            yield from self._prose(part)

    def _prose(self, part: Part) -> Iterator[Unit]:
        if part.first:
            yield from self._begin_line(part)
        if self._open is None:
            self._begin(part, Form.PROSE)
        elif self._open.pieces[-1] is not part:
            self._open.pieces.append(part)
        if (part.closed or part.breaks > 1) and self._open and not self._open.ends_with_colon():
            yield from self._close(None)
        self._end_paragraph([part])

    def _begin_line(self, part: Part) -> Iterator[Unit]:
        """Close what the line does not go on with; begin an item where it has a marker."""
        self._header = None
        quote = _QUOTE_MARKS.match(part.text)
        text = part.text[quote.end() :] if quote else part.text
        marker = _MARKER.match(text)
        if marker and self._interrupts(marker.group()):
            yield from self._close(Form.LIST_ITEM, part.indent)
            while self._leads and self._leads[-1][0] > part.indent:
                self._leads.pop()
            self._begin(part, Form.LIST_ITEM)
            return
        if self._open is not None and not self._continues(part, text):
            yield from self._close(None)
        if self._open is None:
            self._leads = self._leads if part.indent else []
            label = _LABEL.match(text)
            if label:
                at = part.start + len(part.text) - len(text)
                self._label = Slice(at, at + label.end() - 1, label.group()[:-1])

    def _interrupts(self, marker: str) -> bool:
        """True unless a number begins a line only because the prose before it was wrapped."""
        unit, number = self._open, marker.strip(" \t().")
        wrapped = unit is not None and unit.form is Form.PROSE and not unit.ends_with_colon()
        return not (wrapped and number.isdigit() and number != "1")

    def _continues(self, part: Part, text: str) -> bool:
        unit = self._open
        if unit is None or unit.ends_with_colon() or unit.is_bold() or _LABEL.match(text):
            return False
        return unit.form is not Form.LIST_ITEM or part.indent > unit.indent or text[:1].islower()

    def _begin(self, part: Part, form: Form) -> None:
        is_item = form is Form.LIST_ITEM
        self._label = None if is_item else self._label
        if not is_item and self._turn and (self._listed or _asks(self._turn.text)):
            self._turn = None  # a question turns the items of a list only
        self._listed = is_item
        carried = self._scope(part.indent) if is_item else self._turning()
        self._open = _Open(form, part.indent, [part], carried, self._label, self._fresh)
        self._fresh = False

    def _scope(self, indent: int) -> tuple[Slice, ...]:
        """What an item at a column is read with: two headings, then four lead-ins at most.

        Headings and lead-ins that turn an item round are never left out.
        """
        titles = [one for one in self._headings if one[0] > 1] or self._headings
        headings = [one[1] for one in self._headings if one[2] or one in titles[-2:]]
        leads = [lead for column, lead in self._leads if column <= indent]
        turn = [self._turn] if self._turn and self._turn not in leads else []
        return (*headings, *turn, *leads[-4:])

    def _close(self, following: Form | None, indent: int = 0) -> Iterator[Unit]:
        """Release the open unit; what follows tells whether it is a lead-in."""
        unit, self._open = self._open, None
        if unit is None:
            return
        form = unit.form
        deeper = following is Form.LIST_ITEM and indent > unit.indent
        if form is Form.LIST_ITEM:
            leads = (deeper and not unit.ends_with_stop()) or unit.is_bold()
        else:
            leads = following is not None and unit.ends_with_colon()
        done = Unit(start=unit.pieces[0].start, text=_text(unit.pieces),
                    form=Form.LEAD_IN if leads else form, carried=unit.carried,
                    heading=self._nearest(), label=unit.label, fresh=unit.fresh)  # fmt: skip
        if leads and following is Form.LIST_ITEM:
            self._leads = [lead for lead in self._leads if lead[0] < indent]
            self._leads.append((indent, done.slice))
        if form is Form.PROSE:
            self._turn = done.slice if _waits(done.text) and turns(done.text) else self._turn
        yield done

    def _end_paragraph(self, line: Sequence[Part]) -> None:
        if line[-1].breaks > 1:
            self._label = self._header = None
            if self._turn and self._turn.end <= line[0].start and not self._listed:
                self._turn = None


def _waits(text: str) -> bool:
    """True for a line that waits for what follows it."""
    return text.rstrip(" *_\n").endswith(":") or _asks(text)


def _asks(text: str) -> bool:
    return text.rstrip(" *_\n").endswith("?")


def _text(parts: Sequence[Part]) -> str:
    return "".join([part.text + part.gap for part in parts])


def _cells(line: Sequence[Part]) -> tuple[Slice, ...]:
    """Return the cells of a row without the blanks at their ends; an escaped bar divides none."""
    text, start = _text(line).rstrip(), line[0].start
    bars = [i for i, c in enumerate(text) if c == "|" and text[i - 1 : i] != "\\"]
    found, begin = [], 0
    for bar in [*bars, len(text)]:
        cell = text[begin:bar]
        at = begin + len(cell) - len(cell.lstrip())
        found.append(Slice(start + at, start + at + len(cell.strip()), cell.strip()))
        begin = bar + 1
    inner = found[1:] if text.startswith("|") else found
    return tuple(inner[:-1] if text.endswith("|") else inner)
