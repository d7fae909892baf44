"""Numbers with what belongs to them: sign, unit, currency, rate, range."""

from dataclasses import dataclass, replace
from fractions import Fraction

from gatekeeper.core.values.numbers import ORDINALS, SMALL, TENS, read_number
from gatekeeper.core.values.tokens import Number, Token, glued, joined, word_at
from gatekeeper.core.values.units import (
    LONGEST_NAME,
    MIN_LETTERS_AFTER_WORDS,
    TIME_UNITS,
    UNITS,
    Unit,
    is_currency,
)

# The first token of anything but digits that can be a quantity.
BEGINNINGS = (
    frozenset(SMALL)
    | frozenset(TENS)
    | frozenset(ORDINALS)
    | frozenset("half quarter a an per minus - us au ca c".split())
    | frozenset(name for name, units in UNITS.items() if is_currency(units[0].dimension))
)
_HEDGES = frozenset("about around approximately roughly nearly almost some".split())
_YEARS = range(1000, 2200)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number over the tokens [begin, end) with the units it may be in."""

    begin: int
    end: int
    number: Number
    units: tuple[Unit, ...] = ()
    per: Fraction = Fraction(0)
    scaled: Fraction | None = None
    sign: int = 1
    article: bool = False


def read_quantity(tokens: list[Token], at: int) -> Quantity | None:
    """Read one quantity that begins at a token."""
    prefix, begin = _prefix(tokens, at)
    sign = 1
    if not prefix and word_at(tokens, begin) in ("-", "minus") and _is_sign(tokens, begin):
        sign, begin = -1, begin + 1
    article = (
        word_at(tokens, begin) in ("a", "an", "per") and word_at(tokens, begin + 1) in TIME_UNITS
    )
    if article and len(word_at(tokens, begin + 1)) >= MIN_LETTERS_AFTER_WORDS:
        one = Fraction(1)
        number: Number | None = Number(value=one, begin=begin, end=begin + 1, step=one, coarse=one)
    else:
        article, number = False, read_number(tokens, begin) if begin < len(tokens) else None
    if number is None:
        return None
    found = Quantity(begin=at, end=number.end, number=number, sign=sign, article=article)
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
            name = joined(tokens, at, end)
            units = tuple(u for u in UNITS.get(name, ()) if is_currency(u.dimension))
            code = tokens[at].text.isupper() and len(name) == 3
            if units and (code or not name.isalpha()):
                return units, end
    return (), at


def _is_sign(tokens: list[Token], at: int) -> bool:
    if tokens[at].low == "minus":
        return True
    return glued(tokens, at + 1) and not glued(tokens, at) and tokens[at + 1].is_digits


def _with_millions(tokens: list[Token], found: Quantity, *, money: bool) -> Quantity:
    """Read "m" after digits as million where money is meant, else as a second reading."""
    if word_at(tokens, found.end) != "m" or not tokens[found.number.end - 1].is_digits:
        return found
    name, _ = _unit_at(tokens, found.end + 1)
    if money or any(is_currency(unit.dimension) for unit in name):
        scaled = found.number.times(10**6, found.end + 1)
        return replace(found, number=scaled, end=found.end + 1)
    if glued(tokens, found.end):
        return replace(found, scaled=found.number.value * 10**6)
    return found


def _unit_at(tokens: list[Token], at: int) -> tuple[tuple[Unit, ...], int]:
    """Return the units named from a token on, longest name first, and the end of the name."""
    for end in range(min(at + LONGEST_NAME, len(tokens)), at, -1):
        name = joined(tokens, at, end)
        if name in UNITS:
            return UNITS[name], end
    return (), at


def _with_unit(tokens: list[Token], found: Quantity) -> Quantity:
    at = found.end
    if word_at(tokens, at) == "-" and glued(tokens, at) and glued(tokens, at + 1):
        at += 1
    if found.number.fraction:
        at += word_at(tokens, at) == "of"
        at += word_at(tokens, at) in ("a", "an")
    units, end = _unit_at(tokens, at)
    if not units or not _may_follow(tokens, found, at):
        return found
    found = replace(found, units=units, end=end)
    if [word_at(tokens, end + ahead) for ahead in range(3)] == ["and", "a", "half"]:
        number = replace(found.number, value=found.number.value + Fraction(1, 2))
        return replace(found, number=number, end=end + 3)
    return found


def _may_follow(tokens: list[Token], found: Quantity, at: int) -> bool:
    """Refuse a single letter that is no unit: after number words, or before an apostrophe."""
    name = tokens[at].low
    if not name.isalpha() or len(name) >= MIN_LETTERS_AFTER_WORDS:
        return True
    return tokens[found.number.begin].is_digits and word_at(tokens, at + 1) != "'"


def _with_per(tokens: list[Token], found: Quantity) -> Quantity:
    """Read "per hour", "an hour", "/h" after a unit or a sum of money."""
    at = found.end
    if not found.units or found.units[0].dimension == "duration":
        return found
    if word_at(tokens, at) in ("per", "a", "an", "/", "each", "every"):
        name = word_at(tokens, at + 1)
        if name in TIME_UNITS:
            return replace(found, per=UNITS[name][0].factor, end=at + 2)
    return found


def _compound(tokens: list[Token], found: Quantity) -> Quantity:
    """Join "1 hour [and] 30 minutes" and "5 feet 10 inches" into one quantity."""
    if not found.units or found.units[0].dimension not in ("duration", "length", "mass"):
        return found
    if found.units[0].per:
        return found
    at = found.end + 1 if word_at(tokens, found.end) == "and" else found.end
    number = read_number(tokens, at) if at < len(tokens) else None
    if number is None or number.ordinal or found.article or found.per:
        return found
    more = _with_unit(tokens, Quantity(begin=at, end=number.end, number=number))
    for unit in more.units[:1]:
        whole = found.units[0]
        if unit.dimension == whole.dimension and unit.factor < whole.factor:
            value = found.number.value + number.value * unit.factor / whole.factor
            step = unit.factor / whole.factor
            joined = replace(found.number, value=value, step=step, coarse=step)
            return replace(found, number=joined, units=(whole,), end=more.end)
    return found


def read_upper_end(tokens: list[Token], first: Quantity) -> Quantity | None:
    """Read the upper end of a range: "3 to 5", "between 3 and 5", "5-7 days".

    "from 40 to 50" is left as two values: it may be a change as well as a range. So are "3 or 4
    days" and "5 euros a month to 50 euros a year": each of two alternatives holds by itself.
    """
    sign, before = word_at(tokens, first.end), word_at(tokens, first.begin - 1)
    alike = glued(tokens, first.end) == glued(tokens, first.end + 1)
    is_range = (
        (sign == "to" and before != "from" and not _is_change(tokens, first.begin))
        or (sign == "and" and before == "between")
        or (sign == "-" and alike)
    )
    if not is_range or first.number.ordinal or first.end + 1 >= len(tokens):
        return None
    second = read_quantity(tokens, first.end + 1)
    if second is None or second.number.ordinal or second.article or is_year(tokens, first.number):
        return None
    if not _are_alike(first, second):
        return None
    return second if _ends(first, second)[0] < _ends(first, second)[1] else None


def _is_change(tokens: list[Token], at: int) -> bool:
    """True behind "from about"."""
    return word_at(tokens, at - 2) == "from" and word_at(tokens, at - 1) in _HEDGES


def _are_alike(first: Quantity, second: Quantity) -> bool:
    """False for amounts of different dimensions, or for different times."""
    if first.per and second.per and first.per != second.per:
        return False
    if not (first.units and second.units):
        return True
    one, other = first.units[0].dimension, second.units[0].dimension
    return one == other or (is_currency(one) and is_currency(other))


def read_alternative(tokens: list[Token], first: Quantity) -> Quantity:
    """Return "3" of "3 or 4 days" with the unit of the other, anything else unchanged."""
    if first.units or word_at(tokens, first.end) != "or" or first.end + 1 >= len(tokens):
        return first
    second = read_quantity(tokens, first.end + 1)
    if second is None or second.number.ordinal or second.article or first.number.ordinal:
        return first
    return replace(first, units=second.units, per=second.per)


def _ends(first: Quantity, second: Quantity) -> tuple[Fraction, Fraction]:
    one = (first.units or second.units or (Unit("", Fraction(1)),))[0].factor
    other = (second.units or first.units or (Unit("", Fraction(1)),))[0].factor
    return first.sign * first.number.value * one, second.sign * second.number.value * other


def is_year(tokens: list[Token], number: Number) -> bool:
    """True for four bare digits, or words in pairs, that can be a year."""
    text = tokens[number.begin].text
    paired = number.in_words and number.end - number.begin <= 4 and number.value > 1100
    digits = number.end == number.begin + 1 and text.isdigit() and len(text) == 4
    return (digits or paired) and number.value.denominator == 1 and int(number.value) in _YEARS
