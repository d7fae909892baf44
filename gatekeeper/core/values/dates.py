"""Dates, weekdays and times of day.

Every pattern has bounded repetitions, so a scan is linear. "01/07/2024" is read both ways.
"""

import re
from collections.abc import Iterator
from fractions import Fraction

from gatekeeper.core.values.model import Kind, Reading, Value
from gatekeeper.core.values.numbers import SMALL
from gatekeeper.core.values.readings import clock_readings

_MONTH_NAMES = """january february march april may june july august september october november
    december""".split()
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_WEEKDAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAYS = {name: number for number, name in enumerate(_WEEKDAY_NAMES)}
_WEEKDAYS |= {name + "s": number for name, number in _WEEKDAYS.items()}
_WEEKDAYS |= {"tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}

_MONTH = r"\b(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
# A text with none of these and no digit has no date, weekday or time of day.
MONTH_WORDS = frozenset(_MONTHS)
WEEKDAY_WORDS = frozenset(_WEEKDAYS)
CLOCK_WORDS = frozenset("am pm m clock noon midday midnight past to".split())

_TH = r"(?:st|nd|rd|th)?"
_HOUR_WORDS = "|".join(word for word, number in SMALL.items() if 1 <= number <= 12)
_DATE_PATTERNS = (
    re.compile(r"\b(?P<year>[0-9]{4})[-/.](?P<m>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})\b"),
    re.compile(r"\b(?P<one>[0-9]{1,2})([./-])(?P<two>[0-9]{1,2})\2(?P<year>[0-9]{4}|[0-9]{2})\b"),
    re.compile(
        rf"\b(?P<day>[0-9]{{1,2}}){_TH}(?:\s(?:day\s)?of|-)?\s?{_MONTH}(?:\s?,?[\s-](?P<year>[0-9]{{4}})\b)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_MONTH}\s(?:the\s)?(?P<day>[0-9]{{1,2}}){_TH}\b(?!:[0-9]|%|\.[0-9])(?:\s?,?\s(?P<year>[0-9]{{4}})\b)?",
        re.IGNORECASE,
    ),
    re.compile(rf"{_MONTH}\s?,?[\s-](?:of\s)?(?P<year>[0-9]{{4}})\b", re.IGNORECASE),
    re.compile(_MONTH, re.IGNORECASE),
    re.compile(r"(?<![\w-])(?P<year>[0-9]{4})(?=[-/](?P<last>[0-9]{2})\b(?![-/.:][0-9]))"),
    re.compile(r"\b(?:(?P<decade>[0-9]{3}0)|'?(?P<short>[2-9]0))'?s\b"),
)
_NEIGHBOUR_BEFORE = re.compile(rf"\b([0-9]{{1,2}}){_TH}\s?(?:-|to|and|or|&|,)\s?$")
_NEIGHBOUR_AFTER = re.compile(
    rf"\s?(?:-|to|and|or|&)\s?(?P<day>[0-9]{{1,2}}){_TH}\b(?:,?\s(?P<year>[0-9]{{4}})\b)?"
)
_DAY_NAME = re.compile(
    r"\b(?P<name>" + "|".join(sorted(_WEEKDAYS, key=len, reverse=True)) + r")\b", re.IGNORECASE
)
_TIME_PATTERNS = (
    re.compile(
        rf"\b(?P<hour>[0-9]{{1,2}}|{_HOUR_WORDS})(?:[:.](?P<minute>[0-5][0-9]))?\s?"
        r"(?P<half>[ap])\.?m\b\.?",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?P<hour>[01]?[0-9]|2[0-4]):(?P<minute>[0-5][0-9])\b(?!:?[0-9])"),
    re.compile(r"\b(?P<hour>[01][0-9]|2[0-3])(?P<minute>[0-5][0-9])\s?(?:hours|hrs|h)\b"),
    re.compile(rf"\b(?P<hour>[0-9]{{1,2}}|{_HOUR_WORDS})\s?o'clock\b", re.IGNORECASE),
    re.compile(
        rf"\b(?P<part>half|quarter|(?:[1-5]?[0-9]|five|ten|twenty)\sminutes)\s(?P<side>past|to)\s"
        rf"(?P<hour>[0-9]{{1,2}}|{_HOUR_WORDS})\b",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?P<name>noon|midday|midnight)\b", re.IGNORECASE),
)
_PART_MINUTES = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20}
# Ordinary words unless written with a capital.
_ALSO_WORDS = frozenset("may march mar dec jan jun jul nov oct sep apr feb aug august".split())
_MAY_BEFORE = re.compile(
    r"\b(?:in|of|last|next|by|since|until|till|early|mid|late|this|during|from|to|and|or|through"
    r"|before|after|between|every|each|on)[\s-]$"
)


def dates(text: str) -> Iterator[Value]:
    """Yield the dates of a text; a date may be a year, a month, a day or several of them."""
    taken = bytearray(len(text))
    for position, pattern in enumerate(_DATE_PATTERNS):
        month_alone = position == 5
        for found in pattern.finditer(text):
            if not _is_month(text, found, alone=month_alone):
                continue
            readings = tuple(_date_readings(found))
            if readings and take(taken, found.start(), found.end()):
                yield _value(found, readings)
                yield from _neighbours(text, found, taken)
                yield from _last_year(found, taken)


