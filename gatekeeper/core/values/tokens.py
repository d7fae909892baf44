"""Tokens of a text, and numbers over them.

Pure. A token is a number with its separators, a run of letters, or a single sign.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

_TOKEN = re.compile(r"[0-9]+(?:[.,:/'\u2044][0-9]+)*|[^\W\d_]+|\S")


class Token(NamedTuple):
    """A number, a word or a single sign; ``low`` is the text in lower case."""

    text: str
    low: str
    start: int
    end: int

    @property
    def is_digits(self) -> bool:
        """True if the token begins with an ASCII digit."""
        return "0" <= self.text[0] <= "9"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number over the tokens [begin, end).

    ``step`` is one unit of the last written digit, ``coarse`` the same with trailing zeros taken
    as unwritten. ``other`` is a second reading ("1.250"), ``fraction`` marks "half", "a third".
    """

    value: Fraction
    begin: int
    end: int
    step: Fraction
    coarse: Fraction
    other: Fraction | None = None
    ordinal: bool = False
    in_words: bool = False
    fraction: bool = False

    def times(self, factor: Fraction | int, end: int) -> "Number":
        """Return the number scaled, its last token moved to ``end``."""
        return Number(
            value=self.value * factor,
            begin=self.begin,
            end=end,
            step=self.step * factor,
            coarse=self.coarse * factor,
            in_words=self.in_words,
        )


def tokenize(text: str) -> list[Token]:
    """Split a text into numbers, words and single signs."""
    return [
        Token(found.group(), found.group().lower(), found.start(), found.end())
        for found in _TOKEN.finditer(text)
    ]


def word_at(tokens: list[Token], at: int) -> str:
    """Return the token in lower case, "" beyond either end."""
    return tokens[at].low if 0 <= at < len(tokens) else ""


def glued(tokens: list[Token], at: int) -> bool:
    """True if no blank parts a token from the one before it."""
    return 0 < at < len(tokens) and tokens[at - 1].end == tokens[at].start


def joined(tokens: list[Token], begin: int, end: int) -> str:
    """Return tokens as written, in lower case, runs of blanks as one."""
    parts = [
        tokens[at].low if at == begin or glued(tokens, at) else " " + tokens[at].low
        for at in range(begin, end)
    ]
    return "".join(parts)
