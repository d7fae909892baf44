"""Live rates and their intervals, from counts of a stratified sample. Pure: counts in, rates out.

With W = a reviewer says the answer asserts something its passages don't support:

    sensitivity     = P(blocked | W)         false block     = P(blocked | not W)
    accepted error  = P(W | accepted)        delivered error = P(W | delivered)
    coverage        = P(accepted), known without labels

A label weighs decisions / labelled of its stratum. Intervals: in each stratum the wrong share is
drawn from Beta(wrong + 1/2, correct + 1/2) (the Jeffreys posterior), the rate formed from the
drawn masses, and the quantiles of the draws taken. Linearised and bootstrap intervals have no
width where a stratum shows no event. The halves are shared by the weeks of one side and band: four
weeks with a half each would add two wrong answers where five were found, and cover 70 % of the
time. In the delivered error, to which all its strata are one side, they are shared by all of them:
with a half each it covered 91 % where 1 % is wrong. benchmarks/outcomes.py counts what they cover.

"Can't tell" is a label: its weight counts towards the labelled of its stratum and is left out of
the rates, which are those of the answers a person can judge.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.words import Band, Rate

DRAWS = 20_000
SEED = 1

# Bounds shown, as shares of the draws below them; the wider pair is for alerts that ask daily.
LEVELS = {"low": 0.025, "high": 0.975, "low999": 0.0005, "high999": 0.9995}
UPPER_ENDS = frozenset({"high", "high999", "upper"})

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """Decisions of one side, score band and week, and what the labelled ones turned out to be.

    ``harmful`` and ``harmless`` are of the wrong ones; of the rest of these no harm is known.
    """

    side: Side
    band: Band
    week: int
    decisions: int
    wrong: int = 0
    correct: int = 0
    cannot_tell: int = 0
    harmful: int = 0
    harmless: int = 0

    @property
    def labelled(self) -> int:
        """All labels, those that can't tell included."""
        return self.wrong + self.correct + self.cannot_tell

    @property
    def told(self) -> int:
        """The labels that say what the answer is."""
        return self.wrong + self.correct

    @property
    def name(self) -> str:
        """Side and band, in words."""
        return str(self.side) if self.band is Band.ONE else f"{self.side} ({self.band} scores)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A rate with 95 % and 99.9 % bounds; all None where it is not known, and ``unknown`` says why.

    ``upper`` is the one-sided bound that was asked for. ``as_wrong`` and ``as_correct`` are the
    rate with every "can't tell" counted as one or the other. ``cannot_tell`` is the share of the
    weight that is left out. ``labels`` counts the labels that told.
    """

    point: float | None = None
    low: float | None = None
    high: float | None = None
    low999: float | None = None
    high999: float | None = None
    upper: float | None = None
    as_wrong: float | None = None
    as_correct: float | None = None
    cannot_tell: float = 0.0
    labels: int = 0
    unknown: str = ""


Estimates = Mapping[Rate, Estimate]


def estimate_rates(
    strata: Iterable[Stratum],
    delivered: Iterable[Stratum] | None = None,
    *,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Estimates:
    """Return every rate.

    Args:
        strata: The decisions of one route, window and scorer. Unchecked ones may be among them
            and are left out.
        delivered: The delivered decisions of one rollout, unchecked ones included; None where
            nothing is known of a rollout.
        confidence: Of the one-sided bound ``upper``.
        draws: How many.
        seed: Of the draws.
    """
    checked = [s for s in joined(strata) if s.side is not Side.UNCHECKED]
    sample = Sample.draw(checked, np.random.default_rng(seed), draws)
    found = {
        rate: _estimate(sample, part, whole, rate, confidence)
        for rate, (part, whole) in OF_CHECKED.items()
    }
    found[Rate.COVERAGE] = _coverage(checked)
    if delivered is None:
        found[Rate.DELIVERED_ERROR] = Estimate(unknown="there is no rollout")
    else:
        rng = np.random.default_rng(seed)
        reached = Sample.draw(joined(delivered), rng, draws, are_one=True)
        part, whole = Mass(wrong=True), Mass(wrong=True, correct=True)
        rate = Rate.DELIVERED_ERROR
        found[rate] = _estimate(reached, part, whole, rate, confidence)
    return found


def naive_rates(strata: Iterable[Stratum]) -> Mapping[Rate, Fraction | None]:
    """Return the rates with every label weighing the same: what to compare with, never to use."""
    even = [replace(s, decisions=s.labelled) for s in strata if s.side is not Side.UNCHECKED]
    return {rate: weighted_ratio(even, part, whole) for rate, (part, whole) in OF_CHECKED.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mass:
    """Which decisions count: of which sides, wrong ones, correct ones."""

    sides: frozenset[Side] = frozenset(Side)
    wrong: bool = False
    correct: bool = False


_BLOCKED, _ACCEPTED = frozenset({Side.BLOCKED}), frozenset({Side.ACCEPTED})

# Numerator and denominator of each rate over checked decisions.
OF_CHECKED: Mapping[Rate, tuple[Mass, Mass]] = {
    Rate.SENSITIVITY: (Mass(sides=_BLOCKED, wrong=True), Mass(wrong=True)),
    Rate.FALSE_BLOCK: (Mass(sides=_BLOCKED, correct=True), Mass(correct=True)),
    Rate.ACCEPTED_ERROR: (
        Mass(sides=_ACCEPTED, wrong=True),
        Mass(sides=_ACCEPTED, wrong=True, correct=True),
    ),
}

_UNDEFINED = {
    Rate.SENSITIVITY: "no labelled answer was wrong",
    Rate.FALSE_BLOCK: "no labelled answer was correct",
    Rate.ACCEPTED_ERROR: "nothing was accepted",
    Rate.DELIVERED_ERROR: "nothing was delivered",
}


def joined(strata: Iterable[Stratum]) -> list[Stratum]:
    """Add up what belongs to one stratum, in a fixed order; what is empty is known to be."""
    joined: dict[tuple[int, Side, Band], Stratum] = {}
    for part in strata:
        key = (part.week, part.side, part.band)
        old = joined.get(key)
        joined[key] = (
            part
            if old is None
            else replace(
                old,
                decisions=old.decisions + part.decisions,
                wrong=old.wrong + part.wrong,
                correct=old.correct + part.correct,
                cannot_tell=old.cannot_tell + part.cannot_tell,
                harmful=old.harmful + part.harmful,
                harmless=old.harmless + part.harmless,
            )
        )
    return [joined[key] for key in sorted(joined) if joined[key].decisions]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Strata with drawn masses of wrong and correct answers, each of shape (strata, draws)."""

    strata: Sequence[Stratum]
    wrong: Floats
    correct: Floats

    @classmethod
    def draw(
        cls,
        strata: Sequence[Stratum],
        rng: np.random.Generator,
        draws: int,
        *,
        are_one: bool = False,
    ) -> "Sample":
        """Draw the wrong share of each stratum, and of those with "can't tell" the told share.

        ``are_one``: the strata share the halves of one prior, whatever their side and band.
        """
        counts = np.array(
            [(s.wrong, s.correct, s.cannot_tell, s.decisions) for s in strata], dtype=np.float64
        ).reshape(-1, 4)
        size = (counts.shape[0], draws)
        names = ["" if are_one else s.name for s in strata]
        sharing = Counter(names)
        prior = np.array([0.5 / sharing[name] for name in names]).reshape(-1, 1)
        wrong = rng.beta(counts[:, [0]] + prior, counts[:, [1]] + prior, size)
        mass = np.repeat(counts[:, [3]], draws, axis=1)
        open_ = counts[:, 2] > 0
        if open_.any():
            told = counts[open_, 0] + counts[open_, 1]
            shape = (int(open_.sum()), draws)
            mass[open_] *= rng.beta(told[:, None] + 0.5, counts[open_, 2][:, None] + 0.5, shape)
        return cls(strata=strata, wrong=wrong * mass, correct=(1.0 - wrong) * mass)

    def total(self, mass: Mass) -> Floats:
        """Add up the drawn masses."""
        chosen = np.array([s.side in mass.sides for s in self.strata], dtype=bool)
        total = np.zeros(self.wrong.shape[1])
        if mass.wrong:
            total += self.wrong[chosen].sum(axis=0)
        if mass.correct:
            total += self.correct[chosen].sum(axis=0)
        return total