def _last_year(found: re.Match[str], taken: bytearray) -> Iterator[Value]:
    """Yield the second year of "2017-18"."""
    last = found.groupdict().get("last")
    if last is None:
        return
    year = int(found["year"]) // 100 * 100 + int(last)
    start, end = found.span("last")
    if year > int(found["year"]) and take(taken, start, end):
        yield Value(text=last, start=start, end=end, readings=tuple(_reading(year, 0, 0)))


def take(taken: bytearray, start: int, end: int) -> bool:
    """Mark characters as read; False if one of them was read before."""
    if any(taken[start:end]):
        return False
    taken[start:end] = b"\x01" * (end - start)
    return True


def _is_month(text: str, found: re.Match[str], *, alone: bool) -> bool:
    """Tell the month from the word: "may", "march", "dec"."""
    name = found.groupdict().get("month")
    if name is None or name.lower() not in _ALSO_WORDS:
        return True
    if not name[0].isupper():
        return False
    before = text[max(0, found.start() - 9) : found.start()].lower()
    return not alone or _MAY_BEFORE.search(before) is not None


def _value(found: re.Match[str], readings: tuple[Reading, ...]) -> Value:
    return Value(text=found.group(), start=found.start(), end=found.end(), readings=readings)


def _date_readings(found: re.Match[str]) -> Iterator[Reading]:
    groups = {name: text for name, text in found.groupdict().items() if text}
    year = int(groups.get("year", "0"))
    if "one" in groups:
        year = year if year > 99 else year + (1900 if year >= 50 else 2000)
        one, two = int(groups["one"]), int(groups["two"])
        orders = {(one, two), (two, one)} if "/" in found.group() else {(one, two)}
        for day, month in sorted(orders, key=lambda order: order != (one, two)):
            yield from _reading(year, month, day)
    elif "decade" in groups or "short" in groups:
        decade = int(groups["decade"]) if "decade" in groups else 1900 + int(groups["short"])
        yield Reading(kind=Kind.DATE, parts=(decade, 0, 0), key="decade")
    else:
        month = _MONTHS[groups["month"].lower()] if "month" in groups else int(groups.get("m", "0"))
        yield from _reading(year, month, int(groups.get("day", "0")))


def _reading(year: int, month: int, day: int) -> Iterator[Reading]:
    if 0 <= month <= 12 and 0 <= day <= 31:
        yield Reading(
            kind=Kind.DATE,
            number=Fraction(day or year),
            top=Fraction(day or year),
            parts=(year, month, day),
        )


def _neighbours(text: str, found: re.Match[str], taken: bytearray) -> Iterator[Value]:
    """Yield the other day of "1 to 3 July" and "July 1-3"."""
    groups = found.groupdict()
    if not groups.get("month") or not groups.get("day"):
        return
    month, year = _MONTHS[groups["month"].lower()], int(groups.get("year") or 0)
    window = max(0, found.start() - 12)
    before = _NEIGHBOUR_BEFORE.search(text[window : found.start()])
    after = _NEIGHBOUR_AFTER.match(text, found.end()) if text[found.start()].isalpha() else None
    if before:
        start, end, day = window + before.start(1), window + before.end(1), int(before[1])
    elif after:
        start, end, day = after.start("day"), after.end(), int(after["day"])
        year = int(after["year"] or year)
    else:
        return
    readings = tuple(_reading(year, month, day))
    if readings and take(taken, start, end):
        yield Value(text=text[start:end], start=start, end=end, readings=readings)


def weekdays(text: str) -> Iterator[Value]:
    """Yield the names of weekdays, singular or plural."""
    for found in _DAY_NAME.finditer(text):
        name = found["name"].lower()
        if len(name) > 5 or found["name"][0].isupper():
            day = Fraction(_WEEKDAYS[name])
            yield _value(found, (Reading(kind=Kind.WEEKDAY, low=day, high=day),))


def times(text: str) -> Iterator[Value]:
    """Yield the times of day; "6:30" without a half of the day is read both ways."""
    taken = bytearray(len(text))
    for pattern in _TIME_PATTERNS:
        for found in pattern.finditer(text):
            readings = tuple(_time_readings(found))
            if readings and take(taken, found.start(), found.end()):
                yield _value(found, readings)


def _time_readings(found: re.Match[str]) -> Iterator[Reading]:
    groups = {name: text.lower() for name, text in found.groupdict().items() if text}
    if "name" in groups:
        hour = 0 if groups["name"] == "midnight" else 12
        yield from clock_readings(hour, 0, twelve=False)
        return
    hour = SMALL.get(groups["hour"], 0) or int(groups["hour"])
    if "half" in groups:
        if 1 <= hour <= 12:
            late = 12 if groups["half"] == "p" else 0
            yield from clock_readings(hour % 12 + late, int(groups.get("minute", 0)), twelve=False)
        return
    shift = int(groups.get("minute", 0))
    if "part" in groups:
        name = groups["part"].split()[0]
        shift = _PART_MINUTES[name] if name in _PART_MINUTES else int(name)
        shift = -shift if groups["side"] == "to" else shift
    padded = len(groups["hour"]) == 2 and groups["hour"][0] == "0"
    if hour <= 24:
        yield from clock_readings(hour, shift, twelve=1 <= hour <= 12 and not padded)
