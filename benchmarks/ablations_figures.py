"""The figures of one model on the sample: balanced accuracy at one threshold, and ROC-AUC.

An answer's score is the smallest of its claims', a claim's the largest P(entailment) of its
premises; guard and contradictions have no word. The threshold of each fifth of the contexts is the
one that is best on the other four fifths of all sets. Where a curve has two tops that is a lottery,
so there is also the best threshold for all contexts: it flatters, but all models alike. Intervals
are over contexts.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import numpy.typing as npt

from benchmarks.paired import paired_difference
from benchmarks.replay import NEVER, Rules
from benchmarks.scoring import ScoredRow
from benchmarks.variants import LEAST_ROWS, Variant
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.support import Weighing
from gatekeeper.evaluation.calibration import Saved, choose_threshold
from gatekeeper.evaluation.metrics import Estimate, Judged

FOLDS = 5
DRAWS = 1000
SEED = 0

Floats = npt.NDArray[np.float64]
Judgements = Mapping[str, Mapping[str, Judged]]  # by set, by id

CALM = Thresholds(support=1.0, contradiction=NEVER)
MAXIMUM = Variant(rules=Rules(thresholds=CALM, guard=False))
GUARDED = Variant(rules=Rules(thresholds=CALM))


def weighed(**weights: float) -> Variant:
    """Return the maximum over premises of a weighed sum, in place of P(entailment)."""
    return replace(MAXIMUM, rules=replace(MAXIMUM.rules, weighing=Weighing(weights=weights)))


# Set by hand on the given checkpoint; what fitting them gives is in aggregation.json.
WEIGHED = weighed(entailment=0.5, calm=0.25, agreement=0.15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Means over the sets with intervals, each set's own figures, and what they come from."""

    balanced_accuracy: Estimate
    roc_auc: Estimate
    sets: dict[str, dict[str, float]]
    thresholds: tuple[float, ...]
    sides: Judgements
    aucs: Floats
    best: Estimate
    best_threshold: float
    best_sides: Judgements

    def record(self) -> dict[str, object]:
        """Return what a result file says."""
        return {
            "balanced_accuracy": asdict(self.balanced_accuracy),
            "roc_auc": asdict(self.roc_auc),
            "thresholds": list(self.thresholds),
            "best": asdict(self.best),
            "best_threshold": self.best_threshold,
            "sets": self.sets,
        }


def figures(rows: Mapping[str, Sequence[ScoredRow]], variant: Variant = MAXIMUM) -> Figures:
    """Judge the sample, each fifth of it by the rest."""
    judged = {
        name: {row.id: one for row in found for one in variant.scores([row])}
        for name, found in rows.items()
    }
    sides, marks = cross_fitted(judged)
    mean, by_set = balanced_accuracy(sides)
    mark = _mark(judged, without=None)
    best_sides = _judged(judged, lambda _: mark)
    drawn = {name: auc_draws(list(found.values())) for name, found in judged.items()}
    aucs = np.mean(list(drawn.values()), axis=0)
    return Figures(
        balanced_accuracy=mean,
        roc_auc=_estimate(aucs),
        sets={
            name: {
                "answers": len(sides[name]),
                "balanced_accuracy": by_set[name],
                "roc_auc": float(drawn[name][0]),
            }
            for name in rows
        },
        thresholds=marks,
        sides=sides,
        aucs=aucs,
        best=balanced_accuracy(best_sides)[0],
        best_threshold=mark,
        best_sides=best_sides,
    )


def balanced_accuracy(sides: Judgements) -> tuple[Estimate, dict[str, float]]:
    """Return the mean over the sets with its interval, and that of each set."""
    # Against a gate that lets all through: its balanced accuracy is one half.
    mean, by_set = paired_difference(
        {
            name: [(one.wrong, one.blocked, False, _group(one)) for one in found.values()]
            for name, found in sides.items()
        }
    )
    whole = Estimate(
        value=_half_more(mean.value), low=_half_more(mean.low), high=_half_more(mean.high)
    )
    return whole, {name: _half_more(one.value) for name, one in by_set.items()}


