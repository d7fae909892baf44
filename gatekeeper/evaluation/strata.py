"""Rows that were drawn by stratum: what is left open when a few stand for many. Pure.

Of a stratum it is known how many answers it holds. Not known are the share that the gate blocks,
and the wrong share on either side. Each is drawn from a Beta distribution, with a quarter added on
both sides for the first and a half for the others, times the answers of the stratum. A stratum
that shows no event then still has one that may be there, which neither a bootstrap over all rows
nor one within strata knows: simulated, these hold the truth as seldom as 68 % of the time where
the interval says 95.

Strata of one name (the weeks of one side, say) share what is added: a half for each would add up.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """The answers a stratum holds, and how many rows were drawn from it.

    ``rows`` counts those that are in no rate as well. A stratum without rows may be anything.
    """

    name: str
    answers: float
    rows: int


def draw_masses(
    strata: Sequence[Stratum], counts: Floats, generator: np.random.Generator, draws: int
) -> Floats:
    """Return masses of wrong and blocked, correct and blocked, wrong and accepted, and the rest.

    Args:
        strata: In the order of ``counts``.
        counts: Rows in the rates, shape (strata, 4), in the order above.
        generator: Of random numbers.
        draws: How many.

    Returns:
        Shape (draws, 4): answers of all strata.
    """
    total = np.zeros((draws, 4))
    sharing = Counter(stratum.name for stratum in strata)
    seen: Counter[str] = Counter()
    for stratum, row in zip(strata, counts, strict=True):
        seen[stratum.name] += int(row.sum())
    for stratum, row in zip(strata, counts, strict=True):
        if seen[stratum.name]:
            half = 0.5 / sharing[stratum.name]
            mass = stratum.answers * _told(stratum, row, generator, draws)
            total += mass[:, None] * _split(row, half, generator, draws)
    return total


def _told(stratum: Stratum, row: Floats, generator: np.random.Generator, draws: int) -> Floats:
    """Draw the share of a stratum that the rates are about; all of it where no row is left out."""
    inside = float(row.sum())
    outside = stratum.rows - inside
    if outside <= 0.0:
        return np.ones(draws)
    return generator.beta(inside + 0.5, outside + 0.5, draws)


def _split(row: Floats, half: float, generator: np.random.Generator, draws: int) -> Floats:
    """Draw the shares of the four kinds within a stratum."""
    wrong_blocked, correct_blocked, wrong_passed, correct_passed = row
    blocked = generator.beta(
        wrong_blocked + correct_blocked + half / 2.0,
        wrong_passed + correct_passed + half / 2.0,
        draws,
    )
    of_blocked = generator.beta(wrong_blocked + half, correct_blocked + half, draws)
    of_passed = generator.beta(wrong_passed + half, correct_passed + half, draws)
    return np.stack(
        (
            blocked * of_blocked,
            blocked * (1.0 - of_blocked),
            (1.0 - blocked) * of_passed,
            (1.0 - blocked) * (1.0 - of_passed),
        ),
        axis=1,
    )


def by_weight(weights: Sequence[float], *, fewest: int) -> Mapping[str, Stratum] | None:
    """Take rows of one weight as a stratum; None if weights are equal, or one is a rare one.

    Args:
        weights: One a row.
        fewest: Rows that each weight needs: with less, a share within it is anybody's guess.
    """
    found = Counter(weights)
    if len(found) < 2 or min(found.values()) < fewest:
        return None
    return {
        weight_key(weight): Stratum(name=weight_key(weight), answers=weight * n, rows=n)
        for weight, n in sorted(found.items())
    }


def weight_key(weight: float) -> str:
    """Return the key of the stratum that a weight stands for."""
    return repr(weight)
