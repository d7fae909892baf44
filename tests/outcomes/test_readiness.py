"""Readiness: a target is met by its upper bound, and what is not known is not met."""

from dataclasses import replace

import pytest

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.estimate import Stratum, estimate_rates
from gatekeeper.outcomes.readiness import Answer, Judgement, judge
from gatekeeper.outcomes.words import Band, Rate
from gatekeeper.policy import Targets

TARGETS = Targets(false_block=0.05, accepted_error=0.10)


def stratum(side: Side, decisions: int, wrong: int, correct: int) -> Stratum:
    """Return the decisions of a side."""
    band = Band.HIGH if side is Side.ACCEPTED else Band.ONE
    return Stratum(side=side, band=band, week=0, decisions=decisions, wrong=wrong, correct=correct)


def case(blocked: tuple[int, int], accepted: tuple[int, int]) -> list[Stratum]:
    """Return 1,000 blocked and 9,000 accepted decisions with (wrong, correct) labels."""
    return [
        stratum(Side.BLOCKED, 1_000, *blocked),
        stratum(Side.ACCEPTED, 9_000, *accepted),
    ]


def by_rate(strata: list[Stratum], targets: Targets = TARGETS) -> dict[Rate, Judgement]:
    """Judge, and sort by rate."""
    return {judgement.rate: judgement for judgement in judge(strata, targets)}


def test_targets_are_met_by_their_upper_bounds() -> None:
    """2 of 100 accepted wrong, a tenth of the blocked right: both bounds lie below."""
    found = by_rate(case((90, 10), (2, 98)))

    assert {judgement.answer for judgement in found.values()} == {Answer.YES}


def test_point_below_the_target_is_not_enough() -> None:
    """1 of 20 wrong looks like 5 %, and may be 20."""
    found = by_rate(case((90, 10), (1, 19)))[Rate.ACCEPTED_ERROR]

    assert found.estimate.point == 0.05
    assert found.answer is Answer.NO
    assert found.missing is not None
    assert 20 <= found.missing <= 200


def test_missing_labels_would_do() -> None:
    """Labelled as many times over, with the same shares, the bound lies at the target."""
    start = case((90, 10), (2, 38))
    missing = by_rate(start)[Rate.ACCEPTED_ERROR].missing
    assert missing is not None

    times = 1 + missing / 40
    [enough, short] = (
        estimate_rates(
            [
                replace(one, wrong=round(one.wrong * t), correct=round(one.correct * t))
                for one in start
            ]
        )[Rate.ACCEPTED_ERROR].upper
        for t in (1.1 * times, 0.5 * times)
    )

    assert enough is not None
    assert short is not None
    assert enough <= 0.1 < short


def test_no_number_of_labels_makes_a_bad_rate_good() -> None:
    """Half of the accepted ones are wrong; more labels only say so more clearly."""
    found = by_rate(case((90, 10), (50, 50)))[Rate.ACCEPTED_ERROR]

    assert (found.answer, found.missing) == (Answer.NO, None)
    assert "no number of labels helps" in found.why


def test_unknown_says_what_is_missing_at_least() -> None:
    """Nothing is labelled among the accepted: if none is wrong, so many do."""
    found = by_rate(case((90, 10), (0, 0)))[Rate.ACCEPTED_ERROR]

    assert found.answer is Answer.UNKNOWN
    assert found.why == "no labels among accepted (high scores)"
    assert found.missing is not None
    assert 10 <= found.missing <= 60


def test_more_confidence_takes_more_labels() -> None:
    """The policy says how sure it wants to be."""
    strata = case((90, 10), (2, 58))
    [less, more] = (
        by_rate(strata, replace(TARGETS, confidence=level))[Rate.ACCEPTED_ERROR]
        for level in (0.8, 0.999)
    )

    assert (less.answer, more.answer) == (Answer.YES, Answer.NO)


@pytest.mark.parametrize(
    ("lost", "answer"),
    [
        ({19_851: (5, 100)}, Answer.YES),
        ({19_851: (6, 100)}, Answer.SILENT),
        ({19_850: (0, 1_000), 19_851: (6, 100), 19_852: (3, 9)}, Answer.SILENT),
        ({}, Answer.YES),
    ],
)
def test_silent_where_a_day_lacks_checks(lost: dict[int, tuple[int, int]], answer: Answer) -> None:
    """What was dropped was dropped at the busiest time; what is left says nothing of it."""
    found = judge(case((90, 10), (2, 98)), TARGETS, lost=lost)

    assert {judgement.answer for judgement in found} == {answer}
    if len(lost) == 3:
        assert found[0].why.startswith("3 of 9 shadow checks of 2024-05-09 came to nothing")
        assert "(and 1 more days)" in found[0].why
