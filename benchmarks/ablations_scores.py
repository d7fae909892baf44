"""A sample of labelled answers, planned once, and the scores of any model on its pairs.

Which pairs the gate asks about does not hang on the model, so the plan is kept and each model
scores the same pairs. Only calibration halves are read: test halves are for the model that ships.
"""

import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.pairs import all_logits
from benchmarks.scoring import OPEN, SavedScores, ScoredClaim, ScoredRow, score_rows
from benchmarks.sets import CALIBRATION, FITTED, load_half
from gatekeeper.core.plan import Limits
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.gate import Gate, Settings
from gatekeeper.protocols import EncodedPair, Model, PairScore
from gatekeeper.runtime.session import Session, probabilities
from gatekeeper.scheduler import Scheduler

EACH_LABEL = 150  # answers of a set with one label
# A pair's number rides in its score, too small to support anything.
STEP = 2.0**-40

Floats = npt.NDArray[np.float64]


class NumberingModel:
    """A model that says of each pair which number it has, see ``gatekeeper.protocols.Model``.

    New pairs are appended to a file before they are answered, so that a plan that was stopped
    goes on with the numbers it gave.
    """

    def __init__(self, model: Model, path: Path) -> None:
        self._model = model
        self._path = path
        self.pairs = read_numbered(path)
        self._numbers = {pair: number for number, pair in enumerate(self.pairs)}

    @property
    def fingerprint(self) -> str:
        """The model's."""
        return self._model.fingerprint

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode with the model."""
        return self._model.encode(premise, hypothesis)

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """Ask the model."""
        return self._model.unknown_words(text)

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Return the numbers of the pairs as scores."""
        with self._path.open("a", encoding="ascii") as stream:
            for pair in pairs:
                if pair not in self._numbers:
                    stream.write(json.dumps([pair.ids, pair.type_ids]) + "\n")
                    self._numbers[pair] = len(self.pairs)
                    self.pairs.append(pair)
        return [
            PairScore(entailment=self._numbers[pair] * STEP, contradiction=0.0) for pair in pairs
        ]


def read_numbered(path: Path) -> list[EncodedPair]:
    """Return the pairs of a file in the order of their numbers; none if there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="ascii") as lines:
        rows = [json.loads(line) for line in lines]
    return [EncodedPair(ids=tuple(ids), type_ids=tuple(types)) for ids, types in rows]


def few(rows: Sequence[Row], most: int = EACH_LABEL) -> list[Row]:
    """Return at most so many rows of each label, of as many contexts as there are.

    One row of each context first, then a second one; which ones follows from their ids.
    """
    chosen: list[Row] = []
    for label in (Label.SUPPORTED, Label.UNSUPPORTED):
        mine = [row for row in rows if row.label is label]
        dice = random.Random(0)  # noqa: S311  # not for secrets
        dice.shuffle(mine)
        seen: defaultdict[str, int] = defaultdict(int)
        turns = []
        for row in mine:
            group = row.group or row.id
            turns.append(seen[group])
            seen[group] += 1
        order = sorted(range(len(mine)), key=turns.__getitem__)
        chosen.extend(mine[place] for place in order[:most])
    return chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A way to ask about an answer: the gate's limits, and how the answer is put to it."""

    name: str
    change: str
    limits: Limits = field(default_factory=Limits)
    reword: Callable[[str], str] = str


GATE = Plan(name="plan", change="as the gate asks: 5 places of 1 or 2 sentences, 3 of them joined")


async def _ask(model: NumberingModel, bench: Path, saved: SavedScores, way: Plan) -> None:
    settings = Settings(thresholds=OPEN, limits=way.limits)
    gate = Gate(model, Scheduler(model), settings)
    try:
        for name in FITTED:
            rows = [
                replace(row, answer=way.reword(row.answer))
                for row in few(load_half(bench, name, CALIBRATION))
            ]
            await score_rows(gate, name, rows, saved, key=way.name)
    finally:
        gate.close()


def plan(
    session: Model, bench: Path, work: Path, way: Plan = GATE
) -> tuple[dict[str, list[ScoredRow]], list[EncodedPair]]:
    """Return the sample by set, scored with the numbers of its pairs, and the pairs.

    Ways share the numbers, the gate's own asks first: pairs beyond those it needs are cut off.
    """
    work.mkdir(parents=True, exist_ok=True)
    saved = SavedScores(work / f"{way.name}.jsonl")
    model = NumberingModel(session, work / "plan.pairs")
    asyncio.run(_ask(model, bench, saved, way))
    rows = {name: saved.of(name, way.name) for name in FITTED}
    numbers = (
        round(premise.entailment / STEP)
        for found in rows.values()
        for row in found
        for claim in row.claims
        for premise in claim.premises
        if not premise.verbatim
    )
    return rows, model.pairs[: max(numbers, default=-1) + 1]


def score_pairs(session: Session, pairs: Sequence[EncodedPair]) -> Floats:
    """Return P(entailment) and P(contradiction) of each pair, shape ``[pairs, 2]``."""
    manifest = session.manifest
    found = probabilities(all_logits(session, pairs), temperature=manifest.temperature)
    return found[:, [manifest.labels.index("entailment"), manifest.labels.index("contradiction")]]


def scored(
    planned: Mapping[str, Sequence[ScoredRow]], scores: Floats
) -> dict[str, list[ScoredRow]]:
    """Put a model's scores in the place of the pairs' numbers."""

    def claim_of(claim: ScoredClaim) -> ScoredClaim:
        premises = tuple(
            premise
            if premise.verbatim
            else replace(
                premise,
                entailment=float(scores[round(premise.entailment / STEP), 0]),
                contradiction=float(scores[round(premise.entailment / STEP), 1]),
            )
            for premise in claim.premises
        )
        return replace(claim, premises=premises)

    return {
        name: [replace(row, claims=tuple(map(claim_of, row.claims))) for row in rows]
        for name, rows in planned.items()
    }
