"""Other notations: a value of a sentence written in another way, its meaning kept.

"5,000" as "5k" or "five thousand", "2 weeks" as "14 days", "3 pm" as "15:00". What would not be
the same for certain is left out: numbers that are part of a name, ends of a range, values with
another value beside them ("5 feet 8 inches"), dollars that may not be American, and values in
quotations, whose words are not ours to change.
"""

import re
from collections.abc import Iterator
from fractions import Fraction

from benchmarks.meanings import MONTHS, MULTIPLES, SIGNS, SPANS, SYNONYMS, meaning_of
from benchmarks.mutations import Change
from benchmarks.spelling import DIGITS, SCALES, WORDS, plain, read, spelled
from benchmarks.spots import Spot

_VALUE = rf"(?:{DIGITS}|\b{WORDS})"
_SIDE_BEFORE = re.compile(
    rf"(?:\d|{_VALUE}(?: [a-z]+)?)(?:\)|%)?"
    r"(?: to | or | and |, | ?[-\u2013\u2014x\u00d7±:] ?|/| )(?:[$£€]|US\$)?$",
    re.IGNORECASE,
)
_SIDE_BEHIND = re.compile(
    rf"(?: to | or | and |, | ?[-\u2013\u2014x\u00d7±] ?| )(?:a half|[$£€]?{_VALUE})", re.IGNORECASE
)
# What is counted: a word in small letters that no number is part of.
_COUNTED = re.compile(
    r" (?!(?:of|to|in|on|at|for|and|or|by|with|from|was|is|were|are|as|the|that|which|per|when|but|"
    r"than|a|an|it|he|she|they|his|her|its|after|before|percent|grade|million|billion)\b)[a-z]{3,}"
)
_NAMED = re.compile(r"(?:\b[A-Z][\w.'\u2019]*|\b[Nn]o\.|[#(\"\u201c'\u2018])\s?$")
_SHARES = {
    Fraction(25): "a quarter",
    Fraction(50): "half",
    Fraction(75): "three quarters",
    Fraction(20): "a fifth",
    Fraction(10): "a tenth",
}
_COINS = {"GBP": "pounds", "EUR": "euros", "USD": "dollars"}
_MARKS = {"GBP": "£", "EUR": "€", "USD": "$"}


def renotations(spot: Spot, sentence: str) -> list[Change]:
    """Return the value in other notations, one of each sort, in a fixed order."""
    if _has_neighbour(spot, sentence) or _is_quoted(spot, sentence):
        return []
    found: dict[str, Change] = {}
    for change in _NOTATIONS[spot.kind](spot, sentence):
        if change.text != spot.text and _is_same(spot, change):
            found.setdefault(change.sort, _cased(spot, change))
    return list(found.values())


def _has_neighbour(spot: Spot, sentence: str) -> bool:
    """True if a value stands beside it with which it may be one: a range, "5 feet 8 inches"."""
    if spot.kind in {"url", "email", "identifier"}:
        return False
    before, behind = sentence[max(0, spot.start - 40) : spot.start], sentence[spot.end :]
    return bool(_SIDE_BEFORE.search(before) or _SIDE_BEHIND.match(behind))


def _is_quoted(spot: Spot, sentence: str) -> bool:
    """True if the value stands in a quotation, or may: one that begins or ends elsewhere."""
    opened = sentence[: spot.start]
    begun, ended = (opened.count(mark) for mark in "\u201c\u201d")
    curly = begun > ended or sentence.count("\u201c") != sentence.count("\u201d")
    odd = opened.count('"') % 2 == 1 or sentence.count('"') % 2 == 1
    return curly or odd


def _is_same(spot: Spot, change: Change) -> bool:
    """True if the text reads as the same value, or is an idiom, whose table says what it means."""
    if change.sort.startswith("idiom"):
        return True
    return bool(meaning_of(spot.kind, change.text) == spot.meaning)


def _cased(spot: Spot, change: Change) -> Change:
    """Begin with a capital where the old text did: the sentence may begin here."""
    small = (
        change.text[0].islower()
        and spot.text[0].isupper()
        and spot.kind not in {"url", "identifier"}
    )
    return (
        Change(sort=change.sort, text=change.text[0].upper() + change.text[1:]) if small else change
    )


