"""A stand-in for a language model: says what documents say, and now and then makes things up. Pure.

It answers in words written beforehand where there are some, else with sentences copied from the
best document. What it invents follows from the question, or is asked for by name, so that a demo
gives the same every time.
"""

import re
import zlib
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum

from gatekeeper.core.terms import terms
from gatekeeper.demo.documents import Document, Script

NOTHING_FOUND = "I could not find anything about that in our help pages."

# A question is close to one that a reply was written for if they share this much of their terms.
LEAST_OVERLAP = 0.45

_COPIED_SENTENCES = 2

# No sum, difference or product that documents give rise to: the guard knows those.
_OFF_BY = 8
_SENTENCE = re.compile(r"[^.!?]+[.!?]+(?=\s|$)")
# A count or an amount: no part of a version, a time or a name ("W-20931", "Air 2").
_NUMBER = re.compile(r"(?<!\b[A-Z][a-z]{2} )(?<![\w.,:/>-])\d{1,3}(?:\.\d\d)?(?![\w:/]|[.,-]\w)")


class Invention(StrEnum):
    """What the stand-in makes up."""

    NONE = "none"
    NUMBER = "number"
    POLICY = "policy"
    STEP = "step"


def invention_for(question: str) -> Invention:
    """Return what is made up when nothing is asked for: something in one answer out of four."""
    draw = zlib.crc32(question.encode())
    if draw % 4:
        return Invention.NONE
    return (Invention.NUMBER, Invention.POLICY, Invention.STEP)[draw // 4 % 3]


def answer(question: str, found: Sequence[Document], script: Script, invention: Invention) -> str:
    """Answer a question from what retrieval found, best first.

    Without documents it says so and makes nothing up.
    """
    if not found:
        return NOTHING_FOUND
    return embellish(_truth(question, found, script), question, script, invention)


def embellish(text: str, seed: str, script: Script, invention: Invention) -> str:
    """Add what is made up; ``seed`` decides which policy or step it is.

    A made-up number replaces the first one of the text; a text without one stays as it is.
    """
    match invention:
        case Invention.NONE:
            return text
        case Invention.NUMBER:
            return _NUMBER.sub(lambda match: str(Decimal(match[0]) + _OFF_BY), text, count=1)
        case Invention.POLICY:
            return f"{text} {_pick(script.policies, seed)}"
        case Invention.STEP:  # pragma: no branch - the last of them
            return f"{text} {_pick(script.steps, seed)}"


def _truth(question: str, found: Sequence[Document], script: Script) -> str:
    sources = {document.id for document in found}
    close = [
        (overlap, reply.says)
        for reply in script.replies
        if reply.source in sources and (overlap := _overlap(question, reply.asks)) >= LEAST_OVERLAP
    ]
    return max(close)[1] if close else _copy(question, found[0])


def _overlap(one: str, other: str) -> float:
    """Return the share of common terms in all terms of two texts (Jaccard)."""
    first, second = set(terms(one)), set(terms(other))
    return len(first & second) / max(1, len(first | second))


def _copy(question: str, document: Document) -> str:
    """Return the sentences of a document that share most terms with the question, in its order.

    Where none shares any, its first one.
    """
    asked = set(terms(question))
    sentences = _sentences(document.text)
    shared = [len(asked & set(terms(sentence))) for sentence in sentences]
    ranked = sorted(range(len(sentences)), key=lambda n: -shared[n])[:_COPIED_SENTENCES]
    chosen = [n for n in ranked if shared[n]] or [0]
    return " ".join(sentences[n] for n in sorted(chosen))


def _sentences(markdown: str) -> list[str]:
    """Return the sentences of a document, lists and text alike; headings and tables left out."""
    lines = [line.strip() for line in markdown.splitlines()]
    prose = [re.sub(r"^(?:\d+\.|-)\s+|[*`]", "", line) for line in lines if line[:1] not in "#|"]
    return [found.strip() for line in prose for found in _SENTENCE.findall(line)]


def _pick(choices: Sequence[str], seed: str) -> str:
    return choices[zlib.crc32(seed.encode()) % len(choices)]
