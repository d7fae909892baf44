"""Do the intervals of live rates hold what they promise? Simulated months of labels, counted.

    python -m benchmarks.outcomes --out benchmarks/results/outcomes.json

In three worlds 8,000 answers a day are wrong, blocked and scored by chance; reviewers label 400 a
week, by stratum. Each rate of a window of one and of four weeks is compared with what was true of
the answers in that window. Covered: the truth lies in the 95 % interval. Beside it the ratio of
labels without weights. The second half has 20 % of the answers unchecked, and reviewers who can't
tell for 5 % of what they see; there the error of what was delivered is covered too.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.machine import describe
from gatekeeper.core.decide import Side
from gatekeeper.outcomes.estimate import Estimates, Stratum, estimate_rates, naive_rates
from gatekeeper.outcomes.sampling import MIX
from gatekeeper.outcomes.words import Band, Rate

ANSWERS_A_DAY = 8_000
LABELS_A_WEEK = 400
WINDOWS = {"7d": 1, "28d": 4}
RATES = (Rate.SENSITIVITY, Rate.FALSE_BLOCK, Rate.ACCEPTED_ERROR, Rate.DELIVERED_ERROR)

# Of wrong answers that were accepted, the share with a score in the lowest third: some signal is
# left in the scores, or there would be no use in bands.
LOW_OF_WRONG = 0.6
DRAWS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What chance does to an answer: all shares of 1.

    ``unchecked`` answers are delivered whatever they say; ``cannot_tell`` is of the labels.
    """

    wrong: float
    sensitivity: float
    false_block: float
    unchecked: float = 0.0
    cannot_tell: float = 0.0

    @property
    def low_of_correct(self) -> float:
        """Share of the accepted correct answers in the low band, which holds a third of all."""
        missed = self.wrong * (1 - self.sensitivity)
        error = missed / (missed + (1 - self.wrong) * (1 - self.false_block))
        return (1 / 3 - error * LOW_OF_WRONG) / (1 - error)

    def cells(self) -> list[tuple[Side, Band, bool, float]]:
        """Return the probability of each stratum and truth; they add up to 1."""
        found = []
        for is_wrong, share, stops, low in (
            (True, self.wrong, self.sensitivity, LOW_OF_WRONG),
            (False, 1 - self.wrong, self.false_block, self.low_of_correct),
        ):
            checked = share * (1 - self.unchecked)
            found += [
                (Side.BLOCKED, Band.ONE, is_wrong, checked * stops),
                (Side.ACCEPTED, Band.LOW, is_wrong, checked * (1 - stops) * low),
                (Side.ACCEPTED, Band.HIGH, is_wrong, checked * (1 - stops) * (1 - low)),
                (Side.UNCHECKED, Band.ONE, is_wrong, share * self.unchecked),
            ]
        return found


