"""How much of what is let through is wrong and does harm, by reviewers' words. Pure.

    harmful accepted error = P(wrong and harmful | accepted)

Harm is a word on a wrong answer: harmful, harmless, can't tell, or none given. A wrong answer of
which no harm is known is taken to be harmful as often as those of which it is, whatever their
band; the rate is also shown with all of them, and every "can't tell", as harmful and as harmless.

Intervals: the wrong share of a stratum is drawn as in ``estimate``, and the harmful share of those
from Beta(harmful + 1/2, harmless); where all harm is known their product is the draw from
Beta(harmful + 1/2, rest + 1/2), the interval of a rate of its own. Where nothing was harmful the
upper ends are exact: the largest rate that shows no event with a chance of 1 - confidence, which is
1 - 0.05^(1/n) with n labels of equal weight (metric targets such as "no harmful answer delivered"
are judged by that).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.estimate import (
    DRAWS,
    SEED,
    Floats,
    Mass,
    Sample,
    Stratum,
    bounds_of,
    joined,
    unlabelled_among,
    weighted_ratio,
)

_LEVELS = {"low": 0.025, "high": 0.975}
_WRONG, _TOLD = Mass(wrong=True), Mass(wrong=True, correct=True)
# A Beta distribution needs two numbers above 0; with this one its draws are 1.
_NONE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmEstimate:
    """The rate with a 95 % interval; None where it is not known, and ``unknown`` says why.

    ``upper`` is the one-sided bound that was asked for. ``as_harmful`` and ``as_harmless`` count
    whatever is not known as one or the other. ``labels`` counts the accepted ones that told,
    ``harmful`` and ``harm_not_known`` the wrong ones among them.
    """

    point: float | None = None
    low: float | None = None
    high: float | None = None
    upper: float | None = None
    as_harmful: float | None = None
    as_harmless: float | None = None
    labels: int = 0
    harmful: int = 0
    harm_not_known: int = 0
    unknown: str = ""


def harmful_accepted_error(
    strata: Sequence[Stratum], *, confidence: float = 0.95, draws: int = DRAWS, seed: int = SEED
) -> HarmEstimate:
    """Return the share of the accepted answers that are wrong and harmful.

    Args:
        strata: The decisions of one route, window and scorer; only accepted ones are looked at.
        confidence: Of the one-sided bound ``upper``.
        draws: How many.
        seed: Of the draws.
    """
    accepted = [s for s in joined(strata) if s.side is Side.ACCEPTED]
    harmful, harmless = (sum(s.harmful for s in accepted), sum(s.harmless for s in accepted))
    open_ = sum(s.wrong for s in accepted) - harmful - harmless
    found = HarmEstimate(
        labels=sum(s.told for s in accepted), harmful=harmful, harm_not_known=open_
    )
    unknown = unlabelled_among(accepted) if accepted else "nothing was accepted"
    if unknown:
        return replace(found, unknown=unknown)
    found = replace(
        found,
        as_harmful=_share_of_all(accepted, lambda s: s.wrong - s.harmless + s.cannot_tell),
        as_harmless=_share_of_all(accepted, lambda s: s.harmful),
    )
    if open_ and not harmful + harmless:
        unknown = f"no word on harm on the {open_} wrong among accepted"
        return replace(found, unknown=unknown)
    levels = {**_LEVELS, "upper": confidence}
    rates = _drawn(accepted, np.random.default_rng(seed), draws)
    bounds = bounds_of(rates, np.ones_like(rates), levels)
    if not harmful:
        bounds = {name: _no_event(accepted, level) for name, level in levels.items()}
        bounds["low"] = 0.0
    if harmful == found.labels:
        bounds["high"] = bounds["upper"] = 1.0
    return replace(
        found,
        point=_point(accepted),
        low=bounds["low"],
        high=bounds["high"],
        upper=bounds["upper"],
    )


def no_event_bound(sizes: Sequence[tuple[float, int]], confidence: float) -> float:
    """Return the largest share of events that shows none with a chance of 1 - confidence.

    Whatever the shares of the strata: the largest mean of p subject to
    ``prod (1 - p)^labels >= 1 - confidence``, where 1 - p is in proportion to labels / decisions
    as long as that is below 1.

    Args:
        sizes: Decisions and labels of each stratum; one without labels may be all events.
        confidence: Between 0 and 1.
    """
    whole = sum(size for size, _ in sizes)
    heaviest_first = sorted(((size / n, n) for size, n in sizes if n), reverse=True)
    labels, logs, events = 0, math.log1p(-confidence), 0.0
    for place, (weight, n) in enumerate(heaviest_first):
        labels += n
        logs += n * math.log(weight)
        # 1 - p is cut / weight; lighter strata, where that is 1 or more, have no events.
        cut = math.exp(logs / labels)
        events = sum(n * (w - cut) for w, n in heaviest_first[: place + 1])
        following = heaviest_first[place + 1 : place + 2]
        if following and cut >= following[0][0]:
            break
    free = sum(size for size, n in sizes if not n)
    return min(1.0, (free + events) / whole)


def _point(accepted: Sequence[Stratum]) -> float:
    """Return the rate: harmful ones, and their share of the wrong ones of unknown harm."""
    harmful = _share(accepted, lambda s: s.harmful)
    harmless = _share(accepted, lambda s: s.harmless)
    open_ = _share(accepted, lambda s: s.wrong - s.harmful - s.harmless)
    known = harmful + harmless
    return float(harmful + (open_ * harmful / known if known else 0))


def _share(accepted: Sequence[Stratum], count: Callable[[Stratum], int]) -> Fraction:
    """Return the weighted share of what is counted, of the labels that told."""
    counted = [replace(s, wrong=count(s), correct=s.told - count(s)) for s in accepted]
    # No stratum is without a label that told, so there is a ratio.
    return weighted_ratio(counted, _WRONG, _TOLD) or Fraction(0)


def _share_of_all(accepted: Sequence[Stratum], count: Callable[[Stratum], int]) -> float:
    """Return the weighted share of what is counted, of all labels."""
    return float(
        _share(
            [
                replace(s, wrong=count(s), correct=s.labelled - count(s), cannot_tell=0)
                for s in accepted
            ],
            lambda s: s.wrong,
        )
    )


def _drawn(accepted: Sequence[Stratum], rng: np.random.Generator, draws: int) -> Floats:
    sample = Sample.draw(accepted, rng, draws)
    counts = np.array([(s.wrong, s.harmful, s.harmless) for s in accepted], dtype=np.float64)
    wrong, harmful, harmless = (column.reshape(-1, 1) for column in counts.T)
    names = [s.name for s in accepted]
    prior = np.array([0.5 / names.count(name) for name in names]).reshape(-1, 1)
    own = rng.beta(harmful + prior, harmless + _NONE, sample.wrong.shape)
    pooled = rng.beta(harmful.sum() + 0.5, harmless.sum() + _NONE, draws)
    open_ = np.divide(
        wrong - harmful - harmless, wrong, out=np.zeros_like(wrong), where=wrong > 0.0
    )
    share = (1.0 - open_) * own + open_ * pooled
    whole = (sample.wrong + sample.correct).sum(axis=0)
    return np.asarray((sample.wrong * share).sum(axis=0) / whole)


def _no_event(accepted: Sequence[Stratum], confidence: float) -> float:
    sizes = []
    for one in accepted:
        told = one.told / one.labelled if one.labelled else 1.0
        sizes.append((one.decisions * told, one.correct + one.harmless))
    return no_event_bound(sizes, confidence)
