"""Rates and intervals from counts: the worked day, its edges, and what is not known."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.estimate import Estimate, Stratum, estimate_rates, naive_rates
from gatekeeper.outcomes.words import Band, Rate


def blocked(decisions: int, wrong: int = 0, correct: int = 0, open_: int = 0) -> Stratum:
    """Return the blocked decisions of a week."""
    return Stratum(
        side=Side.BLOCKED,
        band=Band.ONE,
        week=0,
        decisions=decisions,
        wrong=wrong,
        correct=correct,
        cannot_tell=open_,
    )


def accepted(
    decisions: int,
    wrong: int = 0,
    correct: int = 0,
    open_: int = 0,
    *,
    band: Band = Band.LOW,
    week: int = 0,
) -> Stratum:
    """Return accepted decisions of a week and band."""
    return Stratum(
        side=Side.ACCEPTED,
        band=band,
        week=week,
        decisions=decisions,
        wrong=wrong,
        correct=correct,
        cannot_tell=open_,
    )


DAY = [blocked(3172, 1512, 74), accepted(4828, 504, 703)]


def test_worked_day() -> None:
    """Labels weigh what they stand for: half of the blocked have one, a quarter of the rest."""
    found = estimate_rates(DAY)

    assert found[Rate.SENSITIVITY].point == 3 / 5
    assert found[Rate.FALSE_BLOCK].point == 1 / 20
    assert found[Rate.ACCEPTED_ERROR].point == 504 / 1207
    assert found[Rate.COVERAGE].point == 4828 / 8000


def test_worked_day_without_weights() -> None:
    """What a plain ratio of labels would say: two of three are wrong."""
    found = naive_rates(DAY)

    assert found[Rate.SENSITIVITY] == Fraction(3, 4)
    assert found[Rate.FALSE_BLOCK] == Fraction(2, 21)
    assert found[Rate.ACCEPTED_ERROR] == Fraction(504, 1207)


def test_worked_delivered_error() -> None:
    """With 2,000 more released unchecked the error of what users got is another one."""
    unchecked = Stratum(
        side=Side.UNCHECKED, band=Band.ONE, week=0, decisions=2000, wrong=63, correct=37
    )

    found = estimate_rates([*DAY, unchecked], [DAY[1], unchecked])

    assert found[Rate.ACCEPTED_ERROR].point == 504 / 1207
    assert found[Rate.DELIVERED_ERROR].point == pytest.approx(273 / 569, abs=1e-12)


def test_shadow_delivers_everything() -> None:
    """Whatever the gate would do, users got every answer."""
    assert estimate_rates(DAY, DAY)[Rate.DELIVERED_ERROR].point == pytest.approx(0.63, abs=1e-12)


def test_interval_lies_round_the_rate() -> None:
    """The daily alert asks with wider bounds than the dashboard."""
    for estimate in estimate_rates(DAY, DAY).values():
        low999, low, point = estimate.low999, estimate.low, estimate.point
        upper, high, high999 = estimate.upper, estimate.high, estimate.high999
        assert None not in (low999, low, point, upper, high, high999)
        assert low999 <= low <= point <= upper <= high <= high999  # type: ignore[operator]


def test_same_counts_give_the_same_bounds() -> None:
    """Two workers asked at once must not differ."""
    assert estimate_rates(DAY) == estimate_rates(reversed(DAY))


def test_jeffreys_interval_of_one_stratum() -> None:
    """With one stratum the bounds are the quantiles of Beta(y + 1/2, n - y + 1/2)."""
    found = estimate_rates([accepted(1000, 5, 45)])[Rate.ACCEPTED_ERROR]

    # Beta(5.5, 45.5): 2.5 and 97.5 %.
    assert found.low == pytest.approx(0.0394, abs=0.002)
    assert found.high == pytest.approx(0.2061, abs=0.004)


def test_without_an_event_the_lower_end_is_0() -> None:
    """Nobody has seen a wrong one among the accepted; that is no proof that there is none."""
    found = estimate_rates([accepted(1000, 0, 100)])[Rate.ACCEPTED_ERROR]

    assert (found.point, found.low, found.low999) == (0.0, 0.0, 0.0)
    assert found.high is not None
    assert 0.01 < found.high < 0.05


def test_with_all_events_the_upper_end_is_1() -> None:
    """The same from the other side."""
    found = estimate_rates([blocked(100, 20, 0), accepted(900, 0, 50)])[Rate.SENSITIVITY]

    assert (found.point, found.high, found.high999, found.upper) == (1.0, 1.0, 1.0, 1.0)
    assert found.low is not None
    assert found.low < 1.0


@pytest.mark.parametrize(
    ("strata", "rate", "reason"),
    [
        ([blocked(10, 5, 0), accepted(90)], Rate.SENSITIVITY, "no labels among accepted"),
        ([blocked(10), accepted(90, 5, 5)], Rate.FALSE_BLOCK, "no labels among blocked"),
        ([blocked(10, 5, 0), accepted(90)], Rate.ACCEPTED_ERROR, "no labels among accepted"),
        ([accepted(90, 0, 0, 5)], Rate.ACCEPTED_ERROR, "no labels among accepted"),
        (
            [accepted(90, 5, 5), accepted(90, band=Band.HIGH)],
            Rate.ACCEPTED_ERROR,
            "no labels among accepted (high scores)",
        ),
        ([blocked(10, 0, 5), accepted(90, 0, 5)], Rate.SENSITIVITY, "no labelled answer was wrong"),
        (
            [blocked(10, 5, 0), accepted(9, 5, 0)],
            Rate.FALSE_BLOCK,
            "no labelled answer was correct",
        ),
        ([blocked(10, 5, 5)], Rate.ACCEPTED_ERROR, "nothing was accepted"),
        ([], Rate.COVERAGE, "no answer was checked"),
    ],
)
def test_unknown_is_no_number(strata: list[Stratum], rate: Rate, reason: str) -> None:
    """A rate that is not known must be neither the best nor the worst one."""
    found = estimate_rates(strata)[rate]

    assert found.unknown.startswith(reason)
    bounds = (found.point, found.low, found.high, found.low999, found.high999, found.upper)
    assert bounds == (None,) * 6


def test_side_without_decisions_is_known_to_be_empty() -> None:
    """Nothing was blocked: no label is needed to know that nothing wrong was."""
    found = estimate_rates([blocked(0), accepted(100, 5, 45)])

    assert (found[Rate.SENSITIVITY].point, found[Rate.SENSITIVITY].high) == (0.0, 0.0)
    assert (found[Rate.FALSE_BLOCK].point, found[Rate.FALSE_BLOCK].high) == (0.0, 0.0)


def test_cannot_tell_is_left_out_and_counted_both_ways() -> None:
    """Of 100 labels on 1,000 answers 20 don't tell: 10 of 80, 10 of 100, 30 of 100."""
    found = estimate_rates([accepted(1000, 10, 70, 20)])[Rate.ACCEPTED_ERROR]

    assert found.point == 10 / 80
    assert (found.as_correct, found.as_wrong) == (10 / 100, 30 / 100)
    assert found.cannot_tell == 20 / 100
    assert found.labels == 80


