"""Wrong values: a value of a sentence changed so that the sentence no longer follows.

Each change is checked against the meaning it had: the same value in other characters ("5.0" for
"5") is no change. Whether a changed sentence follows from the old one all the same, ``implied``
tells.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from random import Random

from benchmarks.meanings import COINS, MONTHS, SIGNS, SPANS, UNITS, meaning_of
from benchmarks.spelling import DIGITS, SCALES, WORDS, plain, read, spelled
from benchmarks.spots import Spot

_NUMBER = re.compile(
    rf"(?P<number>(?:{DIGITS})|\b{WORDS})(?P<scale>[ -](?:{'|'.join(SCALES)})\b)?", re.IGNORECASE
)
_OTHER_DURATION = {
    "second": "minute", "minute": "hour", "hour": "day", "day": "week", "week": "month",
    "month": "year", "year": "month", "decade": "year", "century": "decade",
    "sec": "min", "min": "hr", "hr": "min", "wk": "day", "yr": "month",
}  # fmt: skip
_OTHER_UNIT = {
    "mm": "cm", "cm": "mm", "m": "km", "km": "miles", "mile": "kilometre", "miles": "kilometres",
    "mi": "km", "foot": "metre", "feet": "metres", "ft": "m", "inch": "foot", "inches": "feet",
    "yard": "foot", "yards": "feet", "yd": "ft", "yds": "ft", "mg": "g", "g": "kg", "kg": "g",
    "kilo": "gram", "kilos": "grams", "tonne": "kilogram", "tonnes": "kilograms", "lb": "kg",
    "lbs": "kg", "ml": "L", "mL": "L", "L": "ml", "gallon": "litre", "gallons": "litres",
    "acre": "hectare", "acres": "hectares", "hectare": "acre", "hectares": "acres", "ha": "acres",
    "°C": "°F", "°F": "°C", "degrees Celsius": "degrees Fahrenheit", "KB": "MB", "kB": "MB",
    "degrees Fahrenheit": "degrees Celsius", "MB": "GB", "GB": "MB", "kW": "MW", "MW": "kW",
    "kHz": "MHz", "MHz": "kHz", "mph": "km/h", "km/h": "mph", "kph": "mph",
    **{f"{part}{name}": f"{other}{name}" for part, other in (
        ("milli", "centi"), ("centi", "milli"), ("", "kilo"), ("kilo", ""))
       for name in ("metre", "metres", "meter", "meters")},
    **{f"{part}{name}": f"{other}{name}" for part, other in (
        ("milli", ""), ("", "kilo"), ("kilo", "")) for name in ("gram", "grams")},
    **{f"{part}{name}": f"{other}{name}" for part, other in (("milli", ""), ("", "milli"))
       for name in ("litre", "litres", "liter", "liters")},
    **{f"{part}{name}": f"{other}{name}" for part, other in (("kilo", "mega"), ("mega", "kilo"))
       for name in ("watt", "watts")},
}  # fmt: skip
_OTHER_SIGN = {"US$": "£", "$": "€", "£": "$", "€": "£", "USD": "GBP", "GBP": "USD", "EUR": "USD"}
_OTHER_COIN = {"dollars": "euros", "US dollars": "euros", "cents": "dollars", "euros": "dollars",
               "euro": "dollars", "pence": "euros", "rupees": "yen", "yen": "rupees", "USD": "EUR",
               "EUR": "USD", "GBP": "USD"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Another text for a value, and of what sort it is."""

    sort: str
    text: str


def mutations(spot: Spot, random: Random) -> list[Change]:
    """Return one change of each sort that the value allows, in a fixed order.

    Only texts that can be read as another value of the same kind are changes.
    """
    found: dict[str, Change] = {}
    for change in _MUTATORS[spot.kind](spot.text, random):
        meaning = meaning_of(spot.kind, change.text)
        if meaning is not None and meaning != spot.meaning:
            found.setdefault(change.sort, change)
    return list(found.values())


def changed_numbers(text: str, random: Random) -> Iterator[Change]:
    """Yield other numbers in the place of the first in a text, in the same notation."""
    match = _NUMBER.search(text)
    if match is None:
        return
    number = match["number"]
    others = _other_digits(number, random) if number[0].isdigit() else _other_words(number, random)
    for change in others:
        yield Change(
            sort=change.sort,
            text=text[: match.start("number")] + change.text + text[match.end("number") :],
        )
    if match["scale"]:
        scale = match["scale"][1:]
        other = random.choice([word for word in SCALES if word != scale.lower()])
        start = match.start("scale") + 1
        yield Change(sort="scale", text=text[:start] + other + text[match.end("scale") :])


