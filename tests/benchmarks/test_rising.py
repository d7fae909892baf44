"""A rising line through frequencies: what it goes through, and that it never falls."""

from itertools import pairwise

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.rising import PARTS, rising_curve
from gatekeeper.core.support import Weighing, on_curve


def test_line_goes_through_what_was_seen() -> None:
    """Of claims at 0.2, a tenth is supported, of those at 0.6 three quarters."""
    score = np.repeat([0.2, 0.6], [40, 40])
    right = np.array([1.0] * 4 + [0.0] * 36 + [1.0] * 30 + [0.0] * 10)

    curve = rising_curve(score, right, np.full(80, 1 / 80))

    assert np.allclose(curve, [(0.0, 0.0), (0.2, 0.1), (0.6, 0.75), (1.0, 1.0)])


def test_parts_that_fall_become_one() -> None:
    """More support at the lower score is noise: both get what is seen over the two."""
    score = np.repeat([0.3, 0.5], [50, 50])
    right = np.array([1.0] * 30 + [0.0] * 20 + [1.0] * 20 + [0.0] * 30)

    curve = rising_curve(score, right, np.full(100, 1 / 100))

    assert np.allclose(curve, [(0.0, 0.0), (0.4, 0.5), (1.0, 1.0)])


def test_weight_counts() -> None:
    """A claim that weighs three times as much counts as three."""
    score, right = np.array([0.4, 0.4]), np.array([1.0, 0.0])

    curve = rising_curve(score, right, np.array([0.75, 0.25]))

    assert np.allclose(curve, [(0.0, 0.0), (0.4, 0.75), (1.0, 1.0)])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=200))
@example(
    [(0.0, False)] * 3 + [(1.0, False), (0.5, True)] + [(0.25, False)] * 3 + [(0.25, True)] * 3
)
def test_curve_is_one_a_weighing_takes(seen: list[tuple[float, bool]]) -> None:
    """Whatever was seen, two scores that differ keep their order."""
    score = np.array([one for one, _ in seen])
    right = np.array([float(one) for _, one in seen])

    curve = rising_curve(score, right, np.full(len(seen), 1 / len(seen)))

    assert len(curve) <= PARTS + 2
    Weighing(weights={"entailment": 1.0}, curve=curve)
    heights = [on_curve(curve, x) for x in np.linspace(0, 1, 101)]
    assert all(a < b for a, b in pairwise(heights))
