"""Terms: the content words two texts are compared by, for ranking and for the value guard.

Pure. A term is a lower-case word without its commonest English endings, or a number as written.
"""

import re
from functools import lru_cache

WORD = re.compile(r"\d[\d.,:/]*\d|\w+")

STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be been before being but by can could did do
    does doing for from get got had has have having he her here hers him his how i if in into is it
    its itself just may me might more most must my no nor not of off on one only or other our ours
    out over own per shall she should so some such than that the their theirs them then there these
    they this those through to too under until up us very was we were what when where which while
    who whom why will with within would yes you your yours s t re ve ll d m""".split()
)

# Longest first; an ending goes only if three letters or more stay.
_ENDINGS = ("ations", "ation", "ments", "ment", "ings", "ing", "edly", "ies", "ied", "ion",
            "ions", "ers", "er", "ed", "es", "ly", "al", "s", "e", "y")  # fmt: skip


# The words of a service repeat; without the memory a third of the time of ranking goes here.
@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Cut one ending off a lower-case word, so that "refunded" and "refunds" meet.

    Far coarser than Porter's stemmer and not meant for people; ranking needs no more.
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    # A consonant doubled before the ending ("stopped", "stops") is one letter again.
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word


def terms(text: str) -> tuple[str, ...]:
    """Return the terms of a text in order, repeats kept, stop words left out."""
    return tuple(stem(word) for word in WORD.findall(text.lower()) if word not in STOP_WORDS)
