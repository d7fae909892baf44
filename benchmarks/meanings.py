"""What values mean, read apart from the guard: equal meanings are the same value.

Months, units, currencies and spans of time with their sizes, and a reader for each kind of value.
What can't be told for sure (1/2/2030) has no meaning.
"""

import re
from collections.abc import Iterable
from fractions import Fraction

from benchmarks.spelling import DIGITS, read

Meaning = tuple[object, ...]

MONTHS = (
    "January February March April May June July August September October November December"
).split()
MONTH = "|".join(sorted({*MONTHS, *(m[:3] for m in MONTHS), "Sept"}, key=len, reverse=True))
YEAR = r"(?:1[0-9]|20)\d\d"

# Unit as written: (dimension, size in the base of the dimension).
UNITS: dict[str, tuple[str, Fraction]] = {}
for _names, _dimension, _size in (
    ("mm millimetre millimetres millimeter millimeters", "length", "1/1000"),
    ("cm centimetre centimetres centimeter centimeters", "length", "1/100"),
    ("m metre metres meter meters", "length", "1"),
    ("km kilometre kilometres kilometer kilometers", "length", "1000"),
    ("mile miles mi", "length", "1609.344"),
    ("foot feet ft", "length", "0.3048"),
    ("inch inches", "length", "0.0254"),
    ("yard yards yd yds", "length", "0.9144"),
    ("mg milligram milligrams", "mass", "1/1000"),
    ("g gram grams", "mass", "1"),
    ("kg kilogram kilograms kilo kilos", "mass", "1000"),
    ("tonne tonnes", "mass", "1000000"),
    ("pounds lb lbs", "mass", "453.59237"),
    ("ml mL millilitre millilitres milliliter milliliters", "volume", "1/1000"),
    ("L litre litres liter liters", "volume", "1"),
    ("gallon gallons", "volume", "3.785411784"),
    ("acre acres", "area", "4046.8564224"),
    ("hectare hectares ha", "area", "10000"),
    ("°C", "celsius", "1"),
    ("°F", "fahrenheit", "1"),
    ("KB kB", "bytes", "1000"),
    ("MB", "bytes", "1000000"),
    ("GB", "bytes", "1000000000"),
    ("kW kilowatt kilowatts", "power", "1000"),
    ("MW megawatt megawatts", "power", "1000000"),
    ("kHz", "frequency", "1000"),
    ("MHz", "frequency", "1000000"),
    ("mph", "speed", "1609.344"),
    ("km/h kph", "speed", "1000"),
):
    UNITS.update({name: (_dimension, Fraction(_size)) for name in _names.split()})
UNITS.update({"degrees Celsius": UNITS["°C"], "degrees Fahrenheit": UNITS["°F"]})

# Duration as written: (seconds or months, how many).
SPANS: dict[str, tuple[str, int]] = {}
for _names, _base, _count in (
    ("second seconds sec secs", "seconds", 1),
    ("minute minutes min mins", "seconds", 60),
    ("hour hours hr hrs", "seconds", 3600),
    ("day days", "seconds", 86400),
    ("week weeks wk wks", "seconds", 604800),
    ("month months", "months", 1),
    ("year years yr yrs", "months", 12),
    ("decade decades", "months", 120),
    ("century centuries", "months", 1200),
):
    SPANS.update(dict.fromkeys(_names.split(), (_base, _count)))

# Currency as written before or behind the number: which one, and how much of it is one.
SIGNS = {"US$": "USD", "$": "USD", "£": "GBP", "€": "EUR", "USD ": "USD", "GBP ": "GBP",
         "EUR ": "EUR", "USD": "USD", "GBP": "GBP", "EUR": "EUR"}  # fmt: skip
COINS = {
    "dollars": ("USD", Fraction(1)),
    "US dollars": ("USD", Fraction(1)),
    "cents": ("USD", Fraction(1, 100)),
    "euros": ("EUR", Fraction(1)),
    "euro": ("EUR", Fraction(1)),
    "pounds": ("GBP", Fraction(1)),
    "pence": ("GBP", Fraction(1, 100)),
    "rupees": ("INR", Fraction(1)),
    "yen": ("JPY", Fraction(1)),
    "USD": ("USD", Fraction(1)),
    "EUR": ("EUR", Fraction(1)),
    "GBP": ("GBP", Fraction(1)),
}
SHORT_SCALES = {"k": 10**3, "K": 10**3, "m": 10**6, "M": 10**6, "mn": 10**6, "bn": 10**9,
                "b": 10**9, "B": 10**9}  # fmt: skip


# Units that people convert into each other, with their sizes, and other names of units.
MULTIPLES = {
    "length": {"mm": "1/1000", "cm": "1/100", "metres": "1", "km": "1000"},
    "feet": {"feet": "0.3048", "inches": "0.0254", "yards": "0.9144"},
    "mass": {"mg": "1/1000", "g": "1", "kg": "1000", "tonnes": "1000000"},
    "volume": {"ml": "1/1000", "litres": "1"},
    "bytes": {"MB": "1000000", "GB": "1000000000"},
    "power": {"kW": "1000", "MW": "1000000"},
    "frequency": {"kHz": "1000", "MHz": "1000000"},
}
SYNONYMS = (
    ("km", "kilometres"), ("km", "kilometers"), ("cm", "centimetres"), ("mm", "millimetres"),
    ("kg", "kilograms"), ("g", "grams"), ("mg", "milligrams"), ("ml", "millilitres"),
    ("metres", "meters"), ("litres", "liters"), ("ft", "feet"), ("lbs", "lb"), ("mi", "miles"),
    ("°C", "degrees Celsius"), ("°F", "degrees Fahrenheit"), ("ha", "hectares"), ("mph", "mph"),
    ("L", "litres"), ("MW", "megawatts"), ("kW", "kilowatts"), ("km/h", "kph"),
)  # fmt: skip


