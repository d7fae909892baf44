"""The simulation of live rates: its worlds, and 50 months of one of them."""

import numpy as np
import pytest

from benchmarks.outcomes import WORLDS, World, month, simulate
from gatekeeper.core.decide import Side
from gatekeeper.outcomes.words import Rate

WORLD = WORLDS["3 % wrong"]


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_world_has_its_rates(world: World) -> None:
    """What is simulated is what the name says."""
    cells = world.cells()

    wrong = sum(chance for _, _, is_wrong, chance in cells if is_wrong)
    caught = sum(chance for side, _, is_wrong, chance in cells if is_wrong and side is Side.BLOCKED)
    assert sum(chance for *_, chance in cells) == pytest.approx(1.0)
    assert all(chance >= 0.0 for *_, chance in cells)
    assert wrong == pytest.approx(world.wrong)
    assert caught / wrong == pytest.approx(world.sensitivity)


def test_labels_are_of_the_answers_there_are() -> None:
    """No stratum has more wrong labels than wrong answers, and a week has its labels."""
    [week] = month(WORLD, np.random.default_rng(1), weeks=1)

    assert sum(one.stratum.decisions for one in week) == 56_000
    assert sum(one.stratum.labelled for one in week) == 400
    assert all(one.stratum.wrong <= one.wrong for one in week)


@pytest.mark.parametrize("weeks", [1, 4])
def test_intervals_cover_the_truth(weeks: int) -> None:
    """50 months: 43 or more are covered but for 3 in 1,000 seeds, if 95 % are."""
    tallies = simulate(WORLD, months=50, weeks=weeks, seed=2, draws=1_000)

    for rate in (Rate.SENSITIVITY, Rate.FALSE_BLOCK, Rate.ACCEPTED_ERROR):
        assert tallies[rate].known == 50
        assert tallies[rate].covered >= 43


def test_plain_ratio_misleads() -> None:
    """Without weights sensitivity looks like 85 % where it is 60."""
    tally = simulate(WORLD, months=10, weeks=1, seed=3, draws=200)[Rate.SENSITIVITY]

    assert min(tally.naive) > 0.7
    assert max(tally.truths) < 0.65