def _estimate(sample: Sample, part: Mass, whole: Mass, rate: Rate, confidence: float) -> Estimate:
    of = [s for s in sample.strata if s.side in whole.sides]
    labels = sum(s.told for s in of)
    unknown = unlabelled_among(of) if of else _UNDEFINED[rate]
    if unknown:
        return Estimate(unknown=unknown, labels=labels)
    point = weighted_ratio(of, part, whole)
    if point is None:
        return Estimate(unknown=_UNDEFINED[rate], labels=labels)
    events, all_ = _labels(of, part), _labels(of, whole)
    levels = {**LEVELS, "upper": confidence}
    bounds = bounds_of(sample.total(part), sample.total(whole), levels)
    for name in levels:
        if name not in UPPER_ENDS and events == 0:
            bounds[name] = 0.0
        if name in UPPER_ENDS and events == all_:
            bounds[name] = 1.0
    weight = sum((_weight(s) * s.cannot_tell for s in of if s.labelled), Fraction(0))
    return Estimate(
        point=float(point),
        low=bounds["low"],
        high=bounds["high"],
        low999=bounds["low999"],
        high999=bounds["high999"],
        upper=bounds["upper"],
        as_wrong=_number(weighted_ratio([_as_wrong(s) for s in of], part, whole)),
        as_correct=_number(weighted_ratio([_as_correct(s) for s in of], part, whole)),
        cannot_tell=float(weight / sum(s.decisions for s in of)),
        labels=labels,
    )


