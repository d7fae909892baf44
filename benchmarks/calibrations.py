"""What a calibration's promise is worth: ``python -m benchmarks.calibrations -o FILE``.

Worlds with known score distributions: correct answers score like Beta(a, b), wrong ones like
Beta(c, d), and a share of each has a finding. Many files of labelled answers are drawn from each;
each is calibrated; the true rates at the chosen threshold are those of the distributions. The
promise is kept where the true rate exceeds the target in at most 5 % of the calibrations, and it
is worth its price where the sensitivity is near that of the best threshold within the target.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

from gatekeeper.evaluation.sample import independent
from gatekeeper.evaluation.search import (
    FINDING,
    SHARED,
    WALKED,
    AcceptedErrorTarget,
    Choice,
    FalseBlockTarget,
    Scored,
    Target,
    search,
)

Floats = NDArray[np.float64]

SEED = 20_261_130
CALIBRATIONS = 2_000
# Draws that stand for a distribution: rates to within 0.0005.
_DRAWS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Scores of correct and of wrong answers, labelled rows of each, and findings in both.

    ``heavy`` of the correct rows stand for ``weight`` answers each and score as wrong ones do:
    a column of weights that is passed over gives another false-block rate.
    """

    name: str
    correct: tuple[float, float]
    wrong: tuple[float, float]
    n_correct: int
    n_wrong: int
    findings: tuple[float, float] = (0.01, 0.3)
    heavy: float = 0.0
    weight: float = 1.0


