"""Labelled data: one JSON object a line, plain or gzip.

Nothing is dropped in silence: a line that can't be used is a fault with its number, and so is
what was put up with (a byte order mark, an empty line, an id seen before). Unknown keys are kept
in ``Row.raw``. ``label`` is about support by the context, ``truth`` about the world; neither is
inferred from the other.
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, NoReturn, cast

from gatekeeper.errors import InputError
from gatekeeper.evaluation import fields
from gatekeeper.evaluation.context import read_context, repeated_ids, type_name
from gatekeeper.verdict import ClaimStatus, Evidence, Verdict

# One line is held in memory whole; the longest context of the public sets is under 0.1 MB.
MAX_LINE_BYTES = 16 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_GZIP_MAGIC = b"\x1f\x8b"


class Label(StrEnum):
    """A person's finding on an answer: everything in it is supported by the context, or not."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"


class Truth(StrEnum):
    """A person's finding on an answer against the world, whatever the context says."""

    TRUE = "true"
    FALSE = "false"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimMark:
    """A claim marked by a person: offsets into the answer, in code points."""

    start: int
    end: int
    status: ClaimStatus | None = None
    critical: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One answer with its evidence and whatever labels the data gives; None: not given.

    ``weight`` is the number of answers the row stands for. Rows of one ``group`` (the same
    context, say) are not independent. ``raw`` is the object as read, unknown keys included.

    What no file says: ``others`` are further choices of the same response, which one label is on;
    ``stratum`` names what the row was drawn from; ``standing`` is the verdict on an answer that no
    gate can read, for it was never read.
    """

    line: int
    id: str
    evidence: Evidence
    answer: str
    label: Label | None = None
    truth: Truth | None = None
    reference: tuple[str, ...] | None = None
    relevant: tuple[str, ...] | None = None
    claims: tuple[ClaimMark, ...] | None = None
    domain: str | None = None
    system: str | None = None
    weight: float = 1.0
    group: str | None = None
    raw: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)
    others: tuple[str, ...] = ()
    stratum: str | None = None
    standing: Verdict | None = None

    @property
    def lacks_text(self) -> bool:
        """True if there are several choices and one of them has no text to check."""
        texts = (self.answer, *self.others)
        return len(texts) > 1 and not all(text.strip() for text in texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFault:
    """What was wrong with a line; ``dropped`` is False where the line was used all the same."""

    line: int
    found: str
    expected: str
    dropped: bool = True

    def __str__(self) -> str:
        what = "not used" if self.dropped else "used"
        return f"line {self.line}: found {self.found}, expected {self.expected} ({what})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The usable rows of a file, in order, and what was wrong with the others."""

    rows: tuple[Row, ...]
    faults: tuple[LineFault, ...]

    @property
    def bad_lines(self) -> int:
        """Number of lines that could not be used."""
        return sum(fault.dropped for fault in self.faults)


def read_rows(path: Path, *, max_line_bytes: int = MAX_LINE_BYTES) -> Rows:
    """Read a file of labelled rows; whether it is gzip is seen from its first bytes.

    Raises:
        InputError: If the file can't be opened. Faulty lines do not raise.
    """
    rows: list[Row] = []
    faults: list[LineFault] = []
    with _opened(path) as stream:
        for item in iter_rows(stream, max_line_bytes=max_line_bytes):
            if isinstance(item, Row):
                rows.append(item)
            else:
                faults.append(item)
    return Rows(rows=tuple(rows), faults=tuple(faults))


