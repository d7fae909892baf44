"""Openings: whether "Sure!" only begins an answer or is one."""

import re
from collections.abc import Iterator
from dataclasses import replace

from gatekeeper.core.courtesies import is_assent
from gatekeeper.core.kinds import is_opening
from gatekeeper.core.text import normalise
from gatekeeper.verdict import Segment, SegmentKind

_COURTEOUS = frozenset((SegmentKind.GREETING, SegmentKind.META, SegmentKind.HEADING))
# Questions that want more than yes or no.
_REQUEST = re.compile(
    r"(?:please |hello,? |hi,? )*(?:can|could|would|will) (?:you|i|we)\b|.*\bplease\b",
    re.IGNORECASE,
)
_POLAR = re.compile(
    r"(?:so |and |but |hello,? |hi,? )*(?:is|are|was|were|am|do|does|did|have|has|had|can|could|"
    r"may|might|must|shall|should|will|would)(?:n't)?\b",
    re.IGNORECASE,
)


class Openings:
    """Holds an assent back until what follows tells whether it answers or only opens.

    "Sure!" only opens an answer that goes on, unless a question that wants yes or no stands
    before it; on its own, or behind such a question, any assent is a claim.
    """

    __slots__ = ("_asked", "_before", "_held")

    def __init__(self, question: str) -> None:
        self._asked = _wants_yes_or_no(question) if question else None
        self._before: tuple[Segment, str] | None = None
        self._held: Segment | None = None

    def read(self, segment: Segment, plain: str) -> Iterator[Segment]:
        """Take the next segment; yield what is decided."""
        if self._held is not None:
            yield self._decided(self._held, segment)
            self._held = None
        is_assent_claim = segment.is_claim and is_assent(segment.plain)
        if is_assent_claim and (said := self._answering(segment)) is not None:
            segment = said
        elif is_assent_claim:
            self._held = segment
        self._before = (segment, plain)
        if self._held is None:
            yield segment

    def finish(self) -> Iterator[Segment]:
        """Yield what is left: nothing follows, so it is an answer."""
        if self._held is not None:
            yield _yes(self._held)
            self._held = None

    def _answering(self, segment: Segment) -> Segment | None:
        """Read an assent with the question right before it."""
        if self._before is None or self._before[0].kind is not SegmentKind.QUESTION:
            return None
        before, asked = self._before
        if not _wants_yes_or_no(asked):
            return None
        said = f"{asked} {segment.hypothesis}"
        return replace(segment, hypothesis=said, context=((before.start, before.end),))

    def _decided(self, held: Segment, following: Segment) -> Segment:
        opens = following.kind in _COURTEOUS or self._asked is False
        if not opens and not self._asked:
            opens = is_opening(held.plain)
        if not opens:
            return _yes(held)
        return replace(held, kind=SegmentKind.GREETING, plain="", hypothesis="", context=())


def _yes(segment: Segment) -> Segment:
    """Give an assent the word for which a question is looked up."""
    return replace(segment, hypothesis="Yes.")


def _wants_yes_or_no(question: str) -> bool:
    plain = normalise(question).text
    plain = re.split(r"(?<=[.!?]) ", plain)[-1]
    return _POLAR.match(plain) is not None and not _REQUEST.match(plain)
