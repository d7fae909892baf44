"""When two values agree, and how: the same, within a bound, rounded, one end of a range."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from gatekeeper.core.values.model import Bound, Key, Kind, Reading, Value
from gatekeeper.core.values.units import MONTH, same_dimension, same_unit

# Kinds whose readings are compared by their text.
LITERAL = frozenset({Kind.VERSION, Kind.IDENTIFIER, Kind.EMAIL, Kind.URL, Kind.QUOTE})
_BARE = frozenset({Kind.NUMBER, Kind.ORDINAL})
_CALENDAR_TOLERANCE = Fraction(1, 40)  # 30 or 31 days for a month, 365 for a year, 52 weeks
_MAX_PIECES = 8  # of a version or an address
_TENTH = Fraction(1, 10)
_CLOCK_TOLERANCE = 15  # minutes, for "around 3 pm"
_YEAR_TOLERANCE = 2  # years, for "around 2010"


class Match(StrEnum):
    """How an evidence value explains a claim value, best first."""

    SAME = "same"
    CONVERSION = "conversion"
    BOUND = "bound"
    ROUNDING = "rounding"
    NARROWED = "narrowed"


_ORDER = tuple(Match)


def keys(value: Value) -> Iterator[Key]:
    """Yield what an equal value written otherwise shares with this one at least in part."""
    for reading in value.readings:
        if reading.kind in LITERAL:
            yield from _literal_keys(reading)
        elif any(reading.parts):
            year, month, day = reading.parts
            yield f"{month}-{day}" if month else f"{year}"
            yield f"{year}"
            yield f"{month}-0"
        yield from {reading.number, reading.top, reading.low, reading.high}
    if value.name:
        yield name_key(value.name)


def _literal_keys(reading: Reading) -> Iterator[str]:
    """Yield the text, the shorter versions or addresses it goes on from, its host or mailbox."""
    yield reading.key
    mark = {Kind.VERSION: ".", Kind.URL: "/"}.get(reading.kind, "")
    pieces = reading.key.split(mark)[:_MAX_PIECES] if mark else []
    for end in range(1, len(pieces)):
        yield part_key(mark.join(pieces[:end]))
    yield from like_keys(reading)


def part_key(key: str) -> str:
    """Return the key under which longer versions and addresses than this are found."""
    return f"part {key}"


def like_keys(reading: Reading) -> Iterator[str]:
    """Yield the keys that a made-up address may share with the one it was made from."""
    if reading.kind is Kind.URL:
        yield f"host {reading.key.partition('/')[0]}"
    elif reading.kind is Kind.EMAIL:
        yield from (f"mail {piece}" for piece in reading.key.split("@"))


def name_key(name: str) -> str:
    """Return the key under which numbers that are part of a name are found."""
    return f"name {name}"


def agreement(claim: Value, evidence: Value) -> Match | None:
    """Return the best way in which an evidence value explains a claim value, None if none does."""
    if len(claim.readings) == 1 == len(evidence.readings):
        return _agree(claim, evidence, claim.readings[0], evidence.readings[0])
    found = {
        match
        for one in claim.readings
        for other in evidence.readings
        if (match := _agree(claim, evidence, one, other)) is not None
    }
    return next((match for match in _ORDER if match in found), None)


def comparable(claim: Value, evidence: Value) -> bool:
    """True if the two could stand in each other's place: lengths, sums of money, dates."""
    one, other = claim.readings[0], evidence.readings[0]
    if one.unit or other.unit:
        return bool(one.unit and other.unit) and same_dimension(one.unit, other.unit)
    return one.kind == other.kind


def _agree(claim: Value, evidence: Value, one: Reading, other: Reading) -> Match | None:
    if one.kind in LITERAL or other.kind in LITERAL:
        return _literal(one, other)
    if any(one.parts) and any(other.parts):
        return _date(claim, one, other)
    if Kind.WEEKDAY in (one.kind, other.kind):
        return Match.SAME if one.kind == other.kind and one.low == other.low else None
    if one.kind is Kind.TIME and other.kind is Kind.TIME:
        return _clock(claim, one, other)
    ends = _common_scale(one, other)
    return None if ends is None else _numeric(claim, evidence, one, ends)


def _literal(one: Reading, other: Reading) -> Match | None:
    if one.kind != other.kind:
        # "555-0123" may be read as an identifier here and as digits there.
        return None
    if one.key == other.key:
        return Match.SAME
    mark = {Kind.VERSION: ".", Kind.URL: "/"}.get(one.kind, "")
    shorter = mark and other.key.startswith(one.key + mark)
    bare_host = one.kind is Kind.URL and "/" in one.key
    return Match.BOUND if shorter and not bare_host else None


