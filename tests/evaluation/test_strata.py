"""Rows drawn by stratum: masses, weights that tell of strata, and what rates make of them."""

import numpy as np
import pytest

from gatekeeper.evaluation.metrics import Judged, gate_metrics, interval_method
from gatekeeper.evaluation.strata import Floats, Stratum, by_weight, draw_masses

NOTHING = (0.0, 0.0, 0.0, 0.0)


def masses(strata: list[Stratum], counts: list[tuple[float, ...]]) -> Floats:
    """Draw with a fixed seed."""
    drawn = draw_masses(strata, np.array(counts), np.random.default_rng(1), 4_000)
    assert drawn.shape == (4_000, 4)
    return drawn


def rows(stratum: str, weight: float, counts: tuple[int, int, int, int]) -> list[Judged]:
    """Return rows: wrong and blocked, correct and blocked, wrong and accepted, the rest."""
    kinds = ((True, True), (False, True), (True, False), (False, False))
    return [
        Judged(wrong=wrong, blocked=blocked, weight=weight, stratum=stratum)
        for (wrong, blocked), n in zip(kinds, counts, strict=True)
        for _ in range(n)
    ]


def test_masses_are_those_of_the_strata() -> None:
    """Whatever is drawn, a stratum has as many answers as are known to be in it."""
    strata = [Stratum(name="a", answers=100, rows=10), Stratum(name="b", answers=900, rows=30)]

    drawn = masses(strata, [(4, 1, 2, 3), (0, 0, 10, 20)])

    assert drawn.sum(axis=1) == pytest.approx(np.full(4_000, 1_000.0))
    assert drawn.mean(axis=0)[2] == pytest.approx(20 + 300, rel=0.1)


def test_kind_that_was_not_seen_may_be_there() -> None:
    """None of 30 was blocked: of 900 some may be, and most likely next to none."""
    [blocked] = [
        masses([Stratum(name="a", answers=900, rows=30)], [(0, 0, 10, 20)])[:, :2].sum(axis=1)
    ]

    assert 0.0 < np.quantile(blocked, 0.5) < 10.0
    assert 20.0 < np.quantile(blocked, 0.975) < 100.0


def test_weeks_of_a_side_share_what_is_added() -> None:
    """Ten weeks that saw nothing know as much as one with ten times the rows."""
    once = masses([Stratum(name="a", answers=1_000, rows=300)], [(0, 0, 0, 300)])
    weeks = [Stratum(name="a", answers=100, rows=30) for _ in range(10)]
    tenfold = masses(weeks, [(0, 0, 0, 30)] * 10)

    assert tenfold[:, 2].mean() == pytest.approx(once[:, 2].mean(), rel=0.2)


def test_week_without_rows_may_be_anything() -> None:
    """Its answers are spread over all kinds, and the interval is wider by all of them."""
    known = Stratum(name="a", answers=1_000, rows=100)
    open_ = Stratum(name="a", answers=1_000, rows=0)

    drawn = masses([known, open_], [(0, 0, 10, 90), NOTHING])

    assert np.quantile(drawn[:, 2], 0.975) > 900.0


def test_name_of_which_no_row_is_in_the_rates_is_in_none() -> None:
    """Answers that no gate can read are neither blocked nor accepted ones."""
    unread = Stratum(name="unchecked", answers=5_000, rows=40)
    read = Stratum(name="a", answers=100, rows=10)

    drawn = masses([read, unread], [(4, 1, 2, 3), NOTHING])

    assert drawn.sum(axis=1) == pytest.approx(np.full(4_000, 100.0))


def test_rows_outside_the_rates_take_their_share() -> None:
    """Nobody can tell of half of the rows: half of the answers are in no rate, give or take."""
    drawn = masses([Stratum(name="a", answers=1_000, rows=20)], [(4, 1, 2, 3)]).sum(axis=1)

    assert drawn.mean() == pytest.approx(500.0, rel=0.05)
    assert drawn.std() > 50.0


def test_rates_have_the_worked_points_and_intervals_round_them() -> None:
    """The worked day: blocked labels stand for 2 answers, accepted ones for 4."""
    strata = {
        "b": Stratum(name="b", answers=3172, rows=1586),
        "a": Stratum(name="a", answers=4828, rows=1207),
    }
    day = [*rows("b", 2.0, (1512, 74, 0, 0)), *rows("a", 4.0, (0, 0, 504, 703))]

    found = gate_metrics(day, strata=strata)

    for estimate, value in (
        (found.sensitivity, 3 / 5),
        (found.false_block_rate, 1 / 20),
        (found.accepted_error, 504 / 1207),
    ):
        assert estimate.value == pytest.approx(value, abs=1e-12)
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low < value < estimate.high
    assert interval_method(day, strata) == "95 %, Beta within 2 strata, 2,000 draws, seed 0"


def test_same_rows_give_the_same_interval() -> None:
    """A result that changes from run to run can't be checked for drift."""
    strata = {"a": Stratum(name="a", answers=400, rows=100)}
    some = rows("a", 4.0, (10, 20, 30, 40))

    assert gate_metrics(some, strata=strata) == gate_metrics(some, strata=strata)
    assert gate_metrics(some, strata=strata, seed=1) != gate_metrics(some, strata=strata)


def test_without_an_event_the_lower_end_is_0_and_with_nothing_else_the_upper_is_1() -> None:
    """As in the live rates."""
    strata = {"a": Stratum(name="a", answers=400, rows=100)}

    found = gate_metrics(rows("a", 4.0, (20, 0, 0, 80)), strata=strata)

    assert (found.sensitivity.high, found.false_block_rate.low) == (1.0, 0.0)
    assert found.false_block_rate.high is not None
    assert 0.0 < found.false_block_rate.high < 0.1


def test_rows_of_one_weight_are_a_stratum() -> None:
    """A hundred heavy rows show no missed answer; a bootstrap would never draw one."""
    plain = [
        *rows("", 1.0, (40, 10, 10, 40)),
        *rows("", 100.0, (0, 0, 0, 100)),
    ]

    found = gate_metrics(plain)

    assert found.accepted_error.value == pytest.approx(10 / 10_050, abs=1e-12)
    assert found.accepted_error.high is not None
    assert found.accepted_error.high > 0.01
    assert "2 strata by weight" in interval_method(plain)


@pytest.mark.parametrize(
    "weights", [[1.0] * 40, [1.0] * 30 + [2.0] * 9, [float(n + 1) for n in range(40)]]
)
def test_weights_that_tell_of_no_strata(weights: list[float]) -> None:
    """Equal ones need none, and of a few rows nobody can say how a stratum looks."""
    assert by_weight(weights, fewest=10) is None


def test_uneven_weights_are_worth_fewer_trials() -> None:
    """One row that weighs as much as all others is no proof of none in a hundred."""
    some = [Judged(wrong=False, blocked=False, weight=w) for w in (*[1.0] * 99, 99.0)]

    high = gate_metrics(some).false_block_rate.high
    even = gate_metrics([Judged(wrong=False, blocked=False)] * 100).false_block_rate.high

    assert high is not None
    assert even == pytest.approx(1 - 0.025 ** (1 / 100), abs=1e-12)
    assert high == pytest.approx(1 - 0.025 ** (1 / 3), abs=1e-12)
