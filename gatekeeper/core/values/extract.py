"""Find every value in a text.

Rarer forms are read first and take their characters: addresses, dates, times, identifiers, then
plain numbers from what is left. Quotations overlap with the values inside them.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from gatekeeper.core.values.dates import (
    CLOCK_WORDS,
    MONTH_WORDS,
    WEEKDAY_WORDS,
    dates,
    take,
    times,
    weekdays,
)
from gatekeeper.core.values.literals import addresses, identifiers, quotations
from gatekeeper.core.values.model import Kind, Reading, Value
from gatekeeper.core.values.phrases import flagged
from gatekeeper.core.values.readings import quantities
from gatekeeper.core.values.tokens import Token, tokenize
from gatekeeper.core.values.units import DAY, HOUR, UNITS

# A sentence with more values is a dump of data; it is read up to here, and its words are known.
MAX_VALUES = 256

_PLACE = r"(?:section|paragraph|page|chapter)s?\s[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}"
_TEXT = r"(?:passage|document|doc|source|excerpt|snippet|chunk)"
_MORE = r"(?:(?:,\s|\s(?:and|or|to)\s|\s?-\s?)[0-9]{1,3}){0,9}\b(?![.,:/]?[0-9])"
# Not values: citation markers, the numbers of list items and steps, references to passages. "The
# shop sources 5 kinds" is no reference, and neither is "the document 14 days before".
_MARKERS = re.compile(
    r"\[[0-9]{1,3}(?:[,;-]\s?[0-9]{1,3}){0,9}\]"
    r"|^\s{0,8}\(?[0-9]{1,3}[.)](?:\s|$)"
    r"|(?<=[:;.!?]\s)[0-9]{1,2}[.)](?=\s[A-Z])"
    r"|(?<=[:;,]\s)(?P<step>[0-9]{1,2})\)(?=\s[A-Za-z])"
    r"|(?:\b(?:steps|this|these|follows|following|order|ways|reasons)|^(?:how\s)?to\s[^:\n]{1,80}):\s1\.$"
    r"|\bstep\s[0-9]{1,3}\b"
    rf"|\b(?:see|cf\.|sources?:)\s(?:also\s)?{_PLACE}"
    rf"|\b{_PLACE}(?=\s(?:of|in)\s(?:the\s)?{_TEXT}\b)"
    rf"|\b{_TEXT}\s(?:id\s|no\.\s|\#\s?)?[0-9]{{1,3}}{_MORE}"
    rf"|\b{_TEXT}s\s[0-9]{{1,3}}{_MORE}(?=\s?(?:[,.;:)\]]|$)|\s(?:say|state|show)\b)",
    re.MULTILINE | re.IGNORECASE,
)
_STEP_REACH = 400  # characters from one step to the next
_TIMES = frozenset("times working business calendar weekdays".split())
_NEXT_WORD = re.compile(r"\s?(%|[^\W\d_]+)")
_QUARTER = re.compile(r"\b[Qq]([1-4])\b")
# Thousands and decimals torn apart by a tokenizer: "12, 000", "1. 7 million".
_TORN = re.compile(
    r"(?<![0-9.,])[0-9]{1,3}(?:, [0-9]{3}){1,6}(?![0-9])|\b[0-9]{1,6}\. [0-9]{1,3}\b"
)
_DOTTED = re.compile(r"[A-Za-z]\.[A-Za-z]")
_BLANK = "\x00"


def extract(text: str) -> tuple[Value, ...]:
    """Return the values of a text in the order of their starts.

    Digits inside addresses, dates and identifiers are no numbers of their own; citation markers,
    step numbers and the pronoun "one" are no values. At most MAX_VALUES are read.
    """
    tokens = tokenize(text)
    found = list(islice(quotations(text), MAX_VALUES))
    taken = bytearray(len(text))
    for marker in _MARKERS.finditer(text):
        if not _is_amount(text, marker.end()) and _goes_on(marker):
            take(taken, marker.start(), marker.end())
    starts = [token.start for token in tokens]
    for source in _sources(text, tokens):
        for value in islice(source(text), MAX_VALUES):
            if take(taken, value.start, value.end):
                begin, end = bisect_left(starts, value.start), bisect_left(starts, value.end)
                found.append(flagged(value, tokens, begin, end))
    tokens = [_masked(token, taken) for token in tokens]
    found += [_as_written(value, text) for value in islice(quantities(tokens), MAX_VALUES)]
    found += islice(_torn(text, taken), MAX_VALUES)
    return tuple(sorted(found, key=lambda value: (value.start, -value.end))[:MAX_VALUES])


def _is_amount(text: str, end: int) -> bool:
    """True if a unit follows what looks like a marker: "[5] euros", "the passage 12 metres on"."""
    word = _NEXT_WORD.match(text, end)
    if word is None or text[end - 1] in ".) " or word[1].istitle():
        return False
    return word[1].lower() in UNITS or word[1].lower() in _TIMES


def _goes_on(marker: re.Match[str]) -> bool:
    """False for a bracket in a line that follows no step before it: "Ann (Oslo, 34) won"."""
    if marker["step"] is None:
        return True
    number, before = int(marker["step"]), marker.string[: marker.start()][-_STEP_REACH:]
    if number == 1:
        return before.endswith(": ")
    # The first step may begin the line, where its number was taken off.
    return f"{number - 1})" in before or (number == 2 and "(" not in before)


def _sources(text: str, tokens: list[Token]) -> Iterator[Callable[[str], Iterable[Value]]]:
    """Yield the readers that can find something, in the order in which they take characters.

    Most sentences have no value; a look at their words spares them the patterns.
    """
    words = {token.low for token in tokens}
    digits = any(token.is_digits for token in tokens)
    if "@" in words or "://" in text or "www" in words:
        yield addresses
    if digits:
        yield _quarters
        yield _always
    if digits or not MONTH_WORDS.isdisjoint(words):
        yield dates
    if digits or not CLOCK_WORDS.isdisjoint(words):
        yield times
    if digits or _DOTTED.search(text):
        yield identifiers
    if not WEEKDAY_WORDS.isdisjoint(words):
        yield weekdays


def _masked(token: Token, taken: bytearray) -> Token:
    return Token(_BLANK, _BLANK, token.start, token.end) if taken[token.start] else token


def _as_written(value: Value, text: str) -> Value:
    return replace(value, text=text[value.start : value.end])


def _torn(text: str, taken: bytearray) -> Iterable[Value]:
    """Yield torn numbers as if whole; weak, for they may be two numbers in a list."""
    torn = [(found.start(), found.end()) for found in _TORN.finditer(text)]
    if not torn:
        return
    tight = _TORN.sub(lambda m: m.group().replace(" ", "").ljust(len(m.group())), text)
    tokens = [_masked(token, taken) for token in tokenize(tight)]
    for value in quantities(tokens):
        ends = [end for start, end in torn if start < value.end and value.start < end]
        if ends:
            whole = replace(value, end=max(value.end, *ends), weak=True)
            yield _as_written(whole, text)


def _always(text: str) -> Iterable[Value]:
    """Yield "24/7" as 24 hours and as 7 days."""
    for found in re.finditer(r"(?<![\w/])24/7(?![\w/])", text):
        readings = tuple(
            Reading(
                kind=Kind.DURATION, low=size * number, high=size * number, number=number,
                top=number, unit="duration", step=size, coarse=size,
            )
            for number, size in ((Fraction(24), Fraction(HOUR)), (Fraction(7), Fraction(DAY)))
        )  # fmt: skip
        yield Value(text="24/7", start=found.start(), end=found.end(), readings=readings)


def _quarters(text: str) -> Iterable[Value]:
    """Yield "Q3" as the third quarter."""
    for found in _QUARTER.finditer(text):
        number = Fraction(int(found[1]))
        reading = Reading(kind=Kind.ORDINAL, low=number, high=number, number=number, top=number)
        yield Value(
            text=found.group(), start=found.start(), end=found.end(), readings=(reading,),
            noun="quarter",
        )  # fmt: skip
