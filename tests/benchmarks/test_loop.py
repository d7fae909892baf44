"""The loop benchmark's arithmetic: a median's interval must be the published one."""

import pytest

from benchmarks.loop import interval, spread


@pytest.mark.parametrize(
    ("n", "low", "high"), [(1, 0, 0), (6, 0, 5), (20, 5, 14), (24, 6, 17), (100, 39, 60)]
)
def test_interval_of_a_median_is_that_of_the_tables(n: int, low: int, high: int) -> None:
    """Positions 6 and 15 of 20 (counted from 1) are in every table of the sign test."""
    assert interval(n) == (low, high)


def test_spread_is_in_milliseconds() -> None:
    """Result files name their unit."""
    found = spread([0.003, 0.001, 0.002])

    assert found == {"median": 2.0, "low": 1.0, "high": 3.0, "min": 1.0, "max": 3.0}
