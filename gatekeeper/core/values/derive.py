"""Rules that explain a value of a claim by several values, or by a list, of the evidence.

A derived value is not yet a supported one: the model keeps the last word, so the rules are
generous. All of them look at a handful of sentences and at most MAX_OPERANDS values.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from gatekeeper.core.values.match import Match, agreement
from gatekeeper.core.values.model import Fact, Kind, Reading, Value
from gatekeeper.core.values.units import HOUR, MINUTE, MONTH, YEAR

MAX_OPERANDS = 14

_DAYS_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """A rule by name and, where there is something to show, the sum written out."""

    rule: str
    note: str | None = None


def derive(claim: Value, facts: Sequence[Fact]) -> Derivation | None:
    """Return the first rule by which the values of some sentences give a claim's value."""
    operands = [value for fact in facts for value in fact.values[:MAX_OPERANDS]][:MAX_OPERANDS]
    for found, derivation in _results(claim, operands):
        if agreement(claim, found) in (Match.SAME, Match.BOUND, Match.ROUNDING, Match.CONVERSION):
            return derivation
    return None


def derive_span(claim: Value, facts: Sequence[Fact]) -> Derivation | None:
    """Return how a duration lies between two dates or times of some sentences, None if not."""
    operands = [value for fact in facts for value in fact.values[:MAX_OPERANDS]]
    spans = _between_dates(operands[:MAX_OPERANDS])
    return next((how for span, how in spans if agreement(claim, span) is Match.SAME), None)


def _results(claim: Value, operands: Sequence[Value]) -> Iterator[tuple[Value, Derivation]]:
    """Yield what can be worked out from the operands, each with its rule."""
    numbers = [(value, value.readings[0]) for value in operands if _is_amount(value)]
    for (one, a), (other, b) in combinations(numbers, 2):
        if _is_name(one, other):
            continue
        if a.kind is b.kind is Kind.DATE and claim.readings[0].unit:
            continue  # years apart are years, not months: see _between_dates
        if a.unit == b.unit:
            yield from _pairs(one, other, a, b)
        if "" in (a.unit, b.unit) and not one.name:
            note = Derivation(rule="product", note=f"{one.text} x {other.text} = {claim.text}")
            yield _made(a if a.unit else b, a.low * b.low), note
    for named in (False, True):
        yield from _totals(claim, [row for row in numbers if bool(row[0].name) is named])
    yield from _between_dates(operands)
    yield from _shifted_years(operands)


def _is_amount(value: Value) -> bool:
    kinds = (Kind.NUMBER, Kind.PERCENT, Kind.POINTS, Kind.MONEY, Kind.QUANTITY, Kind.DURATION)
    return value.kind in kinds or (value.kind is Kind.DATE and len(value.readings) > 1)


def _is_name(one: Value, other: Value) -> bool:
    """True if one of two numbers is part of a name, or both of the same one.

    "Air 2" is no amount beside "24 monitors"; "North 120, South 80" are two amounts.
    """
    return bool(one.name) != bool(other.name) or bool(one.name and one.name == other.name)


def _made(reading: Reading, low: Fraction) -> Value:
    made = Reading(
        kind=reading.kind, low=low, high=low, number=low * _written(reading),
        top=low * _written(reading), unit=reading.unit, per=reading.per,
    )  # fmt: skip
    return Value(text="=", start=0, end=1, readings=(made,))


def _written(reading: Reading) -> Fraction:
    """Return the factor from the base unit to the unit as written, 1 where there is none."""
    return reading.number / reading.low if reading.low and reading.number else Fraction(1)


def _bare(low: Fraction, kind: Kind = Kind.NUMBER, unit: str = "") -> Value:
    made = Reading(kind=kind, low=low, high=low, number=low, top=low, unit=unit)
    return Value(text="=", start=0, end=1, readings=(made,))


