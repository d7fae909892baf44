"""Segmentation: a fold from pieces of an answer to segments, and the sentences of a passage.

Three folds in a row (words to parts of lines, parts to units of layout, units to segments), none
of which looks ahead by an amount that depends on how the text was cut. Each character is read a
bounded number of times, in steps of bounded work (``feed_steps``). The segments join to the
answer; nothing is rewritten: what a claim needs from before it (subject, lead-in, heading) is
carried in ``hypothesis`` and ``context``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from gatekeeper.core.clauses import Clause, clauses
from gatekeeper.core.courtesies import is_meta
from gatekeeper.core.kinds import kind_of
from gatekeeper.core.openings import Openings
from gatekeeper.core.questions import added_question, is_question
from gatekeeper.core.reading import Reader, units_of
from gatekeeper.core.records import may_be_records, record_steps
from gatekeeper.core.refusals import is_refusal
from gatekeeper.core.statements import (
    Statement,
    Subject,
    copula,
    labelled,
    record,
    resolve,
    row,
    starts_with_pronoun,
    subject_in,
    turned,
    with_lead,
)
from gatekeeper.core.text import Normalised, normalise
from gatekeeper.core.units import Form, Unit
from gatekeeper.verdict import Segment, SegmentKind

__all__ = [
    "Form",
    "Segmenter",
    "Sentence",
    "segments",
    "sentence_steps",
    "sentences",
]

_HEAD_CHARS = 2048  # looked at for a first bracket
_FIELDS = frozenset((Form.TABLE_ROW, Form.RECORD))
_SPLIT = frozenset((Form.PROSE, Form.LIST_ITEM))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of a passage.

    ``text`` is normalised and carries lead-in, table header and speaker. ``resolved`` is the same
    with a pronoun at its start replaced by the subject before; it equals ``text`` where there is
    none. ``heading`` is the normalised heading it stands under, "" if none.
    """

    start: int
    end: int
    text: str
    resolved: str
    form: Form
    heading: str = ""


class Segmenter:
    """Fold an answer into segments: ``feed`` it in any pieces, then ``finish`` once.

    Args:
        boilerplate: Texts whose sentences are exempt where they stand word for word.
        question: What was asked, "" if not known. It tells whether an opening such as "Sure!" is
            an answer of its own.
    """

    __slots__ = ("_boilerplate", "_first", "_head", "_held", "_memory", "_openings", "_reader")

    def __init__(self, boilerplate: tuple[str, ...] = (), question: str = "") -> None:
        self._boilerplate = frozenset(
            normalise(unit.text).text for text in boilerplate for unit in units_of(text) if unit
        )
        self._reader = Reader()
        self._memory = _Memory()
        self._openings = Openings(question)
        self._first = True
        self._held: list[str] | None = []  # all so far, while it may be JSON
        self._head = ""  # its first two characters that are not blank

    def feed(self, text: str) -> list[Segment]:
        """Return the segments that are complete now, in order.

        A sentence is complete when the next has begun or the answer has ended.
        """
        return [one for one in self.feed_steps(text) if one is not None]

    def finish(self) -> list[Segment]:
        """Return the segments that are left."""
        return [one for one in self.finish_steps() if one is not None]

    def feed_steps(self, text: str) -> Iterator[Segment | None]:
        """Yield what ``feed`` returns, and None where a step of work completed nothing.

        Has to be driven to its end before the next call.
        """
        yield from self._segments(self._reader.feed(self._admit(text)))

    def finish_steps(self) -> Iterator[Segment | None]:
        """Yield what ``finish`` returns, in steps."""
        held, self._held = "".join(self._held or ()), None
        found = yield from record_steps(held)
        if found:
            yield from self._segments(found)
        else:
            yield from self._segments(self._reader.feed(held))
            yield from self._segments(self._reader.finish())
        for segment in self._openings.finish():
            yield self._covering(segment)
        lead = self._reader.lead
        if self._first and lead:
            yield Segment(start=0, end=len(lead), kind=SegmentKind.LAYOUT)

    def _admit(self, text: str) -> str:
        """Return what may be read now; JSON shows only at the end whether it is JSON."""
        if self._held is None:
            return text
        self._held.append(text)
        self._head = (self._head + "".join(text[:_HEAD_CHARS].split())[:2])[:2]
        if not self._head:
            self._head = "".join(text.split())[:2]
        if may_be_records(self._head):
            return ""
        text, self._held = "".join(self._held), None
        return text

    def _segments(self, units: Iterable[Unit | None]) -> Iterator[Segment | None]:
        for unit in units:
            if unit is None:
                yield None
                continue
            normal = normalise(unit.text)
            if normal.text in self._boilerplate:
                found = [_exempt(unit, normal, SegmentKind.BOILERPLATE)]
            else:
                found = list(_segments_of(unit, normal, self._memory))
            self._memory.read(unit, normal)
            for segment in found:
                for done in self._openings.read(segment, normal.text):
                    yield self._covering(done)
            yield None

    def _covering(self, segment: Segment) -> Segment:
        """Let the first segment take in the blanks before it."""
        if self._first:
            self._first = False
            return replace(segment, start=0)
        return segment


def segments(text: str, boilerplate: tuple[str, ...] = ()) -> tuple[Segment, ...]:
    """Segment a whole answer; the slices join to it."""
    fold = Segmenter(boilerplate)
    return (*fold.feed(text), *fold.finish())


def sentences(text: str) -> tuple[Sentence, ...]:
    """Split a passage at the same boundaries, whole sentences, markup without a word left out."""
    return tuple(found for found in sentence_steps(text) if found is not None)


