"""Fitting a weighing: claims are the maximum over premises, answers the minimum over claims.

What is made small is the share of answers on the wrong side, were each put on its side by chance
with its support: balanced accuracy at one threshold for all sets, made smooth. Each set weighs the
same, and in it each label. The likelihood in its place gives a better ranking within each set and
a worse gate: it strains for what tells one set from another. Weights are kept at 0 or more. Pure
numpy; nothing is drawn at random.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.replay import pair_score, planned
from benchmarks.scoring import ScoredClaim, ScoredRow
from gatekeeper.core.aggregate import measure
from gatekeeper.core.support import MEASURES, Weighing

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

# Keeps weights of measures that tell nothing near 0, and support from certainty; on standardised
# measures.
RIDGE = 1e-2
STARTS = (0.3, 1.0)
ROUNDS = 200
LEAST_WEIGHT = 1e-4
LEAST_GAIN = 1e-10


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Premises as rows of ``x``; which claim each is of, which answer each claim is of.

    Both indices rise. ``weights`` are of answers and sum to 1.
    """

    names: tuple[str, ...]
    x: Floats
    claim: Whole
    answer: Whole
    right: NDArray[np.bool_]
    weights: Floats

    def totals(self, theta: Floats) -> Floats:
        """Return the weighed sum of each answer, bias last in ``theta``."""
        return np.asarray(self.x[self.deciding(theta)] @ theta[:-1] + theta[-1])

    def deciding(self, theta: Floats) -> Whole:
        """Return for each answer the premise that decides: best of the claim that is worst."""
        z = self.x @ theta[:-1]
        best = _first_of(self.claim, -z)
        return best[_first_of(self.answer, z[best])]

    def loss(self, theta: Floats) -> float:
        """Return the expected share of answers on the wrong side, with the ridge."""
        return float(
            self.weights @ self.astray(self.totals(theta)) + RIDGE * theta[:-1] @ theta[:-1]
        )

    def astray(self, z: Floats) -> Floats:
        """Return the chance that an answer falls on the wrong side."""
        signed = np.where(self.right, z, -z)
        return np.asarray(1.0 / (1.0 + np.exp(np.clip(signed, -30.0, 30.0))))


def fit(problem: Problem) -> Weighing:
    """Return the weighing of the smallest loss found, by projected and damped Newton steps.

    Each step is taken only as far as it lowers the loss. That is not convex, so the result is a
    local optimum, the better one of those found from a few starts.
    """
    centre, scale = problem.x.mean(axis=0), problem.x.std(axis=0) + 1e-9
    scaled = Problem(**{**vars(problem), "x": (problem.x - centre) / scale})
    starts = (np.append(np.full(len(problem.names), start), 0.0) for start in STARTS)
    theta = min((_descend(scaled, start) for start in starts), key=scaled.loss)
    weights = theta[:-1] / scale
    return weighing(problem.names, weights, float(theta[-1] - weights @ centre))


def _descend(problem: Problem, theta: Floats) -> Floats:
    """Go down from a start until a step gains next to nothing."""
    loss = problem.loss(theta)
    for _ in range(ROUNDS):
        direction = _newton(problem, theta)
        step = next(
            (
                (tried, value)
                for power in range(12)
                if (value := problem.loss(tried := _kept(theta + direction / 2**power))) < loss
            ),
            None,
        )
        if step is None or loss - step[1] < LEAST_GAIN:
            break
        theta, loss = step
    return theta


def weighing(names: Sequence[str], weights: Floats, bias: float) -> Weighing:
    """Return weights as a weighing; those that are next to 0 are left out."""
    found = {name: float(w) for name, w in zip(names, weights, strict=True) if w > LEAST_WEIGHT}
    return Weighing(weights=found, bias=bias)


def theta_of(weighing: Weighing, names: Sequence[str]) -> Floats:
    """Return a weighing as numbers in the order of the names, bias last."""
    return np.array([*(weighing.weights.get(name, 0.0) for name in names), weighing.bias])


def pose(rows_by_set: dict[str, list[ScoredRow]], names: Sequence[str] = MEASURES) -> Problem:
    """Set up the problem over answers whose score hangs on the weights.

    Left out are answers with a finding of the guard or a claim without a premise, and claims that
    are copies: their score is fixed.
    """
    x: list[list[float]] = []
    claim: list[int] = []
    answer: list[int] = []
    right: list[bool] = []
    sets: list[str] = []
    for name, rows in rows_by_set.items():
        for row in filter(is_weighed, rows):
            for one in filter(is_asked, row.claims):
                found = measure(
                    list(map(planned, one.premises)), list(map(pair_score, one.premises))
                )
                x.extend([getattr(values, each) for each in names] for values in found)
                claim.extend([len(answer)] * len(found))
                answer.append(len(right))
            right.append(not row.wrong)
            sets.append(name)
    return Problem(
        names=tuple(names),
        x=np.array(x),
        claim=np.array(claim),
        answer=np.array(answer),
        right=np.array(right),
        weights=even_weights(sets, right),
    )


def is_weighed(row: ScoredRow) -> bool:
    """Tell whether an answer's score hangs on the weights: nothing in it is fixed at 0 or open."""
    stuck = any(
        claim.fixed is not None or claim.absent or not claim.premises for claim in row.claims
    )
    return not stuck and any(map(is_asked, row.claims))


def is_asked(claim: ScoredClaim) -> bool:
    """Tell whether the model was asked about a claim: it is no copy."""
    return not any(premise.verbatim for premise in claim.premises)


def even_weights(sets: Sequence[str], right: Sequence[bool]) -> Floats:
    """Return weights by which each set counts the same, and in it each label; they sum to 1."""
    cells = list(zip(sets, right, strict=True))
    counts = {cell: cells.count(cell) for cell in set(cells)}
    raw = np.array([1.0 / counts[cell] for cell in cells])
    return np.asarray(raw / raw.sum())


def _newton(problem: Problem, theta: Floats) -> Floats:
    """Return a direction downwards with the deciding premises held, 0 where a bound holds.

    The curvature is that of the likelihood, which is positive where that of the loss need not be.
    """
    held = problem.x[problem.deciding(theta)]
    full = np.column_stack([held, np.ones(len(held))])
    p = problem.astray(full @ theta)
    steep = problem.weights * p * (1.0 - p)
    ridge = np.append(np.full(held.shape[1], 2.0 * RIDGE), 0.0)
    slope = full.T @ (steep * np.where(problem.right, -1.0, 1.0)) + ridge * theta
    curvature = (full * steep[:, None]).T @ full + np.diag(ridge + 1e-9)
    free = ~((theta <= 0.0) & (slope > 0.0))
    free[-1] = True
    direction = np.zeros_like(theta)
    direction[free] = -np.linalg.solve(curvature[np.ix_(free, free)], slope[free])
    return direction


def _kept(theta: Floats) -> Floats:
    return np.append(np.maximum(theta[:-1], 0.0), theta[-1])


def _first_of(groups: Whole, key: Floats) -> Whole:
    """Return for each group, in order, the position of its smallest key; the first on a draw."""
    order = np.lexsort((np.arange(len(key)), key, groups))
    return order[np.unique(groups[order], return_index=True)[1]]
