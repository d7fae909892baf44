"""What a gate did against what people say, as rates with intervals.

Over answers whose gate verdict is FLAGGED (blocked) or SUPPORTED (accepted), with W = labelled
"unsupported":

    sensitivity       = P(blocked | W)
    false_block_rate  = P(blocked | not W)
    accepted_error    = P(W | accepted)
    coverage          = P(accepted)
    balanced_accuracy = (sensitivity + 1 - false_block_rate) / 2

A rate whose denominator is empty is None, never 0 or 1. Rows that the gate did not decide are
not in these rates; ``released`` puts them in as let through, which is the worst case.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# 2,000 draws put the ends of a 95 % interval within about 0.3 standard errors of a rerun's.
DRAWS = 2_000
# Draws are made in slices of this many numbers, so memory stays at some ten MB.
_SLICE = 1_000_000
RATES = (
    "sensitivity",
    "false_block_rate",
    "accepted_error",
    "coverage",
    "balanced_accuracy",
    "roc_auc",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A labelled answer and what the gate made of it.

    ``score`` is the smallest claim score (lower: more suspicious), None where there is none.
    ``finding`` is True where the value guard or a contradiction blocks whatever the threshold.
    Rows of one ``group`` are not independent; None: the row is a group of its own.
    """

    wrong: bool
    blocked: bool
    score: float | None = None
    finding: bool = False
    weight: float = 1.0
    group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A rate with its interval; all None where the rate is undefined.

    ``low`` and ``high`` alone are None where a single group leaves nothing to draw from.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateMetrics:
    """The six figures of a gate on labelled answers."""

    sensitivity: Estimate
    false_block_rate: Estimate
    accepted_error: Estimate
    coverage: Estimate
    balanced_accuracy: Estimate
    roc_auc: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdRow:
    """What the gate would do at one threshold, unweighted; a rate is None where undefined."""

    threshold: float
    false_block_rate: float | None
    sensitivity: float | None
    accepted: int
    accepted_error: float | None


def gate_metrics(
    rows: Sequence[Judged], *, seed: int = 0, draws: int = DRAWS, confidence: float = 0.95
) -> GateMetrics:
    """Compute the rates with percentile intervals from a bootstrap over groups.

    Whole groups are drawn with replacement, for rows that share a context are not independent
    (Efron and Tibshirani, An Introduction to the Bootstrap, 1993). A bootstrap has no width where
    nothing, or everything, is an event; there the end comes from the exact binomial bound
    (Clopper and Pearson 1934) with the groups of the denominator as trials, which is approximate
    when groups or weights are uneven. Balanced accuracy and AUC get no such correction.
    """
    table = _Table.of(rows)
    point = table.rates(np.ones((1, table.groups)))[0]
    drawn = _draw(table, seed=seed, draws=draws)
    tail = (1.0 - confidence) / 2.0
    estimates = {
        name: _estimate(point[i], drawn[:, i], table.trials(name), tail)
        for i, name in enumerate(RATES)
    }
    return GateMetrics(**estimates)


def roc_auc(scores: Sequence[float], wrong: Sequence[bool]) -> float | None:
    """Return P(a wrong answer scores lower than a correct one), ties counted half.

    None if either kind is missing. Source: the Mann-Whitney statistic U / (n m), see Hanley and
    McNeil, Radiology 143 (1982).
    """
    rows = [
        Judged(wrong=is_wrong, blocked=False, score=score)
        for score, is_wrong in zip(scores, wrong, strict=True)
    ]
    table = _Table.of(rows)
    value = table.rates(np.ones((1, table.groups)))[0, RATES.index("roc_auc")]
    return None if np.isnan(value) else float(value)


def released(row: Judged) -> Judged:
    """Return the row as one that was let through unchecked: accepted, and least suspicious."""
    return replace(row, blocked=False, finding=False, score=float("inf"))


def threshold_table(
    rows: Sequence[Judged], thresholds: Sequence[float]
) -> tuple[ThresholdRow, ...]:
    """Return the rates at each threshold: blocked is a finding, or a score below it.

    At threshold 0 only findings block. Weights are not used.

    Raises:
        ValueError: If a row has no score: it has no side at a threshold.
    """
    if any(row.score is None for row in rows):
        raise ValueError("a row without a score has no side at a threshold")
    return tuple(_at(rows, threshold) for threshold in thresholds)


def is_blocked(row: Judged, threshold: float) -> bool:
    """Tell whether the gate blocks the row at a threshold; a row without a score it does not."""
    return row.finding or (row.score is not None and row.score < threshold)


