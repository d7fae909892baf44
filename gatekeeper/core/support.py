"""From what is known of a premise to its support of a claim: weighed, then calibrated.

Pure. The support of a premise is ``curve(sigmoid(bias + sum of weight * measure))``. All weights
are at least 0 and every measure speaks for the claim the more the larger it is, so more
entailment never means less support; the support of a claim stays the maximum over its premises.
Weights and curve are data that come with a model. A model without them keeps the plain maximum:
its support is P(entailment) as it is.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

# Beyond these a probability of the model says no more: its logit would only grow with the noise.
SURE = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What is known of one premise of a claim, the larger the better for the claim.

    ``entailment``: logit of P(entailment). ``calm``: minus the logit of P(contradiction).
    ``agreement``: mean logit of P(entailment) over the windows of the claim; a joint premise is
    none. ``known``: share of the claim's content words, by weight, that stand anywhere in the
    evidence. ``length``: logarithm of one more than their number, for a long claim is seldom
    entailed without a doubt.
    """

    entailment: float
    calm: float
    agreement: float
    known: float
    length: float


MEASURES = tuple(Measures.__slots__)

# A point of the curve: what the weighing gives, and how often such claims were supported.
Point = tuple[float, float]
IDENTITY: tuple[Point, ...] = ((0.0, 0.0), (1.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """Weights by measure, bias, and the points of a rising curve from 0 to 1, joined by lines.

    Raises:
        ValueError: If a weight is unknown, negative or not finite, or the curve is none.
    """

    weights: Mapping[str, float]
    bias: float = 0.0
    curve: tuple[Point, ...] = field(default=IDENTITY)

    def __post_init__(self) -> None:
        unknown = sorted(self.weights.keys() - set(MEASURES))
        if unknown:
            raise ValueError(f"unknown measure {unknown[0]!r}; known are {', '.join(MEASURES)}")
        for name, weight in self.weights.items():
            if not (math.isfinite(weight) and weight >= 0.0):
                raise ValueError(f"weight of {name} is {weight}; 0 or more is needed")
        if not math.isfinite(self.bias):
            raise ValueError(f"bias is {self.bias}; a finite number is needed")
        _check_curve(self.curve)

    def support(self, measures: Measures) -> float:
        """Return the support of a premise, in [0, 1]."""
        total = self.bias + sum(
            weight * getattr(measures, name) for name, weight in self.weights.items()
        )
        return on_curve(self.curve, sigmoid(total))


def sigmoid(x: float) -> float:
    """Return the logistic function; large numbers of either sign give 0 and 1."""
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


def logit(probability: float) -> float:
    """Return the logit, of no more than ``SURE`` and no less than the rest."""
    kept = min(max(probability, 1.0 - SURE), SURE)
    return math.log(kept / (1.0 - kept))


def on_curve(curve: tuple[Point, ...], x: float) -> float:
    """Return the curve's height at x, on the line between the points left and right of it."""
    position = bisect_right(curve, x, key=lambda point: point[0])
    if position == len(curve):
        return curve[-1][1]
    (x0, y0), (x1, y1) = curve[position - 1], curve[position]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def _check_curve(curve: tuple[Point, ...]) -> None:
    xs, ys = [x for x, _ in curve], [y for _, y in curve]
    if len(curve) < 2 or (xs[0], xs[-1]) != (0.0, 1.0):
        raise ValueError(f"the curve's points are {curve!r:.100}; they go from x = 0 to x = 1")
    if not all(a < b for a, b in pairwise(xs)):
        raise ValueError("the curve's points are not in rising order of x")
    heights = (0.0, *ys, 1.0)
    if not all(a <= b for a, b in pairwise(heights)):
        raise ValueError("the curve falls, or leaves [0, 1]")
