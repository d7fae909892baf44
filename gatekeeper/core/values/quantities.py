"""Numbers with what belongs to them: unit, currency, percentage, range, bound and hedge."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from gatekeeper.core.terms import STOP_WORDS, stem
from gatekeeper.core.values.model import Bound, Kind, Reading, Value
from gatekeeper.core.values.numbers import Number, Token, read_number
from gatekeeper.core.values.units import (
    LONGEST_NAME,
    MIN_LETTERS_AFTER_WORDS,
    TIME_UNITS,
    UNITS,
    Unit,
    is_currency,
)

_KINDS = {"duration": Kind.DURATION, "workdays": Kind.DURATION, "percent": Kind.PERCENT}
_KINDS["points"] = Kind.POINTS

_BEFORE: dict[str, Bound | str] = {
    **dict.fromkeys(
        ("at least", "no less than", "not less than", "no fewer than", "more than", "over",
         "above", "minimum", "minimum of", "a minimum of", "exceeding", "exceeds", "exceed",
         "greater than", "as many as at least", "upwards of", "in excess of"),
        Bound.AT_LEAST,
    ),
    **dict.fromkeys(
        ("at most", "up to", "no more than", "not more than", "less than", "fewer than", "under",
         "below", "maximum", "maximum of", "a maximum of", "within", "not exceeding",
         "not exceed", "no later than", "up to and including", "as many as"),
        Bound.AT_MOST,
    ),
    **dict.fromkeys(
        ("about", "roughly", "approximately", "approx", "approx.", "nearly", "almost", "around",
         "ca", "ca.", "circa", "~", "some", "close to", "just over", "just under", "estimated",
         "well over", "in the region of"),
        "hedged",
    ),
    **dict.fromkeys(("exactly", "precisely", "exact"), "exact"),
}  # fmt: skip
_AFTER: dict[str, Bound | str] = {
    **dict.fromkeys(
        ("or more", "or over", "or above", "minimum", "at least", "+", "or later", "or longer"),
        Bound.AT_LEAST,
    ),
    **dict.fromkeys(
        ("or less", "or fewer", "or under", "or below", "maximum", "at most", "or earlier"),
        Bound.AT_MOST,
    ),
    **dict.fromkeys(("or so", "approximately", "roughly"), "hedged"),
    **dict.fromkeys(("exactly", "precisely"), "exact"),
}
_CLOCK_WORDS = frozenset(
    "at by until till from before after since to opens closes starts ends open close".split()
)
# What stands before a small count that the reader is taken to know already.
_DEFINITE = frozenset(
    """the these those both all of other its their his her our your my last next first past
    every""".split()
)
_EMPTY_NOUNS = frozenset("time times place aid lady person party all class hand off thing".split())
_YEARS = range(1000, 2200)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quantity:
    """A number over the tokens [begin, end) with the units it may be in."""

    begin: int
    end: int
    number: Number
    units: tuple[Unit, ...] = ()
    per: Fraction = Fraction(0)
    scaled: Fraction | None = None
    sign: int = 1
    article: bool = False


def quantities(tokens: list[Token]) -> Iterator[Value]:
    """Yield every number of the tokens, with a unit or without."""
    at = 0
    while at < len(tokens):
        first = _quantity(tokens, at)
        if first is None:
            at += 1
            continue
        second = _second(tokens, first)
        if second is None:
            yield _value(tokens, first, first)
            at = max(first.end, at + 1)
        else:
            yield _value(tokens, first, second)
            at = second.end


def _word(tokens: list[Token], at: int) -> str:
    return tokens[at].low if 0 <= at < len(tokens) else ""


def _glued(tokens: list[Token], at: int) -> bool:
    """True if no blank parts a token from the one before it."""
    return 0 < at < len(tokens) and tokens[at - 1].end == tokens[at].start


def _joined(tokens: list[Token], begin: int, end: int) -> str:
    """Return tokens as written, in lower case, runs of blanks as one."""
    parts = [tokens[begin].low]
    for at in range(begin + 1, end):
        parts.append(tokens[at].low if _glued(tokens, at) else " " + tokens[at].low)
    return "".join(parts)


def _quantity(tokens: list[Token], at: int) -> _Quantity | None:
    """Read one quantity that begins at a token."""
    prefix, begin = _prefix(tokens, at)
    sign = 1
    if not prefix and _word(tokens, begin) in ("-", "minus") and _is_sign(tokens, begin):
        sign, begin = -1, begin + 1
    article = _word(tokens, begin) in ("a", "an", "per") and _word(tokens, begin + 1) in TIME_UNITS
    if article and len(_word(tokens, begin + 1)) >= MIN_LETTERS_AFTER_WORDS:
        one = Fraction(1)
        number: Number | None = Number(value=one, begin=begin, end=begin + 1, step=one, coarse=one)
    else:
        article, number = False, read_number(tokens, begin) if begin < len(tokens) else None
    if number is None:
        return None
    found = _Quantity(begin=at, end=number.end, number=number, sign=sign, article=article)
    if number.ordinal:
        return found
    found = _with_millions(tokens, found, money=bool(prefix))
    if prefix:
        return _with_per(tokens, replace(found, units=prefix))
    return _compound(tokens, _with_per(tokens, _with_unit(tokens, found)))


def _prefix(tokens: list[Token], at: int) -> tuple[tuple[Unit, ...], int]:
    """Read a currency sign or code before a number; the units and where the number begins."""
    for end in (at + 2, at + 1):
        if end < len(tokens) and (tokens[end].is_digits or tokens[end].low == "a"):
            name = _joined(tokens, at, end)
            units = tuple(u for u in UNITS.get(name, ()) if is_currency(u.dimension))
            code = tokens[at].text.isupper() and len(name) == 3
            if units and (code or not name.isalpha()):
                return units, end
    return (), at


def _is_sign(tokens: list[Token], at: int) -> bool:
    if tokens[at].low == "minus":
        return True
    return _glued(tokens, at + 1) and not _glued(tokens, at) and tokens[at + 1].is_digits


def _with_millions(tokens: list[Token], found: _Quantity, *, money: bool) -> _Quantity:
    """Read "m" after digits as million where money is meant, else as a second reading."""
    if _word(tokens, found.end) != "m" or not tokens[found.number.end - 1].is_digits:
        return found
    name, _ = _unit_at(tokens, found.end + 1)
    if money or any(is_currency(unit.dimension) for unit in name):
        scaled = found.number.times(10**6, found.end + 1)
        return replace(found, number=scaled, end=found.end + 1)
    if _glued(tokens, found.end):
        return replace(found, scaled=found.number.value * 10**6)
    return found


def _unit_at(tokens: list[Token], at: int) -> tuple[tuple[Unit, ...], int]:
    """Return the units named from a token on, longest name first, and the end of the name."""
    for end in range(min(at + LONGEST_NAME, len(tokens)), at, -1):
        name = _joined(tokens, at, end)
        if name in UNITS:
            return UNITS[name], end
    return (), at


def _with_unit(tokens: list[Token], found: _Quantity) -> _Quantity:
    at = found.end
    if _word(tokens, at) == "-" and _glued(tokens, at) and _glued(tokens, at + 1):
        at += 1
    if found.number.fraction:
        at += _word(tokens, at) == "of"
        at += _word(tokens, at) in ("a", "an")
    units, end = _unit_at(tokens, at)
    if not units or not _may_follow(tokens, found, at):
        return found
    found = replace(found, units=units, end=end)
    if [_word(tokens, end + ahead) for ahead in range(3)] == ["and", "a", "half"]:
        number = replace(found.number, value=found.number.value + Fraction(1, 2))
        return replace(found, number=number, end=end + 3)
    return found


def _may_follow(tokens: list[Token], found: _Quantity, at: int) -> bool:
    """Refuse a single letter that is no unit: after number words, or before an apostrophe."""
    name = tokens[at].low
    if not name.isalpha() or len(name) >= MIN_LETTERS_AFTER_WORDS:
        return True
    return tokens[found.number.begin].is_digits and _word(tokens, at + 1) != "'"


def _with_per(tokens: list[Token], found: _Quantity) -> _Quantity:
    """Read "per hour", "an hour", "/h" after a unit or a sum of money."""
    at = found.end
    if not found.units or found.units[0].dimension == "duration":
        return found
    if _word(tokens, at) in ("per", "a", "an", "/", "each", "every"):
        name = _word(tokens, at + 1)
        if name in TIME_UNITS:
            return replace(found, per=UNITS[name][0].factor, end=at + 2)
    return found


def _compound(tokens: list[Token], found: _Quantity) -> _Quantity:
    """Join "1 hour [and] 30 minutes" and "5 feet 10 inches" into one quantity."""
    if not found.units or found.units[0].dimension not in ("duration", "length", "mass"):
        return found
    if found.units[0].per:
        return found
    at = found.end + 1 if _word(tokens, found.end) == "and" else found.end
    number = read_number(tokens, at) if at < len(tokens) else None
    if number is None or number.ordinal or found.article or found.per:
        return found
    more = _with_unit(tokens, _Quantity(begin=at, end=number.end, number=number))
    for unit in more.units[:1]:
        whole = found.units[0]
        if unit.dimension == whole.dimension and unit.factor < whole.factor:
            value = found.number.value + number.value * unit.factor / whole.factor
            step = unit.factor / whole.factor
            joined = replace(found.number, value=value, step=step, coarse=step)
            return replace(found, number=joined, units=(whole,), end=more.end)
    return found


def _second(tokens: list[Token], first: _Quantity) -> _Quantity | None:
    """Read the upper end of a range: "3 to 5", "between 3 and 5", "5-7 days", "3 or 4".

    "from 40 to 50" is left as two values: it may be a change as well as a range.
    """
    sign, before = _word(tokens, first.end), _word(tokens, first.begin - 1)
    glued = _glued(tokens, first.end) == _glued(tokens, first.end + 1)
    is_range = (
        (sign == "to" and before != "from")
        or (sign == "and" and before == "between")
        or (sign == "-" and glued)
        or sign == "or"
    )
    if not is_range or first.number.ordinal or first.end + 1 >= len(tokens):
        return None
    second = _quantity(tokens, first.end + 1)
    if second is None or second.number.ordinal or second.article or _is_year(tokens, first.number):
        return None
    if second.units and first.units and second.units[0].dimension != first.units[0].dimension:
        return None
    return second if _ends(first, second)[0] < _ends(first, second)[1] else None


def _ends(first: _Quantity, second: _Quantity) -> tuple[Fraction, Fraction]:
    one = (first.units or second.units or (Unit("", Fraction(1)),))[0].factor
    other = (second.units or first.units or (Unit("", Fraction(1)),))[0].factor
    return first.sign * first.number.value * one, second.sign * second.number.value * other


def _is_year(tokens: list[Token], number: Number) -> bool:
    text = tokens[number.begin].text
    paired = number.in_words and number.end - number.begin <= 4 and number.value > 1100
    digits = number.end == number.begin + 1 and text.isdigit() and len(text) == 4
    return (digits or paired) and number.value.denominator == 1 and int(number.value) in _YEARS


def _value(tokens: list[Token], first: _Quantity, second: _Quantity) -> Value:
    start, end = tokens[first.begin].start, tokens[second.end - 1].end
    flags = _flags(tokens, first.begin, second.end)
    noun = _noun(tokens, second.end)
    bounds = [flag for flag in flags if isinstance(flag, Bound)]
    return Value(
        text=_joined(tokens, first.begin, second.end),
        start=start,
        end=end,
        readings=tuple(_readings(tokens, first, second)),
        hedged="hedged" in flags,
        exact="exact" in flags,
        bound=bounds[-1] if bounds else None,
        weak=_is_weak(tokens, first, second, noun),
        noun=noun,
    )


def _flags(tokens: list[Token], begin: int, end: int) -> list[Bound | str]:
    """Collect bounds and hedges around a value, nearest first before it, then after it."""
    flags: list[Bound | str] = []
    for _ in range(3):
        size = next((n for n in (4, 3, 2, 1) if _phrase(tokens, begin, n) in _BEFORE), 0)
        if not size:
            break
        flags.append(_BEFORE[_phrase(tokens, begin, size)])
        begin -= size
    for size in (2, 1):
        after = _joined(tokens, end, end + size) if end + size <= len(tokens) else ""
        if after in _AFTER:
            flags.append(_AFTER[after])
            break
    return flags


def _phrase(tokens: list[Token], end: int, size: int) -> str:
    return _joined(tokens, end - size, end) if end >= size else ""


def _noun(tokens: list[Token], at: int) -> str:
    if _word(tokens, at) == "-" and _glued(tokens, at):
        at += 1
    word = _word(tokens, at)
    return stem(word) if word.isalpha() and word not in STOP_WORDS else ""


def _is_weak(tokens: list[Token], first: _Quantity, second: _Quantity, noun: str) -> bool:
    """True for what may be no value at all: "one", "half", "at first", "the two", "a year"."""
    number, before = first.number, _word(tokens, first.begin - 1)
    if first.article:
        return True
    if number.ordinal:
        glued = _word(tokens, first.end) == "-"
        return not noun or glued or before == "at" or _word(tokens, first.end) in _EMPTY_NOUNS
    if first.units or first is not second or not number.in_words:
        return False
    if number.fraction:
        return number.end == number.begin + 1
    if number.value == 1:
        return before not in ("only", "exactly", "just")
    return number.value <= 12 and before in _DEFINITE


def _readings(tokens: list[Token], first: _Quantity, second: _Quantity) -> Iterator[Reading]:
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
    if first is second and not first.units and _is_year(tokens, number):
        year = int(number.value)
        yield Reading(kind=Kind.DATE, low=low, high=low, number=low, top=low, parts=(year, 0, 0))
    shared = first.units or second.units
    for unit, upper in zip(shared, second.units or first.units, strict=False):
        yield _unit_reading(first, second, unit, upper)
    if not shared or first.scaled is not None:
        factor = first.scaled / number.value if first.scaled and number.value else Fraction(1)
        yield Reading(
            kind=Kind.NUMBER, low=low * factor, high=high * factor, number=low * factor,
            top=high * factor, step=last.step * factor, coarse=last.coarse * factor,
        )  # fmt: skip
    if not shared:
        yield from _other_readings(tokens, first, second)


def _unit_reading(first: _Quantity, second: _Quantity, unit: Unit, upper: Unit) -> Reading:
    kind = _KINDS.get(unit.dimension, Kind.QUANTITY)
    low, high = first.sign * first.number.value, second.sign * second.number.value
    return Reading(
        kind=Kind.MONEY if is_currency(unit.dimension) else kind,
        low=low * unit.factor + unit.offset,
        high=high * upper.factor + upper.offset,
        number=low,
        top=high,
        unit=unit.dimension,
        per=first.per or second.per or unit.per,
        step=second.number.step * upper.factor,
        coarse=second.number.coarse * upper.factor,
    )


def _other_readings(tokens: list[Token], first: _Quantity, second: _Quantity) -> Iterator[Reading]:
    """Yield rarer readings of a bare number: "1.250", a share of the whole, an hour."""
    number = first.number
    if number.other is not None:
        yield Reading(
            kind=Kind.NUMBER, low=number.other, high=number.other, number=number.other,
            top=number.other,            step=Fraction(1), coarse=Fraction(1),
        )  # fmt: skip
    if number.fraction:
        share = number.value * 100
        yield Reading(
            kind=Kind.PERCENT, low=share, high=share, number=share, top=share, unit="percent",
            step=Fraction(2), coarse=Fraction(2),
        )  # fmt: skip
    clock = _word(tokens, first.begin - 1) in _CLOCK_WORDS and first is second
    if clock and number.value.denominator == 1 and 1 <= number.value <= 24:
        yield from clock_readings(int(number.value), 0, twelve=number.value <= 12)


def clock_readings(hour: int, minute: int, *, twelve: bool) -> Iterator[Reading]:
    """Yield a time of day, and twelve hours later as well if the half of the day is open."""
    for start in (0, 720) if twelve else (0,):
        minutes = Fraction((hour * 60 + minute + start) % 1440)
        yield Reading(
            kind=Kind.TIME, low=minutes, high=minutes, number=Fraction(hour), top=Fraction(hour)
        )
