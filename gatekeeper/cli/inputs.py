"""Files that a person names: read whole as UTF-8, or a fault that says which and where."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from gatekeeper.errors import InputError
from gatekeeper.evaluation.context import read_context, split_passages
from gatekeeper.verdict import Passage

STDIN = Path("-")

# Read whole; a thousandth of it is a long answer, and evidence is bounded to less anyway.
MAX_BYTES = 16 * 1024 * 1024


def read_text(path: Path) -> str:
    """Read a text file, or standard input for ``-``; a byte order mark at its start is not text.

    Raises:
        InputError: If it can't be read, is longer than 16 MB or is not UTF-8.
    """
    place = "standard input" if path == STDIN else str(path)
    try:
        data = _read_stdin() if path == STDIN else _read(path)
    except OSError as error:
        found = (error.strerror or "an error while reading").lower()
        raise InputError(place, found, "a readable file") from error
    if len(data) > MAX_BYTES:
        raise InputError(place, f"more than {MAX_BYTES:,} bytes", "a file that is no longer")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"the byte 0x{data[error.start]:02x} at offset {error.start}"
        raise InputError(place, found, "UTF-8 text") from error


def read_lines(path: Path) -> tuple[str, ...]:
    """Read a text file with a text a line, blank lines left out.

    Raises:
        InputError: As ``read_text``.
    """
    return tuple(line.strip() for line in read_text(path).splitlines() if line.strip())


def read_passages(paths: Sequence[Path]) -> tuple[Passage, ...]:
    """Read context files; positions that stand in for ids count on from file to file.

    A name that ends in .json holds JSON, any other plain text cut at its blank lines.

    Raises:
        InputError: If a file can't be read as what its name says.
    """
    passages: list[Passage] = []
    for path in paths:
        text = read_text(path)
        if path.suffix.lower() == ".json":
            passages += read_context(_parse(text, path), place=str(path), first=len(passages))
        else:
            passages += split_passages(text, first=len(passages))
    return tuple(passages)


def _read(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


def _read_stdin() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input", "that it is closed", "an answer to read")
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def _parse(text: str, path: Path) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        found = f"{error.msg} at line {error.lineno}, column {error.colno}"
        raise InputError(str(path), found, "JSON") from error
    except (ValueError, RecursionError) as error:
        raise InputError(str(path), f"unusable JSON ({error})", "JSON") from error
