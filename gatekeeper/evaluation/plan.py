"""Arithmetic before anyone deploys: what a gate does at stipulated rates, and what checking costs.

Exact: fractions in, fractions out, rounded by whoever prints. Nothing here is measured. A figure
that is not known, or has an empty denominator, is None.
"""

from dataclasses import dataclass
from fractions import Fraction

ONE = Fraction(1)
ZERO = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateInputs:
    """What a user stipulates of a day's answers and of a gate in front of them.

    ``flag_rate`` is the share of answers in a category that exists before any gate, and
    ``wrong_given_unflagged`` has no default: without it the wrong answers outside the category
    are unknown. ``unchecked`` are further answers of the same mix that are delivered unchecked.
    """

    answers_per_day: Fraction
    flag_rate: Fraction
    wrong_given_flag: Fraction
    sensitivity: Fraction
    false_block: Fraction
    wrong_given_unflagged: Fraction | None = None
    check_seconds: Fraction | None = None
    unchecked: Fraction = ZERO


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePlan:
    """What follows for a day. Counts are expected numbers of answers and need not be whole.

    ``missed_share`` is a share of all traffic, ``accepted_error`` of what the gate lets through,
    ``delivered_error`` of all that users get. ``accepted_error_at_no_false_block`` is what the
    accepted error would be if the gate withheld no correct answer.
    """

    in_category: Fraction
    wrong_in_category: Fraction
    wrong: Fraction | None
    correct: Fraction | None = None
    caught: Fraction | None = None
    missed: Fraction | None = None
    missed_share: Fraction | None = None
    false_blocks: Fraction | None = None
    blocked_share: Fraction | None = None
    accepted: Fraction | None = None
    accepted_error: Fraction | None = None
    accepted_error_at_no_false_block: Fraction | None = None
    error_without_gate: Fraction | None = None
    delivered: Fraction | None = None
    delivered_error: Fraction | None = None
    serial_seconds: Fraction | None = None


def plan_gate(inputs: GateInputs) -> GatePlan:
    """Work out a day; P(H and W) is the product of a conditional and needs no independence."""
    n, p = inputs.answers_per_day, inputs.flag_rate
    in_category = n * p
    wrong_in_category = in_category * inputs.wrong_given_flag
    seconds = None if inputs.check_seconds is None else n * inputs.check_seconds
    if inputs.wrong_given_unflagged is None:
        return GatePlan(
            in_category=in_category,
            wrong_in_category=wrong_in_category,
            wrong=None,
            serial_seconds=seconds,
        )
    wrong = wrong_in_category + (n - in_category) * inputs.wrong_given_unflagged
    caught, correct = inputs.sensitivity * wrong, n - wrong
    missed, false_blocks = wrong - caught, inputs.false_block * correct
    accepted = missed + correct - false_blocks
    more_wrong = inputs.unchecked * wrong / n
    return GatePlan(
        in_category=in_category,
        wrong_in_category=wrong_in_category,
        wrong=wrong,
        correct=correct,
        caught=caught,
        missed=missed,
        missed_share=missed / n,
        false_blocks=false_blocks,
        blocked_share=(caught + false_blocks) / n,
        accepted=accepted,
        accepted_error=ratio(missed, accepted),
        accepted_error_at_no_false_block=ratio(missed, missed + correct),
        error_without_gate=wrong / n,
        delivered=accepted + inputs.unchecked,
        delivered_error=ratio(missed + more_wrong, accepted + inputs.unchecked),
        serial_seconds=seconds,
    )


def carried_over(sensitivity: Fraction, false_block: Fraction, wrong: Fraction) -> Fraction | None:
    """Return the accepted error of traffic with another share of wrong answers."""
    missed = wrong * (ONE - sensitivity)
    return ratio(missed, missed + (ONE - wrong) * (ONE - false_block))


def ratio(part: Fraction, whole: Fraction) -> Fraction | None:
    """Divide; None where the denominator is empty."""
    return part / whole if whole else None
