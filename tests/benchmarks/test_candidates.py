"""The simulation of samples judged again: 40 months of some candidates."""

import numpy as np
import pytest

from benchmarks.candidates import CANDIDATES, SHARES, judged, simulate
from benchmarks.outcomes import WORLDS, month
from gatekeeper.evaluation.bounds import upper_bound
from gatekeeper.evaluation.sample import independent
from gatekeeper.evaluation.search import Scored


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


def test_bounds_over_rows_kept_by_weight_hold() -> None:
    """What ``calibrate`` counts: in 60 months the exact bound fails 8 times but for 1 in 100."""
    rng, held = np.random.default_rng(5), 0
    for number in range(60):
        seen = month(WORLDS["63 % wrong"], rng, weeks=1)[0]
        rows, _, true = judged(seen, CANDIDATES["another"], rng)
        scored = [
            Scored(wrong=row.wrong, score=float(not row.blocked), weight=row.weight) for row in rows
        ]

        kept = [
            one for one in independent(scored, by_label=True, seed=number).rows if not one.wrong
        ]

        blocked = sum(one.score == 0.0 for one in kept)
        rate = true["false_block_rate"]
        assert rate is not None
        held += rate <= upper_bound(blocked, len(kept), 0.95)
        assert 40 < len(kept) < 400
    assert held >= 53
