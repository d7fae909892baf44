"""Two gates on the same answers: the difference of their mean balanced accuracy over sets."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gatekeeper.evaluation.metrics import Estimate

Floats = NDArray[np.float64]

DRAWS = 2000
SEED = 0


def paired_difference(
    sides: Mapping[str, Sequence[tuple[bool, bool, bool, str]]], *, draws: int = DRAWS
) -> tuple[Estimate, dict[str, Estimate]]:
    """Return the mean over sets of balanced accuracy, new minus old, and that of each set.

    Whole groups are drawn, in each set by itself; a draw that leaves a set without wrong or
    correct answers is drawn again for it.

    Args:
        sides: For each answer of a set: is it wrong, did the new gate block it, did the old one,
            and its group.
        draws: Number of draws; the interval is the middle 95 % of them.
    """
    generator = np.random.default_rng(SEED)
    points, drawn = {}, {}
    for name, rows in sides.items():
        cells = _cells(rows)
        points[name] = float(_difference(cells.sum(axis=0)[None])[0])
        drawn[name] = _draws(cells, draws, generator)
    of_mean = np.mean(list(drawn.values()), axis=0)
    mean = _estimate(float(np.mean(list(points.values()))), of_mean)
    return mean, {name: _estimate(points[name], drawn[name]) for name in points}


def _cells(rows: Sequence[tuple[bool, bool, bool, str]]) -> Floats:
    """Return, a group a row: wrong, wrong and blocked by new, by old, correct, and the same."""
    groups = {group: number for number, group in enumerate(dict.fromkeys(row[3] for row in rows))}
    cells = np.zeros((len(groups), 6))
    for wrong, new, old, group in rows:
        at = 0 if wrong else 3
        cells[groups[group], at : at + 3] += (1.0, float(new), float(old))
    return cells


def _difference(cells: Floats) -> Floats:
    wrong, caught_new, caught_old, right, false_new, false_old = cells.T
    with np.errstate(invalid="ignore", divide="ignore"):
        gained = (caught_new - caught_old) / wrong - (false_new - false_old) / right
    return np.asarray(gained / 2.0)


def _draws(cells: Floats, draws: int, generator: np.random.Generator) -> Floats:
    found = np.empty(0)
    even = np.full(len(cells), 1.0 / len(cells))
    for _ in range(20):
        times = generator.multinomial(len(cells), even, size=draws).astype(np.float64)
        values = _difference(times @ cells)
        found = np.append(found, values[~np.isnan(values)])
        if len(found) >= draws:
            break
    return found[:draws]


def _estimate(value: float, drawn: Floats) -> Estimate:
    low, high = (float(np.quantile(drawn, q)) for q in (0.025, 0.975))
    return Estimate(value=value, low=low, high=high)
