"""Labels as a table in a file: the store can be used with nothing but a spreadsheet.

Out goes what to label, blind; in comes the same table with ``truth`` filled in.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from gatekeeper.errors import InputError
from gatekeeper.outcomes.labels import Label
from gatekeeper.outcomes.review import Item
from gatekeeper.outcomes.words import Harm, Truth, milliseconds, moment, quoted

SHOWN = ("decision", "route", "seen", "question", "answer", "passages")
FILLED = ("truth", "source_wrong", "harm", "missed", "note")
TICKET = "ticket"
_NEEDED = ("decision", "seen", "truth")

# Stands between the answers of one decision, and counts in the offsets of what was missed.
BETWEEN_ANSWERS = "\n---\n"

MAX_BYTES = 50_000_000
# The longest answer a policy allows is shorter; without it the library stops at 131,072.
csv.field_size_limit(MAX_BYTES)

_YES = {
    **dict.fromkeys(("1", "true", "yes", "x"), True),
    **dict.fromkeys(("", "0", "false", "no"), False),
}
_RANGE = re.compile(r"(\d{1,9})-(\d{1,9})")
# What makes a spreadsheet compute a cell.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a file says: labels with their lines and tickets, rows left open, faults in words.

    A ticket is "" where there is none.
    """

    labels: tuple[Label, ...]
    lines: tuple[int, ...]
    tickets: tuple[str, ...]
    blank: int
    faults: tuple[str, ...]


def write_items(items: Iterable[Item]) -> str:
    """Return the table to fill in."""
    return "".join(item_rows(items))


def item_rows(
    items: Iterable[Item], *, ticket: Callable[[Item], str] | None = None
) -> Iterator[str]:
    """Yield the table to fill in, its head and row by row.

    Args:
        items: What to label.
        ticket: Signs who was handed what, and when; without it that column is left out.
    """
    columns = (*SHOWN, *FILLED) if ticket is None else (*SHOWN, *FILLED, TICKET)
    yield _line(columns)
    for item in items:
        texts = item.texts
        row = {
            "decision": item.decision,
            "route": item.route,
            "seen": moment(item.seen_ms).isoformat(),
            "question": (texts and texts.question) or "",
            "answer": joined(texts.answers) if texts else "",
            "passages": "\n\n".join(f"[{p.id}] {p.text}" for p in texts.passages) if texts else "",
            TICKET: "" if ticket is None else ticket(item),
        }
        yield _line([_harmless(row.get(column, "")) for column in columns])


def _line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def joined(answers: Iterable[str | None]) -> str:
    """Return the answers of a decision as one text."""
    return BETWEEN_ANSWERS.join(text or "" for text in answers)


def read_labels(text: str, *, reviewer: str) -> Read:
    """Read a filled table; a row with a fault is told by its line and left out."""
    reader = csv.DictReader(io.StringIO(text, newline=""))
    missing = [name for name in _NEEDED if name not in (reader.fieldnames or ())]
    if missing:
        fault = f"line 1: found no column {', '.join(missing)}, expected {', '.join(_NEEDED)}"
        return Read(labels=(), lines=(), tickets=(), blank=0, faults=(fault,))
    labels: list[Label] = []
    lines: list[int] = []
    tickets: list[str] = []
    faults: list[str] = []
    blank = 0
    try:
        for row in reader:
            cells = {key: (value or "").strip() for key, value in row.items() if key}
            if not cells["truth"]:
                blank += 1
                continue
            try:
                labels.append(_label(cells, reviewer))
                lines.append(reader.line_num)
                tickets.append(cells.get(TICKET, ""))
            except InputError as error:
                faults.append(f"line {reader.line_num}: {error}")
    except csv.Error as error:
        faults.append(f"line {reader.line_num}: {error}")
    return Read(
        labels=tuple(labels),
        lines=tuple(lines),
        tickets=tuple(tickets),
        blank=blank,
        faults=tuple(faults),
    )


def read_ranges(text: str) -> tuple[tuple[int, int], ...]:
    """Return offsets as they are written: START-END, apart by blanks, commas or semicolons.

    Raises:
        InputError: With what is no range.
    """
    found = []
    for part in text.replace(";", " ").replace(",", " ").split():
        match = _RANGE.fullmatch(part)
        if match is None:
            expected = "START-END, characters from 0"
            raise InputError("missed", quoted(part), expected)
        found.append((int(match[1]), int(match[2])))
    return tuple(found)


def _label(cells: Mapping[str, str], reviewer: str) -> Label:
    """Return the label of a row; raises InputError with what is wrong."""
    harm = cells.get("harm", "")
    source_wrong = cells.get("source_wrong", "").lower()
    if source_wrong not in _YES:
        raise InputError("source_wrong", quoted(source_wrong), "yes or no")
    return Label(
        decision=cells["decision"],
        reviewer=reviewer,
        truth=Truth(_word("truth", cells["truth"], [str(word) for word in Truth])),
        seen_ms=_seen(cells["seen"]),
        source_wrong=_YES[source_wrong],
        harm=Harm(_word("harm", harm, [str(word) for word in Harm])) if harm else None,
        note=cells.get("note", "").removeprefix("'"),
        missed=read_ranges(cells.get("missed", "")),
    )


def _word(column: str, found: str, known: list[str]) -> str:
    word = found.lower().replace(" ", "_").replace("'", "")
    word = "cannot_tell" if word == "cant_tell" else word
    if word not in known:
        raise InputError(column, quoted(found), ", ".join(known))
    return word


def _seen(text: str) -> int:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise InputError("seen", quoted(text), "it as it was exported") from None
    return milliseconds(at if at.tzinfo else at.replace(tzinfo=UTC))


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
