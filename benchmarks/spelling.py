"""Numbers as people write them: digits with or without commas, words, scale words.

Written for the benchmark alone and apart from the guard, so that a reading fault of the guard
can't hide in the benchmark too.
"""

import re
from fractions import Fraction

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = {
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_VALUES = {
    **{word: number for number, word in enumerate(_ONES)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
}

DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_WORD = "|".join([*_TENS, *reversed(_ONES), "hundred"])
WORDS = rf"(?i:(?:{_WORD})\b(?:(?:-| and | )(?:{_WORD})\b)*)"
_SCALE = "|".join(SCALES)
# A number, then perhaps its scale; no part of a longer number, word, path or version. A single
# "one" is most often a pronoun and is left out; see ``read``.
NUMBER = rf"(?<![\w.,:/$£€#+\u2212\u2013'\u2019-])(?:{DIGITS}|\b{WORDS})\b(?:[ -](?:{_SCALE})\b)?"
_SPLIT = re.compile(rf"^(?P<head>.*?)(?:[ -](?P<scale>{_SCALE}))?$", re.DOTALL)


def read(text: str) -> Fraction | None:
    """Return the value of a number in digits or words; None if it is none, or just "one"."""
    match = _SPLIT.match(text.strip().lower())
    if match is None or text.strip().lower() == "one":
        return None
    head = match["head"]
    if head[:1].isdigit():
        if not re.fullmatch(DIGITS, head):
            return None
        number: Fraction | None = Fraction(head.replace(",", ""))
    else:
        number = unspelled(head)
    scale = SCALES.get(match["scale"] or "", 1)
    return None if number is None else number * scale


def unspelled(text: str) -> Fraction | None:
    """Return the value of a number below one thousand in words, None if it is none.

    Only what people write is a number: "forty-two", "two hundred and six", never "two four".
    """
    words = re.split(r"-| and | ", text.lower())
    head, _, rest = text.lower().partition("hundred")
    if _:
        hundreds = unspelled(head.strip(" -"))
        below = unspelled(rest.strip(" -").removeprefix("and ")) if rest else Fraction(0)
        if hundreds is None or below is None or not (0 < hundreds < 100 and below < 100):
            return None
        return 100 * hundreds + below
    if not all(word in _VALUES for word in words) or len(words) > 2 or " and " in text:
        return None
    if len(words) == 2 and not (words[0] in _TENS and 0 < _VALUES[words[1]] < 10):
        return None
    return Fraction(sum(_VALUES[word] for word in words))


def spelled(number: int) -> str:
    """Write a number from 0 to 999,999 in words."""
    if not 0 <= number < 10**6:
        raise ValueError(f"{number} is not between 0 and 999,999")
    if number >= 1000:
        rest = number % 1000
        joint = "" if not rest else " and " if rest < 100 else " "
        return f"{spelled(number // 1000)} thousand{joint}{spelled(rest) if rest else ''}"
    if number >= 100:
        rest = number % 100
        return f"{_ONES[number // 100]} hundred" + (f" and {spelled(rest)}" if rest else "")
    if number < 20:
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")


def plain(number: Fraction, *, commas: bool = True) -> str | None:
    """Write a number in digits; None if it has more than four decimal places."""
    scaled = number * 10**4
    if scaled.denominator != 1:
        return None
    whole, part = divmod(scaled.numerator, 10**4)
    digits = f"{whole:,}" if commas else str(whole)
    return digits + (f".{part:04}".rstrip("0") if part else "")
