"""The words around a value: bounds, hedges, and what is counted."""

from dataclasses import replace

from gatekeeper.core.terms import STOP_WORDS, stem
from gatekeeper.core.values.model import Bound, Value
from gatekeeper.core.values.tokens import Token, glued, joined, tokenize, word_at

_BEFORE: dict[str, Bound | str] = {
    **dict.fromkeys(
        ("at least", "no less than", "not less than", "no fewer than", "more than", "over",
         "above", "minimum", "minimum of", "a minimum of", "exceeding", "exceeds", "exceed",
         "greater than", "as many as at least", "upwards of", "in excess of"),
        Bound.AT_LEAST,
    ),
    **dict.fromkeys(
        ("at most", "up to", "no more than", "not more than", "less than", "fewer than", "under",
         "below", "maximum", "maximum of", "a maximum of", "within", "not exceeding",
         "not exceed", "no later than", "up to and including", "as many as"),
        Bound.AT_MOST,
    ),
    **dict.fromkeys(
        ("about", "roughly", "approximately", "approx", "approx.", "nearly", "almost", "around",
         "ca", "ca.", "circa", "~", "some", "close to", "just over", "just under", "estimated",
         "well over", "in the region of"),
        "hedged",
    ),
    **dict.fromkeys(("exactly", "precisely", "exact"), "exact"),
}  # fmt: skip
_AFTER: dict[str, Bound | str] = {
    **dict.fromkeys(
        ("or more", "or over", "or above", "minimum", "at least", "+", "or later", "or longer"),
        Bound.AT_LEAST,
    ),
    **dict.fromkeys(
        ("or less", "or fewer", "or under", "or below", "maximum", "at most", "or earlier"),
        Bound.AT_MOST,
    ),
    **dict.fromkeys(("or so", "approximately", "roughly"), "hedged"),
    **dict.fromkeys(("exactly", "precisely"), "exact"),
}
# Most values have none of these beside them; longer phrases are looked up only where one is.
_LAST_WORDS = frozenset(tokenize(phrase)[-1].low for phrase in _BEFORE)
_FIRST_WORDS = frozenset(tokenize(phrase)[0].low for phrase in _AFTER)
_SENTENCE_ENDS = frozenset(".!?:;\"'()*-|")
_MAX_FLAGS = 3  # "up to about 5"


def flagged(value: Value, tokens: list[Token], begin: int, end: int) -> Value:
    """Return the value over the tokens [begin, end) with the bounds and hedges around it."""
    flags = _flags(tokens, begin, end)
    bounds = [flag for flag in flags if isinstance(flag, Bound)]
    return replace(
        value,
        hedged="hedged" in flags,
        exact="exact" in flags,
        bound=bounds[-1] if bounds else None,
    )


def _flags(tokens: list[Token], begin: int, end: int) -> list[Bound | str]:
    """Collect what bounds or hedges a value, nearest first before it, then after it."""
    flags: list[Bound | str] = []
    while word_at(tokens, begin - 1) in _LAST_WORDS and len(flags) < _MAX_FLAGS:
        size = next((n for n in (4, 3, 2, 1) if _phrase(tokens, begin, n) in _BEFORE), 0)
        if not size:
            break
        flags.append(_BEFORE[_phrase(tokens, begin, size)])
        begin -= size
    for size in (2, 1) if word_at(tokens, end) in _FIRST_WORDS else ():
        after = joined(tokens, end, end + size) if end + size <= len(tokens) else ""
        if after in _AFTER:
            flags.append(_AFTER[after])
            break
    return flags


def _phrase(tokens: list[Token], end: int, size: int) -> str:
    return joined(tokens, end - size, end) if end >= size else ""


def noun_at(tokens: list[Token], at: int) -> str:
    """Return the stem of what is counted: the word at a token, past a hyphen, "" if none."""
    if word_at(tokens, at) == "-" and glued(tokens, at):
        at += 1
    word = word_at(tokens, at)
    return stem(word) if word.isalpha() and word not in STOP_WORDS else ""


def name_before(tokens: list[Token], at: int, end: int) -> str:
    """Return the lower-case word of a name before the tokens [at, end), "" if none.

    "Air 2", "iPhone 15". A capital that only opens a sentence makes no name, but "North 120," does.
    """
    if at < 1 or glued(tokens, at):
        return ""
    word = tokens[at - 1]
    if not word.text.isalpha() or word.low in STOP_WORDS or word.low in _LAST_WORDS:
        return ""
    if word.text[1:] != word.low[1:]:
        return word.low
    opens = at == 1 or tokens[at - 2].low in _SENTENCE_ENDS
    is_label = word_at(tokens, end) in ("", ",", ";")
    return word.low if word.text[0].isupper() and (is_label or not opens) else ""