def _at(rows: Sequence[Judged], threshold: float) -> ThresholdRow:
    blocked = [is_blocked(row, threshold) for row in rows]
    wrong = sum(row.wrong for row in rows)
    caught = sum(row.wrong and stops for row, stops in zip(rows, blocked, strict=True))
    accepted = len(rows) - sum(blocked)
    return ThresholdRow(
        threshold=threshold,
        false_block_rate=_ratio(sum(blocked) - caught, len(rows) - wrong),
        sensitivity=_ratio(caught, wrong),
        accepted=accepted,
        accepted_error=_ratio(wrong - caught, accepted),
    )


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """The rows as arrays, ready to be weighted by how often each group was drawn.

    ``cells`` has shape (groups, 4): weight of wrong and blocked, correct and blocked, wrong and
    accepted, correct and accepted. The scored rows are sorted by score; ``starts`` are the places
    where a new score begins.
    """

    cells: Floats
    members: NDArray[np.int64]
    scored_group: NDArray[np.intp]
    scored_wrong: Floats
    scored_correct: Floats
    starts: NDArray[np.intp]

    @property
    def groups(self) -> int:
        return int(self.cells.shape[0])

    @classmethod
    def of(cls, rows: Sequence[Judged]) -> "_Table":
        index: dict[object, int] = {}
        keys = (i if row.group is None else row.group for i, row in enumerate(rows))
        group = np.array([index.setdefault(key, len(index)) for key in keys], dtype=np.intp)
        weight = np.array([row.weight for row in rows], dtype=np.float64)
        wrong = np.array([row.wrong for row in rows], dtype=bool)
        cell = np.array([2 * (not r.blocked) + (not r.wrong) for r in rows], dtype=np.intp)
        cells, members = np.zeros((len(index), 4)), np.zeros((len(index), 4), dtype=np.int64)
        np.add.at(cells, (group, cell), weight)
        np.add.at(members, (group, cell), 1)
        scores = np.array([np.nan if r.score is None else r.score for r in rows], dtype=np.float64)
        order = np.argsort(scores, kind="stable")[: int(np.sum(~np.isnan(scores)))]
        ranked = scores[order]
        return cls(
            cells=cells,
            members=members,
            scored_group=group[order],
            scored_wrong=np.where(wrong, weight, 0.0)[order],
            scored_correct=np.where(wrong, 0.0, weight)[order],
            starts=np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1])[: ranked.size]),
        )

    def trials(self, name: str) -> int:
        """Return how many groups have a row in the denominator of a rate; 0: not a proportion."""
        columns = {
            "sensitivity": [0, 2],
            "false_block_rate": [1, 3],
            "accepted_error": [2, 3],
            "coverage": [0, 1, 2, 3],
        }.get(name)
        return int(np.sum(self.members[:, columns].sum(axis=1) > 0)) if columns else 0

    def rates(self, times: Floats) -> Floats:
        """Return the six rates, NaN where undefined, for groups counted ``times`` (draws, groups).

        Shape (draws, 6), in the order of ``RATES``.
        """
        blocked_wrong, blocked_right, passed_wrong, passed_right = (times @ self.cells).T
        accepted = passed_wrong + passed_right
        with np.errstate(invalid="ignore", divide="ignore"):
            sensitivity = blocked_wrong / (blocked_wrong + passed_wrong)
            false_block = blocked_right / (blocked_right + passed_right)
            columns = (
                sensitivity,
                false_block,
                passed_wrong / accepted,
                accepted / (accepted + blocked_wrong + blocked_right),
                (sensitivity + 1.0 - false_block) / 2.0,
                self._auc(times),
            )
        return np.stack(columns, axis=1)

    def _auc(self, times: Floats) -> Floats:
        if not self.starts.size:
            return np.full(times.shape[0], np.nan)
        drawn = times[:, self.scored_group]
        wrong = np.add.reduceat(drawn * self.scored_wrong, self.starts, axis=1)
        correct = np.add.reduceat(drawn * self.scored_correct, self.starts, axis=1)
        # Of each correct answer: the wrong ones that score lower, and half of those that tie.
        lower = np.cumsum(wrong, axis=1) - wrong / 2.0
        pairs = wrong.sum(axis=1) * correct.sum(axis=1)
        return np.asarray((lower * correct).sum(axis=1) / pairs)


def _draw(table: _Table, *, seed: int, draws: int) -> Floats:
    if table.groups < 2:
        return np.empty((0, len(RATES)))
    generator = np.random.default_rng(seed)
    even = np.full(table.groups, 1.0 / table.groups)
    step = max(1, _SLICE // max(table.groups, table.scored_group.size))
    parts = [
        table.rates(generator.multinomial(table.groups, even, size=size).astype(np.float64))
        for size in (min(step, draws - done) for done in range(0, draws, step))
    ]
    return np.concatenate(parts)


def _estimate(value: float, drawn: Floats, trials: int, tail: float) -> Estimate:
    """Make an estimate from a point value and its bootstrap draws; NaN means undefined."""
    if np.isnan(value):
        return Estimate(value=None)
    defined = drawn[~np.isnan(drawn)]
    if not defined.size:
        return Estimate(value=float(value))
    low, high = (float(np.quantile(defined, q)) for q in (tail, 1.0 - tail))
    if trials and value <= 0.0:
        high = max(high, 1.0 - tail ** (1.0 / trials))
    if trials and value >= 1.0:
        low = min(low, tail ** (1.0 / trials))
    return Estimate(value=float(value), low=low, high=high)
