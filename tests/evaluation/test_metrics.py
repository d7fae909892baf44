"""Rates against labels, with the worked numbers they must give."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.evaluation.metrics import (
    RATES,
    Estimate,
    Judged,
    gate_metrics,
    is_blocked,
    released,
    roc_auc,
    threshold_table,
)

CORRECT = (0.9, 0.8, 0.6, 0.4)
WRONG = (0.7, 0.5, 0.3, 0.1)


def _scored(correct: tuple[float, ...] = CORRECT, wrong: tuple[float, ...] = WRONG) -> list[Judged]:
    rows = [Judged(wrong=False, blocked=False, score=score) for score in correct]
    return rows + [Judged(wrong=True, blocked=False, score=score) for score in wrong]


def _counts(
    wrong_blocked: int, right_blocked: int, wrong_passed: int, right_passed: int
) -> list[Judged]:
    return (
        [Judged(wrong=True, blocked=True)] * wrong_blocked
        + [Judged(wrong=False, blocked=True)] * right_blocked
        + [Judged(wrong=True, blocked=False)] * wrong_passed
        + [Judged(wrong=False, blocked=False)] * right_passed
    )


@pytest.mark.parametrize(
    ("threshold", "false_block", "sensitivity", "accepted", "error"),
    [
        (0.0, 0.0, 0.0, 8, 1 / 2),
        (0.35, 0.0, 1 / 2, 6, 1 / 3),
        (0.45, 1 / 4, 1 / 2, 5, 2 / 5),
        (0.55, 1 / 4, 3 / 4, 4, 1 / 4),
        (0.65, 1 / 2, 3 / 4, 3, 1 / 3),
        (0.75, 1 / 2, 1.0, 2, 0.0),
        (0.95, 1.0, 1.0, 0, None),
    ],
)
def test_threshold_table_has_the_worked_numbers(
    threshold: float, false_block: float, sensitivity: float, accepted: int, error: float | None
) -> None:
    """Blocking more can make accepted error worse (0.45), and none accepted leaves it undefined."""
    (row,) = threshold_table(_scored(), [threshold])

    assert (row.false_block_rate, row.sensitivity) == (false_block, sensitivity)
    assert (row.accepted, row.accepted_error) == (accepted, error)


def test_findings_block_at_threshold_zero() -> None:
    """Guard and contradiction do not ask for a threshold: that is the floor of the curve."""
    rows = [replace(row, finding=row.score == 0.1) for row in _scored()]

    (row,) = threshold_table(rows, [0.0])

    assert (row.sensitivity, row.false_block_rate, row.accepted) == (1 / 4, 0.0, 7)


def test_threshold_table_refuses_rows_without_score() -> None:
    """An undecided answer has no side, and counting it as passed would flatter the gate."""
    with pytest.raises(ValueError, match="no side"):
        threshold_table([Judged(wrong=True, blocked=False)], [0.5])


def test_threshold_table_without_rows_is_undefined() -> None:
    """No data gives no rates."""
    (row,) = threshold_table([], [0.5])

    assert (row.false_block_rate, row.sensitivity, row.accepted_error) == (None, None, None)


def test_score_equal_to_the_threshold_passes() -> None:
    """Blocked is below, not at: a claim with support at the mark is supported."""
    assert not is_blocked(Judged(wrong=True, blocked=False, score=0.5), 0.5)


def test_row_without_score_is_not_blocked_by_a_threshold() -> None:
    """Nothing is known of it; only a finding blocks it."""
    assert not is_blocked(Judged(wrong=True, blocked=False), 0.5)
    assert is_blocked(Judged(wrong=True, blocked=False, finding=True), 0.5)


def test_weighted_labels_give_the_worked_rates() -> None:
    """Blocked labels stand for 2 answers, accepted ones for 4; without weights both rates err."""
    plain = _counts(1512, 74, 504, 703)
    weighted = [replace(row, weight=2.0 if row.blocked else 4.0) for row in plain]

    found = gate_metrics(weighted, draws=2)
    unweighted = gate_metrics(plain, draws=2)

    assert found.sensitivity.value == pytest.approx(3 / 5, abs=1e-15)
    assert found.false_block_rate.value == pytest.approx(1 / 20, abs=1e-15)
    assert found.accepted_error.value == pytest.approx(504 / 1207, abs=1e-15)
    assert unweighted.sensitivity.value == 3 / 4
    assert unweighted.false_block_rate.value == pytest.approx(2 / 21, abs=1e-15)
    assert unweighted.accepted_error.value == pytest.approx(504 / 1207, abs=1e-15)


def test_rates_follow_their_definitions() -> None:
    """3 of 4 wrong answers caught, 1 of 6 correct ones blocked."""
    found = gate_metrics(_counts(3, 1, 1, 5), draws=10)

    assert found.sensitivity.value == 3 / 4
    assert found.false_block_rate.value == 1 / 6
    assert found.accepted_error.value == 1 / 6
    assert found.coverage.value == 6 / 10
    assert found.balanced_accuracy.value == pytest.approx((3 / 4 + 5 / 6) / 2, abs=1e-15)


@pytest.mark.parametrize(
    ("counts", "undefined"),
    [
        ((0, 0, 0, 0), set(RATES)),
        ((0, 1, 0, 1), {"sensitivity", "balanced_accuracy", "roc_auc"}),
        ((1, 0, 1, 0), {"false_block_rate", "balanced_accuracy", "roc_auc"}),
        ((1, 1, 0, 0), {"accepted_error", "roc_auc"}),
    ],
)
def test_empty_denominators_are_undefined(
    counts: tuple[int, int, int, int], undefined: set[str]
) -> None:
    """Nothing of a kind was seen: the rate is unknown, and so is its interval, never 0 or 1."""
    found = gate_metrics(_counts(*counts), draws=50)

    unknown = {name for name in RATES if getattr(found, name) == Estimate(value=None)}
    assert unknown == undefined


@pytest.mark.parametrize(
    ("correct", "wrong", "auc"),
    [
        (CORRECT, WRONG, 13 / 16),
        ((0.9,), (0.1,), 1.0),
        ((0.1,), (0.9,), 0.0),
        ((0.5, 0.5), (0.5,), 0.5),
        ((0.5, 0.9), (0.5,), 0.75),
        ((), (0.5,), None),
        ((0.5,), (), None),
    ],
)
def test_auc_counts_pairs_and_halves_ties(
    correct: tuple[float, ...], wrong: tuple[float, ...], auc: float | None
) -> None:
    """Lower means more suspicious; equal scores tell nothing, which is worth half."""
    labels = [False] * len(correct) + [True] * len(wrong)

    assert roc_auc([*correct, *wrong], labels) == auc


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=30))
def test_auc_equals_the_count_over_all_pairs(rows: list[tuple[int, bool]]) -> None:
    """The sorted sums must give what the definition gives, however many scores tie."""
    wrong = [score for score, is_wrong in rows if is_wrong]
    correct = [score for score, is_wrong in rows if not is_wrong]
    pairs = [(w < c) + (w == c) / 2 for w in wrong for c in correct]
    expected = sum(pairs) / len(pairs) if pairs else None

    found = roc_auc([float(score) for score, _ in rows], [is_wrong for _, is_wrong in rows])

    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


def test_released_rows_are_the_worst_case() -> None:
    """An undecided wrong answer that is let through lowers sensitivity and the AUC."""
    decided = [
        Judged(wrong=True, blocked=True, score=0.1),
        Judged(wrong=False, blocked=False, score=0.9),
    ]
    undecided = [released(Judged(wrong=True, blocked=False, finding=True))] * 2

    found = gate_metrics([*decided, *undecided], draws=10)

    assert found.sensitivity.value == 1 / 3
    assert found.roc_auc.value == 1 / 3
    assert found.accepted_error.value == 2 / 3


def test_intervals_are_reproducible() -> None:
    """A result that changes from run to run can't be checked for drift."""
    rows = _counts(30, 10, 10, 50)

    assert gate_metrics(rows, seed=3) == gate_metrics(rows, seed=3)
    assert gate_metrics(rows, seed=3) != gate_metrics(rows, seed=4)


