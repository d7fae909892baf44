"""Text for a terminal: answers and passages are foreign text and must not steer it."""

import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from typing import TextIO

import click

from gatekeeper.verdict import ClaimStatus, ClaimVerdict, Outcome, Verdict

# Control, format (bidi, zero-width), surrogate, private and unassigned; line and paragraph ends.
_STEERING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_STATUS_COLUMN = max(len(status) for status in ClaimStatus)
_WIDEST = 100
_NARROWEST = 40

_CONSEQUENCE = {
    Outcome.FLAGGED: "at least one claim does not hold",
    Outcome.UNRESOLVED: "at least one claim could not be decided",
    Outcome.SUPPORTED: "every claim follows from the context",
    Outcome.NO_CLAIMS: "the answer asserts nothing checkable",
    Outcome.NOT_CHECKED: "the answer was not checked",
}


def say(text: str) -> None:
    """Write to standard output; nowhere if it is closed, where the exit code says enough.

    Raises:
        OSError: If it can't be written.
    """
    _write(text, sys.stdout)


def tell(*lines: str) -> None:
    """Write lines to standard error, steering characters as escapes.

    Never raises OSError: where it can't be written there is nobody left to tell.
    """
    with suppress(OSError):
        for line in lines:
            _write(visible(line, keep_blanks=True), sys.stderr)


def discard_output() -> None:
    """Lead standard output nowhere: what it could not take is not tried again at the exit."""
    with suppress(OSError, AttributeError):
        descriptor = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def visible(text: str, *, keep_blanks: bool = False) -> str:
    """Make foreign text one harmless line: blanks joined, steering characters as escapes."""
    return "".join(map(_escape, text if keep_blanks else " ".join(text.split())))


def verdict_lines(verdict: Verdict, *, elapsed_s: float) -> Iterator[str]:
    """Yield a paragraph a claim and the verdict at the end, for the width of the terminal."""
    width = min(max(shutil.get_terminal_size((80, 24)).columns, _NARROWEST), _WIDEST)
    for claim in verdict.claims:
        yield from _claim_lines(claim, width)
    many = "" if len(verdict.claims) == 1 else "s"
    counts = f"{len(verdict.claims)} claim{many}, {elapsed_s * 1000:.0f} ms"
    because = f" ({verdict.reason})" if verdict.reason else ""
    text = f"{verdict.outcome}{because}: {_CONSEQUENCE[verdict.outcome]}; {counts}"
    yield from textwrap.wrap(text, width)


def _claim_lines(claim: ClaimVerdict, width: int) -> list[str]:
    support = "  - " if claim.support is None else f"{claim.support:.2f}"
    head = f"{claim.status:<{_STATUS_COLUMN}}  {support}  "
    passages = ", ".join(map(visible, claim.passages))
    parts = (
        visible(claim.text),
        f"[{passages}]" if passages else "",
        f"({visible(claim.reason)})" if claim.reason else "",
    )
    return textwrap.wrap(
        " ".join(part for part in parts if part),
        width,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
    ) or [head.rstrip()]


def _write(text: str, stream: TextIO | None) -> None:
    """Write a line; a character that the stream's encoding lacks comes out as its escape."""
    if stream is not None:
        encoding = stream.encoding or "utf-8"
        click.echo(text.encode(encoding, "backslashreplace").decode(encoding), file=stream)


def _escape(character: str) -> str:
    if unicodedata.category(character) not in _STEERING:
        return character
    return character.encode("unicode_escape").decode("ascii")
