"""A day of answers with a gate in front: worked numbers, exactly."""

from dataclasses import asdict, replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from gatekeeper.evaluation.plan import GateInputs, carried_over, plan_gate

DAY = GateInputs(
    answers_per_day=Fraction(8000),
    flag_rate=Fraction("0.70"),
    wrong_given_flag=Fraction("0.90"),
    wrong_given_unflagged=Fraction(0),
    sensitivity=Fraction("0.60"),
    false_block=Fraction(0),
    check_seconds=Fraction("0.2"),
)
LEAKY = replace(DAY, false_block=Fraction("0.05"))

rates = st.fractions(0, 1, max_denominator=100)


def numbers(*values: Fraction | int | None) -> tuple[Fraction | int | None, ...]:
    """Let numbers be compared whatever their types."""
    return values


def test_day_without_false_blocks() -> None:
    """5,600 in the category, 5,040 wrong, 3,024 of them caught."""
    plan = plan_gate(DAY)

    assert numbers(plan.in_category, plan.wrong, plan.correct) == (5600, 5040, 2960)
    assert numbers(plan.caught, plan.missed, plan.accepted) == (3024, 2016, 4976)
    assert plan.accepted_error == Fraction(2016, 4976) == Fraction(126, 311)
    assert plan.error_without_gate == Fraction("0.63")
    assert plan.blocked_share == Fraction("0.378")


def test_missed_share_is_of_all_traffic() -> None:
    """25.2 % is not the error of what users got, which is 40.5 %."""
    plan = plan_gate(DAY)

    assert plan.missed_share == Fraction("0.252")
    assert plan.missed_share != plan.accepted_error


def test_serial_service() -> None:
    """1,600 seconds are 80/3 minutes."""
    seconds = plan_gate(DAY).serial_seconds

    assert seconds == 1600
    assert seconds / 60 == Fraction(80, 3)


def test_day_with_false_blocks() -> None:
    """148 correct answers withheld, and what is let through is worse for it."""
    plan = plan_gate(LEAKY)

    assert numbers(plan.false_blocks, plan.accepted) == (148, 4828)
    assert plan.accepted_error == Fraction(2016, 4828) == Fraction(504, 1207)
    assert plan.accepted_error_at_no_false_block == Fraction(126, 311)
    assert plan.blocked_share == Fraction("0.3965")


def test_wrong_answers_outside_the_category_count() -> None:
    """One in twenty outside it: 5,160 wrong."""
    plan = plan_gate(replace(DAY, wrong_given_unflagged=Fraction("0.05")))

    assert numbers(plan.wrong, plan.error_without_gate) == (5160, Fraction("0.645"))
    assert plan.accepted_error == Fraction(2064, 4904)


def test_what_is_unknown_outside_the_category_stays_unknown() -> None:
    """A total needs both shares; none of what follows from it is guessed."""
    plan = plan_gate(replace(DAY, wrong_given_unflagged=None))

    known = {name for name, value in asdict(plan).items() if value is not None}
    assert numbers(plan.in_category, plan.wrong_in_category) == (5600, 5040)
    assert known == {"in_category", "wrong_in_category", "serial_seconds"}


def test_delivered_error_counts_what_went_round_the_gate() -> None:
    """2,000 further answers unchecked: accepted error stays, delivered error does not."""
    plan = plan_gate(replace(LEAKY, unchecked=Fraction(2000)))

    assert plan.accepted_error == Fraction(504, 1207)
    assert plan.delivered_error == Fraction(2016 + 1260, 4828 + 2000) == Fraction(273, 569)


def test_gate_that_blocks_all_accepts_nothing() -> None:
    """Of nothing no share is wrong."""
    plan = plan_gate(replace(DAY, sensitivity=Fraction(1), false_block=Fraction(1)))

    assert numbers(plan.accepted, plan.accepted_error) == (0, None)


@given(wrong=st.fractions(Fraction(1, 100), Fraction(99, 100)), a=rates, b=rates)
def test_accepted_error_is_lower_only_with_more_caught_than_falsely_blocked(
    wrong: Fraction, a: Fraction, b: Fraction
) -> None:
    """If and only if sensitivity is above the false-block rate."""
    inputs = replace(DAY, flag_rate=Fraction(1), wrong_given_flag=wrong)
    plan = plan_gate(replace(inputs, sensitivity=a, false_block=b))

    if plan.accepted_error is not None and plan.error_without_gate is not None:
        assert (plan.accepted_error < plan.error_without_gate) == (a > b)
    assert plan.accepted_error == carried_over(a, b, wrong)


@given(a=st.fractions(0, Fraction(99, 100)), b=rates, more=rates)
def test_every_further_false_block_raises_the_accepted_error(
    a: Fraction, b: Fraction, more: Fraction
) -> None:
    """Fewer correct answers among those let through."""
    low, high = sorted((b, more))
    errors = [
        plan_gate(replace(DAY, sensitivity=a, false_block=rate)).accepted_error or Fraction(1)
        for rate in (low, high)
    ]

    assert errors[0] < errors[1] or low == high


def test_rates_carried_over_to_another_share() -> None:
    """The rates are those of the day: 63 % wrong gives its accepted error."""
    assert carried_over(Fraction("0.6"), Fraction("0.05"), Fraction("0.63")) == Fraction(504, 1207)
    assert carried_over(Fraction(1), Fraction(1), Fraction("0.5")) is None