def test_interval_has_about_the_width_of_theory() -> None:
    """Half of 400 independent rows: the standard error is 0.025."""
    estimate = gate_metrics(_counts(200, 0, 200, 0)).sensitivity

    assert estimate.low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.006)
    assert estimate.high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.006)


def test_groups_widen_the_interval() -> None:
    """Ten answers on one context are no ten independent trials."""
    alone = _counts(200, 0, 200, 0)
    grouped = [replace(row, group=f"g{i // 10}") for i, row in enumerate(alone)]

    def width(rows: list[Judged]) -> float:
        estimate = gate_metrics(rows).sensitivity
        assert estimate.low is not None
        assert estimate.high is not None
        return estimate.high - estimate.low

    assert width(grouped) == pytest.approx(width(alone) * math.sqrt(10), rel=0.15)


def test_single_group_has_no_interval() -> None:
    """With one context nothing is known of others; a width of 0 would claim certainty."""
    rows = [replace(row, group="g") for row in _counts(1, 1, 1, 1)]

    assert gate_metrics(rows).sensitivity == Estimate(value=0.5)


def test_rate_without_events_keeps_an_upper_end() -> None:
    """0 of 10 false blocks is no proof of none: the exact bound for 10 trials is 0.3085."""
    found = gate_metrics(_counts(10, 0, 0, 10))

    assert found.false_block_rate.low == 0.0
    assert found.false_block_rate.high == pytest.approx(1 - 0.025 ** (1 / 10), abs=1e-12)
    assert found.sensitivity.low == pytest.approx(0.025 ** (1 / 10), abs=1e-12)
    assert found.sensitivity.high == 1.0


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.lists(st.tuples(*[st.booleans()] * 2, st.floats(0, 1), st.integers(0, 5)), max_size=40))
def test_point_lies_in_its_interval(rows: list[tuple[bool, bool, float, int]]) -> None:
    """Whatever the rows, each defined rate lies in [0, 1]; proportions lie in their intervals."""
    data = [
        Judged(wrong=wrong, blocked=blocked, score=score, group=str(group))
        for wrong, blocked, score, group in rows
    ]

    found = gate_metrics(data, draws=200)

    for name in RATES:
        estimate = getattr(found, name)
        if estimate.low is not None:
            assert 0.0 <= estimate.low <= estimate.high <= 1.0
            assert 0.0 <= estimate.value <= 1.0


def test_order_of_rows_does_not_matter_for_the_rates() -> None:
    """A file read backwards holds the same answers."""
    rows = _counts(3, 2, 4, 7)

    first, second = gate_metrics(rows, draws=2), gate_metrics(rows[::-1], draws=2)

    assert [getattr(first, name).value for name in RATES] == [
        getattr(second, name).value for name in RATES
    ]
