"""Numbers as people write them on a command line, kept exact until they are printed."""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from fractions import Fraction

import click

# Beyond a quadrillion, or finer than its inverse, nobody plans; and a power of ten as an exact
# number takes memory by its exponent.
_DIGITS = 15


def rate(text: str) -> Fraction:
    """Read a number from 0 to 1."""
    return _within(text, lambda number: 0 <= number <= 1, "a number from 0 to 1")


def share(text: str) -> Fraction:
    """Read a number between 0 and 1; a target or a confidence of 0 or 1 is none."""
    return _within(text, lambda number: 0 < number < 1, "a number between 0 and 1")


def amount(text: str) -> Fraction:
    """Read a number from 0 on."""
    return _within(text, lambda number: number >= 0, "a number from 0 on")


def positive(text: str) -> Fraction:
    """Read a number above 0."""
    return _within(text, lambda number: number > 0, "a number above 0")


def as_json(number: Fraction | float | None) -> float | None:
    """Return a number as JSON holds it: whole ones without a point."""
    if isinstance(number, Fraction):
        return int(number) if number.denominator == 1 else float(number)
    return number


def as_text(number: Fraction | int) -> str:
    """Return a number for people: four decimals at most, none where it is whole."""
    rounded = round(float(number), 4)
    return f"{rounded:,.4f}".rstrip("0").rstrip(".")


def as_percent(share: Fraction | None) -> str:
    """Return a share in per cent with six decimals at most, "undefined" for None."""
    if share is None:
        return "undefined"
    return f"{float(share) * 100:.6f}".rstrip("0").rstrip(".") + " %"


def _within(text: str, holds: Callable[[Fraction], bool], expected: str) -> Fraction:
    """Read a number that holds; click names the option in front of the fault."""
    number = _parse(text)
    if number is None or not holds(number):
        raise click.BadParameter(f"found {text!r:.40}, expected {expected}")
    return number


def _parse(text: str) -> Fraction | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or len(text) > 2 * _DIGITS:
        return None
    if number and not -_DIGITS <= number.adjusted() <= _DIGITS:
        return None
    return Fraction(number)
