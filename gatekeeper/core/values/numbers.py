"""Numbers in digits and in words, read from tokens.

Exact and bounded: a number in words has at most MAX_WORDS words.
"""

from fractions import Fraction

from gatekeeper.core.values.digits import plain, read_digits, read_spaced
from gatekeeper.core.values.tokens import Number, Token, glued, word_at

MAX_WORDS = 16

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


def read_number(tokens: list[Token], at: int) -> Number | None:
    """Return the number that begins at a token, the longest way it can be read."""
    if tokens[at].is_digits:
        return _scaled(tokens, read_spaced(tokens, at) or read_digits(tokens, at))
    return _part(tokens, at) or _ordinal(tokens, at) or _scaled(tokens, _in_words(tokens, at))


def _small(tokens: list[Token], at: int) -> tuple[int, int] | None:
    """Read a number in words below a hundred; a year read in pairs ("nineteen ninety-nine")."""
    word = word_at(tokens, at)
    if word in TENS:
        after = at + 2 if word_at(tokens, at + 1) == "-" else at + 1
        unit = SMALL.get(word_at(tokens, after), 0)
        return (TENS[word] + unit, after + 1) if 0 < unit < 10 else (TENS[word], at + 1)
    return (SMALL[word], at + 1) if word in SMALL else None


def _group(tokens: list[Token], at: int) -> tuple[int, int] | None:
    """Read up to "nine hundred and ninety-nine", or a year in pairs."""
    if word_at(tokens, at) in ("a", "an") and word_at(tokens, at + 1) in SCALES:
        read: tuple[int, int] | None = (1, at + 1)
    else:
        read = _small(tokens, at)
    if read is None:
        return None
    value, end = read
    pair = _small(tokens, end) if 13 <= value <= 20 and word_at(tokens, end) in TENS else None
    if pair is not None:
        return value * 100 + pair[0], pair[1]
    after = end + 1 if word_at(tokens, end) == "-" else end
    if word_at(tokens, after) != "hundred" or value == 0:
        return read
    rest_at = after + 2 if word_at(tokens, after + 1) == "and" else after + 1
    rest = _small(tokens, rest_at)
    return (value * 100 + rest[0], rest[1]) if rest else (value * 100, after + 1)


def _in_words(tokens: list[Token], at: int) -> Number | None:
    read = _group(tokens, at)
    if read is None:
        return None
    value, end = read
    number = plain(Fraction(value), at, end)
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
    if glued(tokens, at) and word_at(tokens, at) in SUFFIXES and tokens[at - 1].is_digits:
        return SUFFIXES[tokens[at].low], at + 1
    after = at + 1 if word_at(tokens, at) == "-" else at
    word = word_at(tokens, after)
    return (SCALES[word], after + 1) if word in SCALES else None


def _add_group(tokens: list[Token], number: Number, scale: int) -> Number:
    """Join a smaller group in words: "two thousand" and "five hundred", "[and] five"."""
    after = number.end + 1 if word_at(tokens, number.end) == "and" else number.end
    read = _group(tokens, after) if number.in_words and scale != 12 else None
    if read is None:
        return number
    value, end = read
    following = _scale(tokens, end)
    rest = value * following[0] if following and following[0] < scale else value
    end = following[1] if following and following[0] < scale else end
    if rest >= scale or (following and following[0] >= scale):
        return number
    total = plain(number.value + rest, number.begin, end)
    return Number(
        value=total.value, begin=number.begin, end=end, step=total.step, coarse=total.coarse,
        in_words=True,
    )  # fmt: skip


def _tail(tokens: list[Token], number: Number) -> Number:
    """Add "and a half", "and three quarters", "point five" to a whole number."""
    end = number.end
    words = [word_at(tokens, end + ahead) for ahead in range(3)]
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
    word, end, value = word_at(tokens, at), at + 1, 0
    if word in TENS and word_at(tokens, at + 1) == "-":
        value, end, word = TENS[word], at + 3, word_at(tokens, at + 2)
    if word not in ORDINALS or (value and ORDINALS[word] > 9):
        return None
    one = Fraction(1)
    return Number(
        value=Fraction(value + ORDINALS[word]), begin=at, end=end, step=one, coarse=one,
        ordinal=True, in_words=True,
    )  # fmt: skip


def _part(tokens: list[Token], at: int) -> Number | None:
    """Read a fraction in words: "half [a million]", "three quarters", "a third of"."""
    word, end = word_at(tokens, at), at + 1
    top = SMALL.get(word, 0)
    if word in ("half", "quarter"):
        top, end = 1, at
    elif word in ("a", "an"):
        top = 1
    if not 0 < top < 10:
        return None
    end = end + 1 if word_at(tokens, end) == "-" else end
    name = word_at(tokens, end)
    plural = name.endswith("s") or name == "halves"
    if name not in _PARTS or (top > 1) != plural or not _is_share(tokens, name, end, plural=plural):
        return None
    tenth = Fraction(1, 10)
    number = Number(
        value=Fraction(top, _PARTS[name]), begin=at, end=end + 1, step=tenth, coarse=tenth,
        in_words=True, fraction=True,
    )  # fmt: skip
    after = end + 2 if word_at(tokens, end + 1) in ("a", "an") else end + 1
    scale = SCALES.get(word_at(tokens, after))
    return number.times(scale, after + 1) if scale else number


def _is_share(tokens: list[Token], name: str, at: int, *, plural: bool) -> bool:
    """Tell "a third of the beds" from "a third bed"."""
    return plural or name in ("half", "quarter") or word_at(tokens, at + 1) == "of"
