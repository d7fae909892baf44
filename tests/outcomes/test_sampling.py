"""Who is kept for review, and where a week and a band begin and end."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.sampling import (
    SECOND_SHARE,
    WeekPlan,
    lowest_third,
    needs_second,
    number_of,
)
from gatekeeper.outcomes.words import (
    WEEK_MS,
    Band,
    milliseconds,
    moment,
    week_of,
    week_start_ms,
)
from gatekeeper.policy import Keep
from tests.outcomes.made import KEY

KEEP = Keep(blocked=0.1, accepted_low=0.2, accepted_high=0.3, unchecked=0.4)
PLAN = WeekPlan(cut=0.8, cut_from="week before", keep=KEEP)


def test_number_is_permanent_and_the_keys() -> None:
    """Nobody without the secret may know in advance who will be looked at."""
    assert number_of(KEY, "abc") == number_of(KEY, "abc")
    assert number_of(KEY, "abc") != number_of(b"another key, 16+", "abc")
    assert number_of(KEY, "abc") != number_of(KEY, "abc", "second")


def test_numbers_are_uniform() -> None:
    """A tenth must be a tenth: 10,000 numbers in ten bins, each within five deviations."""
    numbers = [number_of(KEY, str(n)) for n in range(10_000)]

    bins = [sum(edge <= x < edge + 0.1 for x in numbers) for edge in (n / 10 for n in range(10))]
    assert all(0.0 <= x < 1.0 for x in numbers)
    assert all(850 < found < 1150 for found in bins)


def test_a_tenth_is_for_two() -> None:
    """Their agreement is worth a tenth of the work."""
    found = sum(needs_second(KEY, str(n)) for n in range(10_000))

    assert SECOND_SHARE == 0.1
    assert 850 < found < 1150


@pytest.mark.parametrize(
    ("side", "score", "band", "share"),
    [
        (Side.BLOCKED, 0.1, Band.ONE, 0.1),
        (Side.ACCEPTED, 0.79, Band.LOW, 0.2),
        (Side.ACCEPTED, 0.8, Band.HIGH, 0.3),
        (Side.ACCEPTED, None, Band.LOW, 0.2),
        (Side.UNCHECKED, None, Band.ONE, 0.4),
    ],
)
def test_stratum_of_a_decision(side: Side, score: float | None, band: Band, share: float) -> None:
    """Each side and band has a keep share of its own."""
    assert PLAN.band(side, score) is band
    assert PLAN.keep_share(side, band) == share


def test_lowest_third_lies_below_the_cut() -> None:
    """Nine different scores: three lie below."""
    scores = [n / 10 for n in (9, 1, 8, 2, 7, 3, 6, 4, 5)]

    cut = lowest_third(scores)

    assert cut is not None
    assert sum(score < cut for score in scores) == 3


def test_scores_that_tie_are_not_below() -> None:
    """Where most answers have the best score there may be no low band, and that is known."""
    assert lowest_third([1.0] * 9 + [0.2]) == 1.0
    assert lowest_third([]) is None


def test_week_begins_on_monday_at_midnight() -> None:
    """Shares and bands change then and at no other time."""
    monday = datetime(2024, 5, 6, tzinfo=UTC)

    week = week_of(milliseconds(monday))

    assert moment(week_start_ms(week)) == monday
    assert week_of(milliseconds(monday) - 1) == week - 1


@given(st.integers(0, 4_000_000_000_000))
def test_every_moment_lies_in_its_week(at_ms: int) -> None:
    """No moment lies in two weeks or in none."""
    start = week_start_ms(week_of(at_ms))

    assert start <= at_ms < start + WEEK_MS
    assert [b - a for a, b in pairwise(week_start_ms(n) for n in range(3))] == [WEEK_MS] * 2
