"""Labelled rows as arrays, and their rates with other weights or drawn anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gatekeeper.evaluation.strata import Floats, Stratum, draw_masses

if TYPE_CHECKING:
    from gatekeeper.evaluation.metrics import Judged

# Draws are made in slices of this many numbers, so memory stays at some ten MB.
_SLICE = 1_000_000
_RATES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The rows as arrays, ready to be weighted by how often each group was drawn.

    ``cells`` has shape (groups, 4): weight of wrong and blocked, correct and blocked, wrong and
    accepted, correct and accepted. The scored rows are sorted by score; ``starts`` are the places
    where a new score begins.
    """

    cells: Floats
    members: NDArray[np.int64]
    is_even: bool
    scored_group: NDArray[np.intp]
    scored_wrong: Floats
    scored_correct: Floats
    starts: NDArray[np.intp]

    @property
    def groups(self) -> int:
        """How many there are."""
        return int(self.cells.shape[0])

    @classmethod
    def of(cls, rows: "Sequence[Judged]") -> "Table":
        """Put rows into arrays, groups in the order of their first rows."""
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
            is_even=bool(np.unique(weight).size < 2),
            scored_group=group[order],
            scored_wrong=np.where(wrong, weight, 0.0)[order],
            scored_correct=np.where(wrong, 0.0, weight)[order],
            starts=np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1])[: ranked.size]),
        )

    def trials(self, cells: Sequence[int]) -> int:
        """Return how many groups have a row in one of the cells, or what uneven ones are worth."""
        groups = int(np.sum(self.members[:, cells].sum(axis=1) > 0))
        if self.is_even or not groups:
            return groups
        weights = self.cells[:, cells].sum(axis=1)
        return max(1, min(groups, int(weights.sum() ** 2 / (weights**2).sum())))

    def rates(self, times: Floats) -> Floats:
        """Return the six rates, NaN where undefined, for groups counted ``times`` (draws, groups).

        Shape (draws, 6), in the order of ``metrics.RATES``.
        """
        return np.concatenate([_rates(times @ self.cells), self.auc(times)[:, None]], axis=1)

    def auc(self, times: Floats) -> Floats:
        """Return the AUC, NaN where undefined, for groups counted ``times``; shape (draws,)."""
        if not self.starts.size:
            return np.full(times.shape[0], np.nan)
        drawn = times[:, self.scored_group]
        wrong = np.add.reduceat(drawn * self.scored_wrong, self.starts, axis=1)
        correct = np.add.reduceat(drawn * self.scored_correct, self.starts, axis=1)
        # Of each correct answer: the wrong ones that score lower, and half of those that tie.
        lower = np.cumsum(wrong, axis=1) - wrong / 2.0
        pairs = wrong.sum(axis=1) * correct.sum(axis=1)
        with np.errstate(invalid="ignore"):
            return np.asarray((lower * correct).sum(axis=1) / pairs)


def draw(table: Table, *, seed: int, draws: int) -> Floats:
    """Draw the six rates by a bootstrap over groups; none where there is a single one."""
    if table.groups < 2:
        return np.empty((0, _RATES))
    generator = np.random.default_rng(seed)
    even = np.full(table.groups, 1.0 / table.groups)
    step = max(1, _SLICE // max(table.groups, table.scored_group.size))
    parts = [
        table.rates(generator.multinomial(table.groups, even, size=size).astype(np.float64))
        for size in (min(step, draws - done) for done in range(0, draws, step))
    ]
    return np.concatenate(parts)


def draw_by_stratum(
    rows: "Sequence[Judged]",
    table: Table,
    strata: Mapping[str, Stratum],
    *,
    seed: int,
    draws: int,
) -> Floats:
    """Draw the six rates, NaN where undefined; shape (draws, 6)."""
    generator = np.random.default_rng(seed)
    places = {key: place for place, key in enumerate(strata)}
    counts = np.zeros((len(strata), 4))
    for row in rows:
        counts[places[str(row.stratum)], 2 * (not row.blocked) + (not row.wrong)] += 1
    masses = draw_masses([*strata.values()], counts, generator, draws)
    rates = _rates(masses)
    names = np.array([strata[str(row.stratum)].name for row in rows])
    of_name = [np.flatnonzero(names == name) for name in sorted(set(names))]
    parts = []
    step = max(1, _SLICE // max(1, len(rows)))
    for size in (min(step, draws - done) for done in range(0, draws, step)):
        times = generator.exponential(size=(size, len(rows)))
        for members in of_name:
            times[:, members] /= times[:, members].mean(axis=1, keepdims=True)
        parts.append(table.auc(times))
    return np.concatenate([rates, np.concatenate(parts)[:, None]], axis=1)


def _rates(cells: Floats) -> Floats:
    """Return the rates but the AUC from four weights a draw; shape (draws, 5)."""
    blocked_wrong, blocked_right, passed_wrong, passed_right = cells.T
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
        )
    return np.stack(columns, axis=1)
