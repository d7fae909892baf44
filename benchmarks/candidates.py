"""Do the intervals of a sample that is judged again hold what they promise? Simulated, counted.

    python -m benchmarks.candidates --out benchmarks/results/candidates.json

The worlds, weeks and labels of ``benchmarks.outcomes``; a candidate blocks some of what the gate
that ran let through, and lets through some of what it blocked. Covered: the candidate's true rate
over all answers of the window lies in the 95 % interval. Beside it the same for a bootstrap over
all rows with their weights.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.machine import describe
from benchmarks.outcomes import WINDOWS, WORLDS, Seen, World, month
from gatekeeper.core.decide import Side
from gatekeeper.evaluation.metrics import RATES, Judged, gate_metrics
from gatekeeper.evaluation.strata import Stratum
from gatekeeper.evaluation.table import Table, draw
from gatekeeper.outcomes.words import Band

SHARES = RATES[:4]
DRAWS = 400
Cell = tuple[Side, Band]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The share it blocks of wrong and of correct answers, by where the gate that ran put them."""

    blocks: Mapping[Cell, tuple[float, float]]

    def of(self, cell: Cell, *, wrong: bool) -> float:
        """Return the chance that it blocks an answer."""
        return self.blocks[cell][0 if wrong else 1]


BLOCKED, LOW, HIGH = (
    (Side.BLOCKED, Band.ONE),
    (Side.ACCEPTED, Band.LOW),
    (Side.ACCEPTED, Band.HIGH),
)
CANDIDATES = {
    "the same": Candidate(blocks={BLOCKED: (1, 1), LOW: (0, 0), HIGH: (0, 0)}),
    "stricter": Candidate(blocks={BLOCKED: (1, 1), LOW: (0.4, 0.08), HIGH: (0.05, 0.005)}),
    "laxer": Candidate(blocks={BLOCKED: (0.7, 0.4), LOW: (0, 0), HIGH: (0, 0)}),
    "another": Candidate(blocks={BLOCKED: (0.8, 0.5), LOW: (0.3, 0.05), HIGH: (0.1, 0.01)}),
}


@dataclass(slots=True, kw_only=True)
class Tally:
    """How often an interval of one rate, and one of the bootstrap, held the truth."""

    known: int = 0
    covered: int = 0
    by_bootstrap: int = 0
    width: float = 0.0

    def figures(self) -> dict[str, float | int]:
        """Return shares of the months in which the rate was known."""
        known = max(1, self.known)
        return {
            "known": self.known,
            "covered": round(self.covered / known, 4),
            "covered_by_bootstrap": round(self.by_bootstrap / known, 4),
            "mean_width": round(self.width / known, 5),
        }


def judged(
    seen: Sequence[Seen], candidate: Candidate, rng: np.random.Generator
) -> tuple[list[Judged], dict[str, Stratum], dict[str, float | None]]:
    """Return rows, what they were drawn from, and the candidate's true rates."""
    rows: list[Judged] = []
    strata: dict[str, Stratum] = {}
    cells = np.zeros(4)
    for one in seen:
        stratum = one.stratum
        cell, key = (stratum.side, stratum.band), f"{stratum.name}, week {stratum.week}"
        strata[key] = Stratum(name=stratum.name, answers=stratum.decisions, rows=stratum.labelled)
        for wrong, whole, labelled in (
            (True, one.wrong, stratum.wrong),
            (False, stratum.decisions - one.wrong, stratum.correct),
        ):
            stops = int(rng.binomial(whole, candidate.of(cell, wrong=wrong)))
            cells += [stops * wrong, stops * (not wrong), 0, 0]
            cells += [0, 0, (whole - stops) * wrong, (whole - stops) * (not wrong)]
            blocked = int(rng.hypergeometric(stops, whole - stops, labelled)) if labelled else 0
            weight = stratum.decisions / stratum.labelled if stratum.labelled else 1.0
            rows += [
                Judged(wrong=wrong, blocked=number < blocked, weight=weight, stratum=key)
                for number in range(labelled)
            ]
    return rows, strata, _true(cells)


def simulate(
    world: World, candidate: Candidate, *, months: int, weeks: int, seed: int, draws: int = DRAWS
) -> dict[str, Tally]:
    """Run months of one world under one candidate."""
    rng = np.random.default_rng(seed)
    tallies = {rate: Tally() for rate in SHARES}
    for number in range(months):
        seen = [one for week in month(world, rng, weeks=weeks) for one in week]
        rows, strata, true = judged(seen, candidate, rng)
        found = gate_metrics(rows, strata=strata, seed=number, draws=draws)
        plain = draw(Table.of(rows), seed=number, draws=draws)
        for place, rate in enumerate(SHARES):
            estimate, truth, tally = getattr(found, rate), true[rate], tallies[rate]
            if estimate.low is None or truth is None:
                continue
            low, high = np.nanquantile(plain[:, place], (0.025, 0.975))
            tally.known += 1
            tally.covered += estimate.low <= truth <= estimate.high
            tally.by_bootstrap += bool(low <= truth <= high)
            tally.width += estimate.high - estimate.low
    return tallies


def _true(cells: np.ndarray[tuple[int], np.dtype[np.float64]]) -> dict[str, float | None]:
    wrong_blocked, correct_blocked, wrong_passed, correct_passed = (float(n) for n in cells)
    passed = wrong_passed + correct_passed
    parts = (
        (wrong_blocked, wrong_blocked + wrong_passed),
        (correct_blocked, correct_blocked + correct_passed),
        (wrong_passed, passed),
        (passed, passed + wrong_blocked + correct_blocked),
    )
    return {
        rate: part / whole if whole else None
        for rate, (part, whole) in zip(SHARES, parts, strict=True)
    }


def measure(*, months: int, draws: int) -> dict[str, object]:
    """Simulate all worlds, candidates and windows, each with a seed of its own."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    seed = 0
    for name, world in WORLDS.items():
        for title, candidate in CANDIDATES.items():
            for window, weeks in WINDOWS.items():
                seed += 1
                tallies = simulate(
                    world, candidate, months=months, weeks=weeks, seed=seed, draws=draws
                )
                by_window = found.setdefault(name, {}).setdefault(title, {})
                by_window[window] = {rate: tally.figures() for rate, tally in tallies.items()}
    return {"months": months, "draws": draws, **found}


def main() -> None:
    """Simulate and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--months", type=int, default=200)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    results = {"machine": describe(), **measure(months=options.months, draws=options.draws)}
    options.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
