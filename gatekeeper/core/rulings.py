"""What is decided about a claim without the model: values, citations, unknown words, code.

Pure. Turns findings of the value guard into a ruling that names value, rule and passage, and adds
two rules of the same kind: a citation must name a passage, and a word that the model's vocabulary
can't spell must stand in the evidence, for to the model all such words are one.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from gatekeeper.core import values
from gatekeeper.core.aggregate import Finding, Ruling
from gatekeeper.core.characters import has_words
from gatekeeper.core.evidence import EvidenceIndex
from gatekeeper.core.notation import Apposition, appositions
from gatekeeper.verdict import ClaimStatus, Segment

UnknownWords = Callable[[str], tuple[str, ...]]
T = TypeVar("T")

_BEYOND = {
    "reserve": "the claim leaves out the reserve with which it is said",
    "limit": "the claim leaves out the limit that stands",
    "cause": "the claim gives as a cause what is not told as one",
    "place": "the claim puts another word in a place",
    "other": "the claim says of one thing what is said of another",
}
_BEGUN_WORDS = 3  # whole words of a broken-off claim
# What reads like a citation: "[2,22]", "km²". Copied from a passage it names none.
_BRACKETS = re.compile(r"\[ ?[0-9][0-9,; \u2013-]{0,60}\]")
_DIGITS = re.compile(r"[0-9]+")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

# Reading this much takes a few milliseconds; a line costs something whatever its length.
CHARS_A_STEP, CHARS_A_LINE = 2000, 40
# Each name is looked for in all of the evidence; brackets are read one by one.
NAMES_A_STEP, _BRACKETS_A_STEP = 64, 1024


def finished(steps: Generator[None, None, T]) -> T:
    """Take steps to their end and return what they come to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found


def build_facts(index: EvidenceIndex) -> Generator[None, None, values.FactIndex]:
    """Read the values of the evidence, a few lines or a part of a long one a step."""
    facts = []
    read = 0
    for line in index.lines:
        facts.append(values.read_fact(line.sentence.text))
        read += len(line.sentence.text) + CHARS_A_LINE
        if read >= CHARS_A_STEP:
            read = 0
            yield
    return (yield from values.index_steps(tuple(facts)))


