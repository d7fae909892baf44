"""Numbers in digits and in words, read from tokens.

Arithmetic is exact and bounded: a run of more than MAX_DIGITS digits is no number, and a number in
words has at most MAX_WORDS words.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_DIGITS = 24
MAX_WORDS = 16

_TOKEN = re.compile(r"[0-9]+(?:[.,:/'\u2044][0-9]+)*|[^\W\d_]+|\S")
_GROUPED = re.compile(r"[0-9]{1,3}(?:([,.'])[0-9]{3})(?:\1[0-9]{3})*(?:[.,][0-9]+)?")

_SMALL_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen
    fourteen fifteen sixteen seventeen eighteen nineteen""".split()
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINAL_WORDS = """zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh
    twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth""".split()
_TENS_ORDINALS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"

SMALL = {word: number for number, word in enumerate(_SMALL_WORDS)}
TENS = {word: 10 * number for number, word in enumerate(_TENS_WORDS, start=2)}
ORDINALS = {word: number for number, word in enumerate(_ORDINAL_WORDS) if number}
ORDINALS |= {word: 10 * number for number, word in enumerate(_TENS_ORDINALS.split(), start=2)}
SCALES = {
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "lakh": 10**5,
    "crore": 10**7,
    "dozen": 12,
}
# Only directly after digits ("5k", "1.2bn"); "m" may also be metres and is left to the units.
SUFFIXES = {"k": 10**3, "mn": 10**6, "mio": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12}
_PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4, "third": 3, "thirds": 3}
_PARTS |= {word + "s": ORDINALS[word] for word in ("fifth", "sixth", "eighth", "tenth")}
_PARTS |= {word: ORDINALS[word] for word in ("fifth", "sixth", "eighth", "tenth")}