def _number_forms(text: str) -> Iterator[Change]:
    """Yield a number in words, digits, with or without commas, or a scale word."""
    value = read(text)
    if value is None:
        return
    digits = plain(value)
    if digits:
        yield Change(sort="digits", text=digits)
        yield Change(sort="no_commas", text=digits.replace(",", ""))
    if value.denominator == 1 and (value <= 100 or _is_round(value)) and 2 <= value < 10**6:
        yield Change(sort="words", text=spelled(int(value)))
    yield from _scaled(value)


def _is_round(value: Fraction) -> bool:
    digits = len(str(int(value)))
    return int(value) % int(10 ** (digits - 1)) == 0


def _scaled(value: Fraction) -> Iterator[Change]:
    for word, size in SCALES.items():
        short = plain(value / size)
        if short and size <= value < 1000 * size and len(short) <= 5:
            yield Change(sort=f"scale_{word}", text=f"{short} {word}")


def _numbers(spot: Spot, sentence: str) -> Iterator[Change]:
    """Rewrite counts only; "Apollo 11" is never "Apollo eleven"."""
    value = Fraction(str(spot.meaning[0]))
    if _NAMED.search(sentence[: spot.start]) or not _COUNTED.match(sentence, spot.end):
        return
    yield from _number_forms(spot.text)
    thousands = plain(value / 1000)
    if thousands and 1000 <= value < 10**6 and len(thousands) <= 5:
        yield Change(sort="k", text=f"{thousands}k")
    idioms = {12: "a dozen", 24: "two dozen", 36: "three dozen", 500_000: "half a million"}
    if value in idioms and not re.search(
        r"\b(?:the|a|an|these|those|his|her|their)\s$", sentence[: spot.start]
    ):
        yield Change(sort="idiom_dozen", text=idioms[int(value)])


def _percentages(spot: Spot, sentence: str) -> Iterator[Change]:
    number = re.sub(r"(?: ?%|[ -](?:percent|per cent))$", "", spot.text)
    for sort, end in (
        ("sign", "%"),
        ("percent", " percent"),
        ("per_cent", " per cent"),
        ("spaced", " %"),
    ):
        yield Change(sort=sort, text=number + end)
    value = Fraction(str(spot.meaning[0]))
    if value.denominator == 1 and 2 <= value <= 100:
        yield Change(sort="words", text=f"{spelled(int(value))} percent")
    share = _SHARES.get(value)
    of_things = re.match(
        r" of (?:the|all|its|their|his|her|our|those|these)\b", sentence[spot.end :]
    )
    starts = re.search(r"(?:^|[ ,(])$", sentence[: spot.start])
    if (
        share
        and of_things
        and starts
        and not re.search(r"\b(?:the|a|an|at) $", sentence[: spot.start])
    ):
        yield Change(sort="idiom_share", text=share)


def _durations(spot: Spot, sentence: str) -> Iterator[Change]:
    match = re.fullmatch(r"(.+?)([ -])([a-z]+)", spot.text)
    if match is None or (number := read(match[1])) is None:
        return
    hyphen, name = match[2] == "-", match[3]
    for form in _number_forms(match[1]):
        yield Change(sort=form.sort, text=f"{form.text}{match[2]}{name}")
    base, size = SPANS[name]
    yield from _short_names(match, name)
    if hyphen or re.match(r"[- ]olds?\b", sentence[spot.end :]):
        return
    for other in ("minutes", "hours", "days", "weeks", "months", "years", "decades", "centuries"):
        other_base, other_size = SPANS[other]
        converted = plain(number * size / other_size)
        if other_base == base and other_size != size and converted and _is_handy(converted):
            yield Change(sort=f"in_{other}", text=f"{converted} {other}")
    if number == 30 and name in {"minutes", "minute", "min"}:
        yield Change(sort="idiom_half_hour", text="half an hour")