WORLDS = (
    World(name="plain", correct=(6, 1.5), wrong=(1.5, 3), n_correct=400, n_wrong=400),
    World(name="few rows", correct=(6, 1.5), wrong=(1.5, 3), n_correct=150, n_wrong=150),
    World(name="sure model", correct=(8, 0.3), wrong=(0.4, 1.2), n_correct=400, n_wrong=400),
    World(name="weak model", correct=(3, 2), wrong=(2, 3), n_correct=1000, n_wrong=1000),
    World(
        name="weights",
        correct=(6, 1.5),
        wrong=(1.5, 3),
        n_correct=1200,
        n_wrong=400,
        heavy=0.05,
        weight=3.0,
    ),
)
FALSE_BLOCK = FalseBlockTarget(target=Fraction("0.05"), confidence=Fraction("0.95"))
ACCEPTED_ERROR = AcceptedErrorTarget(
    target=Fraction("0.25"), confidence=Fraction("0.95"), min_accepted=Fraction("0.3")
)
CARRIED_OVER = AcceptedErrorTarget(
    target=Fraction("0.10"),
    confidence=Fraction("0.95"),
    min_accepted=Fraction("0.3"),
    prevalence=Fraction("0.15"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Sorted scores of many answers, by which the true rates of a threshold are known."""

    correct: Floats
    wrong: Floats

    def false_block(self, threshold: float) -> float:
        """Return the true P(blocked given correct)."""
        return float(np.searchsorted(self.correct, threshold)) / self.correct.size

    def sensitivity(self, threshold: float) -> float:
        """Return the true P(blocked given wrong)."""
        return float(np.searchsorted(self.wrong, threshold)) / self.wrong.size

    def accepted_error(self, threshold: float, wrong: float) -> float:
        """Return the true P(wrong given accepted) at a share of wrong answers."""
        missed = wrong * (1 - self.sensitivity(threshold))
        accepted = missed + (1 - wrong) * (1 - self.false_block(threshold))
        return missed / accepted if accepted else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What many calibrations of one world came to.

    ``exceeded`` is the share of all in which the true rate is above the target; ``worth`` the
    median share of the best threshold's sensitivity (of the least blocking that suffices, for an
    accepted error), over those that found a threshold.
    """

    world: str
    target: str
    calibrations: int
    found: int
    exceeded: float
    mean_true_rate: float | None
    best_sensitivity: float
    mean_sensitivity: float | None
    mean_worth: float | None
    median_worth: float | None


def truth_of(world: World, generator: np.random.Generator) -> Truth:
    """Draw what stands for the world; heavy rows count by their weight."""
    share = world.heavy * world.weight / (1 - world.heavy + world.heavy * world.weight)
    heavy = int(_DRAWS * share)
    return Truth(
        correct=np.sort(
            np.concatenate(
                [
                    scores(generator, world.correct, _DRAWS - heavy, world.findings[0]),
                    scores(generator, world.wrong, heavy, world.findings[0]),
                ]
            )
        ),
        wrong=np.sort(scores(generator, world.wrong, _DRAWS, world.findings[1])),
    )


def scores(
    generator: np.random.Generator, shape: tuple[float, float], n: int, findings: float
) -> Floats:
    """Draw scores; a share of them are findings, which lie below every threshold."""
    drawn = generator.beta(*shape, size=n)
    return np.where(generator.random(n) < findings, FINDING, drawn)


def rows_of(world: World, generator: np.random.Generator) -> list[Scored]:
    """Draw one file of labelled answers."""
    heavy = int(generator.binomial(world.n_correct, world.heavy))
    light = scores(generator, world.correct, world.n_correct - heavy, world.findings[0])
    odd = scores(generator, world.wrong, heavy, world.findings[0])
    wrong = scores(generator, world.wrong, world.n_wrong, world.findings[1])
    return [
        *(Scored(wrong=False, score=float(score)) for score in light),
        *(Scored(wrong=False, score=float(score), weight=world.weight) for score in odd),
        *(Scored(wrong=True, score=float(score)) for score in wrong),
    ]


def simulate(world: World, target: Target, *, calibrations: int, seed: int = SEED) -> Record:
    """Calibrate many times and compare with what is true."""
    generator = np.random.default_rng(seed)
    truth = truth_of(world, generator)
    by_label = isinstance(target, FalseBlockTarget) or target.prevalence is not None
    choices: list[Choice] = []
    for number in range(calibrations):
        sample = independent(rows_of(world, generator), by_label=by_label, seed=number)
        choices.append(search(sample.rows, target))
    found = [choice.chosen.threshold for choice in choices if choice.chosen is not None]
    rates = [true_rate(truth, world, target, threshold) for threshold in found]
    best = best_of(truth, world, target)
    worths = [worth(truth, target, threshold, best) for threshold in found]
    return Record(
        world=world.name,
        target=describe(target),
        calibrations=calibrations,
        found=len(found),
        exceeded=sum(rate > float(target.target) for rate in rates) / calibrations,
        mean_true_rate=fmean(rates) if rates else None,
        best_sensitivity=truth.sensitivity(best),
        mean_sensitivity=fmean(map(truth.sensitivity, found)) if found else None,
        mean_worth=fmean(worths) if worths else None,
        median_worth=median(worths) if worths else None,
    )


def true_rate(truth: Truth, world: World, target: Target, threshold: float) -> float:
    """Return the true value of what the target is about."""
    if isinstance(target, FalseBlockTarget):
        return truth.false_block(threshold)
    return truth.accepted_error(threshold, prevalence(world, target))


def prevalence(world: World, target: AcceptedErrorTarget) -> float:
    """Return the share of wrong answers that the target is about."""
    if target.prevalence is not None:
        return float(target.prevalence)
    return world.n_wrong / (world.n_wrong + world.n_correct)


def best_of(truth: Truth, world: World, target: Target) -> float:
    """Return the candidate that would be chosen if the true rates were known."""
    candidates = WALKED if isinstance(target, FalseBlockTarget) else SHARED
    held = [t for t in candidates if true_rate(truth, world, target, t) <= target.target]
    if not held:
        return 0.0
    return held[-1] if isinstance(target, FalseBlockTarget) else held[0]


def worth(truth: Truth, target: Target, threshold: float, best: float) -> float:
    """Return sensitivity, or correct answers let through, as a share of the best threshold's."""
    if isinstance(target, FalseBlockTarget):
        return truth.sensitivity(threshold) / truth.sensitivity(best)
    return (1 - truth.false_block(threshold)) / (1 - truth.false_block(best))


def describe(target: Target) -> str:
    """Say what the target is."""
    sure = f"at {float(target.confidence):g}"
    if isinstance(target, FalseBlockTarget):
        return f"false-block rate <= {float(target.target):g} {sure}"
    stated = "" if target.prevalence is None else f", {float(target.prevalence):g} wrong"
    return f"accepted error <= {float(target.target):g} {sure}{stated}"


def simulate_all(calibrations: int) -> list[Record]:
    """Simulate every world for the false-block rate, and two for the accepted error."""
    plans: list[tuple[World, Target]] = [(world, FALSE_BLOCK) for world in WORLDS]
    plans += [(WORLDS[0], ACCEPTED_ERROR), (WORLDS[0], CARRIED_OVER), (WORLDS[2], CARRIED_OVER)]
    records = []
    for world, target in plans:
        records.append(simulate(world, target, calibrations=calibrations))
        print(records[-1], file=sys.stderr, flush=True)
    return records


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate and write; 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calibrations", type=int, default=CALIBRATIONS)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args(arguments)
    records = simulate_all(given.calibrations)
    result = {
        "seed": SEED,
        "worlds": {world.name: asdict(world) for world in WORLDS},
        "calibrations": [asdict(record) for record in records],
    }
    given.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return int(any(record.exceeded > 0.06 for record in records))


if __name__ == "__main__":
    sys.exit(main())
