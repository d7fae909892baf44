"""Exact bounds: what they are worth is that they are exact."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.evaluation import bounds
from gatekeeper.evaluation.bounds import (
    at_most,
    is_met,
    labels_needed,
    lower_bound,
    upper_bound,
)


def counted(events: int, trials: int, rate: float) -> float:
    """Add up the binomial distribution in whole numbers."""
    p = Fraction(rate)
    terms = (math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(events + 1))
    return float(sum(terms, Fraction(0)))


@pytest.mark.parametrize("trials", [1, 2, 7, 60])
@pytest.mark.parametrize("rate", [0.001, 0.05, 0.5, 0.9, 0.999])
def test_distribution_is_the_binomial_one(trials: int, rate: float) -> None:
    """Against the sum in fractions, at both ends and in the middle."""
    for events in {0, 1, trials // 20, trials // 2, trials - 1} & set(range(trials)):
        assert at_most(events, trials, rate) == pytest.approx(
            counted(events, trials, rate), rel=1e-10, abs=1e-14
        )


@pytest.mark.parametrize(
    ("events", "rate", "chance"), [(5, 0.3, 1.0), (9, 0.3, 1.0), (2, 0.0, 1.0), (2, 1.0, 0.0)]
)
def test_ends_of_the_distribution(events: int, rate: float, chance: float) -> None:
    """Five trials: what is sure is sure, and what can't be has no chance."""
    assert at_most(events, 5, rate) == chance


def test_less_than_nothing_has_no_chance() -> None:
    """Minus one event is asked for where none at all are affordable."""
    assert at_most(-1, 5, 0.3) == 0.0


@pytest.mark.parametrize(
    ("events", "trials", "confidence", "low", "high"),
    [
        # Two-sided 95 % intervals, as tables and statistics packages give them.
        (10, 100, 0.975, 0.04900469, 0.17622260),
        (1, 10, 0.975, 0.002528579, 0.445016117),
        (5, 10, 0.975, 0.187086028, 0.812913972),
        (0, 10, 0.975, 0.0, 0.308497108),
        (10, 10, 0.975, 0.691502892, 1.0),
    ],
)
def test_known_intervals(
    events: int, trials: int, confidence: float, low: float, high: float
) -> None:
    """Clopper and Pearson's bounds are in every table."""
    assert lower_bound(events, trials, confidence) == pytest.approx(low, abs=6e-9)
    assert upper_bound(events, trials, confidence) == pytest.approx(high, abs=6e-9)


@settings(max_examples=40, deadline=None)
@given(trials=st.integers(1, 120), share=st.floats(0, 0.999), tail=st.floats(1e-4, 0.5))
def test_bound_leaves_exactly_the_tail(trials: int, share: float, tail: float) -> None:
    """At the bound the events, or fewer, have the chance that the confidence leaves."""
    events = int(share * trials)

    bound = upper_bound(events, trials, 1 - tail)

    assert events / trials < bound < 1
    assert counted(events, trials, bound - 1e-10) > 1 - (1 - tail) - 1e-12
    assert counted(events, trials, bound + 1e-10) < 1 - (1 - tail) + 1e-12


@pytest.mark.parametrize("trials", [1, 10, 59, 299, 1_000_000])
def test_no_event_has_a_closed_form(trials: int) -> None:
    """1 - 0.05^(1/n), also for more trials than anyone has."""
    assert upper_bound(0, trials, 0.95) == pytest.approx(
        -math.expm1(math.log(0.05) / trials), rel=1e-9
    )


def test_large_numbers_are_near_the_normal_distribution() -> None:
    """Two per cent of five million: the fraction has to be followed far enough."""
    n, p = 5_000_000, 0.02
    normal = p + 1.6448536 * math.sqrt(p * (1 - p) / n)

    assert upper_bound(int(n * p), n, 0.95) == pytest.approx(normal, abs=2e-6)


def test_nothing_tried_is_nothing_known() -> None:
    """No row is no evidence of a low rate."""
    assert (lower_bound(0, 0, 0.95), upper_bound(0, 0, 0.95)) == (0.0, 1.0)
    assert not is_met(0, 0, 0.99, 0.95)


@given(trials=st.integers(1, 400), share=st.floats(0, 1), target=st.floats(0.001, 0.9))
def test_meeting_a_target_is_a_bound_below_it(trials: int, share: float, target: float) -> None:
    """The quick way must not take another side than the bound that is printed."""
    events = int(share * trials)
    bound = upper_bound(events, trials, 0.95)

    if abs(bound - target) > 1e-9:
        assert is_met(events, trials, target, 0.95) == (bound <= target)


@pytest.mark.parametrize(("target", "labels"), [("0.01", 299), ("0.05", 59)])
def test_labels_without_an_event(target: str, labels: int) -> None:
    """The two numbers that people know by heart."""
    assert labels_needed(Fraction(target), 0.95) == (labels, 0)


@pytest.mark.parametrize(
    ("target", "rate"), [("0.05", "0.02"), ("0.05", "0.03"), ("0.1", "0.07"), ("0.5", "0.3")]
)
def test_number_of_labels_is_the_least(target: str, rate: str) -> None:
    """Every smaller number, with the events expected in it, misses the target."""
    found = labels_needed(Fraction(target), 0.95, Fraction(rate))
    assert found is not None
    labels, events = found

    def meets(n: int) -> bool:
        return upper_bound(math.ceil(n * Fraction(rate)), n, 0.95) <= float(target)

    assert events == math.ceil(labels * Fraction(rate))
    assert [n for n in range(1, labels + 1) if meets(n)] == [labels]


def test_rare_events_may_not_come_at_all() -> None:
    """One in a thousand: 95 labels for 5 % hold at most one event, and one is counted."""
    assert labels_needed(Fraction("0.05"), 0.95, Fraction("0.001")) == (93, 1)


@pytest.mark.parametrize("rate", ["0.05", "0.0501", "0.04999"])
def test_rate_at_the_target_needs_more_labels_than_there_are(rate: str) -> None:
    """No number shows that a rate is at most 5 % if it is."""
    assert labels_needed(Fraction("0.05"), 0.95, Fraction(rate)) is None


def test_target_that_nobody_can_label_for() -> None:
    """One in a hundred million takes three hundred million labels."""
    assert labels_needed(Fraction("0.00000001"), 0.95) is None


def test_quick_way_past_hopeless_numbers_skips_none_that_will_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hundreds of events: the result is the same as without the short cut."""
    quick = [
        labels_needed(Fraction("0.05"), confidence, Fraction("0.043"))
        for confidence in (0.6, 0.95, 0.9999)
    ]

    monkeypatch.setattr(bounds, "_MANY", 10**9)

    assert quick == [
        labels_needed(Fraction("0.05"), confidence, Fraction("0.043"))
        for confidence in (0.6, 0.95, 0.9999)
    ]