def _other_digits(number: str, random: Random) -> Iterator[Change]:
    places = [n for n, char in enumerate(number) if char.isdigit()]
    at = random.choice(places)
    first = at == 0 and len(places) > 1
    digit = random.choice([d for d in "0123456789"[first:] if d != number[at]])
    yield from _kept("digit", number[:at] + digit + number[at + 1 :])
    pairs = [
        (a, b) for a, b in pairwise(places)
        if number[a] != number[b] and (a or number[b] != "0")
    ]  # fmt: skip
    if pairs:
        a, b = random.choice(pairs)
        yield from _kept(
            "swapped", number[:a] + number[b] + number[a + 1 : b] + number[a] + number[b + 1 :]
        )
    value = read(number) or Fraction(1)
    decimals = len(number.partition(".")[2])
    commas = "," in number
    step = random.choice((-1, 1))
    yield from _kept(
        "off_by_one", _padded(value + step * Fraction(1, 10**decimals), decimals, commas)
    )
    factor = random.choice((Fraction(10), Fraction(1, 10)))
    yield from _kept("tenfold", plain(value * factor, commas=commas))


def _kept(sort: str, number: str | None) -> Iterator[Change]:
    """Yield a change unless it can't be written or is a 1, which its noun would not go with."""
    if number is not None and number not in {"1", "one"} and not number.startswith("-"):
        yield Change(sort=sort, text=number)


def _padded(value: Fraction, decimals: int, commas: bool) -> str | None:  # noqa: FBT001
    if value < 0:
        return None
    number = f"{value.numerator / value.denominator:,.{decimals}f}"
    return number if commas else number.replace(",", "")


def _other_words(number: str, random: Random) -> Iterator[Change]:
    value = read(number)
    if value is None:
        return
    count = int(value)
    wanted = {
        "off_by_one": count + random.choice((-1, 1)),
        "tenfold": count * 10 if count % 10 or random.random() < 0.5 else count // 10,
        "digit": random.choice([n for n in range(2, 100) if n != count]),
    }
    for sort, other in wanted.items():
        if 2 <= other < 1000 and other != count:
            word = spelled(other)
            yield Change(sort=sort, text=word.capitalize() if number[0].isupper() else word)


def _renamed(text: str, names: dict[str, str], sort: str = "unit") -> Iterator[Change]:
    """Yield the text with another unit behind the number; the longest name that fits is it."""
    for name in sorted(names, key=len, reverse=True):
        head = text.removesuffix(name)
        if head != text and not head[-1:].isalpha():
            yield Change(sort=sort, text=head + names[name])
            return


def _durations(text: str, random: Random) -> Iterator[Change]:
    yield from changed_numbers(text, random)
    others = {}
    for name in SPANS:
        stem = name[:-3] + "y" if name == "centuries" else name.rstrip("s")
        if stem in _OTHER_DURATION:
            others[name] = _OTHER_DURATION[stem] + ("s" if name != stem else "")
    yield from _renamed(text, others)


def _units(text: str, random: Random) -> Iterator[Change]:
    yield from changed_numbers(text, random)
    yield from _renamed(text, {name: _OTHER_UNIT[name] for name in UNITS if name in _OTHER_UNIT})


def _currencies(text: str, random: Random) -> Iterator[Change]:
    yield from changed_numbers(text, random)
    for sign in sorted(SIGNS, key=len, reverse=True):
        if text.startswith(sign):
            yield Change(
                sort="currency", text=_OTHER_SIGN[sign.strip()] + text[len(sign.strip()) :]
            )
            return
    yield from _renamed(
        text, {name: _OTHER_COIN[name] for name in COINS if name in _OTHER_COIN}, "currency"
    )


def _dates(text: str, random: Random) -> Iterator[Change]:
    year = re.search(r"(?<!\d)\d{4}(?!\d)", text)
    iso = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text)
    if year:
        yield from _other_years(text, year, random)
    if iso:
        month = random.choice([n for n in range(1, 13) if n != int(iso[2])])
        day = random.choice([n for n in range(1, 29) if n != int(iso[3])])
        yield Change(sort="month", text=f"{iso[1]}-{month:02}-{iso[3]}")
        yield Change(sort="day", text=f"{iso[1]}-{iso[2]}-{day:02}")
        return
    name = re.search(r"[A-Z][a-z]+", text)
    if name:
        others = [month for month in MONTHS if month[:3] != name[0][:3]]
        other = random.choice(others)
        short = name[0] not in MONTHS and len(name[0]) <= 4 and other != "May"
        yield Change(
            sort="month",
            text=text[: name.start()] + (other[:3] if short else other) + text[name.end() :],
        )
    day_at = re.search(r"(?<!\d)(\d{1,2})(st|nd|rd|th)?(?!\d)", text)
    if day_at:
        day = random.choice([n for n in range(1, 29) if n != int(day_at[1])])
        put = f"{day}{ordinal_suffix(day) if day_at[2] else ''}"
        yield Change(sort="day", text=text[: day_at.start()] + put + text[day_at.end() :])


