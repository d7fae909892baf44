"""Exact one-sided bounds for a rate, and how many labels a bound takes.

Source: Clopper and Pearson, Biometrika 26 (1934). The binomial distribution is had from the
regularised incomplete beta function, P(X <= k) = I_{1-p}(n - k, k + 1), whose continued fraction
is evaluated by the method of Lentz (Press et al., Numerical Recipes, 3rd edition, section 6.4).
Events are independent and of equal weight; whoever calls sees to that.
"""

import math
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

# Nobody labels more; a search beyond it means that the target is not worth its price.
MOST_LABELS = 1_000_000

# A continued fraction needs some sqrt(n) steps: this is ten times that of MOST_LABELS.
_MOST_STEPS = 40_000
_SMALLEST = 1e-300
_MANY = 100
_ROUNDING = 4e-16


@lru_cache(maxsize=65_536)
def at_most(events: int, trials: int, rate: float) -> float:
    """Return P(X <= events) for a binomial X; 1.0 where every outcome is meant."""
    if events >= trials or rate <= 0.0:
        return 1.0
    if events < 0 or rate >= 1.0:
        return 0.0
    a, b = trials - events, events + 1
    log_front = math.lgamma(trials + 1) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(log_front + a * math.log1p(-rate) + b * math.log(rate))
    if 1.0 - rate < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, 1.0 - rate) / a
    return 1.0 - front * _fraction(b, a, rate) / b


def upper_bound(events: int, trials: int, confidence: float) -> float:
    """Return the rate that the true one exceeds with a chance of at most 1 - confidence.

    1.0 where nothing was tried: nothing is known then.
    """
    if events >= trials:
        return 1.0
    low, high = events / trials, 1.0
    while low < (middle := (low + high) / 2.0) < high:
        if at_most(events, trials, middle) > 1.0 - confidence:
            low = middle
        else:
            high = middle
    return high


def lower_bound(events: int, trials: int, confidence: float) -> float:
    """Return the rate that the true one falls below with a chance of at most 1 - confidence."""
    return 1.0 - upper_bound(trials - events, trials, confidence)


def is_met(events: int, trials: int, target: float, confidence: float) -> bool:
    """Tell whether the upper bound is at most the target, without working the bound out."""
    return events < trials and at_most(events, trials, target) <= 1.0 - confidence


def labels_needed(
    target: Fraction, confidence: float, rate: Fraction = Fraction(0)
) -> tuple[int, int] | None:
    """Return the least number of labels whose bound meets a target, and the events among them.

    Events come at the expected rate, a part of one counted whole. None where no number up to
    MOST_LABELS does: the rate is at the target or above it, or so close that nobody gets there.
    """
    if rate >= target:
        return None
    aim = float(target)
    events = 0 if rate == 0 else 1
    while True:
        # So many labels are expected to hold this number of events, from ... to.
        first = math.floor((events - 1) / rate) + 1 if rate else 1
        last = math.floor(events / rate) if rate else MOST_LABELS
        if first > MOST_LABELS:
            return None
        if not _is_far(events, last, aim, confidence) and is_met(events, last, aim, confidence):
            return _least(events, first, last, aim, confidence), events
        if rate == 0:
            return None
        events += 1


def _least(events: int, first: int, last: int, target: float, confidence: float) -> int:
    """Return the least number of trials of a range, whose last one will do, that will do."""
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if is_met(events, middle, target, confidence):
            high = middle
        else:
            low = middle + 1
    return high


def _is_far(events: int, trials: int, target: float, confidence: float) -> bool:
    """Tell cheaply that a target can't be met yet: the events are too close to what it allows.

    By the normal distribution with a fifth to spare; with a hundred events the two tails are
    within a tenth of each other down to a chance of 1e-9.
    """
    if events < _MANY:
        return False
    z = NormalDist().inv_cdf(confidence)
    return target * trials - events < 0.8 * z * math.sqrt(trials * target * (1.0 - target))


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function."""
    c = 1.0
    d = 1.0 / _away(1.0 - (a + b) * x / (a + 1))
    value, change, m = d, 0.0, 0
    while abs(change - 1.0) >= _ROUNDING and m < _MOST_STEPS:
        m += 1
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / _away(1.0 + term * d)
            c = _away(1.0 + term / c)
            change = c * d
            value *= change
    return value


def _away(value: float) -> float:
    """Keep a divisor away from zero, as Lentz's method wants it."""
    return value if abs(value) > _SMALLEST else _SMALLEST
