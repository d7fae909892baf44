"""Values that are compared as text: addresses, identifiers, versions, quotations."""

import re
from collections.abc import Iterator
from dataclasses import replace

from gatekeeper.core.values.model import Kind, Reading, Value
from gatekeeper.core.values.numbers import SCALES, SUFFIXES
from gatekeeper.core.values.units import UNITS

MIN_QUOTE_WORDS = 4
_MAX_QUOTE = 600  # characters; a longer stretch is two stray marks, not a quotation

_URL = re.compile(r"\b(?:https?://|www\.)[^\s<>\"]+", re.IGNORECASE)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_PHONE = re.compile(
    r"(?<![\w+])(?:\+[0-9][0-9 ()-]{5,18}[0-9]|\([0-9]{2,5}\)[ -]?[0-9]{3,4}[ -]?[0-9]{3,4}"
    r"|[0-9]{2,5}-[0-9]{3,4}-[0-9]{3,4}|[0-9]{3}-[0-9]{4}"
    r"|(?:\+?1[ -]{1,3})?\(?[0-9]{3}\)?[ -]{1,3}[0-9]{3}[ -]{1,3}[0-9]{4}"
    r"|0[0-9]{1,4}(?:[ /-][0-9]{2,8}){1,4}(?=[^0-9]|$)|0[0-9]{6,12})(?![\w-]|[.,][0-9])"
)
_NATIONAL = 10  # digits of a North American number
_CLAUSE_NUMBER = re.compile(r"\b[0-9]{1,4}\([A-Za-z0-9]{1,2}\)")  # 401(k), 12(b)
_CHUNK = re.compile(r"[A-Za-z0-9_]+(?:[-/.][A-Za-z0-9_]+)*")
_VERSION = re.compile(
    r"(?:[Vv][0-9]+(?:\.[0-9]+)*|[0-9]+(?:\.[0-9]+){2,})(?:-?(?:rc|beta|alpha)[0-9]*)?"
)
_VERSION_WORD = re.compile(r"\b(?:version|release|v\.)\s([0-9]+(?:\.[0-9]+)*)\b", re.IGNORECASE)
_SIZED = re.compile(r"[0-9]+(?:[.,][0-9]+)*([A-Za-z]+)")
_DECADE = re.compile(r"[0-9]+s")
_QUOTE = re.compile(r"\"([^\"]*)\"")
_WORDS = re.compile(r"\w+")
_COMMON = frozenset("2D 3D 4K 4D 8K".split())  # words rather than identifiers
_CITATION = re.compile(r"\[[0-9]{1,3}\]")
_TOP_LEVELS = frozenset("com org net edu gov io uk eu de fr".split())
_TRAILING = ".,;:!?'\")]}*"
_GLUED_ENDINGS = frozenset("st nd rd th am pm m x s".split()) | frozenset(SUFFIXES)


def addresses(text: str) -> Iterator[Value]:
    """Yield URLs and e-mail addresses."""
    for kind, pattern in ((Kind.URL, _URL), (Kind.EMAIL, _EMAIL)):
        for found in pattern.finditer(text):
            shown = found.group().rstrip(_TRAILING)
            if shown:
                yield _literal(kind, shown, found.start(), _address_key(shown))


def _address_key(shown: str) -> str:
    bare = shown.lower()
    for prefix in ("http://", "https://", "www."):
        bare = bare.removeprefix(prefix)
    return bare.rstrip("/")


def _literal(kind: Kind, shown: str, start: int, key: str) -> Value:
    reading = Reading(kind=kind, key=key)
    return Value(text=shown, start=start, end=start + len(shown), readings=(reading,))


def fold(text: str) -> str:
    """Return letters and digits only, in lower case: "A-113", "a 113" and "A113" are one."""
    return "".join(filter(str.isalnum, text.lower()))


def identifiers(text: str) -> Iterator[Value]:
    """Yield versions, telephone-like numbers and names that mix letters with digits."""
    for found in _VERSION_WORD.finditer(text):
        yield _literal(Kind.VERSION, found[1], found.start(1), found[1])
    for pattern in (_PHONE, _CLAUSE_NUMBER):
        for found in pattern.finditer(text):
            yield _literal(Kind.IDENTIFIER, found.group(), found.start(), _dialled(found.group()))
    for found in _CHUNK.finditer(text):
        if found.group().isalpha():
            continue
        yield from _chunk(found.group(), found.start())


def _dialled(shown: str) -> str:
    """Return the digits of a telephone number, the 1 before ten others left out."""
    key = fold(shown)
    return key[1:] if key.isdigit() and len(key) == _NATIONAL + 1 and key[0] == "1" else key


def _chunk(chunk: str, start: int) -> Iterator[Value]:
    """Yield the address, version or identifier that a run of letters, digits and joints is."""
    if _is_host(chunk):
        yield _literal(Kind.URL, chunk, start, _address_key(chunk))
    elif not any(char.isdigit() for char in chunk):
        return
    elif _VERSION.fullmatch(chunk):
        yield _literal(Kind.VERSION, chunk, start, chunk.lower().removeprefix("v"))
    elif _is_identifier(chunk):
        value = _literal(Kind.IDENTIFIER, chunk, start, fold(chunk))
        yield replace(value, weak=chunk in _COMMON)


def _is_host(chunk: str) -> bool:
    """True for an address without a scheme: "example.org/forms"."""
    labels = chunk.partition("/")[0].lower().split(".")
    return len(labels) > 1 and labels[-1] in _TOP_LEVELS and (len(labels) > 2 or len(labels[0]) > 1)


def _is_identifier(chunk: str) -> bool:
    """True for "A-113", "ORD-2024-17", "x200", "COVID-19"; not for "5km", "20-year-old", "3rd"."""
    pieces = re.split(r"[-/._]", chunk)
    if any(_is_mixed(piece) for piece in pieces):
        return True
    named = any(piece.isalpha() and piece.isupper() and len(piece) <= 6 for piece in pieces)
    if len(pieces) > 2 and "-" in chunk and all(p.isdigit() and len(p) >= 3 for p in pieces):
        return True
    return named and any(piece.isdigit() for piece in pieces)


def _is_mixed(piece: str) -> bool:
    if piece.isalpha() or piece.isdigit() or not piece:
        return False
    sized = _SIZED.fullmatch(piece)
    if sized is None:
        return not _DECADE.fullmatch(piece)
    ending = sized[1].lower()
    return not (ending in _GLUED_ENDINGS or ending in UNITS or ending in SCALES)


def quotations(text: str) -> Iterator[Value]:
    """Yield what stands between quotation marks, if it has MIN_QUOTE_WORDS words or more."""
    for found in _QUOTE.finditer(text):
        inner = found[1]
        words = spoken(_CITATION.sub("", inner))
        if len(inner) <= _MAX_QUOTE and words.count(" ") + 1 >= MIN_QUOTE_WORDS:
            yield _literal(Kind.QUOTE, inner, found.start(1), words)


def spoken(text: str) -> str:
    """Return the words of a text in lower case between single blanks, signs left out."""
    return " ".join(_WORDS.findall(text.lower()))
