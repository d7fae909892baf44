"""Rows through the real gate, with what each claim scored kept in a file outside the project.

A saved row is used again when it was scored with the same scorer fingerprint, so a run that was
stopped goes on where it ended, and thresholds can be chosen without scoring twice. The file holds
ids and numbers, no text.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from gatekeeper.core.aggregate import Finding, Ruling, Thresholds, claim_score
from gatekeeper.evaluation.metrics import Judged
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.evaluation.run import has_finding
from gatekeeper.gate import Gate
from gatekeeper.protocols import Usage
from gatekeeper.verdict import ClaimStatus, ClaimVerdict, Outcome, Verdict

# Nothing but a verbatim copy supports and nothing contradicts at these marks, so that each claim
# gets its joint premise and keeps its raw numbers: from them follows the side at any other marks.
OPEN = Thresholds(support=1.0, contradiction=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredClaim:
    """The raw numbers of a claim; ``by_guard``: a value clashes or stands nowhere."""

    status: str
    support: float | None
    contradiction: float | None
    by_guard: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRow:
    """A row of a set, what the gate made of it, and what it cost (``pairs`` to ``seconds``)."""

    dataset: str
    id: str
    group: str | None
    wrong: bool
    outcome: str
    reason: str | None
    claims: tuple[ScoredClaim, ...]
    pairs: int
    tokens: int
    seconds: float
    scorer: str

    def judged(self, marks: Thresholds) -> Judged | None:
        """Return the row as the gate would judge it at other marks; None if it took no side."""
        if Outcome(self.outcome) not in {Outcome.FLAGGED, Outcome.SUPPORTED}:
            return None
        scores = [_score(claim, marks) for claim in self.claims]
        known = [score for score in scores if score is not None]
        return Judged(
            wrong=self.wrong,
            blocked=any(score < marks.support for score in known),
            score=min(known) if len(known) == len(scores) else None,
            finding=0.0 in known,
            group=self.group,
        )


def with_marks(gate: Gate, marks: Thresholds) -> Gate:
    """Return a gate over the same model and judge that holds claims against other marks."""
    return Gate(gate.model, gate.judge, replace(gate.settings, thresholds=marks))


async def score_rows(
    gate: Gate, dataset: str, rows: Sequence[Row], saved: "SavedScores"
) -> list[ScoredRow]:
    """Score the rows of a set that were not saved before; progress goes to standard error."""
    scored: list[ScoredRow] = []
    for number, row in enumerate(rows, 1):
        known = saved.get(dataset, row.id, gate.fingerprint)
        if known is None:
            usage = Usage()
            verdict = await gate.check(row.answer, row.evidence, usage=usage)
            known = _scored_row(dataset, row, verdict, usage)
            saved.add(known)
        scored.append(known)
        if number % 50 == 0 or number == len(rows):
            print(f"{dataset}: {number} of {len(rows)}", file=sys.stderr, flush=True)
    return scored


class SavedScores:
    """Scored rows in a JSON lines file; without a path they are kept in memory only."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._rows: dict[tuple[str, str, str], ScoredRow] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._remember(_from_json(line))

    def get(self, dataset: str, row_id: str, scorer: str) -> ScoredRow | None:
        """Return what this scorer made of a row, if it is known."""
        return self._rows.get((dataset, row_id, scorer))

    def add(self, row: ScoredRow) -> None:
        """Remember a row and append it to the file."""
        self._remember(row)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(asdict(row)) + "\n")

    def _remember(self, row: ScoredRow) -> None:
        self._rows[row.dataset, row.id, row.scorer] = row


def _score(claim: ScoredClaim, marks: Thresholds) -> float | None:
    finding = Finding(
        status=ClaimStatus(claim.status), support=claim.support, contradiction=claim.contradiction
    )
    return claim_score(finding, Ruling(clashing=claim.by_guard), marks)


def _scored_row(dataset: str, row: Row, verdict: Verdict, usage: Usage) -> ScoredRow:
    return ScoredRow(
        dataset=dataset,
        id=row.id,
        group=row.group,
        wrong=row.label is Label.UNSUPPORTED,
        outcome=str(verdict.outcome),
        reason=verdict.reason,
        claims=tuple(map(_scored_claim, verdict.claims)),
        pairs=usage.pairs,
        tokens=usage.pair_tokens,
        seconds=round(usage.service_s, 4),
        scorer=verdict.fingerprint,
    )


def _scored_claim(claim: ClaimVerdict) -> ScoredClaim:
    clash = claim.status is ClaimStatus.CONTRADICTED and claim.support is None
    absent = claim.status is ClaimStatus.UNSUPPORTED and has_finding(claim.status, claim.score)
    return ScoredClaim(
        status=str(claim.status),
        support=claim.support,
        contradiction=claim.contradiction,
        by_guard=clash or absent,
    )


def _from_json(line: str) -> ScoredRow:
    raw = json.loads(line)
    claims = tuple(ScoredClaim(**claim) for claim in raw.pop("claims"))
    return ScoredRow(claims=claims, **raw)
