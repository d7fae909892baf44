"""How far a score can be read as a frequency: calibration error, Brier score, a diagram.

Over answers that hold exactly one claim, whose label is the claim's. Pooled with equal weight a
set, of the sets that have enough such answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatekeeper.evaluation.metrics import Estimate

Floats = NDArray[np.float64]

BINS = 10
LEAST = 100
DRAWS = 1000
SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """An answer of one claim: its score, and whether it is labelled supported."""

    score: float
    right: bool
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """A tenth of the weight: mean score, share supported, and the share of the weight in it."""

    score: float
    supported: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """What is known of one pool of answers."""

    n: int
    calibration_error: Estimate
    brier: float
    bins: tuple[Bin, ...]


def reliability(by_set: Mapping[str, Sequence[Single]], *, draws: int = DRAWS) -> Reliability:
    """Return the figures of a pool, every set weighing the same; the interval is over groups.

    Raises:
        ValueError: If a set has no answer.
    """
    pool = [_columns(singles) for singles in by_set.values()]
    score, right, weight = _joined(pool)
    bins = bins_of(score, right, weight)
    generator = np.random.default_rng(SEED)
    drawn = []
    for _ in range(draws):
        again = _joined([_drawn(columns, generator) for columns in pool])
        drawn.append(calibration_error(bins_of(*again)))
    low, high = np.quantile(drawn, [0.025, 0.975]) if drawn else (None, None)
    return Reliability(
        n=len(score),
        calibration_error=Estimate(
            value=calibration_error(bins),
            low=None if low is None else float(low),
            high=None if high is None else float(high),
        ),
        brier=float(weight @ (score - right) ** 2),
        bins=bins,
    )


def bins_of(score: Floats, right: Floats, weight: Floats) -> tuple[Bin, ...]:
    """Cut answers, in order of their score, into bins of equal weight; equal scores stay together.

    Weights sum to 1. With many equal scores there are fewer bins than ``BINS``.
    """
    order = np.argsort(score, kind="stable")
    score, right, weight = score[order], right[order], weight[order]
    middle = np.cumsum(weight) - weight / 2.0
    number = np.minimum((middle * BINS).astype(int), BINS - 1)
    # A score belongs to the bin in which the first answer with it lies.
    _, first, inverse = np.unique(score, return_index=True, return_inverse=True)
    number = number[first][inverse]
    found = []
    for each in np.unique(number):
        inside = number == each
        total = weight[inside].sum()
        found.append(
            Bin(
                score=float(weight[inside] @ score[inside] / total),
                supported=float(weight[inside] @ right[inside] / total),
                weight=float(total),
            )
        )
    return tuple(found)


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the mean distance of score and frequency, weighted by bin (Guo et al., ICML 2017)."""
    return sum(one.weight * abs(one.score - one.supported) for one in bins)


def diagram(pools: Mapping[str, Reliability]) -> str:
    """Draw share supported against score as SVG, a line a pool; the diagonal is the aim."""
    size, edge = 320, 40
    colours = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#555")
    box = f"0 0 {size + edge + 220} {size + 2 * edge}"
    style = 'font-family="sans-serif" font-size="12"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {style}>',
        f'<rect x="{edge}" y="{edge}" width="{size}" height="{size}" fill="none" stroke="#999"/>',
        f'<path d="M{edge} {edge + size}L{edge + size} {edge}" stroke="#bbb"/>',
        f'<text x="{edge + size / 2}" y="{size + edge + 30}" text-anchor="middle">score</text>',
        f'<text x="{edge}" y="{edge - 10}">share supported</text>',
    ]
    for number, (name, pool) in enumerate(pools.items()):
        colour = colours[number % len(colours)]
        points = " ".join(
            f"{edge + size * one.score:.1f},{edge + size * (1 - one.supported):.1f}"
            for one in pool.bins
        )
        y = edge + 14 + 18 * number
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        parts.append(f'<text x="{edge + size + 12}" y="{y}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _columns(singles: Sequence[Single]) -> tuple[Floats, Floats, list[NDArray[np.intp]]]:
    """Return scores, labels, and the positions of each group."""
    if not singles:
        raise ValueError("a set without answers of one claim has no reliability")
    places: dict[str, list[int]] = {}
    for position, one in enumerate(singles):
        places.setdefault(one.group, []).append(position)
    score = np.array([one.score for one in singles])
    right = np.array([float(one.right) for one in singles])
    return score, right, [np.array(found) for found in places.values()]


def _drawn(
    columns: tuple[Floats, Floats, list[NDArray[np.intp]]], generator: np.random.Generator
) -> tuple[Floats, Floats, list[NDArray[np.intp]]]:
    score, right, groups = columns
    chosen = generator.integers(len(groups), size=len(groups))
    places = np.concatenate([groups[number] for number in chosen])
    return score[places], right[places], groups


def _joined(
    pool: Sequence[tuple[Floats, Floats, list[NDArray[np.intp]]]],
) -> tuple[Floats, Floats, Floats]:
    weights = [np.full(len(score), 1.0 / len(score) / len(pool)) for score, _, _ in pool]
    return (
        np.concatenate([score for score, _, _ in pool]),
        np.concatenate([right for _, right, _ in pool]),
        np.concatenate(weights),
    )
