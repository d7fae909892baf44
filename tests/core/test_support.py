"""From measures to support: monotone, bounded, and what no weighing may be."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.support import MEASURES, Measures, Weighing, logit, on_curve, sigmoid

ZERO = dict.fromkeys(MEASURES, 0.0)
weights = st.dictionaries(st.sampled_from(MEASURES), st.floats(0, 50))
numbers = st.floats(-20, 20)


def measures(**given_: float) -> Measures:
    """Make measures that are 0 where nothing is given."""
    return Measures(**{**ZERO, **given_})


def test_support_is_the_weighed_sum_as_a_probability() -> None:
    """The formula of the module, by hand."""
    weighing = Weighing(weights={"entailment": 2.0, "known": 1.0}, bias=-1.0)

    found = weighing.support(measures(entailment=1.0, known=0.5))

    assert found == pytest.approx(1 / (1 + math.exp(-1.5)))


@settings(deadline=None, derandomize=True)
@given(weights, numbers, st.fixed_dictionaries(dict.fromkeys(MEASURES, numbers)), st.floats(0, 9))
def test_more_entailment_never_means_less_support(
    given_: dict[str, float], bias: float, values: dict[str, float], more: float
) -> None:
    """The maximum over premises means the best premise only if support rises with it."""
    weighing = Weighing(weights=given_, bias=bias)
    low = weighing.support(Measures(**values))

    high = weighing.support(Measures(**{**values, "entailment": values["entailment"] + more}))

    assert 0.0 <= low <= high <= 1.0


@pytest.mark.parametrize(
    ("given_", "fault"),
    [
        ({"weights": {"luck": 1.0}}, "luck"),
        ({"weights": {"known": -0.1}}, "known is -0.1"),
        ({"weights": {"known": math.nan}}, "known is nan"),
        ({"weights": {}, "bias": math.inf}, "bias is inf"),
        ({"weights": {}, "curve": ((0.0, 0.0),)}, "from x = 0 to x = 1"),
        ({"weights": {}, "curve": ((0.0, 0.0), (0.5, 0.5))}, "from x = 0 to x = 1"),
        ({"weights": {}, "curve": ((0.0, 0.0), (0.0, 0.5), (1.0, 1.0))}, "rising order"),
        ({"weights": {}, "curve": ((0.0, 0.6), (1.0, 0.4))}, "falls"),
        ({"weights": {}, "curve": ((0.0, 0.0), (1.0, 1.2))}, "leaves"),
    ],
)
def test_impossible_weighing_cannot_be_built(given_: dict[str, object], fault: str) -> None:
    """A weight below 0 would make evidence for a claim count against it."""
    with pytest.raises(ValueError, match=fault):
        Weighing(**given_)  # type: ignore[arg-type]  # the point of the test


def test_curve_is_straight_between_its_points() -> None:
    """Points, between them, and both ends."""
    curve = ((0.0, 0.1), (0.5, 0.5), (1.0, 0.7))

    found = [on_curve(curve, x) for x in (0.0, 0.25, 0.5, 0.75, 1.0)]

    assert found == pytest.approx([0.1, 0.3, 0.5, 0.6, 0.7])


def test_extreme_numbers_stay_in_bounds() -> None:
    """A probability of 0 or 1 has no logit, and a huge sum no exponential."""
    assert logit(0.0) == -logit(1.0) == logit(0.01)
    assert (sigmoid(-1e6), sigmoid(1e6)) == (0.0, 1.0)
