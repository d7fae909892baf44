"""Batches, queries and seconds of checking: worked numbers, exactly."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatekeeper.evaluation.cost import CostInputs, plan_answer, plan_cost, ragas_calls

RUN = CostInputs(
    answers=200,
    claims_per_answer=Fraction(4),
    claims_per_batch=5,
    exact=True,
    batch_seconds=Fraction(3),
)
DAY = replace(RUN, runs_per_day=20 * 3, quota=2000)


def numbers(*values: Fraction | int | None) -> tuple[Fraction | int | None, ...]:
    """Let numbers be compared whatever their types."""
    return values


def test_pooled_and_kept_within_an_answer_differ() -> None:
    """800 claims in fives are 160 batches; 200 answers of four are 200."""
    plan = plan_cost(RUN)

    assert numbers(plan.claims, plan.pooled.batches) == (800, 160)
    assert plan.within_least == plan.within_most
    assert plan.within_least.batches == 200


@pytest.mark.parametrize(("seconds", "pooled", "within"), [("3", 480, 600), ("0.8", 128, 160)])
def test_seconds_are_of_batches(seconds: str, pooled: int, within: int) -> None:
    """Service time, one batch after the other; 3 s and 0.8 s are 3.75 apart."""
    plan = plan_cost(replace(RUN, batch_seconds=Fraction(seconds)))

    assert numbers(plan.pooled.seconds, plan.within_least.seconds) == (pooled, within)
    assert Fraction(480, 128) == Fraction(600, 160) == Fraction("3.75")


def test_average_alone_gives_a_range() -> None:
    """160 answers of five and 40 empty need 160; 120 of six and 80 of one need 320."""
    plan = plan_cost(replace(RUN, exact=False))

    assert plan.pooled.batches == 160
    assert numbers(plan.within_least.batches, plan.within_most.batches) == (160, 320)


@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=30),
    st.integers(1, 7),
)
def test_range_holds_whatever_the_answers_are(claims: list[int], size: int) -> None:
    """The batches of any answers with this average lie between its ends."""
    average = Fraction(sum(claims), len(claims))
    inputs = CostInputs(answers=len(claims), claims_per_answer=average, claims_per_batch=size)

    plan = plan_cost(inputs)

    batches = sum(-(-number // size) for number in claims)
    assert plan.within_least.batches <= batches <= plan.within_most.batches


@pytest.mark.parametrize(
    ("answers", "claims", "size"), [(1, 1, 5), (3, 7, 2), (10, 4, 3), (2, 11, 4)]
)
def test_ends_of_the_range_are_reached(answers: int, claims: int, size: int) -> None:
    """A range wider than needed would hide what is known."""
    average = Fraction(claims, answers)
    plan = plan_cost(CostInputs(answers=answers, claims_per_answer=average, claims_per_batch=size))

    def splits(left: int, parts: int) -> list[tuple[int, ...]]:
        if parts == 1:
            return [(left,)]
        return [(n, *rest) for n in range(left + 1) for rest in splits(left - n, parts - 1)]

    found = {sum(-(-n // size) for n in split) for split in splits(claims, answers)}
    assert numbers(plan.within_least.batches, plan.within_most.batches) == (min(found), max(found))


def test_day_against_the_quota() -> None:
    """4.8 times the quota is 3.8 times above it."""
    pooled, within = plan_cost(DAY).pooled, plan_cost(DAY).within_least

    assert numbers(pooled.batches_a_day, pooled.demand, pooled.excess) == (
        9600,
        Fraction("4.8"),
        7600,
    )
    assert numbers(pooled.whole_runs, pooled.left) == (12, 80)
    assert numbers(within.batches_a_day, within.demand) == (12_000, 6)
    assert numbers(within.whole_runs, within.left) == (10, 0)


def test_query_a_claim() -> None:
    """Evidence asked for claim by claim: 24 times the quota, while batches stay as they are."""
    plan = plan_cost(DAY)

    assert numbers(plan.per_claim.batches_a_day, plan.per_claim.demand) == (48_000, 24)
    assert plan.pooled.batches_a_day == 9600


def test_quota_that_is_enough_has_no_excess() -> None:
    """What is left over is no negative demand."""
    pooled = plan_cost(replace(DAY, quota=10_000)).pooled

    assert numbers(pooled.demand, pooled.excess, pooled.whole_runs) == (Fraction(24, 25), 0, 62)


def test_answers_without_claims_cost_nothing() -> None:
    """An empty answer has no batch, and no run is too much for any quota."""
    pooled = plan_cost(replace(DAY, claims_per_answer=Fraction(0))).pooled

    assert numbers(pooled.batches, pooled.seconds, pooled.demand) == (0, 0, 0)
    assert numbers(pooled.whole_runs, pooled.left) == (60, 2000)


def test_claim_by_claim_over_a_set() -> None:
    """3,500 checks of 0.9 s are 3,150 s, 52.5 minutes in a row."""
    plan = plan_cost(
        CostInputs(
            answers=250,
            claims_per_answer=Fraction(14),
            claims_per_batch=1,
            exact=True,
            batch_seconds=Fraction("0.9"),
        )
    )

    assert numbers(plan.pooled.batches, plan.pooled.seconds) == (3500, 3150)
    assert Fraction(3150, 60) == Fraction("52.5")


def test_each_answer_has_whole_claims() -> None:
    """Four and a half claims in every answer can't be."""
    with pytest.raises(ValueError, match="whole number"):
        replace(RUN, claims_per_answer=Fraction("4.5"))


def test_average_may_be_any() -> None:
    """An average of 4.37 over 30 answers is 131 claims."""
    inputs = CostInputs(answers=30, claims_per_answer=Fraction("4.37"), claims_per_batch=5)

    assert plan_cost(inputs).claims == 131


@pytest.mark.parametrize(("extraction", "whole"), [("1.5", "14.1"), ("2.4", "15.0")])
def test_seconds_of_one_answer(extraction: str, whole: str) -> None:
    """Extraction at once, or in six calls of 0.4 s; the checks are 12.6 s either way."""
    plan = plan_answer(
        14,
        claims_per_batch=1,
        batch_seconds=Fraction("0.9"),
        extraction_seconds=Fraction(extraction),
    )

    assert numbers(plan.check_seconds, plan.seconds) == (Fraction("12.6"), Fraction(whole))
    assert plan.checks_to_extraction == Fraction("12.6") / Fraction(extraction)
    assert Fraction("12.6") / Fraction("1.5") == Fraction("8.4")
    assert 6 * Fraction("0.4") == Fraction("2.4")


@pytest.mark.parametrize(("claims", "ratio"), [(1, Fraction("4.5")), (14, Fraction(63))])
def test_checks_of_claims_beside_one_of_the_answer(claims: int, ratio: Fraction) -> None:
    """0.9 s a fact against 0.2 s a whole answer."""
    plan = plan_answer(
        claims,
        claims_per_batch=1,
        batch_seconds=Fraction("0.9"),
        answer_check_seconds=Fraction("0.2"),
    )

    assert plan.checks_to_answer_check == ratio
    assert plan.checks_to_extraction is None


def test_calls_of_ragas() -> None:
    """Four statements: seven calls, four with one call for all verdicts; three cosines."""
    found = ragas_calls(4, 3)

    assert (found.calls, found.calls_batched, found.embeddings) == (7, 4, 4)
    assert found.calls * Fraction("0.8") == Fraction("5.6")
    assert found.calls_batched * Fraction("0.8") == Fraction("3.2")