def _date(claim: Value, one: Reading, other: Reading) -> Match | None:
    """A date that says less than the evidence agrees with it; one that says more does not."""
    year, other_year = one.parts[0], other.parts[0]
    if one.key == "decade" or other.key == "decade":
        return Match.BOUND if year // 10 == other_year // 10 else None
    if all(mine in (0, theirs) for mine, theirs in zip(one.parts, other.parts, strict=True)):
        return Match.SAME
    near = claim.hedged and year and not any(one.parts[1:])
    return Match.ROUNDING if near and abs(year - other_year) <= _YEAR_TOLERANCE else None


def _clock(claim: Value, one: Reading, other: Reading) -> Match | None:
    apart = abs(one.low - other.low)
    if apart == 0:
        return Match.SAME
    return Match.ROUNDING if claim.hedged and apart <= _CLOCK_TOLERANCE else None


@dataclass(frozen=True, slots=True)
class _Ends:
    """Two intervals on one scale; ``scale`` takes the claim's steps to it, 0 forbids rounding."""

    low: Fraction
    high: Fraction
    other_low: Fraction
    other_high: Fraction
    scale: Fraction = Fraction(1)


def _common_scale(one: Reading, other: Reading) -> _Ends | None:
    """Bring two readings to one scale; None if they have none in common.

    A number without a unit is compared with the number as written of one that has a unit.
    """
    if one.unit and other.unit and (one.unit, other.unit) != ("duration", "workdays"):
        if not same_unit(one.unit, other.unit):
            return None
        mine, theirs = (other.per, one.per) if one.per and other.per else (Fraction(1),) * 2
        return _Ends(one.low * mine, one.high * mine, other.low * theirs, other.high * theirs, mine)
    if not (one.unit and other.unit) and not _are_written_alike(one.kind, other.kind):
        return None
    scale = Fraction(0) if one.unit else Fraction(1)
    return _Ends(one.number, one.top, other.number, other.top, scale)


def _are_written_alike(one: Kind, other: Kind) -> bool:
    """True if two kinds can be compared by the number as written.

    The third may be a day of the month; a bare number may be anything but that.
    """
    if one is Kind.ORDINAL:
        return other in (Kind.ORDINAL, Kind.DATE)
    if Kind.NUMBER in (one, other):
        return Kind.DATE not in (one, other)
    return False


def _numeric(claim: Value, evidence: Value, one: Reading, ends: _Ends) -> Match | None:
    opposed = claim.bound and evidence.bound and claim.bound != evidence.bound
    same = (ends.low, ends.high) == (ends.other_low, ends.other_high)
    if opposed:
        return None
    if same:
        return Match.SAME
    if _holds(claim, evidence, ends):
        return Match.BOUND
    if ends.other_low < ends.other_high and not evidence.bound:
        inside = ends.other_low <= ends.low <= ends.high <= ends.other_high
        return Match.NARROWED if inside else None
    if ends.low == ends.high and ends.other_low == ends.other_high:
        return _near(claim, one, ends)
    return None


def _holds(claim: Value, evidence: Value, ends: _Ends) -> bool:
    """True if the evidence lies within what the claim's bound, or its range, allows."""
    if claim.bound is Bound.AT_MOST:
        return ends.other_high <= ends.high and evidence.bound is not Bound.AT_LEAST
    if claim.bound is Bound.AT_LEAST:
        return ends.other_low >= ends.low and evidence.bound is not Bound.AT_MOST
    inside = ends.low <= ends.other_low and ends.other_high <= ends.high
    return ends.low < ends.high and inside and evidence.bound is None


def _near(claim: Value, one: Reading, ends: _Ends) -> Match | None:
    """Allow for rounding: the last written digit, or more under a hedge; never with "exactly"."""
    if claim.exact or one.kind is Kind.ORDINAL:
        return None
    mine, theirs = ends.low, ends.other_low
    apart, tenth = abs(mine - theirs), abs(mine) * _TENTH
    if one.unit == "duration" and _is_calendar(mine) != _is_calendar(theirs):
        return Match.CONVERSION if apart <= abs(theirs) * _CALENDAR_TOLERANCE else None
    step, coarse = one.step * ends.scale, one.coarse * ends.scale
    allowed = max(step / 2, min(coarse / 2, tenth)) if claim.hedged else min(step / 2, tenth)
    return Match.ROUNDING if apart <= allowed else None


def _is_calendar(seconds: Fraction) -> bool:
    """True for whole months and years, whose length in days varies."""
    return seconds % MONTH == 0
