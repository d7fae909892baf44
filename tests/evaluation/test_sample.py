"""Rows made independent and of equal weight, or refused."""

import pytest

from gatekeeper.errors import InputError
from gatekeeper.evaluation.sample import independent
from gatekeeper.evaluation.search import Scored


def made(
    n: int, *, wrong: bool = False, weight: float = 1.0, group: str | None = None
) -> list[Scored]:
    """Make rows that differ in their scores."""
    return [Scored(wrong=wrong, score=i / n, weight=weight, group=group) for i in range(n)]


def test_plain_rows_are_all_taken() -> None:
    """Nothing is thrown away where nothing has to be."""
    rows = made(5) + made(5, wrong=True)

    sample = independent(rows, by_label=True)

    assert (sample.rows, sample.groups, sample.how) == (tuple(rows), None, None)


def test_groups_of_one_are_plain_rows() -> None:
    """A name for each context says that they are independent."""
    rows = [*made(1, group="a"), *made(1, group="b"), *made(1)]

    assert independent(rows, by_label=True).how is None


def test_one_row_of_each_group_is_drawn() -> None:
    """Ten answers to one ticket are one answer's worth of evidence."""
    rows = made(10, group="a") + made(10, group="b", wrong=True) + made(3)

    sample = independent(rows, by_label=True)

    assert [row.group for row in sample.rows] == ["a", "b", None, None, None]
    assert (sample.groups, sample.how) == (5, "one row of each of 5 groups, seed 0")


def test_draw_is_the_same_each_time_and_another_with_another_seed() -> None:
    """A result that changes from run to run can be run until it suits."""
    rows = [row for name in "abcdefgh" for row in made(20, group=name)]

    drawn = [independent(rows, by_label=True, seed=seed).rows for seed in (0, 0, 1)]

    assert drawn[0] == drawn[1] != drawn[2]


def test_rows_are_kept_in_proportion_to_their_weight() -> None:
    """Those kept are a plain sample of the answers the rows stand for."""
    rows = made(4000, weight=1.0) + made(4000, weight=4.0)

    sample = independent(rows, by_label=True)

    light = sum(row.weight == 1.0 for row in sample.rows)
    assert len(sample.rows) - light == 4000
    assert light == pytest.approx(1000, abs=100)
    kept = f"{len(sample.rows)} of 8000 rows kept in proportion to their weight, seed 0"
    assert sample.how == kept


def test_weights_that_differ_between_labels_only() -> None:
    """They change the share of wrong answers, not the rate within one label."""
    rows = made(100, weight=2.0) + made(100, wrong=True, weight=8.0)

    by_label = independent(rows, by_label=True)
    together = independent(rows, by_label=False)

    assert (len(by_label.rows), by_label.how) == (200, None)
    assert sum(row.wrong for row in together.rows) == 100
    assert sum(not row.wrong for row in together.rows) < 50


def test_groups_and_weights_together_are_refused() -> None:
    """No exact bound is known to us, and leaving one of them out would promise too much."""
    rows = made(5, group="a") + made(5, weight=2.0)

    with pytest.raises(InputError, match='found "group" with several rows and "weight"'):
        independent(rows, by_label=True)


def test_no_rows_are_no_sample() -> None:
    """An empty file is for the caller to refuse."""
    assert independent([], by_label=False).rows == ()
