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
    """Read an item with its headings and lead-ins; an item that is a sentence needs none."""
    if has_finite_verb(text) and text.endswith((".", "!", "?")):
        return Statement(text)
    before, context = "", []
    for one in carried:
        lead = normalise(one.text).text.rstrip(": ")
        lead = lead[here.end() :] if (here := _HERE.match(lead)) else lead
        lead = _STEPS.sub("", lead)
        short = _FOLLOWING.sub("", lead)
        lead = short if ends_open(short) else lead
        if lead and not _EMPTY.fullmatch(lead):
            before += lead + (" " if ends_open(lead) else ": ")
            context.append((one.start, one.end))
    return Statement(before + text, tuple(context))


def row(unit: Unit) -> Statement:
    """Read a table row with its header: "Size: Large, Price: 15"."""
    cells, context = [], []
    for i, cell in enumerate(unit.cells):
        value = normalise(cell.text).text
        name = normalise(unit.header[i].text).text if i < len(unit.header) else ""
        if value and name:
            cells.append(f"{name}: {value}")
            context.append((unit.header[i].start, unit.header[i].end))
        elif value:
            cells.append(value)
    return Statement(", ".join(cells), tuple(context))


def record(unit: Unit) -> Statement:
    """Read a scalar of JSON with its keys: "sensor humidity: 41"."""
    keys = " ".join(spoken(key.text) for key in unit.header)
    value = spoken(unit.cells[0].text)
    text = normalise(f"{keys}: {value}" if keys else value).text
    outer = tuple((key.start, key.end) for key in unit.header if key.end <= unit.start)
    return Statement(text, outer)


def labelled(unit: Unit, text: str) -> Statement:
    """Keep the speaker of a paragraph before its later sentences: "Anna: It costs 5."."""
    label = unit.label
    if label is None or label.start >= unit.start:
        return Statement(text)
    return Statement(f"{normalise(label.text).text}: {text}", ((label.start, label.end),))