def differences(new: Figures, old: Figures) -> dict[str, dict[str, float | None]]:
    """Return new minus old on the same answers, with intervals over the same draws of contexts."""
    mean, by_set = _paired(new.sides, old.sides)
    return {
        "balanced_accuracy": asdict(mean),
        "best": asdict(_paired(new.best_sides, old.best_sides)[0]),
        "roc_auc": asdict(_estimate(new.aucs - old.aucs)),
        "sets": {name: one.value for name, one in by_set.items()},
    }


def _paired(new: Judgements, old: Judgements) -> tuple[Estimate, dict[str, Estimate]]:
    return paired_difference(
        {
            name: [
                (one.wrong, one.blocked, old[name][of].blocked, _group(one))
                for of, one in found.items()
                if of in old[name]
            ]
            for name, found in new.items()
        }
    )


def cross_fitted(judged: Judgements) -> tuple[dict[str, dict[str, Judged]], tuple[float, ...]]:
    """Put each answer on the side of the threshold that the other folds choose."""
    marks = tuple(_mark(judged, without=fold) for fold in range(FOLDS))
    return _judged(judged, lambda one: marks[_fold(one)]), marks


def _judged(judged: Judgements, mark: Callable[[Judged], float]) -> dict[str, dict[str, Judged]]:
    return {
        name: {
            of: replace(one, blocked=(one.score or 0.0) < mark(one)) for of, one in found.items()
        }
        for name, found in judged.items()
    }


def _mark(judged: Judgements, *, without: int | None) -> float:
    """Choose one threshold for all sets; those of few answers have no say."""
    return choose_threshold(
        {
            name: [
                Saved(score=one.score or 0.0, wrong=one.wrong)
                for one in found.values()
                if _fold(one) != without
            ]
            for name, found in judged.items()
            if len(found) >= LEAST_ROWS
        }
    ).threshold


def auc_draws(rows: Sequence[Judged]) -> Floats:
    """Return ROC-AUC of the rows, and after it that of draws of their contexts.

    The draws are the same for the same contexts, whatever the scores.
    """
    names = sorted({_group(row) for row in rows})
    place = {name: number for number, name in enumerate(names)}
    even = np.full(len(names), 1.0 / len(names))
    drawn = np.random.default_rng(SEED).multinomial(len(names), even, size=DRAWS)
    times = np.concatenate([np.ones((1, len(names))), drawn])
    order = np.argsort([one.score or 0.0 for one in rows], kind="stable")
    scores = np.array([rows[n].score or 0.0 for n in order])
    wrong = np.array([rows[n].wrong for n in order])
    weights = times[:, [place[_group(rows[n])] for n in order]]
    starts = np.flatnonzero(np.append(True, scores[1:] != scores[:-1]))
    bad = np.add.reduceat(weights * wrong, starts, axis=1)
    good = np.add.reduceat(weights * ~wrong, starts, axis=1)
    below = np.cumsum(bad, axis=1) - bad / 2.0
    total = bad.sum(axis=1) * good.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (good * below).sum(axis=1) / total
    # A draw without wrong or without correct answers says nothing: it counts as what was seen.
    return np.asarray(np.where(np.isnan(found), found[0], found))


def _estimate(drawn: Floats) -> Estimate:
    low, high = (float(np.quantile(drawn[1:], q)) for q in (0.025, 0.975))
    return Estimate(value=float(drawn[0]), low=low, high=high)


def _half_more(value: float | None) -> float:
    return 0.5 + (value or 0.0)


def _group(row: Judged) -> str:
    return row.group or ""


def _fold(row: Judged) -> int:
    return zlib.crc32(_group(row).encode()) % FOLDS
