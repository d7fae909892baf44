"""Sentences for streams, and a model that knows which of them are true.

A sentence carries a word of its own. The word says whether the model supports it, and by it the
model notes what it has scored.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gatekeeper.protocols import PairScore
from gatekeeper.testing import FakeModel

_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
_TRUE, _FALSE = "ix", "ox"
_MARK = re.compile(rf"\b(?:[a-z]{{2}}){{3,}}(?:{_TRUE}|{_FALSE})\b")

PASSAGE = "The house has a porter, a cook and a gardener. The garden lies behind the house."

_VERBS = ("keeps the keys of the", "waters the garden of the", "opens the door of the")
_PLACES = (
    "house",
    "office",
    "old library",
    "caf\u00e9",
    "K\u00fcche",
    "house \U0001f3e0",
)
EXEMPT = ("Hello!", "Thanks for asking!")


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A sentence of an answer. ``is_true`` also if there is nothing in it to support."""

    text: str
    is_true: bool = True


def claim(number: int, *, is_true: bool) -> Saying:
    """Return a sentence that no other number has."""
    rest, parts = number, []
    for _ in range(4):
        rest, syllable = divmod(rest, len(_SYLLABLES))
        parts.append(_SYLLABLES[syllable])
    mark = "".join(parts) + (_TRUE if is_true else _FALSE)
    verb, place = _VERBS[number % len(_VERBS)], _PLACES[number % len(_PLACES)]
    return Saying(text=f"The {mark} porter {verb} {place}.", is_true=is_true)


def exempt(number: int) -> Saying:
    """Return a sentence that asserts nothing."""
    return Saying(text=EXEMPT[number % len(EXEMPT)])


class Noting(FakeModel):
    """A model that notes what it has scored, in order."""

    def __init__(self) -> None:
        super().__init__(self.judge, max_tokens=8192)
        self.scored: list[str] = []

    def judge(self, premise: str, hypothesis: str) -> PairScore:
        """Score a pair."""
        raise NotImplementedError


class Knowing(Noting):
    """A model that supports what is marked as true, and notes marks."""

    def judge(self, premise: str, hypothesis: str) -> PairScore:
        """Go by the marks in the hypothesis."""
        marks = marks_in(hypothesis)
        self.scored += marks
        return _score(all(mark.endswith(_TRUE) for mark in marks))


class Scripted(Noting):
    """A model to which some sentences are false; it goes by their last two words."""

    def __init__(self, false: Iterable[str]) -> None:
        super().__init__()
        self._false = {self.words(text) for text in false}

    def judge(self, premise: str, hypothesis: str) -> PairScore:
        """Go by the end of the hypothesis."""
        self.scored.append(self.words(hypothesis))
        return _score(self.scored[-1] not in self._false)

    @staticmethod
    def words(text: str) -> str:
        """Return the last two words of a text."""
        return " ".join(re.findall(r"\w+", text.lower())[-2:])


def _score(is_true: bool) -> PairScore:
    return PairScore(entailment=0.9 if is_true else 0.1, contradiction=0.05)


def marks_in(text: str) -> list[str]:
    """Return the marks that stand in a text, whole; a NUL, which nobody sees, is not in it."""
    return _MARK.findall(text.replace("\0", ""))


def ends_of_marks(text: str) -> list[tuple[int, str]]:
    """Return the marks in a text, each with the offset behind it, NULs not counted."""
    return [(found.end(), found[0]) for found in _MARK.finditer(text.replace("\0", ""))]


def spans(sayings: Iterable[Saying], answer: str) -> list[tuple[int, int, Saying]]:
    """Return where each sentence stands in an answer that is made of them, in order."""
    found, end = [], 0
    for saying in sayings:
        start = answer.index(saying.text, end)
        end = start + len(saying.text)
        found.append((start, end, saying))
    return found
