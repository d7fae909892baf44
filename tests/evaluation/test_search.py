"""The search for a threshold: directions, bounds, and what to say when there is none."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.evaluation.bounds import upper_bound
from gatekeeper.evaluation.search import (
    FINDING,
    SHARED,
    WALKED,
    AcceptedErrorTarget,
    FalseBlockTarget,
    Point,
    Scored,
    accepted_share,
    bound,
    curve,
    error_at,
    first,
    meets,
    search,
    walk,
)

CANDIDATES = (0.0, 0.35, 0.45, 0.55, 0.65, 0.75, 0.95)
FIVE = FalseBlockTarget(target=Fraction("0.05"), confidence=Fraction("0.95"))
TENTH = AcceptedErrorTarget(
    target=Fraction("0.1"), confidence=Fraction("0.95"), min_accepted=Fraction("0.5")
)


def rows(correct: list[float], wrong: list[float]) -> list[Scored]:
    """Make rows of both kinds."""
    return [Scored(wrong=False, score=score) for score in correct] + [
        Scored(wrong=True, score=score) for score in wrong
    ]


WORKED = rows([0.9, 0.8, 0.6, 0.4], [0.7, 0.5, 0.3, 0.1])


@pytest.mark.parametrize(
    ("threshold", "false_block", "sensitivity", "accepted", "error"),
    [
        (0.0, "0", "0", 8, "1/2"),
        (0.35, "0", "1/2", 6, "1/3"),
        (0.45, "1/4", "1/2", 5, "2/5"),
        (0.55, "1/4", "3/4", 4, "1/4"),
        (0.65, "1/2", "3/4", 3, "1/3"),
        (0.75, "1/2", "1", 2, "0"),
        (0.95, "1", "1", 0, None),
    ],
)
def test_worked_table(
    threshold: float, false_block: str, sensitivity: str, accepted: int, error: str | None
) -> None:
    """Eight answers; blocking more makes the accepted error worse at 0.45 and at 0.65."""
    [point] = curve(WORKED, [threshold])

    assert point.false_block_rate == Fraction(false_block)
    assert point.sensitivity == Fraction(sensitivity)
    assert point.accepted == accepted
    assert point.accepted_error == (None if error is None else Fraction(error))


def test_worked_choices() -> None:
    """Largest for the false-block rate, smallest for the accepted error; point rates, no bounds."""
    points = curve(WORKED, CANDIDATES)

    def blocks_at_most(share: Fraction) -> float | None:
        chosen = walk(points, lambda point: (point.false_block_rate or Fraction(0)) <= share)
        return None if chosen is None else chosen.threshold

    def lets_through_at_most(share: str) -> float | None:
        chosen = first(
            points,
            lambda p: p.accepted_error is not None and p.accepted_error <= Fraction(share),
        )
        return None if chosen is None else chosen.threshold

    assert blocks_at_most(Fraction(1, 4)) == 0.55
    assert lets_through_at_most("1/4") == 0.55
    assert lets_through_at_most("0.1") == 0.75
    assert lets_through_at_most("-1") is None


def test_walk_stops_at_the_first_failure() -> None:
    """What lies behind a failure was not tested, whatever it looks like."""
    points = curve(WORKED, CANDIDATES)

    assert walk(points, lambda point: point.threshold != 0.45) == points[1]
    assert walk(points, lambda point: point.threshold > 0) is None


def test_largest_threshold_within_the_bound() -> None:
    """One false block of 93 is within five per cent, two are not."""
    correct = [0.2, 0.4] + [0.9] * 91
    choice = search(rows(correct, [0.3, 0.5]), FIVE)

    assert choice.chosen is not None
    assert choice.chosen.threshold == 0.4
    assert (choice.chosen.false_blocks, choice.chosen.caught) == (1, 1)
    assert choice.bound == upper_bound(1, 93, 0.95) <= 0.05
    assert choice.missing is None


def test_threshold_may_lie_beyond_the_thousandths() -> None:
    """A sure model has its scores at the ends."""
    choice = search(rows([0.0004] + [0.99995] * 92, [0.9999] * 9), FIVE)

    assert choice.chosen is not None
    assert choice.chosen.caught == 0 if choice.chosen.threshold < 0.9999 else 9
    assert choice.chosen.threshold == pytest.approx(0.99995)


def test_floor_above_the_target_leaves_nothing() -> None:
    """Findings alone block one correct answer in ten, whatever the threshold."""
    choice = search(rows([FINDING] * 100 + [0.9] * 900, [0.1] * 50), FIVE)

    assert choice.chosen is None
    assert choice.floor.false_blocks == 100
    assert choice.floor_bound == upper_bound(100, 1000, 0.95)
    assert choice.missing is None


def test_too_few_labels_are_counted() -> None:
    """Fifty correct answers without a false block are nine short of 59."""
    choice = search(rows([0.9] * 50, [0.1] * 50), FIVE)

    assert (choice.chosen, choice.bound, choice.missing) == (None, None, 9)


def test_shortfall_is_at_the_rate_seen() -> None:
    """A finding in 49 correct answers: the same rate passes with many more."""
    choice = search(rows([FINDING] + [0.9] * 48, [0.1] * 50), FIVE)

    assert choice.chosen is None
    assert choice.missing is not None
    n = 49 + choice.missing
    assert upper_bound(-(-n // 49), n, 0.95) <= 0.05


def test_no_correct_answer_is_no_false_block_rate() -> None:
    """The 59 that show it are all missing."""
    choice = search(rows([], [0.1] * 50), FIVE)

    assert (choice.chosen, choice.floor_bound, choice.missing) == (None, 1.0, 59)


def test_smallest_threshold_for_the_accepted_error() -> None:
    """Least blocking that suffices: the wrong ones lie at 0.3, the next candidate is 0.35."""
    choice = search(rows([0.2] * 30 + [0.9] * 170, [0.3] * 60), TENTH)

    assert choice.chosen is not None
    assert choice.chosen.threshold == 0.35
    assert (choice.chosen.missed, choice.chosen.accepted) == (0, 170)
    assert choice.bound == upper_bound(0, 170, 1 - 0.05 / 23) <= 0.1
    assert choice.candidates == len(SHARED) == 23


def test_least_accepted_share_rules_out_a_gate_that_lets_nothing_through() -> None:
    """A hundred right answers at 0.99 are good, and a third of all."""
    labelled = rows([0.995] * 100 + [0.4] * 100, [0.5] * 100)

    assert search(labelled, TENTH).chosen is None
    few = replace(TENTH, min_accepted=Fraction("0.3"))
    chosen = search(labelled, few).chosen
    assert chosen is not None
    assert chosen.threshold == 0.55


def test_shortfall_of_the_accepted_error_is_of_the_nearest_candidate() -> None:
    """Forty accepted without an error are too few for a tenth at this level."""
    labelled = rows([0.9] * 40, [0.1] * 10)

    choice = search(labelled, TENTH)

    assert choice.chosen is None
    assert choice.missing is not None
    correct = 40 * (50 + choice.missing) // 50
    grown = rows([0.9] * correct, [0.1] * (50 + choice.missing - correct))
    assert search(grown, TENTH).chosen is not None
    assert search(grown[1:], TENTH).chosen is None


def test_shortfall_that_nobody_can_label_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million labels is no advice; here the end of the search is a hundred."""
    monkeypatch.setattr("gatekeeper.evaluation.search.MOST_LABELS", 60)

    assert search(rows([0.9] * 40, [0.1] * 10), TENTH).missing is None


