"""Texts as they are shown: cut where spans begin and end, characters that steer made visible. Pure.

Nothing here is markup: a template writes each piece as text. Offsets count code points of the text
as it is stored.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

# Control (tab and line feed apart), format (bidi, zero-width), private, surrogates, line and
# paragraph ends, and selectors that can hide bytes behind a letter.
_SIGNS = re.compile(
    "([\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ue000-\uf8ff\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001-\U000e007f\U000e0100-\U000e01ef\U000f0000-\U0010ffff])"
)


class Span(NamedTuple):
    """A stretch of a text and what it is marked with."""

    start: int
    end: int
    mark: int


class Piece(NamedTuple):
    """A stretch that is marked in one way.

    ``at`` is where it stands, ``marks`` are in order, ``opens`` are those that begin here. Of a
    sign, one character that would steer the page, ``text`` is its name.
    """

    at: int
    text: str
    marks: tuple[int, ...] = ()
    opens: tuple[int, ...] = ()
    is_sign: bool = False


def pieces(text: str, spans: Sequence[Span] = ()) -> list[Piece]:
    """Cut a text; the pieces stand side by side and have all of it, whatever the spans say."""
    kept = [Span(max(one.start, 0), min(one.end, len(text)), one.mark) for one in spans]
    kept = [one for one in kept if one.start < one.end]
    cuts = sorted({0, len(text), *(one.start for one in kept), *(one.end for one in kept)})
    starting: dict[int, list[int]] = {}
    ending: dict[int, list[int]] = {}
    for one in kept:
        starting.setdefault(one.start, []).append(one.mark)
        ending.setdefault(one.end, []).append(one.mark)
    found: list[Piece] = []
    marks: list[int] = []
    for start, end in pairwise(cuts):
        for mark in ending.get(start, ()):
            marks.remove(mark)
        opens = tuple(sorted({*starting.get(start, ())}))
        marks += starting.get(start, ())
        found += _cut(text[start:end], start, tuple(sorted({*marks})), opens)
    return found


def visible(text: str) -> str:
    """Return a text with its signs by their names, for a place that takes no pieces."""
    return "".join(piece.text for piece in pieces(text))


def _cut(text: str, at: int, marks: tuple[int, ...], opens: tuple[int, ...]) -> Iterator[Piece]:
    for part in filter(None, _SIGNS.split(text)):
        is_sign = _SIGNS.fullmatch(part) is not None
        yield Piece(at, f"U+{ord(part):04X}" if is_sign else part, marks, opens, is_sign)
        at += len(part)
        opens = ()