WORLDS = {
    "63 % wrong": World(wrong=0.63, sensitivity=0.6, false_block=0.05),
    "3 % wrong": World(wrong=0.03, sensitivity=0.6, false_block=0.05),
    "1 % wrong": World(wrong=0.01, sensitivity=0.6, false_block=0.02),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One week's stratum: how many of its answers are wrong, and what was labelled."""

    stratum: Stratum
    wrong: int

    @property
    def true(self) -> Stratum:
        """The stratum with every answer labelled right."""
        decisions = self.stratum.decisions
        correct = decisions - self.wrong
        return replace(self.stratum, wrong=self.wrong, correct=correct, cannot_tell=0)


def month(world: World, rng: np.random.Generator, *, weeks: int) -> list[list[Seen]]:
    """Simulate weeks: answers by the world's chances, labels at random within each stratum."""
    cells = world.cells()
    counts = rng.multinomial(7 * ANSWERS_A_DAY, [chance for *_, chance in cells], size=weeks)
    found = []
    for week, row in enumerate(counts):
        sizes: dict[tuple[Side, Band], dict[bool, int]] = {}
        for (side, band, is_wrong, _), count in zip(cells, row, strict=True):
            sizes.setdefault((side, band), {})[is_wrong] = int(count)
        held = {key: size for key, size in sizes.items() if sum(size.values())}
        whole = sum(MIX[key] for key in held)
        found.append(
            [
                _seen(world, rng, key, week, size, LABELS_A_WEEK * MIX[key] / whole)
                for key, size in held.items()
            ]
        )
    return found


def _seen(
    world: World,
    rng: np.random.Generator,
    key: tuple[Side, Band],
    week: int,
    size: Mapping[bool, int],
    wanted: float,
) -> Seen:
    decisions = sum(size.values())
    labelled = min(round(wanted), decisions)
    wrong = int(rng.hypergeometric(size[True], size[False], labelled)) if labelled else 0
    lost = rng.binomial([wrong, labelled - wrong], world.cannot_tell)
    stratum = Stratum(
        side=key[0],
        band=key[1],
        week=week,
        decisions=decisions,
        wrong=wrong - int(lost[0]),
        correct=labelled - wrong - int(lost[1]),
        cannot_tell=int(lost.sum()),
    )
    return Seen(stratum=stratum, wrong=size[True])


def truth(seen: Sequence[Seen], delivered: Sequence[Seen]) -> dict[Rate, float | None]:
    """Return the rates of all answers, labels or not."""
    rates: dict[Rate, float | None] = {
        rate: None if value is None else float(value)
        for rate, value in naive_rates([one.true for one in seen]).items()
    }
    reached = sum(one.stratum.decisions for one in delivered)
    rates[Rate.DELIVERED_ERROR] = sum(one.wrong for one in delivered) / reached
    return rates


@dataclass(slots=True, kw_only=True)
class Tally:
    """What came of one rate over all months; ``naive`` is the ratio without weights."""

    known: int = 0
    covered: int = 0
    widths: list[float]
    truths: list[float]
    points: list[float]
    naive: list[float]

    def add(self, low: float, high: float, true: float) -> None:
        """Count one interval."""
        self.known += 1
        self.covered += low <= true <= high
        self.widths.append(high - low)
        self.truths.append(true)

    def figures(self, months: int) -> dict[str, object]:
        """Return coverage and means over the months in which the rate was known."""
        return {
            "covered": round(self.covered / self.known, 4) if self.known else None,
            "unknown_months": months - self.known,
            "mean_truth": _mean(self.truths),
            "mean_estimate": _mean(self.points),
            "mean_width": _mean(self.widths),
            "mean_naive_ratio": _mean(self.naive),
        }


def simulate(world: World, *, months: int, weeks: int, seed: int, draws: int) -> dict[Rate, Tally]:
    """Run months of one world and tally each rate of windows of some weeks."""
    rng = np.random.default_rng(seed)
    tallies = {rate: Tally(widths=[], truths=[], points=[], naive=[]) for rate in RATES}
    for number in range(months):
        seen = [one for week in month(world, rng, weeks=weeks) for one in week]
        delivered = [one for one in seen if one.stratum.side is not Side.BLOCKED]
        strata = [one.stratum for one in seen]
        reached = [one.stratum for one in delivered] if world.unchecked else None
        found = estimate_rates(strata, reached, draws=draws, seed=number)
        for rate, tally in tallies.items():
            _tally(tally, found, rate, truth(seen, delivered)[rate])
            plain = naive_rates(strata).get(rate)
            tally.naive += [] if plain is None else [float(plain)]
    return tallies


def _tally(tally: Tally, found: Estimates, rate: Rate, true: float | None) -> None:
    estimate = found[rate]
    if estimate.low is None or estimate.high is None or estimate.point is None or true is None:
        return
    tally.add(estimate.low, estimate.high, true)
    tally.points.append(estimate.point)


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), 6) if values else None


def runs() -> Iterator[tuple[str, str, World]]:
    """Yield each world, plain and with gaps."""
    for name, world in WORLDS.items():
        yield "all checked, all told", name, world
    for name, world in WORLDS.items():
        yield (
            "20 % unchecked, 5 % can't tell",
            name,
            replace(world, unchecked=0.2, cannot_tell=0.05),
        )


def measure(*, months: int, draws: int) -> dict[str, object]:
    """Simulate all worlds and windows, each with a seed of its own."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for seed, (half, name, world) in enumerate(runs()):
        by_window = found.setdefault(half, {}).setdefault(name, {})
        for window, weeks in WINDOWS.items():
            tallies = simulate(world, months=months, weeks=weeks, seed=seed, draws=draws)
            by_window[window] = {
                str(rate): tally.figures(months) for rate, tally in tallies.items() if tally.known
            }
    return {"months": months, "draws": draws, "labels_a_week": LABELS_A_WEEK, **found}


def main() -> None:
    """Simulate and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--months", type=int, default=2_000)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    began = time.monotonic()
    found = measure(months=options.months, draws=options.draws)
    seconds = round(time.monotonic() - began)
    results = {"machine": describe(), "seconds": seconds, **found}
    options.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