def either(names: Iterable[str]) -> str:
    """Return a pattern for any of the names, the longest that fits first."""
    return "|".join(re.escape(name) for name in sorted(names, key=lambda name: -len(name)))


def meaning_of(kind: str, text: str) -> Meaning | None:
    """Return what a value means, None if the text is no value of the kind or can't be told."""
    return _READERS[kind](text)


def _number(text: str) -> Meaning | None:
    short = re.fullmatch(rf"({DIGITS})(k)", text)
    if short:
        return (Fraction(short[1].replace(",", "")) * SHORT_SCALES[short[2]],)
    found = read(text)
    is_year = re.fullmatch(YEAR, text) is not None
    return None if found is None or is_year else (found,)


def _percentage(text: str) -> Meaning | None:
    found = read(re.sub(r" ?%$|[ -](?:percent|per cent)$", "", text))
    return None if found is None else (found,)


def _measured(text: str, names: dict[str, tuple[str, Fraction]]) -> Meaning | None:
    for name in sorted(names, key=len, reverse=True):
        head = text.removesuffix(name)
        if head != text and (number := read(head.rstrip(" -"))) is not None:
            base, size = names[name]
            return (base, number * size)
    return None


def _unit(text: str) -> Meaning | None:
    return _measured(text, UNITS)


def _duration(text: str) -> Meaning | None:
    return _measured(text, {name: (base, Fraction(n)) for name, (base, n) in SPANS.items()})


def _currency(text: str) -> Meaning | None:
    for sign in sorted(SIGNS, key=len, reverse=True):
        if text.startswith(sign):
            return _signed(text.removeprefix(sign), SIGNS[sign])
    return _measured(text, COINS)


def _signed(amount: str, currency: str) -> Meaning | None:
    short = re.fullmatch(rf"({DIGITS})({either(SHORT_SCALES)})", amount)
    number = read(short[1] if short else amount)
    if number is None:
        return None
    return (currency, number * (SHORT_SCALES[short[2]] if short else 1))


_DATE_PARTS = re.compile(
    rf"(?P<iso>{YEAR}-\d\d-\d\d)|(?P<slash>\d\d?/\d\d?/{YEAR})|(?P<month>{MONTH})|(?P<year>{YEAR})"
    r"|(?P<day>\d{1,2})"
)


def _date(text: str) -> Meaning | None:
    found = {"year": 0, "month": 0, "day": 0}
    for match in _DATE_PARTS.finditer(text):
        if match["iso"]:
            year, month, day = map(int, match["iso"].split("-"))
            found = {"year": year, "month": month, "day": day}
        elif match["slash"]:
            found = _slashed(match["slash"])
        else:
            name = match.lastgroup or ""
            number = _month(match[0]) if name == "month" else int(match[0])
            found[name] = number
    whole = found["month"] <= 12 and found["day"] <= 31
    lacks = found["day"] and not found["month"]
    return tuple(found.values()) if whole and any(found.values()) and not lacks else None


def _slashed(text: str) -> dict[str, int]:
    """Read d/m/y or m/d/y where the day is past 12; month 13 marks what may be either."""
    one, two, year = map(int, text.split("/"))
    if one > 12:
        return {"year": year, "month": two, "day": one}
    return {"year": year, "month": one if two > 12 else 13, "day": two}


def _month(name: str) -> int:
    return 1 + next(n for n, month in enumerate(MONTHS) if month.startswith(name[:3]))


def _time(text: str) -> Meaning | None:
    match = re.fullmatch(r"(\d{1,2})(?:[:.](\d\d))? ?([apAP]?)\.?[mM]?\.?", text)
    if match is None:
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), match[3].lower()
    if hour > (12 if half else 23) or minute > 59 or (half and not hour):
        return None
    return (60 * (hour % 12 + 12 * (half == "p") if half else hour) + minute,)


def _identifier(text: str) -> Meaning | None:
    folded = re.sub(r"[\W_]", "", text).upper()
    return (folded,) if len(folded) >= 3 else None


def _url(text: str) -> Meaning | None:
    bare = re.sub(r"^https?://", "", text.strip("<>"), flags=re.IGNORECASE).rstrip("/")
    host, slash, path = bare.partition("/")
    return (host.lower().removeprefix("www."), slash + path)


def _email(text: str) -> Meaning | None:
    name, _, host = text.partition("@")
    return (name.lower(), host.lower())


_READERS = {
    "url": _url,
    "email": _email,
    "date": _date,
    "time": _time,
    "currency": _currency,
    "percentage": _percentage,
    "duration": _duration,
    "unit": _unit,
    "identifier": _identifier,
    "number": _number,
}
