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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gatekeeper.evaluation.strata import Floats, Stratum, by_weight, weight_key
from gatekeeper.evaluation.table import Table, draw, draw_by_stratum

# 2,000 draws put the ends of a 95 % interval within about 0.3 standard errors of a rerun's.
DRAWS = 2_000
# Rows of a weight, for it to be taken as a stratum.
_FEWEST = 10
RATES = (
    "sensitivity",
    "false_block_rate",
    "accepted_error",
    "coverage",
    "balanced_accuracy",
    "roc_auc",
)
# Cells of a table in the denominator of those that are shares of answers.
_DENOMINATORS = {
    "sensitivity": (0, 2),
    "false_block_rate": (1, 3),
    "accepted_error": (2, 3),
    "coverage": (0, 1, 2, 3),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A labelled answer and what the gate made of it.

    ``score`` is the smallest claim score (lower: more suspicious), None where there is none.
    ``finding`` is True where the value guard or a contradiction blocks whatever the threshold.
    Rows of one ``group`` are not independent; None: the row is a group of its own. ``stratum``
    names what the row was drawn from, with a known chance; None: from all answers.
    """

    wrong: bool
    blocked: bool
    score: float | None = None
    finding: bool = False
    weight: float = 1.0
    group: str | None = None
    stratum: str | None = None


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
    rows: Sequence[Judged],
    *,
    strata: Mapping[str, Stratum] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    confidence: float = 0.95,
) -> GateMetrics:
    """Compute the rates with intervals.

    Rows drawn by stratum: see ``strata``; the AUC, which no shares tell, has a Bayesian bootstrap
    within the strata of a name (Rubin, Annals of Statistics 9, 1981). Rows of unequal weight are
    taken so as well, a stratum a weight, if there are ten rows or more of each and no groups.

    Other rows: percentile intervals from a bootstrap over groups. Whole groups are drawn with
    replacement, for rows that share a context are not independent (Efron and Tibshirani, An
    Introduction to the Bootstrap, 1993). A bootstrap has no width where nothing, or everything, is
    an event; there the end comes from the exact binomial bound (Clopper and Pearson 1934) with the
    groups of the denominator as trials, as many as their weights are worth (Kish, Survey Sampling,
    1965), which is approximate when they are uneven. Balanced accuracy and AUC get no correction.

    Args:
        rows: Labelled answers that the gate took a side on.
        strata: By the name that rows have of them; None for rows that have none.
        seed: Of the draws.
        draws: How many.
        confidence: Of the intervals.
    """
    table = Table.of(rows)
    point = table.rates(np.ones((1, table.groups)))[0]
    tail = (1.0 - confidence) / 2.0
    if strata is None:
        rows, strata = _stratified(rows, groups=table.groups)
    if strata is None:
        drawn = draw(table, seed=seed, draws=draws)
        trials = {name: table.trials(cells) for name, cells in _DENOMINATORS.items()}
    else:
        drawn = draw_by_stratum(rows, table, strata, seed=seed, draws=draws)
        trials = {}
    estimates = {
        name: _estimate(
            point[i], drawn[:, i], trials.get(name, 0 if strata is None else None), tail
        )
        for i, name in enumerate(RATES)
    }
    return GateMetrics(**estimates)


def interval_method(rows: Sequence[Judged], strata: Mapping[str, Stratum] | None = None) -> str:
    """Say how ``gate_metrics`` comes by intervals for these rows."""
    if strata is not None:
        return f"95 %, Beta within {len(strata)} strata, {DRAWS:,} draws, seed 0"
    groups = len({i if row.group is None else row.group for i, row in enumerate(rows)})
    found = _stratified(rows, groups=groups)[1]
    if found is not None:
        return f"95 %, Beta within {len(found)} strata by weight, {DRAWS:,} draws, seed 0"
    return f"95 %, percentile bootstrap over groups, {DRAWS:,} draws, seed 0"


def roc_auc(scores: Sequence[float], wrong: Sequence[bool]) -> float | None:
    """Return P(a wrong answer scores lower than a correct one), ties counted half.

    None if either kind is missing. Source: the Mann-Whitney statistic U / (n m), see Hanley and
    McNeil, Radiology 143 (1982).
    """
    rows = [
        Judged(wrong=is_wrong, blocked=False, score=score)
        for score, is_wrong in zip(scores, wrong, strict=True)
    ]
    table = Table.of(rows)
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


def _stratified(
    rows: Sequence[Judged], *, groups: int
) -> tuple[Sequence[Judged], Mapping[str, Stratum] | None]:
    """Take rows of unequal weight as drawn by stratum where that can be told from the weights."""
    if groups < len(rows):
        return rows, None
    strata = by_weight([row.weight for row in rows], fewest=_FEWEST)
    if strata is None:
        return rows, None
    return [replace(row, stratum=weight_key(row.weight)) for row in rows], strata


def _estimate(value: float, drawn: Floats, trials: int | None, tail: float) -> Estimate:
    """Make an estimate from a point value and its draws; NaN means undefined.

    ``trials`` are of the exact bound, None where draws know of events that were not seen.
    """
    if np.isnan(value):
        return Estimate(value=None)
    defined = drawn[~np.isnan(drawn)]
    if not defined.size:
        return Estimate(value=float(value))
    low, high = (float(np.quantile(defined, q)) for q in (tail, 1.0 - tail))
    if trials is None:
        low, high = (0.0 if value <= 0.0 else low), (1.0 if value >= 1.0 else high)
    if trials and value <= 0.0:
        high = max(high, 1.0 - tail ** (1.0 / trials))
    if trials and value >= 1.0:
        low = min(low, tail ** (1.0 / trials))
    return Estimate(value=float(value), low=low, high=high)