class Guard:
    """Rules on the claims of one answer; reads the evidence and remembers nothing of a claim."""

    def __init__(
        self,
        index: EvidenceIndex,
        facts: values.FactIndex,
        texts: Sequence[str],
        unknown_words: UnknownWords,
    ) -> None:
        self._index = index
        self._facts = facts
        self._texts = texts
        self._code: values.CodeIndex | None = None
        self._bracketed: frozenset[str] | None = None
        self._unknown_words = unknown_words
        self._folded = "\n".join(texts).casefold()

    def rule(self, segment: Segment) -> tuple[Ruling, tuple[Apposition, ...]]:
        """Return the ruling on a claim, and the forms of its values to show to the model."""
        return finished(self.rule_steps(segment))

    def rule_steps(
        self, segment: Segment
    ) -> Generator[None, None, tuple[Ruling, tuple[Apposition, ...]]]:
        """Do the same as ``rule`` in steps of bounded work."""
        findings = yield from values.compare_steps(segment.plain, segment.hypothesis, self._facts)
        for relation in (values.Relation.CLASHING, values.Relation.ABSENT):
            decisive = [found for found in findings if found.relation is relation]
            if decisive:
                return self._ruling(decisive), ()
        missing = yield from self._missing_steps(segment)
        if missing:
            return Ruling(absent=True, reason=missing), ()
        return Ruling(), appositions(findings, segment.plain, self._facts)

    def compare_literally(self, segment: Segment) -> tuple[Finding, Ruling]:
        """Decide code and commands: they stand in a passage letter by letter or they don't."""
        return finished(self.literal_steps(segment))

    def literal_steps(self, segment: Segment) -> Generator[None, None, tuple[Finding, Ruling]]:
        """Do the same as ``compare_literally`` in steps of bounded work."""
        if self._code is None:
            self._code = yield from values.code_steps(self._texts)
        found = values.literal_support(segment.plain, self._code)
        if found is None:
            ruling = Ruling(absent=True, reason="stands in no passage letter by letter")
            return Finding(status=ClaimStatus.UNSUPPORTED, support=0.0), ruling
        ruling = Ruling(passages=(found,), reason="stands in the passage letter by letter")
        return Finding(status=ClaimStatus.SUPPORTED, support=1.0), ruling

    def begun(self, segment: Segment) -> int | None:
        """Return the evidence line that a claim broken off within a word is the beginning of.

        A stream cut by a limit ends so. What was not said is not judged, and what was said stands
        there word for word.
        """
        said = segment.hypothesis.lower()
        if said.count(" ") < _BEGUN_WORDS or not said[-1:].isalpha():
            return None
        place = self._facts.lowered.find(f"\n{said}")
        if place < 0 or not self._facts.lowered[place + 1 + len(said)].isalpha():
            return None
        line = bisect_right(self._facts.lowered_starts, place + 1) - 1
        return line if self._index.lines[line].asserts else None

    def _ruling(self, findings: Sequence[values.Finding]) -> Ruling:
        lines = [found.sentence for found in findings if found.sentence is not None]
        passages = tuple(dict.fromkeys(self._index.lines[line].passage for line in lines))
        first = findings[0]
        return Ruling(
            clashing=first.relation is values.Relation.CLASHING,
            absent=first.relation is values.Relation.ABSENT,
            passages=passages,
            reason="; ".join(map(self._in_words, findings)),
        )

    def _in_words(self, finding: values.Finding) -> str:
        """Name value, rule and the passage that decided."""
        if finding.relation is values.Relation.ABSENT:
            # Without a value of its own it is about all of them: there are too many.
            value = finding.value
            if value is not None:
                return f"{value.text!r} stands in no passage"
            return finding.rule if finding.sentence is None else self._beyond(finding)
        what = "the claim" if finding.value is None else repr(finding.value.text)
        where = ""
        if finding.sentence is not None:
            where = f" in passage {self._index.ids[self._index.lines[finding.sentence].passage]}"
        return f"{what} clashes with what stands{where} ({finding.rule})"

    def _beyond(self, finding: values.Finding) -> str:
        """Say how the claim goes beyond a sentence without a value that does."""
        line = self._index.lines[finding.sentence or 0]
        return f"{_BEYOND[finding.rule]} in passage {self._index.ids[line.passage]}"

    def _missing_steps(self, segment: Segment) -> Generator[None, None, str]:
        """Say what the claim names that is nowhere in the evidence; "" if nothing."""
        for number, mark in enumerate(dict.fromkeys(segment.citations), 1):
            known = self._is_source(mark) or (yield from self._is_bracketed(mark))
            if not known:
                return f"[{mark}] names no passage"
            if number % NAMES_A_STEP == 0:
                yield
        unknown = dict.fromkeys(self._unknown_words(segment.plain))
        for number, word in enumerate(filter(has_words, unknown), 1):
            if word.casefold() not in self._folded:
                return f"{word[:40]!r} stands in no passage"
            if number % NAMES_A_STEP == 0:
                yield
        return ""

    def _is_bracketed(self, mark: str) -> Generator[None, None, bool]:
        if self._bracketed is None:
            self._bracketed = yield from _bracketed_steps(self._folded)
        return mark in self._bracketed

    def _is_source(self, mark: str) -> bool:
        """Tell whether a citation names a passage by id or position, or stands alone in one."""
        if mark in self._index.ids or f"[{mark.casefold()}]" in self._folded:
            return True
        if not mark.isdigit():
            return True
        return int(mark) <= len(self._texts) or mark.translate(_RAISED) in self._folded


def _bracketed_steps(text: str) -> Generator[None, None, frozenset[str]]:
    """Find the numbers in brackets: a citation copied with others names none of the passages."""
    found: set[str] = set()
    for number, brackets in enumerate(_BRACKETS.finditer(text), 1):
        found.update(_DIGITS.findall(brackets[0]))
        if number % _BRACKETS_A_STEP == 0:
            yield
    return frozenset(found)