def _short_names(match: re.Match[str], name: str) -> Iterator[Change]:
    shorts = {"minutes": "min", "hours": "h", "years": "yrs", "weeks": "wks", "seconds": "sec"}
    if match[2] == " " and match[1][0].isdigit() and name in shorts:
        # The reader has no "h", which alone is too short to tell in a sentence.
        sort = "idiom_short" if name == "hours" else "short"
        yield Change(sort=sort, text=f"{match[1]} {shorts[name]}")


def _is_handy(number: str) -> bool:
    """True for what people would write: no long fraction, not 1 (its unit stands in the plural)."""
    return (
        number != "1"
        and len(number.replace(",", "")) <= 5
        and number.partition(".")[2] in {"", "5"}
    )


def _units(spot: Spot, sentence: str) -> Iterator[Change]:
    del sentence
    match = re.fullmatch(r"(.+?)( ?|-)([A-Za-z°][A-Za-z /]*)", spot.text)
    if match is None or (number := read(match[1])) is None:
        return
    name = match[3]
    for one, other in SYNONYMS:
        if name in (one, other) and match[2] != "-" and number != 1:
            yield Change(sort="name", text=f"{match[1]} {other if name == one else one}")
    for form in _number_forms(match[1]):
        yield Change(sort=form.sort, text=f"{form.text}{match[2]}{name}")
    yield from _other_sizes(match, number)


def _other_sizes(match: re.Match[str], number: Fraction) -> Iterator[Change]:
    meaning = meaning_of("unit", match[0])
    if meaning is None or match[2] == "-" or not isinstance(meaning[1], Fraction) or not number:
        return
    imperial = re.search(r"feet|foot|ft|inch|yard|yd", match[3])
    table = MULTIPLES["feet"] if imperial else MULTIPLES.get(str(meaning[0]), {})
    if re.search(r"mile|mi\b|lb|gallon|mph|acre", match[3]):
        return
    for name, size in table.items():
        converted = plain(meaning[1] / Fraction(size))
        if converted and converted != "1" and len(converted.replace(",", "")) <= 6:
            yield Change(sort=f"in_{name}", text=f"{converted} {name}")


def _currencies(spot: Spot, sentence: str) -> Iterator[Change]:
    currency, amount = str(spot.meaning[0]), Fraction(str(spot.meaning[1]))
    long = plain(amount)
    behind = re.match(r"[- ]?(?:a|per|US|CAD|AUD)\b", sentence[spot.end :])
    if currency not in _COINS or long is None or behind:
        return
    coin, mark = _COINS[currency], _MARKS[currency]
    yield Change(sort="word", text=f"{spot.text.lstrip(''.join(SIGNS)).strip()} {coin}")
    yield Change(sort="word_in_full", text=f"{long} {coin}")
    yield Change(sort="sign_in_full", text=f"{mark}{long}")
    yield Change(sort="sign_no_commas", text=f"{mark}{long.replace(',', '')}")
    if currency != "USD" or spot.text.startswith("US"):
        yield Change(sort="code", text=f"{currency} {long}")
    yield from _short_sums(amount, coin, mark)
    cents = amount * 100
    if currency == "USD" and 1 < cents < 100 and cents.denominator == 1:
        yield Change(sort="cents", text=f"{int(cents)} cents")


def _short_sums(amount: Fraction, coin: str, mark: str) -> Iterator[Change]:
    for short, size in (("k", 10**3), ("m", 10**6), ("bn", 10**9)):
        brief = plain(amount / size)
        if brief and size <= amount < 1000 * size and len(brief) <= 5:
            yield Change(sort=f"sign_{short}", text=f"{mark}{brief}{short}")
    for form in _scaled(amount):
        yield Change(sort=form.sort, text=f"{mark}{form.text}")
        yield Change(sort=f"word_{form.sort}", text=f"{form.text} {coin}")
    if amount.denominator == 1 and 2 <= amount <= 100:
        yield Change(sort="words", text=f"{spelled(int(amount))} {coin}")


