"""A decision as it is stored: offsets, scores, statuses, codes and keyed hashes. No text. Pure.

One form for the database, the command line and whatever shows a decision: ``Stored``. Reasons of
claims are codes here, for in words they quote the answer; passages are positions, for an id is
the app's own and may be a title.
"""

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from gatekeeper.core.decide import Side, side
from gatekeeper.outcomes.sampling import WeekPlan, needs_second, number_of
from gatekeeper.outcomes.words import week_of
from gatekeeper.policy import HELD_BACK
from gatekeeper.protocols import Decision
from gatekeeper.verdict import Action, ClaimStatus, ClaimVerdict, Evidence, Passage

# What reaches the client as the app sent it.
_DELIVERED = frozenset({Action.RELEASE, Action.ANNOTATE})

_CODES = {
    ClaimStatus.SUPPORTED: "supported",
    ClaimStatus.UNSUPPORTED: "no_support",
    ClaimStatus.CONTRADICTED: "contradicted",
    ClaimStatus.CONFLICTING: "passages_conflict",
    ClaimStatus.UNRESOLVED: "unresolved",
}
# How reasons in words read (core/rulings), and what of them is stored.
_IN_WORDS = (
    (" letter by letter", "literal"),
    (" word for word", "verbatim"),
    (" names no passage", "unknown_citation"),
    (" clashes with what stands", "value_clash"),
    (" stands in no passage", "absent"),
)
REASON_CODES = frozenset({*_CODES.values(), *(code for _, code in _IN_WORDS)})


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredClaim:
    """A claim without its words. ``premises`` are (passage, start, end), passages by position.

    ``answer`` is the position of the choice it is part of, and whose characters its offsets count.
    """

    start: int
    end: int
    status: str
    reason: str
    support: float | None
    contradiction: float | None
    score: float | None
    passages: tuple[int, ...]
    premises: tuple[tuple[int, int, int], ...]
    answer: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A decision as it is stored; field by field the columns of its table."""

    id: str
    at_ms: int
    week: int
    route: str
    mode: str
    share: float
    enforced: bool
    verdict: str
    reason: str | None
    action: str | None
    would: str
    late: bool
    side: str
    band: str
    delivered: bool
    score: float | None
    fingerprint: str
    u: float
    kept: bool
    second: bool
    answer_hmac: str | None
    evidence_hmac: str | None
    check_s: float
    added_s: float
    evidence_words: int
    pairs: int
    pair_tokens: int
    claims: tuple[StoredClaim, ...]
    exempt: Mapping[str, int]

    def row(self) -> dict[str, object]:
        """Return the row of the table."""
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        claims = [asdict(claim) for claim in self.claims]
        return {**row, "claims": json.dumps(claims), "exempt": json.dumps(dict(self.exempt))}

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "Stored":
        """Return what a row says."""
        claims = [
            StoredClaim(
                **{
                    **claim,
                    "passages": tuple(claim["passages"]),
                    "premises": tuple(tuple(premise) for premise in claim["premises"]),
                }
            )
            for claim in json.loads(row["claims"])
        ]
        return cls(**{**row, "claims": tuple(claims), "exempt": json.loads(row["exempt"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """What was checked, word by word; stored only for kept decisions, and only if asked for."""

    answers: tuple[str | None, ...]
    question: str | None
    passages: tuple[Passage, ...]

    def row(self, decision: str, at_ms: int) -> dict[str, object]:
        """Return the row of the table."""
        passages = [[passage.id, passage.text] for passage in self.passages]
        return {
            "decision_id": decision,
            "at_ms": at_ms,
            "answers": json.dumps(self.answers),
            "question": json.dumps(self.question),
            "passages": json.dumps(passages),
        }

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "Texts":
        """Return what a row says."""
        return cls(
            answers=tuple(json.loads(row["answers"])),
            question=json.loads(row["question"]),
            passages=tuple(Passage(id=i, text=text) for i, text in json.loads(row["passages"])),
        )


def stored(
    decision: Decision, *, at_ms: int, key: bytes, plan: WeekPlan, fingerprint: str
) -> Stored:
    """Return a decision as it is stored.

    Args:
        decision: What was decided.
        at_ms: When.
        key: The installation's secret.
        plan: What holds in the week of ``at_ms``.
        fingerprint: Of the running scorer, for verdicts that never came to it.
    """
    verdict = decision.verdict
    where = side_of(decision)
    band = plan.band(where, verdict.score)
    u = number_of(key, decision.id)
    is_left = decision.action is not None
    return Stored(
        id=decision.id,
        at_ms=at_ms,
        week=week_of(at_ms),
        route=decision.route,
        mode=str(decision.mode),
        share=decision.share,
        enforced=decision.enforced,
        verdict=str(verdict.outcome),
        reason=verdict.reason,
        action=None if decision.action is None else str(decision.action),
        would=str(decision.would),
        late=decision.late,
        side=str(where),
        band=str(band),
        delivered=decision.action in _DELIVERED,
        score=verdict.score,
        fingerprint=verdict.fingerprint or fingerprint,
        u=u,
        # Where nothing was left to deliver there is nothing to look at.
        kept=is_left and u < plan.keep_share(where, band),
        second=needs_second(key, decision.id),
        answer_hmac=answer_hash(key, decision.answers),
        evidence_hmac=None if decision.evidence is None else evidence_hash(key, decision.evidence),
        check_s=decision.check_s,
        added_s=decision.added_s,
        evidence_words=decision.evidence_words,
        pairs=decision.pairs,
        pair_tokens=decision.pair_tokens,
        claims=_claims(verdict.claims, decision),
        exempt=dict(Counter(str(s.kind) for s in verdict.segments if not s.is_claim)),
    )


def side_of(decision: Decision) -> Side:
    """Return the side of a decision; one that came too late would have had no verdict."""
    if decision.late and decision.would not in {*HELD_BACK, Action.REDACT}:
        return Side.UNCHECKED
    return side(decision.would, decision.verdict)


def texts_of(decision: Decision) -> Texts | None:
    """Return the words of a decision, None where none were read."""
    if not decision.answers:
        return None
    evidence = decision.evidence
    return Texts(
        answers=decision.answers,
        question=None if evidence is None else evidence.question,
        passages=() if evidence is None else evidence.passages,
    )


def answer_hash(key: bytes, answers: Sequence[str | None]) -> str | None:
    """Return the keyed hash by which an answer can be looked up; None for none."""
    return _hash(key, "answer", list(answers)) if any(answers) else None


def evidence_hash(key: bytes, evidence: Evidence) -> str:
    """Return the keyed hash of passages with their ids, in order."""
    return _hash(key, "evidence", [[passage.id, passage.text] for passage in evidence.passages])


def reason_code(claim: ClaimVerdict) -> str:
    """Return the code of a claim's reason, one of ``REASON_CODES`` or why it is unresolved."""
    if claim.unresolved is not None:
        return str(claim.unresolved)
    code = next((code for words, code in _IN_WORDS if words in f" {claim.reason}"), None)
    return _CODES[claim.status] if code is None else code


