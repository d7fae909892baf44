"""The simulation of samples judged again: 40 months of some candidates."""

import numpy as np
import pytest

from benchmarks.candidates import CANDIDATES, SHARES, judged, simulate
from benchmarks.outcomes import WORLDS, month


def test_the_same_candidate_has_the_rates_of_the_world() -> None:
    """What is simulated is what the name says."""
    rng = np.random.default_rng(1)
    seen = month(WORLDS["63 % wrong"], rng, weeks=1)[0]

    rows, strata, true = judged(seen, CANDIDATES["the same"], rng)

    assert len(rows) == 400
    assert sum(stratum.answers for stratum in strata.values()) == 56_000
    assert true["sensitivity"] == pytest.approx(0.6, abs=0.02)
    assert true["false_block_rate"] == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize(
    ("world", "candidate"), [("3 % wrong", "the same"), ("1 % wrong", "another")]
)
def test_intervals_cover_the_truth(world: str, candidate: str) -> None:
    """40 months: 34 or more are covered but for 1 in 100 seeds, if 95 % are."""
    found = simulate(WORLDS[world], CANDIDATES[candidate], months=40, weeks=1, seed=3, draws=400)

    for rate in SHARES:
        assert found[rate].known == 40
        assert found[rate].covered >= 34


def test_bootstrap_over_all_rows_covers_less() -> None:
    """A band that shows no wrong answer has none in any draw, and hides the missed ones."""
    found = simulate(
        WORLDS["1 % wrong"], CANDIDATES["the same"], months=40, weeks=1, seed=4, draws=400
    )["sensitivity"]

    assert found.by_bootstrap < 34 <= found.covered
