"""Where values stand in a sentence, found apart from the guard.

A spot is a value of one kind at its place. What can't be read for sure is no spot: a bare "one",
1/2/2030, a year that may be a count, pounds that may be money or weight, the number of a list
item or a citation, what stands in a formula.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.meanings import (
    COINS,
    MONTH,
    SHORT_SCALES,
    SIGNS,
    SPANS,
    UNITS,
    YEAR,
    Meaning,
    either,
    meaning_of,
)
from benchmarks.spelling import NUMBER


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A value in a sentence: its kind, place, text and meaning."""

    kind: str
    start: int
    end: int
    text: str
    meaning: Meaning

    def put(self, sentence: str, text: str) -> str:
        """Return the sentence with another text in the place of the value."""
        return sentence[: self.start] + text + sentence[self.end :]


# A bare year is one where a count would be odd: "in 1995 his", never "in 1500 cases".
_AFTER = "(?:{})".format(
    "|".join(
        rf"(?<=\b{word} )"
        for word in "in In since Since during During until from From by By of before after".split()
    )
)
_NO_PLURAL = r"(?:his|was|is|as|has|its|this|plus|versus|across|thus|always)\b"
_AMBIGUOUS = frozenset({"pounds"})  # money or weight
_PATTERNS = {
    "url": r"\b(?:https?://|www\.)[A-Za-z0-9][^\s<>()\[\]{}\"'`|\\]*[A-Za-z0-9/](?![\w/])",
    "email": r"\b[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+\b",
    "date": (
        rf"(?<![\w/.,-])(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTH})\b\.?,?(?: {YEAR}\b)?"
        rf"|\b(?:{MONTH})\b\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? {YEAR}\b)?"
        rf"|\b(?:{MONTH})\b\.?,? {YEAR}\b"
        rf"|{YEAR}-\d\d-\d\d(?![\w-])|{_AFTER}{YEAR}\b(?! (?!{_NO_PLURAL})[a-z]+s\b))"
        r"(?![\d/%$-]|[.,]\d|\u2013\d|'?s\b)"
    ),
    "time": (
        r"(?<![\w.:,])(?:\d{1,2}(?:[:.]\d\d)? ?(?:[ap]\.m\.|[ap]m\b|[AP]M\b)"
        r"|(?:1[3-9]|2[0-3]):[0-5]\d\b(?!:))"
    ),
    "currency": (
        rf"(?<![\w$£€\u2212-])(?:{either(s for s in SIGNS if not s.isalnum())})\d[\d,]*(?:\.\d+)?"
        rf"(?:(?:[ -](?:thousand|million|billion|trillion)\b)|(?:{either(SHORT_SCALES)})\b)?"
        r"(?![\w]|[.,]\d| ?(?:m|mn|bn|k|M|B|tn)\b)"
        rf"|{NUMBER} (?:{either(COINS.keys() - _AMBIGUOUS)})\b(?! sterling)"
    ),
    "percentage": rf"(?:{NUMBER})(?: ?%|[ -](?:percent|per cent)\b)(?! points?| ?-? ?points?)",
    "duration": rf"(?:{NUMBER})[ -](?:{either(SPANS)})\b(?!\.\w)",
    "unit": (
        rf"(?:{NUMBER})(?: ?|-)(?:{either(UNITS.keys() - _AMBIGUOUS)})(?![\w²³^/]|-\d|[.·]\w| [²³])"
    ),
    "identifier": (
        r"(?<![\w/.:@#-])(?<!# )(?!\d+[A-Z]{1,2}\b(?!-))"
        r"(?=[\w/-]*\d[\w/-]*\d)(?=[\w/-]*[A-Z])[A-Z0-9]+(?:[-/][A-Z0-9]+)*\b"
        r"(?![\w@/'\u2019-]|[.:]\w)"
    ),
    "number": rf"(?:{NUMBER})(?![\w%°/:'\u2019²³+\u2013-]|[.,]\d)",
}
# Longest and most telling first; what one kind has taken no other may have.
KINDS = tuple(_PATTERNS)
_COMPILED = {kind: re.compile(pattern) for kind, pattern in _PATTERNS.items()}
_NO_COUNT = re.compile(
    r" ?(?:percent|per cent|percentage|degrees?|square|cubic|sq|points?|and a half|st|nd|rd|th|"
    rf"a\.?m|p\.?m|o'clock|nautical|(?:{either(UNITS)})\b|(?:{either(SPANS)})\b)"
)
# The number of a list item, a citation, a name that is a number word ("at Nine very much").
_MARKER_BEFORE = re.compile(r"(?:^|[.;:!?)#] )$")
_MARKER_BEHIND = re.compile(r"[.)](?: |$)")
# "Five second graders" have no duration; "a five-second pause" has.
_SINGULAR = re.compile(
    r"(?<!\b1) (?:second|minute|hour|day|week|month|year|decade|century|mile|inch|yard|acre|"
    r"gallon)$"
)


def spots(sentence: str) -> Iterator[Spot]:
    """Yield the values of a sentence, no two over the same place."""
    taken: list[tuple[int, int]] = []
    for kind in KINDS:
        for match in _COMPILED[kind].finditer(sentence):
            start, end = match.span()
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            taken.append((start, end))
            meaning = meaning_of(kind, match[0])
            if meaning is None or _is_other(kind, match[0], sentence[:start], sentence[end:]):
                continue
            yield Spot(kind=kind, start=start, end=end, text=match[0], meaning=meaning)


def _is_other(kind: str, text: str, before: str, behind: str) -> bool:
    """True for what only looks like a value of the kind."""
    if kind == "currency":
        return "\\" in before + behind or bool(re.search(r"\d\$", behind))
    if kind == "number":
        marker = _MARKER_BEFORE.search(before) and _MARKER_BEHIND.match(behind)
        cited = before.endswith(("[", "[^")) and behind.startswith("]")
        name = (
            text[0].isupper()
            and before.strip("\"'\u201c\u2018(* ") != ""
            and not before.endswith(". ")
        )
        return bool(marker or cited or name or _NO_COUNT.match(behind))
    # "The twenty-second album", "two mi no".
    spoken = text[0].isalpha() and (text.endswith("y-second") or text[-3:-2] == " ")
    return spoken or _SINGULAR.search(text) is not None