def unlabelled_among(of: Sequence[Stratum]) -> str:
    """Say which side or band has decisions and no label that tells; a week alone may have none."""
    told: dict[str, int] = {}
    for stratum in of:
        told[stratum.name] = told.get(stratum.name, 0) + stratum.told
    lacking = [name for name, labels in told.items() if not labels]
    return f"no labels among {', '.join(lacking)}" if lacking else ""


def weighted_ratio(strata: Sequence[Stratum], part: Mass, whole: Mass) -> Fraction | None:
    """Return the weighted ratio, exactly; None where its denominator is empty."""
    denominator = _weighted(strata, whole)
    return _weighted(strata, part) / denominator if denominator else None


def _weighted(strata: Sequence[Stratum], mass: Mass) -> Fraction:
    """Add up weights; a week without labels has the shares of its side and band in the others."""
    total = Fraction(0)
    for stratum in strata:
        if stratum.side not in mass.sides:
            continue
        like = [stratum] if stratum.labelled else [s for s in strata if s.name == stratum.name]
        labelled = [s for s in like if s.labelled]
        weight = sum((Fraction(s.decisions) for s in labelled), Fraction(0))
        counted = sum((_weight(s) * _counted(s, mass) for s in labelled), Fraction(0))
        total += counted / weight * stratum.decisions if weight else 0
    return total


def _weight(stratum: Stratum) -> Fraction:
    return Fraction(stratum.decisions, stratum.labelled)


def _counted(stratum: Stratum, mass: Mass) -> int:
    return stratum.wrong * mass.wrong + stratum.correct * mass.correct


def _labels(strata: Sequence[Stratum], mass: Mass) -> int:
    return sum(_counted(s, mass) for s in strata if s.side in mass.sides)


def bounds_of(part: Floats, whole: Floats, levels: Mapping[str, float]) -> dict[str, float]:
    """Return quantiles of a ratio's draws, by name; those without a denominator are left out."""
    defined = whole > 0.0
    ratios = part[defined] / whole[defined]
    found = np.quantile(ratios, list(levels.values()))
    return {name: float(value) for name, value in zip(levels, found, strict=True)}


def _coverage(checked: Sequence[Stratum]) -> Estimate:
    """Return the accepted share, counted in full: its bounds are the point."""
    whole = sum(s.decisions for s in checked)
    if not whole:
        return Estimate(unknown="no answer was checked")
    share = sum(s.decisions for s in checked if s.side is Side.ACCEPTED) / whole
    return Estimate(
        point=share, low=share, high=share, low999=share, high999=share, upper=share,
        as_wrong=share, as_correct=share,
    )  # fmt: skip


def _as_wrong(stratum: Stratum) -> Stratum:
    return replace(stratum, wrong=stratum.wrong + stratum.cannot_tell, cannot_tell=0)


def _as_correct(stratum: Stratum) -> Stratum:
    return replace(stratum, correct=stratum.correct + stratum.cannot_tell, cannot_tell=0)


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
