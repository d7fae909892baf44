"""What a slice says once it is read in its place: lead-ins, headers and subjects carried along.

Pure functions from a unit to a statement. Only pronouns are replaced, and only "is" or "are" is
added; all else put before a slice is a slice of the same text, whose offsets are reported.
"""

import re
from dataclasses import dataclass

from gatekeeper.core.clauses import (
    ADVERBS,
    ends_open,
    has_finite_verb,
    is_name,
    is_plural,
    subject_of,
)
from gatekeeper.core.predicates import limits, turns
from gatekeeper.core.records import spoken
from gatekeeper.core.text import Normalised, normalise
from gatekeeper.core.units import Form, Slice, Unit

Span = tuple[int, int]

_PRONOUN = re.compile(
    r"(it|they|he|she)(?='|\s)|(this|these)(?= (?:is|are|was|were|has|have)\b)", re.IGNORECASE
)
_EXPLETIVE = re.compile(
    r"it(?: (?:is|was|will be|can be|may be)|'s) (?:\w+ )?(?:possible|impossible|important|"
    r"necessary|recommended|advised|advisable|best|better|worth|easy|hard|difficult|clear|unclear|"
    r"likely|unlikely|essential|true|false|said|known|a|an|not|common|raining|up)\b|"
    r"it (?:seems|appears|rains|snows|follows|turns out)\b|it takes\b[^.]{1,60} to ",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"(?:here|below)(?: (?:is|are)|'s) "
    r"(?:(?:\w+ ){0,3}(?:summary|overview|list|breakdown|outline) (?:of|for|on) )?",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"(?:(?:the|some|a|an|your|my) )?(?:\w+ )?(?:steps?|details?|points?|information|facts|answer|"
    r"summary|overview|list|options|what i (?:found|know)|breakdown)|in (?:summary|short)|use this|"
    r"note",
    re.IGNORECASE,
)
_FOLLOWING = re.compile(r"\s+(?:(?:the|these) following(?: \w+)?|as follows)\Z", re.IGNORECASE)
_STEPS = re.compile(
    r",? (?:you (?:can|may|should) (?:also )?|please )?(?:follow|take|try|consider|do|use|perform)"
    r"(?: \w+ing)? (?:these|the following|the) (?:\w+ )?\w+(?: below)?\Z",
    re.IGNORECASE,
)

# A condition before an announcement: "If it leaks, here is what to do".
_CONDITION = re.compile(
    r"((?:if|unless|when|in case)\b[^,]{1,120}), (?:here|below|these|consider|try|you can|"
    r"you should|follow|take|do)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A noun phrase that a pronoun may stand for, and where it was found."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Statement:
    """A text with what was carried into it and from where."""

    text: str
    context: tuple[Span, ...] = ()


def subject_in(unit: Unit, normal: Normalised) -> Subject | None:
    """Return the subject of a unit of prose, with its place in the whole text."""
    found = subject_of(normal.text) if unit.form is Form.PROSE else None
    if found is None:
        return None
    start, end = normal.origin(*found)
    return Subject(normal.text[slice(*found)], (unit.start + start, unit.start + end))


def starts_with_pronoun(text: str) -> bool:
    """True if a sentence begins with a word that stands for an earlier one."""
    return _PRONOUN.match(text) is not None


def resolve(text: str, subject: Subject | None) -> Statement:
    """Put the subject in place of a pronoun at the start, if number and sense allow it."""
    match = _PRONOUN.match(text)
    if match is None or subject is None or _EXPLETIVE.match(text):
        return Statement(text)
    word = match.group().lower()
    if (word in {"they", "these"}) != is_plural(subject.text):
        return Statement(text)
    if word in {"he", "she"} and not is_name(subject.text):
        return Statement(text)
    return Statement(subject.text + text[match.end() :], (subject.span,))


def copula(subject: str, participle: str) -> str:
    """Return the verb a participle tail lacks; "" after an adverb ("last updated").

    The shipped model finds "the account is compounded daily" easier than without the verb; with
    an adverb the tense is open, and a wrong tense is worse than none.
    """
    if participle.split(" ", 1)[0].lower() in ADVERBS:
        return ""
    return "are " if is_plural(subject) else "is "


def with_lead(text: str, carried: tuple[Slice, ...]) -> Statement:
    """Read an item with its headings and lead-ins.

    An item that is a sentence needs only those that turn it round or limit it.
    """
    is_sentence = has_finite_verb(text) and text.endswith((".", "!", "?"))
    if is_sentence:
        carried = tuple(one for one in carried if turns(one.text) or _limits(one.text))
    return _under(text, carried, is_sentence=is_sentence)


def turned(said: Statement, unit: Unit) -> Statement:
    """Read prose or a row with what turns it round: "Not included: towels"."""
    if unit.form is Form.LIST_ITEM or not unit.carried:
        return said
    under = _under(said.text, unit.carried, is_sentence=True)
    return Statement(under.text, (*under.context, *said.context))


def _limits(lead: str) -> bool:
    plain = normalise(lead).text
    return plain.endswith(":") and limits(plain.rstrip(": "))


def _under(text: str, carried: tuple[Slice, ...], *, is_sentence: bool) -> Statement:
    before, context = "", []
    for one in carried:
        lead = _lead(one.text, is_sentence=is_sentence)
        if lead and not _EMPTY.fullmatch(lead):
            joined = lead.endswith("?") or (ends_open(lead) and not is_sentence)
            before += lead + (" " if joined else ": ")
            context.append((one.start, one.end))
    return Statement(before + text, tuple(context))


def _lead(text: str, *, is_sentence: bool) -> str:
    """Return what of a lead-in is said with an item: the announcement goes, what it says stays."""
    lead = normalise(text).text.rstrip(": ")
    lead = lead[here.end() :] if (here := _HERE.match(lead)) else lead
    lead = _STEPS.sub("", lead)
    if is_sentence:
        condition = _CONDITION.match(lead)
        return condition[1] if condition else lead
    short = _FOLLOWING.sub("", lead)
    return short if ends_open(short) else lead


def row(unit: Unit) -> Statement:
    """Read a table row with its header: "Size: Large, Price: 15"."""
    cells, context = [], []
    for i, cell in enumerate(unit.cells):
        value = _cell(cell)
        name = _cell(unit.header[i]) if i < len(unit.header) else ""
        if value and name:
            cells.append(f"{name}: {value}")
            context.append((unit.header[i].start, unit.header[i].end))
        elif value:
            cells.append(value)
    return Statement(", ".join(cells), tuple(context))


def _cell(cell: Slice) -> str:
    text = normalise(cell.text, inline=True).text
    return text if text.strip("-") else ""


def record(unit: Unit) -> Statement:
    """Read a scalar of JSON with its keys and what names its object: "aspirin, dose: 5"."""
    keys = " ".join(spoken(key.text) for key in unit.header)
    value = spoken(unit.cells[0].text)
    names = [spoken(name.text) for name in unit.carried]
    text = normalise(", ".join((*names, f"{keys}: {value}" if keys else value))).text
    outer = (one for one in (*unit.carried, *unit.header) if one.end <= unit.start)
    return Statement(text, tuple((one.start, one.end) for one in outer))


def labelled(unit: Unit, text: str) -> Statement:
    """Keep the speaker of a paragraph before its later sentences: "Anna: It costs 5."."""
    label = unit.label
    if label is None or label.start >= unit.start:
        return Statement(text)
    return Statement(f"{normalise(label.text).text}: {text}", ((label.start, label.end),))
