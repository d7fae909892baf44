"""From quantities to values: every meaning a number can have where it stands."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from gatekeeper.core.values.model import Kind, Reading, Value
from gatekeeper.core.values.phrases import flagged, name_before, noun_at
from gatekeeper.core.values.quantities import (
    BEGINNINGS,
    Quantity,
    is_year,
    read_alternative,
    read_quantity,
    read_upper_end,
)
from gatekeeper.core.values.tokens import Token, joined, word_at
from gatekeeper.core.values.units import Unit, is_currency

_KINDS = {"duration": Kind.DURATION, "workdays": Kind.DURATION, "percent": Kind.PERCENT}
_KINDS["points"] = Kind.POINTS
_CLOCK_WORDS = frozenset(
    "at by until till from before after since to opens closes starts ends open close".split()
)


# What stands before a small count that the reader is taken to know already.
_DEFINITE = frozenset(
    """the these those both all of other its their his her our your my last next first past
    every""".split()
)
_EMPTY_NOUNS = frozenset("time times place aid lady person party all class hand off thing".split())


def quantities(tokens: list[Token]) -> Iterator[Value]:
    """Yield every number of the tokens, with a unit or without."""
    at = 0
    while at < len(tokens):
        may_begin = tokens[at].is_digits or tokens[at].low in BEGINNINGS
        first = read_quantity(tokens, at) if may_begin else None
        if first is None:
            at += 1
            continue
        second = read_upper_end(tokens, first)
        if second is None:
            alone = read_alternative(tokens, first)
            yield _value(tokens, alone, alone)
            at = max(first.end, at + 1)
        else:
            yield _value(tokens, first, second)
            at = second.end


def _value(tokens: list[Token], first: Quantity, second: Quantity) -> Value:
    noun = noun_at(tokens, second.end)
    value = Value(
        text=joined(tokens, first.begin, second.end),
        start=tokens[first.begin].start,
        end=tokens[second.end - 1].end,
        readings=tuple(_readings(tokens, first, second)),
        weak=_is_weak(tokens, first, second, noun),
        noun=noun,
        name=_name(tokens, first, second),
    )
    return flagged(value, tokens, first.begin, second.end)


def _name(tokens: list[Token], first: Quantity, second: Quantity) -> str:
    """Return the name that a lone whole number may be part of, "" for an amount or a year."""
    number = first.number
    if first is not second or first.units or first.sign < 0 or number.ordinal or number.fraction:
        return ""
    if number.end != number.begin + 1 or number.value.denominator > 1 or is_year(tokens, number):
        return ""
    return name_before(tokens, first.begin, first.end)


def _is_weak(tokens: list[Token], first: Quantity, second: Quantity, noun: str) -> bool:
    """True for what may be no value at all: "one", "half", "at first", "the two", "a year"."""
    number, before = first.number, word_at(tokens, first.begin - 1)
    if first.article:
        return True
    if number.ordinal:
        hyphen = word_at(tokens, first.end) == "-"
        return not noun or hyphen or before == "at" or word_at(tokens, first.end) in _EMPTY_NOUNS
    if first.units or first is not second or not number.in_words:
        return False
    if number.fraction:
        return number.end == number.begin + 1
    if number.value == 0:
        return True
    if number.value == 1:
        return before not in ("only", "exactly", "just")
    return number.value <= 12 and before in _DEFINITE


def _readings(tokens: list[Token], first: Quantity, second: Quantity) -> Iterator[Reading]:
    number, last = first.number, second.number
    low, high = first.sign * number.value, second.sign * last.value
    if number.ordinal:
        yield Reading(
            kind=Kind.ORDINAL,
            low=low,
            high=low,
            number=low,
            top=low,
            step=number.step,
            coarse=number.step,
        )
        return
    if first is second and not first.units and is_year(tokens, number):
        year = int(number.value)
        yield Reading(kind=Kind.DATE, low=low, high=low, number=low, top=low, parts=(year, 0, 0))
    shared = first.units or second.units
    for unit, upper in zip(shared, second.units or first.units, strict=False):
        yield _unit_reading(first, second, unit, upper)
        if number.other is not None and first is second:
            grouped = replace(first, number=replace(number, value=number.other))
            yield _unit_reading(grouped, grouped, unit, upper)
    if not shared or first.scaled is not None:
        factor = first.scaled / number.value if first.scaled and number.value else Fraction(1)
        yield Reading(
            kind=Kind.NUMBER, low=low * factor, high=high * factor, number=low * factor,
            top=high * factor, step=last.step * factor, coarse=last.coarse * factor,
        )  # fmt: skip
    if not shared:
        yield from _other_readings(tokens, first, second)


def _unit_reading(first: Quantity, second: Quantity, unit: Unit, upper: Unit) -> Reading:
    kind = _KINDS.get(unit.dimension, Kind.QUANTITY)
    low, high = first.sign * first.number.value, second.sign * second.number.value
    one, other = unit.dimension, upper.dimension
    return Reading(
        kind=Kind.MONEY if is_currency(unit.dimension) else kind,
        low=low * unit.factor + unit.offset,
        high=high * upper.factor + upper.offset,
        number=low,
        top=high,
        unit=one if one == other else f"{one} to {other}",
        per=first.per or second.per or unit.per,
        step=second.number.step * upper.factor,
        coarse=second.number.coarse * upper.factor,
    )


def _other_readings(tokens: list[Token], first: Quantity, second: Quantity) -> Iterator[Reading]:
    """Yield rarer readings of a bare number: "1.250", a share of the whole, an hour."""
    number = first.number
    if number.other is not None:
        yield Reading(
            kind=Kind.NUMBER, low=number.other, high=number.other, number=number.other,
            top=number.other, step=Fraction(1), coarse=Fraction(1),
        )  # fmt: skip
    if number.fraction:
        share = number.value * 100
        yield Reading(
            kind=Kind.PERCENT, low=share, high=share, number=share, top=share, unit="percent",
            step=Fraction(2), coarse=Fraction(2),
        )  # fmt: skip
    clock = word_at(tokens, first.begin - 1) in _CLOCK_WORDS and first is second
    if clock and number.value.denominator == 1 and 1 <= number.value <= 24:
        yield from clock_readings(int(number.value), 0, twelve=number.value <= 12)


def clock_readings(hour: int, minute: int, *, twelve: bool) -> Iterator[Reading]:
    """Yield a time of day, and twelve hours later as well if the half of the day is open."""
    for start in (0, 720) if twelve else (0,):
        minutes = Fraction((hour * 60 + minute + start) % 1440)
        yield Reading(
            kind=Kind.TIME, low=minutes, high=minutes, number=Fraction(hour), top=Fraction(hour)
        )