def _pairs(one: Value, other: Value, a: Reading, b: Reading) -> Iterator[tuple[Value, Derivation]]:
    """Yield sum, difference, relative change and share of two like amounts."""
    kind = Kind.NUMBER if a.kind is Kind.DATE else a.kind
    base = Reading(kind=kind, low=a.low, number=a.number, unit=a.unit)
    yield _made(base, a.low + b.low), _note("sum", one, "+", other, a.number + b.number)
    gap = abs(a.low - b.low)
    written = abs(a.number - b.number)
    big, small = (one, other) if a.low >= b.low else (other, one)
    difference = _note("difference", big, "-", small, written)
    if not gap:
        pass  # equal amounts differ by nothing, which nobody sums up as a total of zero
    elif a.unit == "percent":
        yield _bare(gap, Kind.POINTS, "points"), difference
    else:
        yield _made(base, gap), difference
    for top, bottom in ((a.low, b.low), (b.low, a.low)):
        if bottom:
            yield (
                _bare(abs(top - bottom) / abs(bottom) * 100, Kind.PERCENT, "percent"),
                Derivation(rule="change", note=f"from {one.text} to {other.text}"),
            )
            yield _bare(top / bottom * 100, Kind.PERCENT, "percent"), Derivation(rule="share")
            yield _bare(top / bottom), Derivation(rule="ratio")


def _note(rule: str, one: Value, sign: str, other: Value, result: Fraction) -> Derivation:
    shown = _shown(result)
    return Derivation(rule=rule, note=f"{one.text} {sign} {other.text} = {shown}")


def _shown(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"


def _totals(
    claim: Value, numbers: Sequence[tuple[Value, Reading]]
) -> Iterator[tuple[Value, Derivation]]:
    """Yield the sum of three or more like amounts that follow each other."""
    like = [(v, r) for v, r in numbers if r.unit == claim.readings[0].unit]
    for begin in range(len(like)):
        total = Fraction(0)
        for end in range(begin, len(like)):
            total += like[end][1].low
            if end - begin >= 2:
                terms = " + ".join(value.text for value, _ in like[begin : end + 1])
                yield (
                    _made(like[begin][1], total),
                    Derivation(rule="sum", note=f"{terms} = {claim.text}"),
                )


def _between_dates(operands: Sequence[Value]) -> Iterator[tuple[Value, Derivation]]:
    """Yield the time between two dates, or between two times of day."""
    days = [(v, r) for v in operands for r in v.readings[:1] if r.parts[0] and not r.key]
    for (one, a), (other, b) in combinations(days, 2):
        note = Derivation(rule="duration", note=f"from {one.text} to {other.text}")
        for seconds in _spans(a.parts, b.parts):
            yield _bare(seconds, Kind.DURATION, "duration"), note
    clocks = [(v, r) for v in operands for r in v.readings if r.kind is Kind.TIME]
    for (one, a), (other, b) in combinations(clocks, 2):
        if one is not other:
            minutes = (b.low - a.low) % 1440
            note = Derivation(rule="duration", note=f"from {one.text} to {other.text}")
            yield _bare(minutes * MINUTE, Kind.DURATION, "duration"), note


def _spans(one: tuple[int, int, int], other: tuple[int, int, int]) -> Iterator[Fraction]:
    """Yield the length between two dates in years, in months and, if both have days, in days."""
    yield abs(one[0] - other[0]) * YEAR
    if one[1] and other[1]:
        yield abs((one[0] - other[0]) * 12 + one[1] - other[1]) * MONTH
    if one[2] and other[2]:
        apart = abs(_day_number(one) - _day_number(other))
        yield Fraction(apart * 24 * HOUR)
        yield Fraction((apart + 1) * 24 * HOUR)


def _day_number(parts: tuple[int, int, int]) -> int:
    """Count days in the Gregorian calendar; only differences mean anything."""
    year, month, day = parts
    before = year - 1 if month <= 2 else year
    leaps = before // 4 - before // 100 + before // 400
    return year * 365 + leaps + _DAYS_BEFORE_MONTH[month - 1] + day


def _shifted_years(operands: Sequence[Value]) -> Iterator[tuple[Value, Derivation]]:
    """Yield "three years later": a year and a number of years."""
    years = [(v, v.readings[0].parts[0]) for v in operands if v.readings[0].parts[0]]
    spans = [v for v in operands if v.kind in (Kind.DURATION, Kind.NUMBER)]
    for (dated, year), span in ((d, s) for d in years for s in spans):
        reading = span.readings[0]
        shift = reading.low / YEAR if reading.unit else reading.low
        if shift.denominator == 1 and shift < 200:
            for sign in (1, -1):
                parts = (year + sign * int(shift), 0, 0)
                made = Reading(kind=Kind.DATE, number=Fraction(parts[0]), parts=parts)
                value = Value(text="=", start=0, end=1, readings=(made,))
                yield value, Derivation(rule="date", note=f"{dated.text} and {span.text}")
