"""What the gate thought of a decision, in words and marks. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gatekeeper.core.segment import sentences
from gatekeeper.outcomes.exchange import BETWEEN_ANSWERS
from gatekeeper.outcomes.records import StoredClaim, Texts
from gatekeeper.outcomes.store import Shown
from gatekeeper.review.marking import Piece, Span, pieces, visible

# More can't be marked in one label.
_MOST_SENTENCES = 100

STATUSES = {
    "SUPPORTED": "supported",
    "CONTRADICTED": "contradicted",
    "UNSUPPORTED": "not supported",
    "CONFLICTING": "passages conflict",
    "UNRESOLVED": "not decided",
}
REASONS = {
    "supported": "a passage supports it",
    "no_support": "no passage supports it",
    "contradicted": "a passage contradicts it",
    "passages_conflict": "one passage supports it, another contradicts it",
    "literal": "compared letter by letter: it stands in no passage",
    "verbatim": "it stands in a passage word for word",
    "unknown_citation": "it cites what is no passage",
    "value_clash": "a value in it clashes with what stands in a passage",
    "absent": "a value in it stands in no passage",
    "unresolved": "it could not be decided",
    "budget": "there was no time left",
    "overload": "the machine was overloaded",
    "warming": "the model was still loading",
    "shutdown": "the process ended",
    "model_error": "the model failed",
    "claim_too_long": "it is too long for the model",
    "resolver_error": "its passages could not be fetched",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerShown:
    """One answer of a decision; ``base`` is where it begins among all, None: there is no text."""

    base: int
    pieces: Sequence[Piece] | None
    sentences: Sequence[tuple[int, int, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageShown:
    """A passage and what is marked in it."""

    id: str
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimShown:
    """A claim in words; ``number`` counts from 1, ``text`` is None where no text is stored."""

    number: int
    status: str
    words: str
    reason: str
    support: str
    where: str
    text: Sequence[Piece] | None
    passages: Sequence[int]


def answers_shown(texts: Texts, claims: Sequence[StoredClaim] = ()) -> list[AnswerShown]:
    """Return the answers, claims marked by number if there are any, with their sentences."""
    found, base = [], 0
    for place, text in enumerate(texts.answers):
        spans = [
            Span(claim.start, claim.end, number)
            for number, claim in enumerate(claims, 1)
            if claim.answer == place
        ]
        cut = None if text is None else pieces(text, spans)
        said = _sentences(text or "", base)
        found.append(AnswerShown(base=base, pieces=cut, sentences=said))
        base += len(text or "") + len(BETWEEN_ANSWERS)
    return found


def passages_shown(texts: Texts, claims: Sequence[StoredClaim] = ()) -> list[PassageShown]:
    """Return the passages, evidence marked with the number of its claim."""
    spans: dict[int, list[Span]] = {}
    for number, claim in enumerate(claims, 1):
        for place, start, end in claim.premises:
            spans.setdefault(place, []).append(Span(start, end, number))
    return [
        PassageShown(id=visible(passage.id), pieces=pieces(passage.text, spans.get(place, ())))
        for place, passage in enumerate(texts.passages)
    ]


def claims_shown(shown: Shown) -> list[ClaimShown]:
    """Return the claims in words."""
    texts = shown.texts
    return [
        ClaimShown(
            number=number,
            status=claim.status.lower(),
            words=STATUSES[claim.status],
            reason=REASONS.get(claim.reason, claim.reason),
            support="" if claim.support is None else f"{claim.support:.2f}",
            where=f"{claim.start}-{claim.end}",
            text=None if texts is None else _slice(texts, claim),
            passages=[place + 1 for place in claim.passages],
        )
        for number, claim in enumerate(shown.decision.claims, 1)
    ]


def own_label(shown: Shown, reviewer: str) -> Mapping[str, Any] | None:
    """Return the label of a person that is in force."""
    rows = shown.as_object()["labels"]
    own = (row for row in rows if row["reviewer"] == reviewer and row["undone_ms"] is None)
    return next(own, None)


def _slice(texts: Texts, claim: StoredClaim) -> list[Piece]:
    answers = texts.answers[claim.answer : claim.answer + 1]
    return [piece for text in answers for piece in pieces((text or "")[claim.start : claim.end])]


def _sentences(text: str, base: int) -> list[tuple[int, int, str]]:
    return [
        (base + one.start, base + one.end, visible(text[one.start : one.end]).strip())
        for one in sentences(text)[:_MOST_SENTENCES]
    ]
