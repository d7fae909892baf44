"""Compare a claim with a sentence that has the same words and values in the same places.

A copied sentence with a value changed says which value was meant: the one in the same place. That
decides before any search, which would find the changed value elsewhere or work it out somehow.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from gatekeeper.core.terms import STOP_WORDS
from gatekeeper.core.values.literals import fold
from gatekeeper.core.values.match import LITERAL, Match, agreement, comparable
from gatekeeper.core.values.model import FactIndex, Finding, Kind, Relation, Value

SLOT = "\x00"  # stands for a value
# Content words of a frame, and with them the values that agree: with fewer many things are said.
MIN_TERMS, TELLING = 2, 3
ROW = 6  # values that agree, of a row of a table without words
_PLACES = 24  # at which the same frame is looked at
_NEAR = 8  # values before and behind them
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The words of a text between single blanks, with a slot for each value."""

    words: str
    slots: tuple[Value, ...]

    @property
    def terms(self) -> int:
        """How many content words there are."""
        return sum(1 for word in self.words.split(" ") if word != SLOT and word not in STOP_WORDS)


def frame(text: str, values: Sequence[Value]) -> Frame:
    """Return the frame of a text; of values that overlap the first counts, quotations are words."""
    pieces: list[str] = []
    slots: list[Value] = []
    end = 0
    for value in values:
        if value.kind is not Kind.QUOTE and value.start >= end:
            pieces += (*_WORD.findall(text[end : value.start].lower()), SLOT)
            slots.append(value)
            end = value.end
    pieces += _WORD.findall(text[end:].lower())
    return Frame(words=" ".join(pieces), slots=tuple(slots))


def judge_frame(mine: Frame, facts: FactIndex) -> tuple[Finding, ...] | None:
    """Return a finding for each slot of a claim, None if no sentence is built like it.

    None as well where it is open what a value stands beside, or where most values differ: then the
    sentence tells of something else.
    """
    terms = mine.terms
    if not mine.slots or (terms < MIN_TERMS and len(mine.slots) <= ROW):
        return None
    closest: tuple[Finding, ...] | None = None
    fewest = max(1, len(mine.slots) // 2) + 1
    for first in _places(mine, facts):
        found = _compared(mine.slots, first, facts)
        if found is None:
            continue
        clashes = sum(finding.relation is Relation.CLASHING for finding in found)
        if clashes < fewest and (not clashes or _is_telling(mine, terms, found, facts)):
            closest, fewest = found, clashes
        if not clashes:
            break
    return closest


def _is_telling(mine: Frame, terms: int, found: Sequence[Finding], facts: FactIndex) -> bool:
    """True if words and values that agree are enough to know a sentence by."""
    agreeing = sum(finding.relation is not Relation.CLASHING for finding in found)
    if terms < MIN_TERMS:
        return agreeing >= ROW
    whole = found[0].sentence is not None and facts.facts[found[0].sentence].frame == mine.words
    return whole or terms + agreeing >= TELLING


def _places(mine: Frame, facts: FactIndex) -> list[int]:
    """Return the numbers of the slots that stand first where the frame stands."""
    wanted = f" {mine.words} "
    places: list[int] = []
    at = facts.frames.find(wanted)
    while at >= 0 and len(places) < _PLACES:
        places.append(bisect_left(facts.slot_places, at))
        at = facts.frames.find(wanted, at + 1)
    return places


def _compared(mine: Sequence[Value], first: int, facts: FactIndex) -> tuple[Finding, ...] | None:
    """Compare slot by slot; None where a difference is none for certain."""
    end = first + len(mine)
    found = []
    for value, (position, other) in zip(mine, facts.slots[first:end], strict=True):
        match = _match(value, other)
        if match is not None:
            relation = Relation.STATED if match is Match.SAME else Relation.DERIVED
        elif not _excludes(value, other) or _is_beside(value, position, first, end, facts):
            return None
        else:
            relation = Relation.CLASHING
        rule = _rule(match, value, other)
        found.append(Finding(value=value, relation=relation, rule=rule, sentence=position))
    return tuple(found)


def _rule(match: Match | None, value: Value, other: Value) -> str:
    if match is None:
        return "narrowed" if agreement(value, other) is Match.NARROWED else "differs"
    return "part" if match is Match.BOUND and value.kind in LITERAL else str(match)


def _match(value: Value, other: Value) -> Match | None:
    """Return how two values in one place agree; another limit or range there is another value."""
    match = agreement(value, other)
    if match is Match.BOUND:
        moved = value.bound is not None and value.bound is other.bound
        return None if moved or (value.is_range and other.is_range) else match
    return None if match is Match.NARROWED else match


def _excludes(value: Value, other: Value) -> bool:
    """False where two values may be the same, or one may be part of the other.

    One end of a range, a date that says more, a number read as a name.
    """
    if (value.kind in LITERAL) is not (other.kind in LITERAL):
        return fold(value.text) != fold(other.text)
    if agreement(value, other) is Match.NARROWED and not value.is_range:
        return False
    if value.kind is not Kind.DATE or not comparable(value, other):
        return True
    pairs = zip(value.readings[0].parts, other.readings[0].parts, strict=True)
    return any(one and two and one != two for one, two in pairs)


def _is_beside(value: Value, position: int, first: int, end: int, facts: FactIndex) -> bool:
    """True if a value stands beside those compared: "7" of the claim in "6 and 7"."""
    before, after = facts.slots[max(0, first - _NEAR) : first], facts.slots[end : end + _NEAR]
    return any(
        at == position and agreement(value, other) is Match.SAME for at, other in (*before, *after)
    )
