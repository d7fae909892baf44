"""Numbers in digits: separators of thousands, decimal points and commas, fractions, "1 250"."""

import re
from fractions import Fraction

from gatekeeper.core.values.tokens import Number, Token, glued

# A longer run of digits is no number but a name, and arithmetic stays bounded.
MAX_DIGITS = 24

_GROUPED = re.compile(r"[0-9]{1,3}(?:([,.'])[0-9]{3})(?:\1[0-9]{3})*(?:[.,][0-9]+)?")


def plain(value: Fraction, at: int, end: int, *, decimals: int = 0) -> Number:
    """Return a number over the tokens [at, end), its steps taken from its decimals and zeros."""
    step = coarse = Fraction(1, 10**decimals)
    whole = value.numerator if not decimals else 0
    while whole and whole % 10 == 0:
        whole //= 10
        coarse *= 10
    return Number(value=value, begin=at, end=end, step=step, coarse=coarse)


def read_digits(tokens: list[Token], at: int) -> Number | None:
    """Read one digit token: separators of thousands, a decimal point or comma, a fraction."""
    text = tokens[at].text.replace("\u2044", "/")
    if sum(map(str.isdigit, text)) > MAX_DIGITS:
        return None
    if text.isdigit():
        ordinal = glued(tokens, at + 1) and tokens[at + 1].low in ("st", "nd", "rd", "th")
        if ordinal:
            return Number(
                value=Fraction(int(text)), begin=at, end=at + 2, ordinal=True,
                step=Fraction(1), coarse=Fraction(1),
            )  # fmt: skip
        return plain(Fraction(int(text)), at, at + 1)
    if _GROUPED.fullmatch(text) and text[0] != "0":
        return _grouped(text, at)
    return _separated(text, at)


def _grouped(text: str, at: int) -> Number:
    """Read "1,250,000.5", "1.250.000", "1'250" and the ambiguous "1.250"."""
    marks = [char for char in text if not char.isdigit()]
    single = len(marks) == 1
    thousands = marks[0] if not single or marks[0] in ",'" else ""
    whole, rest = text, ""
    if not single and marks[-1] != thousands:
        whole, _, rest = text.rpartition(marks[-1])
    if not thousands:
        whole, _, rest = text.partition(".")
        other = Fraction(int(whole + rest))
        return Number(
            value=Fraction(f"{whole}.{rest}"), begin=at, end=at + 1, other=other,
            step=Fraction(1, 1000), coarse=Fraction(1, 1000),
        )  # fmt: skip
    digits = "".join(char for char in whole if char.isdigit())
    return plain(Fraction(f"{digits}.{rest or 0}"), at, at + 1, decimals=len(rest))


def _separated(text: str, at: int) -> Number | None:
    """Read a decimal point, a decimal comma or a fraction; None for a date, time or version."""
    for mark in ".,":
        whole, found, rest = text.partition(mark)
        if found and whole.isdigit() and rest.isdigit():
            return plain(Fraction(f"{whole}.{rest}"), at, at + 1, decimals=len(rest))
    top, found, bottom = text.partition("/")
    if found and top.isdigit() and bottom.isdigit() and 0 < int(bottom) <= 100:
        value = Fraction(int(top), int(bottom))
        tenth = Fraction(1, 10)
        return Number(
            value=value, begin=at, end=at + 1, step=tenth, coarse=tenth, fraction=True,
            in_words=True,
        )  # fmt: skip
    return None


def read_spaced(tokens: list[Token], at: int) -> Number | None:
    """Read thousands set off by blanks: "1 250 000"."""
    end, text = at + 1, tokens[at].text
    if not (text.isdigit() and len(text) <= 3 and text[0] != "0"):
        return None
    while end < len(tokens) and end - at < 5 and _is_group(tokens, end):
        text += tokens[end].text
        end += 1
    # "12 737 MAX" is twelve of a model, "12 737 maps" is a number.
    is_name = end == at + 2 and end < len(tokens) and tokens[end].text[0].isupper()
    return plain(Fraction(int(text)), at, end) if end > at + 1 and not is_name else None


def _is_group(tokens: list[Token], at: int) -> bool:
    token = tokens[at]
    return (
        token.text.isdigit() and len(token.text) == 3 and token.start == tokens[at - 1].end + 1
    ) and not (glued(tokens, at + 1) and tokens[at + 1].text in "-.,")
