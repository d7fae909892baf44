"""Maximum, weighing, trained: ``python -m benchmarks.aggregations --model DIR --scores FILE``.

What a trained aggregation would give in place of the weighing that ships, on the calibration halves
and from scores that ``benchmarks.features`` saved. Trained are logistic models with a ridge, every
set and label weighing the same: on a histogram of the scores of the worst claim (as SummaC-Conv,
Laban et al., TACL 2022), and on what is known of the whole answer, with squares and products. Each
way is judged on contexts, and on sets, that nothing was fitted on, at one threshold for all sets
and, for comparison, at one for each. Contradictions take no part.
"""

import argparse
import json
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.fit import load_rows
from benchmarks.machine import describe
from benchmarks.replay import Rules, pair_score, planned, replay
from benchmarks.scoring import OPEN, ScoredClaim, ScoredRow
from benchmarks.sets import CALIBRATION
from benchmarks.weights import even_weights
from gatekeeper.core.aggregate import measure
from gatekeeper.core.support import Weighing, sigmoid
from gatekeeper.errors import GatekeeperError
from gatekeeper.evaluation.calibration import Saved, choose_threshold
from gatekeeper.evaluation.metrics import roc_auc
from gatekeeper.runtime.aggregation import weighing_of

RESULT = Path(__file__).parent / "results" / "aggregations.json"
FOLDS = 5
BINS = (0.1, 0.25, 0.5, 0.75, 0.9)
RIDGE = 20.0  # of standardised features, answers weighing 1 in the mean
# Fewer answers of a label than this in a set: it has no threshold of its own and no say.
LEAST = 10

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Answers with a score, as columns: set, fold, label, features and the plain scores."""

    sets: NDArray[np.str_]
    folds: NDArray[np.intp]
    wrong: Flags
    features: dict[str, Floats]
    scores: dict[str, Floats]


def gather(rows: dict[str, list[ScoredRow]], weighing: Weighing | None) -> Answers:
    """Collect the answers that both plain ways have a score for."""
    ways = {
        "maximum": Rules(thresholds=OPEN),
        "weighing": Rules(thresholds=OPEN, weighing=weighing),
    }
    kept: list[tuple[str, ScoredRow, list[float]]] = []
    for name, found in rows.items():
        for judged in zip(*(replay(found, rules) for rules in ways.values()), strict=True):
            scores = [one.judged.score for one in judged if one.judged is not None]
            if len(scores) == len(ways) and None not in scores:
                kept.append((name, judged[0].row, [score or 0.0 for score in scores]))
    return Answers(
        sets=np.array([name for name, _, _ in kept]),
        folds=np.array([zlib.crc32(row.group.encode()) % FOLDS for _, row, _ in kept]),
        wrong=np.array([row.wrong for _, row, _ in kept]),
        features={
            "histogram of the worst claim": np.array([histogram(row) for _, row, _ in kept]),
            "all of the answer": squared(np.array([whole(row) for _, row, _ in kept])),
        },
        scores={way: np.array([scores[n] for _, _, scores in kept]) for n, way in enumerate(ways)},
    )


def histogram(row: ScoredRow) -> list[float]:
    """Return how many premises of the worst claim score in each bin, and the best of them."""
    worst = min(row.claims, key=_best)
    places = np.searchsorted(BINS, [premise.entailment for premise in worst.premises])
    counts = np.bincount(places, minlength=len(BINS) + 1) / max(1, len(worst.premises))
    return [*counts, _best(worst)]


def whole(row: ScoredRow) -> list[float]:
    """Return measures of the worst claim, means over the claims, and sizes."""
    worst = min(row.claims, key=_best)
    claims = [_measures(claim) for claim in row.claims]
    guard = [any(c.clashing for c in row.claims), any(c.absent for c in row.claims)]
    mean = np.mean(claims, axis=0)
    sizes = [np.log1p(len(row.claims)), np.log1p(len(worst.premises))]
    return [*_measures(worst), *mean, *np.min(claims, axis=0), *sizes, *map(float, guard)]


def squared(features: Floats) -> Floats:
    """Return standardised features with their squares and products."""
    scaled = (features - features.mean(axis=0)) / (features.std(axis=0) + 1e-9)
    pairs = combinations_with_replacement(range(scaled.shape[1]), 2)
    return np.column_stack([scaled, *(scaled[:, a] * scaled[:, b] for a, b in pairs)])


def train(features: Floats, right: Flags, weights: Floats) -> Callable[[Floats], Floats]:
    """Fit a logistic model with a ridge by Newton steps; return what it gives, in [0, 1]."""
    centre, scale = features.mean(axis=0), features.std(axis=0) + 1e-9
    full = np.column_stack([(features - centre) / scale, np.ones(len(features))])
    ridge = np.append(np.full(features.shape[1], RIDGE), 1e-9)
    theta = np.zeros(full.shape[1])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-np.clip(full @ theta, -30.0, 30.0)))
        slope = full.T @ (weights * (p - right)) + ridge * theta
        curvature = (full * (weights * p * (1 - p))[:, None]).T @ full + np.diag(ridge)
        step = np.linalg.solve(curvature, slope)
        theta = theta - step
        if np.abs(step).max() < 1e-8:
            break

    def give(others: Floats) -> Floats:
        z = np.column_stack([(others - centre) / scale, np.ones(len(others))]) @ theta
        return np.array([sigmoid(float(x)) for x in z])

    return give


def judge(answers: Answers, way: str, parts: NDArray[np.generic]) -> dict[str, Any]:
    """Fit, and choose one threshold, outside each part and judge in it; return means over sets."""
    scores, blocked = np.zeros(len(parts)), np.zeros(len(parts))
    for part in np.unique(parts):
        inside = parts == part
        found = _scores(answers, way, ~inside)
        scores[inside] = found[inside]
        blocked[inside] = found[inside] < _mark(answers, found, ~inside)
    return {
        "roc_auc": _mean(answers, _auc(scores)),
        "balanced_accuracy": _mean(answers, _balanced(blocked)),
    }


def judge_apart(answers: Answers, way: str) -> dict[str, Any]:
    """Fit outside each fold of contexts, and choose a threshold of each set there."""
    blocked = np.zeros(len(answers.folds))
    for fold in np.unique(answers.folds):
        inside = answers.folds == fold
        found = _scores(answers, way, ~inside)
        for name in _judged(answers):
            mine = answers.sets == name
            here = inside & mine
            blocked[here] = found[here] < _mark(answers, found, mine & ~inside)
    return {"balanced_accuracy": _mean(answers, _balanced(blocked))}


def _scores(answers: Answers, way: str, inside: Flags) -> Floats:
    if way in answers.scores:
        return answers.scores[way]
    right = ~answers.wrong
    sets, labels = list(answers.sets[inside]), list(right[inside])
    weights = even_weights(sets, labels) * len(sets)
    features = answers.features[way]
    found = train(features[inside], right[inside], weights)(features)
    # What the guard found is not weighed, here as elsewhere.
    return np.where(answers.scores["maximum"] == 0.0, 0.0, found)


def _mark(answers: Answers, scores: Floats, inside: Flags) -> float:
    rows = {}
    for name in _judged(answers):
        mine = inside & (answers.sets == name)
        if mine.any():
            rows[name] = [
                Saved(score=float(score), wrong=bool(wrong))
                for score, wrong in zip(scores[mine], answers.wrong[mine], strict=True)
            ]
    return choose_threshold(rows).threshold


def _judged(answers: Answers) -> Iterator[str]:
    for name in dict.fromkeys(answers.sets.tolist()):
        mine = answers.wrong[answers.sets == name]
        if LEAST <= mine.sum() <= len(mine) - LEAST:
            yield name


Figure = Callable[[Flags, Flags], float]


def _mean(answers: Answers, figure: Figure) -> dict[str, object]:
    by_set = {name: figure(answers.sets == name, answers.wrong) for name in _judged(answers)}
    return {"mean": float(np.mean(list(by_set.values()))), "sets": by_set}


def _auc(scores: Floats) -> Figure:
    def figure(mine: Flags, wrong: Flags) -> float:
        found = roc_auc(scores[mine].tolist(), wrong[mine].tolist())
        return float("nan") if found is None else found

    return figure


def _balanced(blocked: Floats) -> Figure:
    def figure(mine: Flags, wrong: Flags) -> float:
        caught, passed = blocked[mine & wrong].mean(), 1.0 - blocked[mine & ~wrong].mean()
        return float((caught + passed) / 2)

    return figure


def _best(claim: ScoredClaim) -> float:
    found = [1.0 if p.verbatim else p.entailment for p in claim.premises]
    return max(found, default=0.0)


def _measures(claim: ScoredClaim) -> list[float]:
    """Return the measures of the claim's best premise; a copy is entailed without a doubt."""
    if not claim.premises:
        return [-5.0, -5.0, -5.0, 0.0, 0.0]
    found = measure(list(map(planned, claim.premises)), list(map(pair_score, claim.premises)))
    best = max(found, key=lambda one: one.entailment)
    return [best.entailment, best.calm, best.agreement, best.known, best.length]


def report(answers: Answers, ways: Sequence[str]) -> dict[str, object]:
    """Return each way's figures, on unseen contexts and on unseen sets."""
    record: dict[str, object] = {}
    for way in ways:
        record[way] = {
            "unseen contexts": judge(answers, way, answers.folds),
            "unseen contexts, a threshold for each set": judge_apart(answers, way),
            "unseen sets": judge(answers, way, answers.sets),
        }
    return record


def main() -> int:
    """Compare and write; 2 if a file can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    parser.add_argument("--scores", type=Path, required=True, help="from benchmarks.features")
    parser.add_argument("-o", "--output", type=Path, default=RESULT)
    given = parser.parse_args()
    try:
        rows = load_rows(given.scores, given.model)
        answers = gather(rows, weighing_of(given.model))
    except GatekeeperError as fault:
        print(fault, file=sys.stderr)
        return 2
    ways = report(answers, [*answers.scores, *answers.features])
    result = {"benchmark": "aggregations", "half": CALIBRATION, "answers": len(answers.wrong),
              "machine": describe(), "ways": ways}  # fmt: skip
    given.output.parent.mkdir(exist_ok=True)
    given.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(ways, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