def ordinal_suffix(number: int) -> str:
    """Return what follows a number in digits as an ordinal."""
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _other_years(text: str, match: re.Match[str], random: Random) -> Iterator[Change]:
    year = match[0]
    swapped = year[:2] + year[3] + year[2]
    wanted = {
        "year": str(int(year) + random.choice((-10, -5, -3, -2, -1, 1, 2, 3, 5, 10))),
        "year_swapped": swapped if swapped != year else "",
    }
    for sort, other in wanted.items():
        if other and 1000 <= int(other) < 2100:
            yield Change(sort=sort, text=text[: match.start()] + other + text[match.end() :])


def _times(text: str, random: Random) -> Iterator[Change]:
    match = re.match(r"(\d{1,2})([:.])?(\d\d)?", text)
    if match is None:
        return
    has_half = re.search(r"[ap]\.?m", text, re.IGNORECASE)
    hours = range(1, 13) if has_half else range(13, 24)
    hour = random.choice([n for n in hours if n != int(match[1])])
    yield Change(sort="hour", text=f"{hour}{text[len(match[1]) :]}")
    if match[3]:
        minute = random.choice([n for n in range(0, 60, 5) if n != int(match[3])])
        yield Change(sort="minute", text=f"{match[1]}{match[2]}{minute:02}{text[match.end() :]}")
    if has_half:
        at = has_half.start()
        other = {"a": "p", "p": "a", "A": "P", "P": "A"}[text[at]]
        yield Change(sort="half_of_day", text=text[:at] + other + text[at + 1 :])


def _characters(text: str, random: Random, *, letters: str = "letter") -> Iterator[Change]:
    """Yield texts with one character another, two swapped, one dropped or one added."""
    places = [n for n, char in enumerate(text) if char.isalnum()]
    digits = [n for n in places if text[n].isdigit()]
    names = [n for n in places if text[n].isalpha()]
    if digits:
        at = random.choice(digits)
        other = random.choice([d for d in "0123456789" if d != text[at]])
        yield Change(sort="digit", text=text[:at] + other + text[at + 1 :])
    if names:
        at = random.choice(names)
        small = "abcdefghijklmnopqrstuvwxyz"
        pool = small.upper() if text[at].isupper() else small
        yield Change(
            sort=letters,
            text=text[:at] + random.choice([c for c in pool if c != text[at]]) + text[at + 1 :],
        )
    pairs = [n for n in places if n + 1 in places and text[n].lower() != text[n + 1].lower()]
    if pairs:
        at = random.choice(pairs)
        yield Change(sort="swapped", text=text[:at] + text[at + 1] + text[at] + text[at + 2 :])
    at = random.choice(places)
    yield Change(sort="dropped", text=text[:at] + text[at + 1 :])
    added = random.choice("0123456789") if text[at].isdigit() else random.choice("aeiou")
    put = added.upper() if text[at].isupper() else added
    yield Change(sort="added", text=text[: at + 1] + put + text[at + 1 :])


def _identifiers(text: str, random: Random) -> Iterator[Change]:
    for change in _characters(text, random):
        if len(change.text) >= 3 and any(char.isdigit() for char in change.text):
            yield change


def _urls(text: str, random: Random) -> Iterator[Change]:
    head = re.match(r"(?:https?://)?(?:www\.)?", text)
    bare = text[head.end() :] if head else text
    start = text[: len(text) - len(bare)]
    host, slash, path = bare.partition("/")
    if any(char.isalnum() for char in path):
        for change in _characters(path, random):
            yield Change(sort=f"path_{change.sort}", text=f"{start}{host}/{change.text}")
    name, dot, top = host.rpartition(".")
    if any(char.isalnum() for char in name):
        change = random.choice(list(_characters(name, random)))
        yield Change(sort="host", text=f"{start}{change.text}{dot}{top}{slash}{path}")
    other = random.choice([end for end in ("com", "org", "net", "info") if end != top.lower()])
    yield Change(sort="top_level", text=f"{start}{name}{dot}{other}{slash}{path}")
    added = random.choice(("new", "apply", "2", "en", "login"))
    yield Change(sort="segment_added", text=f"{text.rstrip('/')}/{added}")
    if path.strip("/").count("/") >= 1:
        yield Change(sort="segment_dropped", text=text.rstrip("/").rpartition("/")[0])


def _emails(text: str, random: Random) -> Iterator[Change]:
    name, _, host = text.partition("@")
    for change in _characters(name, random):
        yield Change(sort=f"name_{change.sort}", text=f"{change.text}@{host}")
    first, dot, top = host.rpartition(".")
    for change in _characters(first, random):
        yield Change(sort="host", text=f"{name}@{change.text}{dot}{top}")


_MUTATORS = {
    "number": changed_numbers,
    "percentage": changed_numbers,
    "duration": _durations,
    "unit": _units,
    "currency": _currencies,
    "date": _dates,
    "time": _times,
    "identifier": _identifiers,
    "url": _urls,
    "email": _emails,
}
