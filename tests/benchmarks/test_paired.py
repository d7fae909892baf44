"""Two gates on the same answers: the difference and how sure it is."""

import random

import pytest

from benchmarks.paired import paired_difference


def _sides(n: int, new: float, old: float, *, seed: int = 0) -> list[tuple[bool, bool, bool, str]]:
    """Draw answers that the gates judge rightly with the given chances."""
    source = random.Random(seed)  # noqa: S311  # no secret
    found = []
    for number in range(n):
        wrong = source.random() < 0.5
        first, second = ((source.random() < chance) == wrong for chance in (new, old))
        found.append((wrong, first, second, str(number // 2)))
    return found


def test_difference_is_that_of_balanced_accuracies() -> None:
    """By hand: one gate judges all four rightly, the other two of them."""
    rows = [
        (True, True, True, "a"), (True, True, False, "b"),
        (False, False, True, "c"), (False, False, False, "d"),
    ]  # fmt: skip

    mean, by_set = paired_difference({"one": rows}, draws=100)

    assert mean.value == by_set["one"].value == pytest.approx(0.5)


def test_same_gate_has_no_difference() -> None:
    """Answers drawn again are the same for both."""
    rows = [(wrong, side, side, group) for wrong, side, _, group in _sides(100, 0.7, 0.7)]

    mean, _ = paired_difference({"one": rows}, draws=100)

    assert (mean.value, mean.low, mean.high) == (0.0, 0.0, 0.0)


def test_interval_of_the_mean_is_narrower_than_that_of_a_set() -> None:
    """Sets are drawn independently, so that their noise averages out."""
    sides = {str(n): _sides(200, 0.75, 0.6, seed=n) for n in range(6)}

    mean, by_set = paired_difference(sides, draws=500)

    assert mean.value == pytest.approx(sum(one.value or 0 for one in by_set.values()) / 6)
    assert mean.value is not None
    assert mean.low is not None
    assert mean.high is not None
    assert 0.0 < mean.low < mean.value < mean.high
    widths = [one.high - one.low for one in by_set.values() if one.high and one.low is not None]
    assert mean.high - mean.low < min(widths)


def test_draw_without_a_label_is_drawn_again() -> None:
    """With three groups many draws have no correct answer, and no balanced accuracy."""
    rows = [(True, True, False, "a"), (True, True, False, "b"), (False, False, False, "c")]

    mean, _ = paired_difference({"one": rows}, draws=200)

    assert (mean.value, mean.low, mean.high) == (0.5, 0.5, 0.5)
