"""When a sentence with a changed value still follows from the old one, by the words around it.

"More than 40" follows from "more than 50", and "about 51" is no error where "about 50" was said.
"""

import re
from fractions import Fraction

from benchmarks.meanings import Meaning, meaning_of
from benchmarks.mutations import Change
from benchmarks.spots import Spot

# A change must be this share of the old value where "about" or the like allows for rounding.
ROUNDED = Fraction(1, 5)
_HEDGE = (
    r"about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca?\.|close to|~|≈|"
    r"or so"
)
# Denied bounds stand first: "not more than" is an upper one.
_UPPER = (
    r"(?:no|not|never|n't) (?:(?:be|to) )?(?:more than|exceed\w*|over|above|after|later than)|"
    r"less than|fewer than|under|up to|at most|below|maximum(?: of)?|as (?:many|much) as|within|"
    r"before|by|until|through|<|≤"
)
_LOWER = (
    r"(?:no|not|never|n't) (?:be )?(?:less than|fewer than|under|below|before|earlier than)|"
    r"more than|over|at least|above|minimum(?: of)?|exceed\w*|greater than|after|>|≥"
)
_BEFORE = {
    "hedge": re.compile(rf"(?:^|[^\w])(?:{_HEDGE})[\s$£€(]*(?:the |an? )?$", re.IGNORECASE),
    "lower": re.compile(rf"(?:^|[^\w])(?:{_LOWER})[\s$£€(]*(?:the |an? )?$", re.IGNORECASE),
    "upper": re.compile(rf"(?:^|[^\w])(?:{_UPPER})[\s$£€(]*(?:the |an? )?$", re.IGNORECASE),
}
_BEHIND = {
    "hedge": re.compile(r"^[ -]?(?:or so|-ish|odd)\b"),
    "lower": re.compile(
        r"^(?:\s?\+|[ -]plus\b|[^.,;]{0,14} (?:or (?:more|older|over|above)|minimum)\b)"
    ),
    "upper": re.compile(r"^[^.,;]{0,14} (?:or (?:less|fewer|younger|under|below)|maximum)\b"),
}


def implied(spot: Spot, sentence: str, change: Change) -> str | None:
    """Say why a changed sentence may still follow from the old one; None if it does not.

    Under a bound only a change against the bound counts, under a hedge only one by a fifth.
    """
    after = meaning_of(spot.kind, change.text)
    if after is None:
        return "unreadable"
    word = bound_of(spot, sentence)
    if word is None or not _comparable(spot.meaning, after):
        return None
    old, new = _size(spot.meaning), _size(after)
    if word == "hedge":
        return "hedge" if abs(new - old) < ROUNDED * abs(old) else None
    return "bound" if (new < old) == (word == "lower") else None


def bound_of(spot: Spot, sentence: str) -> str | None:
    """Return "hedge", "lower" or "upper" if words around the value make it one."""
    before, behind = sentence[max(0, spot.start - 24) : spot.start], sentence[spot.end :][:24]
    found = {word: match for word, pattern in _BEFORE.items() if (match := pattern.search(before))}
    if found:  # the longest: "not more than" holds "more than"
        return min(found, key=lambda word: found[word].start())
    return next((word for word in _BEHIND if _BEHIND[word].match(behind)), None)


def _comparable(one: Meaning, other: Meaning) -> bool:
    """True if two meanings lie on one scale."""
    if len(one) == 3:
        return True
    return isinstance(one[-1], Fraction | int) and one[:-1] == other[:-1]


def _size(meaning: Meaning) -> Fraction:
    """Return the place of a meaning on its scale; of a date, days from the year 0, roughly."""
    if len(meaning) == 3:
        year, month, day = (int(str(part)) for part in meaning)
        return Fraction(372 * year + 31 * month + day)
    return Fraction(str(meaning[-1]))
