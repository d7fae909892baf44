"""Would enforcing a route now meet its targets, and if that is not known, what is missing? Pure.

A target is met when the one-sided upper bound of its rate is at most the target.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.estimate import Estimate, Stratum, estimate_rates
from gatekeeper.outcomes.sampling import MIX
from gatekeeper.outcomes.words import Rate
from gatekeeper.policy import Targets

# Of a day's shadow checks; where more are missing, what is left is no fair sample of the traffic.
MOST_LOST = 0.05

# For the search of how many labels are missing, which is a forecast.
_DRAWS = 4_000
_STEPS = 24
_MOST_TIMES = 1_000.0


# Where labels narrow a rate.
_SIDES = {
    Rate.FALSE_BLOCK: frozenset({Side.BLOCKED, Side.ACCEPTED}),
    Rate.ACCEPTED_ERROR: frozenset({Side.ACCEPTED}),
}


class Answer(StrEnum):
    """Whether a target is met. SILENT and UNKNOWN are no "no"."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"
    SILENT = "silent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One target of a route. ``missing`` labels would do if the shares stay as they are."""

    rate: Rate
    target: float
    answer: Answer
    estimate: Estimate
    missing: int | None = None
    why: str = ""


def judge(
    strata: Sequence[Stratum],
    targets: Targets,
    *,
    lost: Mapping[int, tuple[int, int]] | None = None,
) -> tuple[Judgement, ...]:
    """Return a judgement a target.

    Args:
        strata: The counts of a route.
        targets: What the policy wants.
        lost: A day (since 1970, UTC): shadow checks that came to nothing, and all.
    """
    wanted = {
        Rate.FALSE_BLOCK: targets.false_block,
        Rate.ACCEPTED_ERROR: targets.accepted_error,
    }
    silence = _silence(lost or {})
    found = estimate_rates(strata, confidence=targets.confidence)
    return tuple(
        Judgement(rate=rate, target=target, answer=Answer.SILENT, estimate=found[rate], why=silence)
        if silence
        else _judge(strata, rate, target, found[rate], targets.confidence)
        for rate, target in wanted.items()
    )


def _silence(lost: Mapping[int, tuple[int, int]]) -> str:
    """Say which days lack too many checks, "" for none."""
    bad = [day for day, (gone, all_) in lost.items() if gone > MOST_LOST * all_]
    if not bad:
        return ""
    worst = max(bad, key=lambda day: lost[day][0] / lost[day][1])
    gone, all_ = lost[worst]
    on = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=worst)).date().isoformat()
    many = "" if len(bad) == 1 else f" (and {len(bad) - 1} more days)"
    return (
        f"{gone} of {all_} shadow checks of {on} came to nothing{many}; "
        f"more than {MOST_LOST:.0%} of a day, so what is left may not be like the rest"
    )


def _judge(
    strata: Sequence[Stratum], rate: Rate, target: float, found: Estimate, confidence: float
) -> Judgement:
    if found.upper is None:
        missing = _missing(_at_best(strata), strata, rate, target, confidence)
        return Judgement(
            rate=rate, target=target, answer=Answer.UNKNOWN, estimate=found, missing=missing,
            why=found.unknown,
        )  # fmt: skip
    if found.upper <= target:
        return Judgement(rate=rate, target=target, answer=Answer.YES, estimate=found)
    missing = _missing(strata, strata, rate, target, confidence)
    if missing is None:
        why = "no number of labels helps while the rate is what it seems to be"
    else:
        why = "the bound is still above the target"
    return Judgement(
        rate=rate, target=target, answer=Answer.NO, estimate=found, missing=missing, why=why
    )


def _at_best(strata: Sequence[Stratum]) -> list[Stratum]:
    """Fill in what has no label as it would be at best: every block right, nothing missed."""
    return [
        stratum
        if stratum.told or not stratum.decisions
        else replace(
            stratum,
            wrong=MIX[stratum.side, stratum.band] * (stratum.side is Side.BLOCKED),
            correct=MIX[stratum.side, stratum.band] * (stratum.side is not Side.BLOCKED),
        )
        for stratum in strata
    ]


def _missing(
    start: Sequence[Stratum],
    have: Sequence[Stratum],
    rate: Rate,
    target: float,
    confidence: float,
) -> int | None:
    """Return how many more labels of the same shares bring the bound to the target."""
    counted = [stratum for stratum in start if stratum.side in _SIDES[rate]]

    def more(times: float) -> list[Stratum]:
        return [
            replace(
                stratum,
                wrong=round(stratum.wrong * times),
                correct=round(stratum.correct * times),
                cannot_tell=round(stratum.cannot_tell * times),
            )
            for stratum in counted
        ]

    def suffices(times: float) -> bool:
        found = estimate_rates(more(times), confidence=confidence, draws=_DRAWS)[rate]
        return found.upper is not None and found.upper <= target

    low, high = 1.0, _MOST_TIMES
    if not suffices(high):
        return None
    for _ in range(_STEPS):
        if high - low < 0.01:
            break
        middle = (low * high) ** 0.5
        low, high = (low, middle) if suffices(middle) else (middle, high)
    there = sum(stratum.labelled for stratum in have if stratum.side in _SIDES[rate])
    return max(1, sum(stratum.labelled for stratum in more(high)) - there)
