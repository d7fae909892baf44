"""A rising line through how often claims of each score were supported (isotonic regression).

Pool adjacent violators (Ayer et al., 1955) over twentieths of the weight, joined by lines instead
of steps, so that two claims of different scores never come to share one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatekeeper.core.support import Point

Floats = NDArray[np.float64]

PARTS = 20

# Sums are rounded: shares that differ by less are the same.
_SAME = 1e-9


class Part(NamedTuple):
    """Neighbouring claims: mean score, share supported, weight."""

    score: float
    right: float
    weight: float


def rising_curve(score: Floats, right: Floats, weight: Floats) -> tuple[Point, ...]:
    """Return points from (0, 0) to (1, 1), rising in both, through mean score and frequency.

    ``score`` in [0, 1], ``right`` 0 or 1, ``weight`` sums to 1. A part in which every claim, or
    none, is supported adds no point, for 0 and 1 are the ends.
    """
    blocks: list[Part] = []
    for part in _parts(score, right, weight):
        pooled = part
        while blocks and blocks[-1].right >= pooled.right - _SAME:
            pooled = _pool(blocks.pop(), pooled)
        blocks.append(pooled)
    inner = [
        (one.score, one.right)
        for one in blocks
        if 0 < one.score < 1 and _SAME < one.right < 1 - _SAME
    ]
    return ((0.0, 0.0), *inner, (1.0, 1.0))


def _pool(one: Part, other: Part) -> Part:
    weight = one.weight + other.weight
    return Part(
        score=(one.score * one.weight + other.score * other.weight) / weight,
        right=(one.right * one.weight + other.right * other.weight) / weight,
        weight=weight,
    )


def _parts(score: Floats, right: Floats, weight: Floats) -> list[Part]:
    """Return parts in order of their score; equal scores stay together."""
    order = np.argsort(score, kind="stable")
    score, right, weight = score[order], right[order], weight[order]
    middle = np.cumsum(weight) - weight / 2.0
    number = np.minimum((middle / weight.sum() * PARTS).astype(int), PARTS - 1)
    _, first, inverse = np.unique(score, return_index=True, return_inverse=True)
    number = number[first][inverse]
    found = []
    for each in np.unique(number):
        inside = number == each
        total = float(weight[inside].sum())
        found.append(
            Part(
                score=float(weight[inside] @ score[inside]) / total,
                right=float(weight[inside] @ right[inside]) / total,
                weight=total,
            )
        )
    return found