def _hash(key: bytes, use: str, value: object) -> str:
    message = f"{use}:{json.dumps(value)}".encode()
    return hmac.new(key, message, hashlib.sha256).hexdigest()


def _claims(claims: Sequence[ClaimVerdict], decision: Decision) -> tuple[StoredClaim, ...]:
    passages = () if decision.evidence is None else decision.evidence.passages
    places = {passage.id: position for position, passage in enumerate(passages)}
    return tuple(
        StoredClaim(
            start=claim.start,
            end=claim.end,
            status=str(claim.status),
            reason=reason_code(claim),
            support=claim.support,
            contradiction=claim.contradiction,
            score=claim.score,
            passages=tuple(places[i] for i in claim.passages if i in places),
            premises=tuple(
                (places[p.passage], p.start, p.end) for p in claim.premises if p.passage in places
            ),
            answer=answer,
        )
        for claim, answer in zip(claims, _places(claims, decision.answers), strict=True)
    )


def _places(claims: Sequence[ClaimVerdict], answers: Sequence[str | None]) -> Iterator[int]:
    """Yield the position of the answer of each claim: those of one stand before the next one's."""
    answer, end = 0, 0
    for claim in claims:
        if claim.start < end or not _is_in(claim, answers[answer : answer + 1]):
            later = range(answer + 1, len(answers))
            answer = next((n for n in later if _is_in(claim, answers[n : n + 1])), answer)
        end = claim.end
        yield answer


def _is_in(claim: ClaimVerdict, answers: Sequence[str | None]) -> bool:
    return any((text or "")[claim.start : claim.end] == claim.text for text in answers)