@dataclass(frozen=True, slots=True)
class Token:
    """A number, a word or a single sign; ``low`` is the text in lower case."""

    text: str
    low: str
    start: int
    end: int

    @property
    def is_digits(self) -> bool:
        """True if the token begins with an ASCII digit."""
        return "0" <= self.text[0] <= "9"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number over the tokens [begin, end).

    ``step`` is one unit of the last written digit, ``coarse`` the same with trailing zeros taken
    as unwritten. ``other`` is a second reading ("1.250"), ``fraction`` marks "half", "a third".
    """

    value: Fraction
    begin: int
    end: int
    step: Fraction
    coarse: Fraction
    other: Fraction | None = None
    ordinal: bool = False
    in_words: bool = False
    fraction: bool = False

    def times(self, factor: Fraction | int, end: int) -> "Number":
        """Return the number scaled, its last token moved to ``end``."""
        return Number(
            value=self.value * factor,
            begin=self.begin,
            end=end,
            step=self.step * factor,
            coarse=self.coarse * factor,
            in_words=self.in_words,
        )


def tokenize(text: str) -> list[Token]:
    """Split a text into numbers, words and single signs."""
    return [
        Token(found.group(), found.group().lower(), found.start(), found.end())
        for found in _TOKEN.finditer(text)
    ]


def read_number(tokens: list[Token], at: int) -> Number | None:
    """Return the number that begins at a token, the longest way it can be read."""
    if tokens[at].is_digits:
        return _scaled(tokens, _spaced(tokens, at) or _digits(tokens, at))
    return _part(tokens, at) or _ordinal(tokens, at) or _scaled(tokens, _in_words(tokens, at))


def _adjacent(tokens: list[Token], at: int) -> bool:
    return 0 < at < len(tokens) and tokens[at - 1].end == tokens[at].start


def _word(tokens: list[Token], at: int) -> str:
    return tokens[at].low if at < len(tokens) else ""


def _plain(value: Fraction, at: int, end: int, *, decimals: int = 0) -> Number:
    step = coarse = Fraction(1, 10**decimals)
    if not decimals and value:
        while value % (coarse * 10) == 0:
            coarse *= 10
    return Number(value=value, begin=at, end=end, step=step, coarse=coarse)


def _digits(tokens: list[Token], at: int) -> Number | None:
    """Read one digit token: separators of thousands, a decimal point or comma, a fraction."""
    text = tokens[at].text.replace("\u2044", "/")
    if sum(map(str.isdigit, text)) > MAX_DIGITS:
        return None
    if text.isdigit():
        ordinal = _adjacent(tokens, at + 1) and tokens[at + 1].low in ("st", "nd", "rd", "th")
        if ordinal:
            return Number(
                value=Fraction(int(text)), begin=at, end=at + 2, ordinal=True,
                step=Fraction(1), coarse=Fraction(1),
            )  # fmt: skip
        return _plain(Fraction(int(text)), at, at + 1)
    if _GROUPED.fullmatch(text) and text[0] != "0":
        return _grouped(text, at)
    return _separated(text, at)


def _grouped(text: str, at: int) -> Number:
    """Read "1,250,000.5", "1.250.000", "1'250" and the ambiguous "1.250"."""
    marks = [char for char in text if not char.isdigit()]
    single = len(marks) == 1
    thousands = marks[0] if not single or marks[0] in ",'" else ""
    whole, point, rest = text, "", ""
    if not single and (marks[-1] != thousands):
        whole, point, rest = text.rpartition(marks[-1])
    if not thousands:
        whole, point, rest = text.partition(".")
        other = Fraction(int(whole + rest))
        return Number(
            value=Fraction(f"{whole}.{rest}"), begin=at, end=at + 1, other=other,
            step=Fraction(1, 1000), coarse=Fraction(1, 1000),
        )  # fmt: skip
    digits = "".join(char for char in whole if char.isdigit())
    return _plain(Fraction(f"{digits}.{rest or 0}"), at, at + 1, decimals=len(rest))


def _separated(text: str, at: int) -> Number | None:
    """Read a decimal point, a decimal comma or a fraction; None for a date, time or version."""
    for mark in ".,":
        whole, found, rest = text.partition(mark)
        if found and whole.isdigit() and rest.isdigit():
            return _plain(Fraction(f"{whole}.{rest}"), at, at + 1, decimals=len(rest))
    top, found, bottom = text.partition("/")
    if found and top.isdigit() and bottom.isdigit() and 0 < int(bottom) <= 100:
        value = Fraction(int(top), int(bottom))
        tenth = Fraction(1, 10)
        return Number(
            value=value, begin=at, end=at + 1, step=tenth, coarse=tenth, fraction=True, in_words=True
        )  # fmt: skip
    return None


def _spaced(tokens: list[Token], at: int) -> Number | None:
    """Read thousands set off by blanks: "1 250 000"."""
    end, text = at + 1, tokens[at].text
    if not (text.isdigit() and len(text) <= 3 and text[0] != "0"):
        return None
    while end < len(tokens) and end - at < 5 and _is_group(tokens, end):
        text += tokens[end].text
        end += 1
    # "12 737 MAX" is twelve of a model, "12 737 maps" is a number.
    is_name = end == at + 2 and end < len(tokens) and tokens[end].text[0].isupper()
    return _plain(Fraction(int(text)), at, end) if end > at + 1 and not is_name else None


def _is_group(tokens: list[Token], at: int) -> bool:
    token = tokens[at]
    return (
        token.text.isdigit() and len(token.text) == 3 and token.start == tokens[at - 1].end + 1
    ) and not (_adjacent(tokens, at + 1) and tokens[at + 1].text in "-.,")


def _small(tokens: list[Token], at: int) -> tuple[int, int] | None:
    """Read a number in words below a hundred; a year read in pairs ("nineteen ninety-nine")."""
    word = _word(tokens, at)
    if word in TENS:
        after = at + 2 if _word(tokens, at + 1) == "-" else at + 1
        unit = SMALL.get(_word(tokens, after), 0)
        return (TENS[word] + unit, after + 1) if 0 < unit < 10 else (TENS[word], at + 1)
    return (SMALL[word], at + 1) if word in SMALL else None


def _group(tokens: list[Token], at: int) -> tuple[int, int] | None:
    """Read up to "nine hundred and ninety-nine", or a year in pairs."""
    if _word(tokens, at) in ("a", "an") and _word(tokens, at + 1) in SCALES:
        read: tuple[int, int] | None = (1, at + 1)
    else:
        read = _small(tokens, at)
    if read is None:
        return None
    value, end = read
    pair = _small(tokens, end) if 13 <= value <= 20 and _word(tokens, end) in TENS else None
    if pair is not None:
        return value * 100 + pair[0], pair[1]
    after = end + 1 if _word(tokens, end) == "-" else end
    if _word(tokens, after) != "hundred" or value == 0:
        return read
    rest_at = after + 2 if _word(tokens, after + 1) == "and" else after + 1
    rest = _small(tokens, rest_at)
    return (value * 100 + rest[0], rest[1]) if rest else (value * 100, after + 1)


def _in_words(tokens: list[Token], at: int) -> Number | None:
    read = _group(tokens, at)
    if read is None:
        return None
    value, end = read
    number = _plain(Fraction(value), at, end)
    step = Fraction(100) if tokens[end - 1].low == "hundred" else number.step
    return Number(
        value=number.value, begin=at, end=end, step=step, coarse=number.coarse, in_words=True
    )


def _scaled(tokens: list[Token], number: Number | None) -> Number | None:
    """Add what may follow: "and a half", "point five", "million", "thousand two hundred"."""
    if number is None or number.ordinal:
        return number
    number = _tail(tokens, number)
    smallest = 10**15
    while (scale := _scale(tokens, number.end)) and scale[0] < smallest:
        smallest, end = scale
        number = _add_group(tokens, number.times(smallest, end), smallest)
        if end - number.begin > MAX_WORDS or number.end == end:
            break
    return number


def _scale(tokens: list[Token], at: int) -> tuple[int, int] | None:
    if _adjacent(tokens, at) and _word(tokens, at) in SUFFIXES and tokens[at - 1].is_digits:
        return SUFFIXES[tokens[at].low], at + 1
    after = at + 1 if _word(tokens, at) == "-" else at
    word = _word(tokens, after)
    return (SCALES[word], after + 1) if word in SCALES else None


def _add_group(tokens: list[Token], number: Number, scale: int) -> Number:
    """Join a smaller group in words: "two thousand" and "five hundred", "[and] five"."""
    after = number.end + 1 if _word(tokens, number.end) == "and" else number.end
    read = _group(tokens, after) if number.in_words and scale != 12 else None
    if read is None:
        return number
    value, end = read
    following = _scale(tokens, end)
    rest = value * following[0] if following and following[0] < scale else value
    end = following[1] if following and following[0] < scale else end
    if rest >= scale or (following and following[0] >= scale):
        return number
    total = _plain(number.value + rest, number.begin, end)
    return Number(
        value=total.value, begin=number.begin, end=end, step=total.step, coarse=total.coarse,
        in_words=True,
    )  # fmt: skip


def _tail(tokens: list[Token], number: Number) -> Number:
    """Add "and a half", "and three quarters", "point five" to a whole number."""
    end = number.end
    words = [_word(tokens, end + ahead) for ahead in range(3)]
    if words[0] == "and" and words[1] in ("a", "one", "three") and words[2] in _PARTS:
        top = 3 if words[1] == "three" else 1
        if words[2] in ("half", "quarter", "quarters") or top == 3:
            return _plus(number, Fraction(top, _PARTS[words[2]]), end + 3)
    if words[0] == "point" and words[1] in SMALL and SMALL[words[1]] < 10:
        return _plus(number, Fraction(SMALL[words[1]], 10), end + 2)
    if number.end < len(tokens) and _is_mixed(tokens, number):
        top_text, _, bottom_text = tokens[end].text.replace("\u2044", "/").partition("/")
        return _plus(number, Fraction(int(top_text), int(bottom_text)), end + 1)
    return number


def _is_mixed(tokens: list[Token], number: Number) -> bool:
    """True if a proper fraction in digits follows a whole number: "1 1/2"."""
    text = tokens[number.end].text.replace("\u2044", "/")
    top, mark, bottom = text.partition("/")
    if not (mark and top.isdigit() and bottom.isdigit() and len(text) <= 5):
        return False
    return tokens[number.begin].is_digits and 0 < int(top) < int(bottom)


def _plus(number: Number, part: Fraction, end: int) -> Number:
    tenth = Fraction(1, 10)
    return Number(
        value=number.value + part, begin=number.begin, end=end, step=tenth, coarse=tenth,
        in_words=number.in_words,
    )  # fmt: skip


def _ordinal(tokens: list[Token], at: int) -> Number | None:
    """Read "third" or "twenty-first"."""
    word, end, value = _word(tokens, at), at + 1, 0
    if word in TENS and _word(tokens, at + 1) == "-":
        value, end, word = TENS[word], at + 3, _word(tokens, at + 2)
    if word not in ORDINALS or (value and ORDINALS[word] > 9):
        return None
    one = Fraction(1)
    return Number(
        value=Fraction(value + ORDINALS[word]), begin=at, end=end, step=one, coarse=one,
        ordinal=True, in_words=True,
    )  # fmt: skip


def _part(tokens: list[Token], at: int) -> Number | None:
    """Read a fraction in words: "half [a million]", "three quarters", "a third of"."""
    word, end = _word(tokens, at), at + 1
    top = SMALL.get(word, 0)
    if word in ("half", "quarter"):
        top, end = 1, at
    elif word in ("a", "an"):
        top = 1
    if not 0 < top < 10:
        return None
    end = end + 1 if _word(tokens, end) == "-" else end
    name = _word(tokens, end)
    plural = name.endswith("s") or name == "halves"
    if name not in _PARTS or (top > 1) != plural or not _is_share(tokens, name, end, plural=plural):
        return None
    tenth = Fraction(1, 10)
    number = Number(
        value=Fraction(top, _PARTS[name]), begin=at, end=end + 1, step=tenth, coarse=tenth,
        in_words=True, fraction=True,
    )  # fmt: skip
    after = end + 2 if _word(tokens, end + 1) in ("a", "an") else end + 1
    scale = SCALES.get(_word(tokens, after))
    return number.times(scale, after + 1) if scale else number


def _is_share(tokens: list[Token], name: str, at: int, *, plural: bool) -> bool:
    """Tell "a third of the beds" from "a third bed"."""
    return plural or name in ("half", "quarter") or _word(tokens, at + 1) == "of"