def _dates(spot: Spot, sentence: str) -> Iterator[Change]:
    year, month, day = (int(str(part)) for part in spot.meaning)
    if not month or (spot.text.endswith((",", ".")) and sentence[spot.end :].strip()):
        return
    name = MONTHS[month - 1]
    short = "Sept." if month == 9 else name[:3]
    stop = "." if spot.text.endswith(".") else ""
    tail = f" {year}" if year else ""
    comma = f", {year}" if year else ""
    if not day:
        yield Change(sort="month_short", text=f"{short} {year}{stop}")
        yield Change(sort="month_comma", text=f"{name}, {year}{stop}")
        return
    yield Change(sort="day_first", text=f"{day} {name}{tail}{stop}")
    yield Change(sort="month_first", text=f"{name} {day}{comma}{stop}")
    yield Change(sort="short", text=f"{day} {short}{tail}{stop}")
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day not in (11, 12, 13) else 0, "th")
    yield Change(sort="ordinal", text=f"{day}{suffix} of {name}{tail}{stop}")
    yield Change(sort="month_first_ordinal", text=f"{name} {day}{suffix}{comma}{stop}")
    if year:
        yield Change(sort="iso", text=f"{year}-{month:02}-{day:02}{stop}")
        if day > 12:
            yield Change(sort="slashes_day_first", text=f"{day}/{month}/{year}{stop}")
            yield Change(sort="slashes_month_first", text=f"{month}/{day}/{year}{stop}")


def _times(spot: Spot, sentence: str) -> Iterator[Change]:
    del sentence
    minutes = int(str(spot.meaning[0]))
    hour, minute = divmod(minutes, 60)
    half = "am" if hour < 12 else "pm"
    twelve = hour % 12 or 12
    stop = "." if spot.text.endswith(".") else ""
    if hour >= 13:
        yield Change(sort="24_hours", text=f"{hour}:{minute:02}")
    yield Change(sort="half_of_day", text=f"{twelve}:{minute:02} {half}")
    yield Change(sort="half_of_day_dots", text=f"{twelve}:{minute:02} {half[0]}.m{stop or '.'}")
    yield Change(sort="point", text=f"{twelve}.{minute:02} {half}")
    if not minute:
        yield Change(sort="hour_only", text=f"{twelve} {half}")
        yield Change(sort="hour_only_joined", text=f"{twelve}{half}")


def _identifiers(spot: Spot, sentence: str) -> Iterator[Change]:
    yield Change(sort="lower_case", text=spot.text.lower())
    if "-" in spot.text and not re.match(r" ?\d", sentence[spot.end :]):
        yield Change(sort="blanks", text=spot.text.replace("-", " "))
        yield Change(sort="joined", text=spot.text.replace("-", ""))


def _urls(spot: Spot, sentence: str) -> Iterator[Change]:
    del sentence
    match = re.match(r"(https?://)?(www\.)?", spot.text)
    if match is None:
        return
    scheme, rest = match[1] or "", spot.text[len(match[1] or "") :]
    host, slash, path = rest.partition("/")
    if scheme:
        yield Change(sort="no_scheme", text=rest)
        yield Change(
            sort="other_scheme", text=f"{'http' if scheme[4] == 's' else 'https'}://{rest}"
        )
        yield Change(sort="host_capitals", text=f"{scheme}{host.capitalize()}{slash}{path}")
    else:
        yield Change(sort="scheme", text=f"https://{rest}")
    if match[2]:
        yield Change(sort="no_www", text=f"{scheme}{rest.removeprefix('www.')}")
    yield Change(
        sort="slash", text=spot.text.removesuffix("/") if path.endswith("/") else f"{spot.text}/"
    )
    yield Change(sort="brackets", text=f"<{spot.text}>")


def _emails(spot: Spot, sentence: str) -> Iterator[Change]:
    del sentence
    yield Change(sort="lower_case", text=spot.text.lower())
    yield Change(sort="capitals", text=spot.text.capitalize())


_NOTATIONS = {
    "number": _numbers,
    "percentage": _percentages,
    "duration": _durations,
    "unit": _units,
    "currency": _currencies,
    "date": _dates,
    "time": _times,
    "identifier": _identifiers,
    "url": _urls,
    "email": _emails,
}
