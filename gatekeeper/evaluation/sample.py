"""Rows made independent and of equal weight, which exact bounds ask for.

Both ways throw rows away and promise nothing that does not hold. Of each group one row is drawn.
Of weighted rows each is kept with a chance in proportion to its weight (rejection sampling), so
that those kept are a plain sample of the answers that the rows stand for.
"""

import random
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from gatekeeper.errors import InputError
from gatekeeper.evaluation.search import Scored

SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The rows to count and, in words, how they were had; None where all were taken."""

    rows: tuple[Scored, ...]
    groups: int | None = None
    how: str | None = None


def independent(rows: Sequence[Scored], *, by_label: bool, seed: int = SEED) -> Sample:
    """Draw rows that a binomial bound can count.

    Args:
        rows: Labelled answers.
        by_label: True where a rate is of wrong or of correct answers alone, so that only weights
            that differ within a label matter.
        seed: Of the draws.

    Raises:
        InputError: If rows have both groups of several and weights that differ: a row drawn from
            a group no longer stands for its weight.
    """
    generator = random.Random(seed)  # noqa: S311 - a repeatable draw, not a secret
    groups = _groups(rows)
    is_grouped = len(groups) < len(rows)
    is_weighted = _is_weighted(rows, by_label=by_label)
    if is_grouped and is_weighted:
        found = '"group" with several rows and "weight" that differs'
        expected = "one of the two, for which there is an exact bound"
        raise InputError("DATA", found, expected)
    if is_grouped:
        drawn = tuple(generator.choice(group) for group in groups)
        how = f"one row of each of {len(groups)} groups, seed {seed}"
        return Sample(rows=drawn, groups=len(groups), how=how)
    if is_weighted:
        kept = tuple(_thinned(rows, generator, by_label=by_label))
        how = f"{len(kept)} of {len(rows)} rows kept in proportion to their weight, seed {seed}"
        return Sample(rows=kept, how=how)
    return Sample(rows=tuple(rows))


def _groups(rows: Sequence[Scored]) -> list[list[Scored]]:
    """Return the rows by group, in the order of their first rows; without one each is its own."""
    groups: defaultdict[Hashable, list[Scored]] = defaultdict(list)
    for number, row in enumerate(rows):
        groups[number if row.group is None else row.group].append(row)
    return list(groups.values())


def _is_weighted(rows: Sequence[Scored], *, by_label: bool) -> bool:
    kinds = {(row.wrong and by_label, row.weight) for row in rows}
    return len(kinds) > len({kind for kind, _ in kinds})


def _thinned(
    rows: Sequence[Scored], generator: random.Random, *, by_label: bool
) -> Sequence[Scored]:
    heaviest: defaultdict[bool, float] = defaultdict(float)
    for row in rows:
        kind = row.wrong and by_label
        heaviest[kind] = max(heaviest[kind], row.weight)
    return [
        row for row in rows if generator.random() * heaviest[row.wrong and by_label] < row.weight
    ]