def sentence_steps(text: str) -> Iterator[Sentence | None]:
    """Yield what ``sentences`` returns, and None where a step of work completed nothing."""
    memory = _Memory()
    for unit in units_of(text):
        if unit is None:
            yield None
            continue
        normal = normalise(unit.text)
        said = _statement(unit, normal.text)
        if unit.form is not Form.LAYOUT and any(c.isalnum() for c in said.text):
            yield _sentence(unit, normal, said, memory)
        memory.read(unit, normal)


class _Memory:
    """What a pronoun at the start of the next sentence may stand for."""

    __slots__ = ("subject",)

    def __init__(self) -> None:
        self.subject: Subject | None = None

    def read(self, unit: Unit, normal: Normalised) -> None:
        """Remember the subject of a sentence; a sentence about "it" keeps the one before."""
        if unit.form is Form.PROSE and starts_with_pronoun(normal.text):
            return
        self.subject = subject_in(unit, normal)


def _sentence(unit: Unit, normal: Normalised, said: Statement, memory: _Memory) -> Sentence:
    form = Form.HEADING if unit.form is Form.TABLE_HEADER else unit.form
    if form in _SPLIT and is_question(normal.text):
        form = Form.QUESTION
    resolved = resolve(normal.text, memory.subject).text if unit.form in _SPLIT else said.text
    return Sentence(
        start=unit.start,
        end=unit.end,
        text=said.text,
        resolved=_statement(unit, resolved).text,
        form=form,
        heading=normalise(unit.heading.text).text.rstrip(": ") if unit.heading else "",
    )


def _statement(unit: Unit, text: str) -> Statement:
    """Read a text in the place of its unit."""
    if unit.form is Form.TABLE_ROW:
        return turned(row(unit), unit)
    if unit.form is Form.RECORD:
        return record(unit)
    if unit.form is Form.LIST_ITEM:
        return with_lead(text, unit.carried)
    return turned(labelled(unit, text), unit)


def _exempt(unit: Unit, normal: Normalised, kind: SegmentKind) -> Segment:
    return Segment(start=unit.start, end=unit.end, kind=kind, citations=normal.citations)


def _segments_of(unit: Unit, normal: Normalised, memory: _Memory) -> Iterator[Segment]:
    kind = kind_of(normal.text, unit.form)
    if kind is not SegmentKind.CLAIM:
        yield _exempt(unit, normal, kind)
    elif unit.form is Form.CODE:
        code = unit.text.strip()
        yield Segment(start=unit.start, end=unit.end, kind=kind, plain=code, hypothesis=code,
                      literal=True)  # fmt: skip
    elif unit.form in _FIELDS:
        said = _statement(unit, normal.text)
        bare = normal.text.strip(" |,{}") or unit.text.strip()
        yield Segment(start=unit.start, end=unit.end, kind=kind, plain=bare,
                      hypothesis=said.text or bare, context=said.context,
                      citations=normal.citations)  # fmt: skip
    else:
        found = _clauses(normal.text) if unit.form in _SPLIT else _whole(normal.text)
        yield from _claims(unit, normal, found, memory)


def _whole(text: str) -> tuple[Clause, ...]:
    return (Clause(0, len(text), 0),)


def _clauses(text: str) -> tuple[Clause, ...]:
    """Split talk about the answer, or a refusal, from the claim it introduces; then the claim."""
    colon, contrast = text.find(": "), text.find(", but ")
    if added := added_question(text):
        return (*clauses(text[:added].rstrip()), Clause(added, len(text), added))
    if colon > 0 and is_meta(text[:colon]):
        at, body = colon + 2, colon + 2
    elif contrast > 0 and is_refusal(text[:contrast]):
        at, body = contrast + 2, contrast + 6
    else:
        return clauses(text)
    return (Clause(0, at, 0), Clause(at, len(text), body))


def _claims(
    unit: Unit, normal: Normalised, found: tuple[Clause, ...], memory: _Memory
) -> Iterator[Segment]:
    start, subject = 0, memory.subject
    for clause in found:
        # Behind the blank before the clause, so that its opening markup goes with it.
        last = clause is found[-1]
        end = len(unit.text) if last else normal.origin(clause.end - 1, clause.end)[1]
        yield _claim(unit, (start, end), normal, clause, subject)
        start, subject = end, subject_in(unit, normal) or subject


def _claim(
    unit: Unit, span: tuple[int, int], normal: Normalised, clause: Clause, subject: Subject | None
) -> Segment:
    is_part = span != (0, len(unit.text))
    own = normalise(unit.text[slice(*span)]) if is_part else normal
    start, end = unit.start + span[0], unit.start + span[1]
    kind = kind_of(own.text, unit.form) if is_part else SegmentKind.CLAIM
    if kind is not SegmentKind.CLAIM:
        return Segment(start=start, end=end, kind=kind, citations=own.citations)
    said = _hypothesis(unit, normal, clause, subject)
    return Segment(start=start, end=end, kind=kind, plain=own.text, hypothesis=said.text,
                   context=said.context, citations=own.citations)  # fmt: skip


def _hypothesis(
    unit: Unit, normal: Normalised, clause: Clause, subject: Subject | None
) -> Statement:
    body = normal.text[clause.body : clause.end].strip(" ,;").removesuffix(" -")
    if clause.subject is not None:
        begin, end = normal.origin(*clause.subject)
        phrase = normal.text[slice(*clause.subject)]
        text = f"{phrase} {copula(phrase, body) if clause.participle else ''}{body}"
        said = Statement(text, ((unit.start + begin, unit.start + end),))
        if starts_with_pronoun(text):
            said = resolve(text, subject)
    else:
        said = resolve(body, subject)
    if unit.form is not Form.LIST_ITEM:
        return turned(said, unit)
    led = with_lead(said.text, unit.carried)
    return Statement(led.text, (*led.context, *said.context))