def test_error_above_the_target_is_no_matter_of_labels() -> None:
    """A third of all that any threshold accepts is wrong."""
    choice = search(rows([0.9] * 200, [0.9995] * 100), TENTH)

    assert (choice.chosen, choice.missing) == (None, None)


@pytest.mark.parametrize(("prevalence", "holds"), [("0.05", True), ("0.9", False)])
def test_error_is_carried_over_to_the_stated_share(prevalence: str, holds: bool) -> None:
    """The same gate is good enough where few answers are wrong, and not where most are."""
    target = replace(TENTH, prevalence=Fraction(prevalence), min_accepted=Fraction("0.01"))
    labelled = rows([0.9] * 200, [0.1] * 160 + [0.995] * 40)

    chosen = search(labelled, target).chosen

    assert (chosen is not None) is holds


def test_bound_of_a_carried_over_error_is_above_the_error() -> None:
    """Both rates are bounded from above, each with half of the level."""
    [point] = curve(rows([0.9] * 95 + [0.1] * 5, [0.1] * 60 + [0.9] * 40), [0.5])
    target = replace(TENTH, prevalence=Fraction("0.63"))

    assert error_at(point, Fraction("0.63")) == Fraction(504, 1207)
    half = 1 - 0.05 / 23 / 2
    missed, blocked = upper_bound(40, 100, half), upper_bound(5, 100, half)
    assert bound(point, target) == pytest.approx(
        0.63 * missed / (0.63 * missed + 0.37 * (1 - blocked)), rel=1e-12
    )
    assert accepted_share(point, Fraction("0.63")) == Fraction(4828, 8000)


def test_rates_of_no_answers_are_undefined() -> None:
    """Neither a share of nothing nor a bound below 1."""
    [nothing] = curve([], [0.5])
    target = replace(TENTH, prevalence=Fraction("0.63"))

    assert nothing.false_block_rate is nothing.sensitivity is nothing.accepted_error is None
    assert accepted_share(nothing) is accepted_share(nothing, Fraction("0.5")) is None
    assert error_at(nothing, Fraction("0.5")) is None
    assert bound(nothing, FIVE) == bound(nothing, TENTH) == bound(nothing, target) == 1.0


@settings(max_examples=60, deadline=None)
@given(
    correct=st.lists(st.sampled_from([FINDING, 0.0, 0.3, 0.6, 0.9]), max_size=12),
    wrong=st.lists(st.sampled_from([FINDING, 0.0, 0.3, 0.6, 0.9]), max_size=12),
)
def test_false_blocks_never_fall_as_the_threshold_rises(
    correct: list[float], wrong: list[float]
) -> None:
    """What the walk rests on: a candidate that holds has only ones that hold below it."""
    points = curve(rows(correct, wrong), (0.0, *WALKED[::50]))
    held = [
        meets(point, FalseBlockTarget(target=Fraction(1, 3), confidence=Fraction("0.6")))
        for point in points
    ]

    assert held == sorted(held, reverse=True)
    blocks = [point.false_blocks + point.caught for point in points]
    assert blocks == sorted(blocks)


def test_candidates_are_in_order_and_inside() -> None:
    """They are fixed before a row is seen, and a file takes thresholds between 0 and 1 only."""
    for grid in (WALKED, SHARED):
        assert list(grid) == sorted(set(grid))
        assert 0 < grid[0] < grid[-1] < 1


def test_point_of_a_stated_day() -> None:
    """The worked day: 5,040 wrong, 148 correct ones withheld."""
    day = Point(threshold=0.5, false_blocks=148, correct=2960, caught=3024, wrong=5040)

    assert (day.missed, day.accepted) == (2016, 4828)
    assert day.accepted_error == Fraction(504, 1207)
