"""The characters of a text, one by one: what is folded, what is dropped, what says something.

Pure. An edit is (start, end, new text); edits are in order and do not overlap.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

Edit = tuple[int, int, str]

# Letters that NFKC leaves as pictures: white on black in squares and circles.
_PICTURED = {first + n: chr(65 + n) for first in (0x1F150, 0x1F170) for n in range(26)}
_FOLD = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u2035\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u301d\u301e", '"')
    | {"\u2044": "/", "\u2122": "", "\u00ae": "", "\u2028": "\n", "\u2029": "\n\n", "\x85": "\n"}
    | _PICTURED
    | {"\U0001f51f": "10", "\ufe0e": "", "\ufe0f": "", "\u20e3": ""}
)
_RAISED = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079"
# A run keeps the ASCII character before it: a combining mark belongs to that one.
_ODD = re.compile(rf"[{_RAISED}]+|[ -~]?[^\t-\r\x1c-~{_RAISED}]+")
# Dropped categories: format (zero-width, bidi, soft hyphen), control, surrogate, private use.
_DROPPED = frozenset(("Cf", "Cc", "Cs", "Co"))
_UNIT_END = re.compile(r"(?:\b[A-Za-z]{1,3}|met(?:er|re)s?|feet|inch(?:es)?|miles?|yards?)\Z")

# Pictures that say yes, no or forbidden assert; all others are ornaments where a text ends.
_SAYING = (
    "\u2705\u2611\u2713-\u2718\u274c\u274e\u2753-\u2755\u2757\u26d4\u2620\u26a0"
    "\U0001f44d\U0001f44e\U0001f645\U0001f646\U0001f4f5\U0001f51e\U0001f507\U0001f515"
    "\U0001f6ab\U0001f6ad\U0001f6af\U0001f6b1\U0001f6b3\U0001f6b7"
)
_ORNAMENT = re.compile(
    f"(?![{_SAYING}\u2605\u2606\u2b50])[\u2600-\u27bf\u2b55\U0001f1e6-\U0001faff]"
)
_LETTERED = re.compile("[\u2800-\u28ff\U0001f100-\U0001f1ad" + _SAYING + "]")


def has_words(text: str) -> bool:
    """True if a text has a letter, a digit or a picture that is read as a word."""
    return any(map(str.isalnum, text)) or has_pictures(text)


def has_pictures(text: str) -> bool:
    """True if a text has a picture that says something: a tick, a ban, a letter in a square."""
    return _LETTERED.search(text) is not None


def is_edge(character: str) -> bool:
    """True for a blank or an ornament: neither says anything at the end of a text."""
    if character.isspace():
        return True
    return _ORNAMENT.match(character) is not None and not character.isalnum()


def character_edits(text: str) -> Iterator[Edit]:
    """Yield what makes look-alikes equal and takes invisible characters out."""
    for match in _ODD.finditer(text):
        run, at = match.group(), match.start()
        if unicodedata.normalize("NFKC", run[0]).isdecimal() and not run[0].isdecimal():
            yield at, match.end(), _raised(text[max(0, at - 8) : at], run)
            continue
        starts = [i for i, c in enumerate(run) if i == 0 or not _continues(c)]
        for begin, end in pairwise([*starts, len(run)]):
            cluster = run[begin:end]
            new = folded(cluster, text[at + begin - 1] if at + begin else "")
            if new != cluster:
                yield at + begin, at + end, new


def _continues(character: str) -> bool:
    """True if a character composes with the one before it (marks, Hangul vowels and finals)."""
    return unicodedata.combining(character) != 0 or "\u1160" <= character <= "\u11ff"


def folded(cluster: str, before: str) -> str:
    """Return one cluster of characters in the common notation; ``before`` it stands the other."""
    new = unicodedata.normalize("NFKC", cluster.translate(_FOLD)).translate(_FOLD)
    if len(cluster) == 1 and "/" in new and before.isdigit():
        return f" {new}"
    if new.isascii():
        return new if new.isprintable() or new.isspace() else ""
    return "".join(c for c in new if unicodedata.category(c) not in _DROPPED)


def _raised(before: str, run: str) -> str:
    digits = unicodedata.normalize("NFKC", run)
    if before[-1:].isdigit():
        return f"^{digits}"
    return digits if _UNIT_END.search(before) and before[-1:].isalpha() else f"[{digits}]"
