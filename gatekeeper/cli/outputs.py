"""Files a command writes: found fit before the work begins whose result they are to take."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click

from gatekeeper.errors import InputError


class Output:
    """An open file, whose old content stays until ``empty`` is called."""

    def __init__(self, path: Path, stream: TextIO) -> None:
        self._path = path
        self._stream = stream

    def empty(self) -> None:
        """Drop what the file held; a pipe or a device holds nothing.

        Raises:
            InputError: If it can't be written.
        """
        descriptor = self._stream.fileno()
        with faults_named(self._path):
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.ftruncate(descriptor, 0)

    def write(self, text: str) -> None:
        """Append text, at once: what was written stays if the command is broken off.

        Raises:
            InputError: If it can't be written.
        """
        with faults_named(self._path):
            self._stream.write(text)
            self._stream.flush()


@contextmanager
def output(path: Path | None) -> Iterator[Output | None]:
    """Open a file for writing, None for no path; a file that does not exist is made.

    Raises:
        InputError: If it can't be opened or, in the end, closed.
    """
    if path is None:
        yield None
        return
    with faults_named(path):
        stream = path.open("a", encoding="utf-8")
    try:
        yield Output(path, stream)
    finally:
        with faults_named(path):
            stream.close()


@contextmanager
def faults_named(path: Path) -> Iterator[None]:
    """Turn what the system says into a fault that names the file."""
    try:
        yield
    except OSError as error:
        found = (error.strerror or "an error while writing").lower()
        raise InputError(str(path), found, "a file that can be written") from error


def refuse_one_for_two(files: Sequence[tuple[str, Path | None]]) -> None:
    """Refuse to read and write, or to write twice, one file, under whatever names.

    Raises:
        click.UsageError: With the names of the two parameters.
    """
    given = [(name, path) for name, path in files if path is not None]
    for place, (name, path) in enumerate(given):
        for other, earlier in given[:place]:
            if _is_same(path, earlier):
                raise click.UsageError(f"{other} and {name} are one file: {path}")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # at least one is still to be made
        return one.resolve() == other.resolve()
