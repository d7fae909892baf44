"""Scores read as frequencies: bins, error, interval and diagram."""

import random
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from benchmarks.reliability import Single, bins_of, calibration_error, diagram, reliability


def _singles(n: int, *, seed: int = 0, shift: float = 0.0) -> list[Single]:
    source = random.Random(seed)  # noqa: S311  # no secret
    found = []
    for number in range(n):
        chance = source.random()
        right = source.random() < chance
        score = min(max(chance + shift, 0.0), 1.0)
        found.append(Single(score=score, right=right, group=str(number // 2)))
    return found


def test_bins_hold_equal_weight() -> None:
    """Ten of a hundred each, in order of the score."""
    score = np.linspace(0.01, 1.0, 100)

    bins = bins_of(score, np.ones(100), np.full(100, 0.01))

    assert [round(one.weight, 6) for one in bins] == [0.1] * 10
    assert [one.score for one in bins] == sorted(one.score for one in bins)


def test_equal_scores_share_a_bin() -> None:
    """Cut at random they would make two bins of one score with different frequencies."""
    score = np.array([0.0] * 50 + [0.9] * 50)

    bins = bins_of(score, np.array([0.0] * 50 + [1.0] * 50), np.full(100, 0.01))

    assert [one.score for one in bins] == pytest.approx([0.0, 0.9])
    assert [one.supported for one in bins] == [0.0, 1.0]
    assert [one.weight for one in bins] == pytest.approx([0.5, 0.5])
    assert calibration_error(bins) == pytest.approx(0.05)


def test_true_frequencies_have_little_error() -> None:
    """What is calibrated by construction, and the same scores too high by 0.2."""
    good = reliability({"a": _singles(3000)}, draws=50)
    bad = reliability({"a": _singles(3000, shift=0.2)}, draws=50)

    assert good.calibration_error.value is not None
    assert bad.calibration_error.value is not None
    assert good.calibration_error.value < 0.03
    assert bad.calibration_error.value > 0.12
    assert good.brier < bad.brier


def test_interval_holds_the_point_and_is_narrow_with_many() -> None:
    """It comes from groups drawn again; twenty times the answers, a far narrower one."""
    few = reliability({"a": _singles(100, shift=0.1)}, draws=200).calibration_error
    many = reliability({"a": _singles(4000, shift=0.1)}, draws=200).calibration_error

    for one in (few, many):
        assert one.value is not None
        assert one.low is not None
        assert one.high is not None
        assert one.low <= one.value <= one.high
    assert many.high - many.low < few.high - few.low  # type: ignore[operator]  # seen above


def test_sets_weigh_the_same_in_the_pool() -> None:
    """Ten times as many answers give a set no more say."""
    wrong = [Single(score=1.0, right=False, group=str(n)) for n in range(10)]
    right = [Single(score=1.0, right=True, group=str(n)) for n in range(100)]

    found = reliability({"a": wrong, "b": right}, draws=5)

    assert found.calibration_error.value == pytest.approx(0.5)
    assert found.n == 110
    assert found.brier == pytest.approx(0.5)


def test_empty_set_is_refused() -> None:
    """No answer is no calibration."""
    with pytest.raises(ValueError, match="without answers"):
        reliability({"a": []})


def test_diagram_is_an_image_with_a_line_a_pool() -> None:
    """Well-formed, named lines, and nothing outside the frame."""
    pools = {name: reliability({name: _singles(200)}, draws=2) for name in ("a", "b")}

    drawn = ET.fromstring(diagram(pools))  # noqa: S314  # our own text

    lines = [one for one in drawn.iter() if one.tag.endswith("polyline")]
    assert len(lines) == 2
    points = [
        float(x)
        for one in lines
        for point in one.attrib["points"].split()
        for x in point.split(",")
    ]
    assert all(40 <= x <= 360 for x in points)
