"""Rows through the real gate, with what each pair scored kept in a file outside the project.

A saved row is used again when it was scored with the same model files, pipeline constants and
versions: marks and weighing take no part, so that both are chosen, and ablations made, without
scoring twice, and a run that was stopped goes on where it ended. The file holds ids and numbers,
no text.
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.sets import half_of_group
from benchmarks.unruled import ask_anyway
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import ClaimPlan, Limits
from gatekeeper.core.versions import scorer_fingerprint
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.gate import Gate
from gatekeeper.protocols import PairScore, Usage
from gatekeeper.runtime.aggregation import AGGREGATION
from gatekeeper.runtime.manifest import read_manifest
from gatekeeper.verdict import ClaimStatus

# Nothing but a verbatim copy supports and nothing contradicts at these marks, so that each claim
# gets its joint premise: from the numbers follows the side at any other marks.
OPEN = Thresholds(support=1.0, contradiction=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPremise:
    """A planned premise and its score; ``passages`` by position, ``tokens`` 0 for a copy."""

    entailment: float
    contradiction: float
    tokens: int
    verbatim: bool
    joint: bool
    passages: tuple[int, ...]
    known: float
    words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredClaim:
    """A claim: what the guard ruled, what fixed its status unasked, and its premises.

    Where a value clashes the gate asks nothing; the premises are those it would have asked about.
    """

    clashing: bool
    absent: bool
    fixed: str | None
    premises: tuple[ScoredPremise, ...]

    @property
    def is_open(self) -> bool:
        """True if its status could not be told: a bound was reached or a pass failed."""
        return self.fixed == ClaimStatus.UNRESOLVED


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRow:
    """A row of a set as the gate planned and scored it; ``unchecked`` says why there is no claim.

    ``meta`` is what the set knows of the row beside its label, such as the kind of its error.
    """

    dataset: str
    id: str
    group: str
    wrong: bool
    unchecked: str | None
    claims: tuple[ScoredClaim, ...]
    meta: str
    scorer: str


def pairs_key(folder: Path, limits: Limits | None = None) -> str:
    """Return the fingerprint of all that decides which pairs are scored, and how."""
    manifest = read_manifest(folder)
    files = {name: digest for name, digest in manifest.files.items() if name != AGGREGATION}
    return scorer_fingerprint(replace(manifest, files=files).fingerprint, OPEN, limits)


async def score_rows(
    gate: Gate, dataset: str, rows: Sequence[Row], saved: "SavedScores", *, key: str
) -> list[ScoredRow]:
    """Score the rows of a set that were not saved before; progress goes to standard error."""
    settings = replace(gate.settings, thresholds=OPEN, weighing=None)
    opened = Gate(gate.model, gate.judge, settings)
    scored: list[ScoredRow] = []
    for number, row in enumerate(rows, 1):
        known = saved.get(dataset, row.id, key)
        if known is None:
            known = await _score(opened, dataset, row, key)
            saved.add(known)
        scored.append(known)
        if number % 100 == 0 or number == len(rows):
            print(f"{dataset}: {number} of {len(rows)}", file=sys.stderr, flush=True)
    return scored


class SavedScores:
    """Scored rows in a JSON lines file; without a path they are kept in memory only."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._rows: dict[tuple[str, str, str], ScoredRow] = {}
        if path is not None and path.exists():
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    self._remember(_from_json(line))

    def get(self, dataset: str, row_id: str, scorer: str) -> ScoredRow | None:
        """Return what this scorer made of a row, if it is known."""
        return self._rows.get((dataset, row_id, scorer))

    def of(self, dataset: str, scorer: str, half: str | None = None) -> list[ScoredRow]:
        """Return the rows of a set, or of one half of it, in the order they were saved."""
        return [
            row
            for (name, _, by), row in self._rows.items()
            if (name, by) == (dataset, scorer) and half in (None, half_of_group(row.group))
        ]

    def add(self, row: ScoredRow) -> None:
        """Remember a row and append it to the file."""
        self._remember(row)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(asdict(row)) + "\n")

    def _remember(self, row: ScoredRow) -> None:
        self._rows[row.dataset, row.id, row.scorer] = row


async def _score(gate: Gate, dataset: str, row: Row, key: str) -> ScoredRow:
    check = gate.open(row.evidence, usage=Usage())
    await check.work(check.steps(row.answer))
    verdict = check.conclude()
    unchecked = None if verdict.claims else str(verdict.not_checked or verdict.outcome)
    meta = row.raw.get("meta")

    def ask(plan: ClaimPlan) -> ClaimPlan:
        return ask_anyway(gate, row.evidence, plan.segment)

    return ScoredRow(
        dataset=dataset,
        id=row.id,
        group=row.group or row.id,
        wrong=row.label is Label.UNSUPPORTED,
        unchecked=unchecked,
        claims=() if unchecked else tuple(_claim(plan, ask) for plan in check.plans),
        meta=json.dumps(meta if isinstance(meta, dict) else {}, sort_keys=True),
        scorer=key,
    )


def _claim(plan: ClaimPlan, ask: Callable[[ClaimPlan], ClaimPlan]) -> ScoredClaim:
    fixed = None if plan.fixed is None else plan.fixed.status
    asked = ask(plan) if plan.ruling.clashing else plan
    if fixed is None and not all(isinstance(score, PairScore) for score in plan.scores):
        fixed = ClaimStatus.UNRESOLVED
    return ScoredClaim(
        clashing=plan.ruling.clashing,
        absent=plan.ruling.absent,
        fixed=None if fixed is None else str(fixed),
        premises=tuple(_premises(asked)) if asked.fixed is None else (),
    )


def _premises(plan: ClaimPlan) -> list[ScoredPremise]:
    return [
        ScoredPremise(
            entailment=score.entailment,
            contradiction=score.contradiction,
            tokens=0 if pair is None else pair.tokens,
            verbatim=planned.verbatim,
            joint=planned.premise.is_joint,
            passages=planned.premise.passages,
            known=planned.known,
            words=planned.words,
        )
        for planned, pair, score in zip(plan.planned, plan.pairs, plan.scores, strict=True)
        if isinstance(score, PairScore)
    ]


def _from_json(line: str) -> ScoredRow:
    raw = json.loads(line)
    claims = tuple(_claim_from(claim) for claim in raw.pop("claims"))
    return ScoredRow(claims=claims, **raw)


def _claim_from(raw: dict[str, object]) -> ScoredClaim:
    found = raw.pop("premises")
    if not isinstance(found, list):
        raise TypeError("a saved claim holds a list of premises")
    premises = tuple(
        ScoredPremise(**{**premise, "passages": tuple(premise["passages"])}) for premise in found
    )
    return ScoredClaim(premises=premises, **raw)  # type: ignore[arg-type]  # as written above