def test_cannot_tell_is_part_of_what_a_label_weighs() -> None:
    """A label stands for decisions / labelled, whatever the other labels say."""
    strata = [blocked(100, 5, 3, 2), accepted(200, 5, 15)]

    found = estimate_rates(strata)[Rate.SENSITIVITY]

    assert found.point == pytest.approx(50 / (50 + 50), abs=1e-12)
    assert found.as_wrong == pytest.approx(70 / (70 + 50), abs=1e-12)


def test_week_without_labels_has_the_shares_of_the_others_and_widens() -> None:
    """On Monday morning the month's rate must neither vanish nor pretend to know the new week."""
    labelled = [accepted(1000, 10, 90, week=n) for n in range(3)]

    month = estimate_rates(labelled)[Rate.ACCEPTED_ERROR]
    monday = estimate_rates([*labelled, accepted(1000, week=3)])[Rate.ACCEPTED_ERROR]

    assert monday.point == month.point == 0.1
    assert monday.high is not None
    assert month.high is not None
    assert monday.high > month.high + 0.1


def test_weeks_share_the_halves_of_the_prior() -> None:
    """A half for each week would add two wrong answers where none was found."""
    weeks = [accepted(1000, 0, 100, week=n) for n in range(4)]

    month = estimate_rates(weeks)[Rate.ACCEPTED_ERROR].high
    once = estimate_rates([accepted(4000, 0, 400)])[Rate.ACCEPTED_ERROR].high

    assert month == pytest.approx(once, rel=0.15)


def test_strata_of_what_was_delivered_share_the_halves() -> None:
    """A half for each band would add one and a half wrong answers where one was found."""
    bands = [accepted(1000, 0, 100, band=band) for band in (Band.LOW, Band.HIGH)]

    delivered = estimate_rates([], bands)[Rate.DELIVERED_ERROR].high
    once = estimate_rates([accepted(2000, 0, 200)])[Rate.ACCEPTED_ERROR].high

    assert delivered == pytest.approx(once, rel=0.15)


def test_confidence_moves_the_one_sided_bound_only() -> None:
    """What readiness promises is what the policy asked for."""
    [sure, less] = (
        estimate_rates(DAY, confidence=level)[Rate.FALSE_BLOCK] for level in (0.975, 0.8)
    )

    assert sure.upper == sure.high == less.high
    assert less.upper is not None
    assert sure.upper is not None
    assert less.upper < sure.upper


counts = st.integers(0, 30)
strata_ = st.lists(
    st.builds(
        lambda side, week, labels, rest: Stratum(
            side=side,
            band=Band.LOW if side is Side.ACCEPTED else Band.ONE,
            week=week,
            decisions=sum(labels) + rest,
            wrong=labels[0],
            correct=labels[1],
            cannot_tell=labels[2],
        ),
        st.sampled_from(Side),
        st.integers(0, 2),
        st.tuples(counts, counts, counts),
        st.integers(0, 500),
    ),
    max_size=6,
)


@settings(deadline=None, max_examples=30)
@given(strata_)
def test_rates_are_shares_or_unknown(strata: list[Stratum]) -> None:
    """Whatever was labelled, no figure leaves [0, 1], and one that is missing says why."""
    for found in estimate_rates(strata, strata, draws=200).values():
        assert (found.point is None) == bool(found.unknown)
        if found.point is not None:
            held = _figures(found)
            assert all(0.0 <= number <= 1.0 for number in held)
            assert held == sorted(held)


def _figures(found: Estimate) -> list[float]:
    numbers = (found.low999, found.low, found.high, found.high999)
    return [number for number in numbers if number is not None]