def iter_rows(
    stream: BinaryIO, *, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[Row | LineFault]:
    """Yield rows and faults in the order of their lines; a row may follow its own fault."""
    seen: dict[str, int] = {}
    for number, line in _lines(stream, max_line_bytes):
        if isinstance(line, LineFault):
            yield line
            continue
        if line.startswith(_BOM) and number == 1:
            yield LineFault(line=1, found="a byte order mark", expected="none", dropped=False)
            line = line[len(_BOM) :]  # noqa: PLW2901 - the mark is no part of the line
        if not line.strip():
            yield LineFault(line=number, found="an empty line", expected="a row", dropped=False)
            continue
        try:
            row = parse_row(line, number=number)
        except InputError as error:
            found = f"{error.found} in {error.place}" if error.place else error.found
            yield LineFault(line=number, found=found, expected=error.expected)
            continue
        yield from _remarks(row, seen)
        yield row


def parse_row(line: bytes, *, number: int) -> Row:
    """Parse one line.

    Raises:
        InputError: If it is no row; ``place`` is the key, or empty for the line as a whole.
    """
    raw = _parse_object(line)
    answer = fields.required_text(raw, "answer")
    return Row(
        line=number,
        id=fields.required_name(raw, "id"),
        evidence=Evidence(
            passages=read_context(fields.required(raw, "context"), place="context"),
            question=fields.text(raw, "question"),
        ),
        answer=answer,
        label=fields.choice(raw, "label", Label),
        truth=fields.choice(raw, "truth", Truth),
        reference=fields.texts(raw, "reference", lone=True),
        relevant=fields.texts(raw, "relevant", lone=False),
        claims=_claims(raw, answer),
        domain=fields.text(raw, "domain"),
        system=fields.text(raw, "system"),
        weight=fields.weight(raw, "weight"),
        group=fields.name(raw, "group"),
        raw=raw,
    )


def _claims(raw: Mapping[str, object], answer: str) -> tuple[ClaimMark, ...] | None:
    marks = fields.objects(raw, "claims")
    if marks is None:
        return None
    return tuple(
        _claim(mark, place=f"claims[{i}]", length=len(answer)) for i, mark in enumerate(marks)
    )


def _claim(mark: Mapping[str, object], *, place: str, length: int) -> ClaimMark:
    start, end = (fields.integer(mark, key, place=place) for key in ("start", "end"))
    if not 0 <= start < end <= length:
        expected = f"offsets into the answer of {length} characters"
        raise InputError(place, f"[{start}, {end})", expected)
    return ClaimMark(
        start=start,
        end=end,
        status=fields.choice(mark, "status", ClaimStatus),
        critical=fields.flag(mark, "critical", place=place),
    )


def _remarks(row: Row, seen: dict[str, int]) -> Iterator[LineFault]:
    """Yield what is odd about a row that is used all the same; remembers its id."""
    if row.id in seen:
        found = f"the id {row.id!r:.80}, also on line {seen[row.id]}"
        yield LineFault(line=row.line, found=found, expected="an id of its own", dropped=False)
    seen.setdefault(row.id, row.line)
    for name in repeated_ids(row.evidence.passages):
        found = f"the passage id {name!r:.80} more than once"
        yield LineFault(line=row.line, found=found, expected="one each", dropped=False)


def _parse_object(line: bytes) -> dict[str, object]:
    try:
        text = line.rstrip(b"\r\n").decode()
    except UnicodeDecodeError as error:
        found = f"the byte 0x{line[error.start]:02x} at offset {error.start}"
        raise InputError("", found, "UTF-8") from error
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError("", f"{error.msg} at column {error.colno}", "JSON") from error
    except RecursionError as error:
        raise InputError("", "JSON nested too deeply", "a row") from error
    except ValueError as error:  # a number of more than 4,300 digits
        raise InputError("", "a number that is too long", "JSON") from error
    if not isinstance(value, dict):
        raise InputError("", f"JSON that is {type_name(value)}", "an object")
    return value


def _unique(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise InputError("", f"the key {key!r:.80} twice", "each key once")
        found[key] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise InputError("", name, "a finite number")


def _lines(stream: BinaryIO, limit: int) -> Iterator[tuple[int, bytes | LineFault]]:
    number = 0
    while True:
        number += 1
        try:
            line = stream.readline(limit + 1)
            too_long = len(line) > limit
            rest = line
            while too_long and rest and not rest.endswith(b"\n"):
                rest = stream.readline(limit)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            fault = LineFault(line=number, found=f"broken gzip ({error})", expected="a whole file")
            yield number, fault
            return
        if not line:
            return
        if too_long:
            expected = f"at most {limit} bytes"
            yield number, LineFault(line=number, found="a longer line", expected=expected)
        else:
            yield number, line


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as stream:
            packed = stream.peek(2).startswith(_GZIP_MAGIC)
            yield cast("BinaryIO", gzip.GzipFile(fileobj=stream)) if packed else stream
    except OSError as error:
        found = error.strerror or "an error while reading"
        raise InputError(str(path), found.lower(), "a file of labelled rows") from error
