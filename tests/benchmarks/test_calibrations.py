"""The simulation of calibrations, in small: promises are kept, and not by blocking nothing."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import calibrations
from benchmarks.calibrations import (
    ACCEPTED_ERROR,
    CARRIED_OVER,
    FALSE_BLOCK,
    WORLDS,
    Truth,
    best_of,
    describe,
    simulate,
    truth_of,
)
from gatekeeper.evaluation.search import Scored, Target

PLAIN, WEIGHTS = WORLDS[0], WORLDS[-1]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a distribution be known to within 0.002 only: enough for rates near 0.05."""
    monkeypatch.setattr(calibrations, "_DRAWS", 50_000)


@pytest.mark.parametrize("world", [PLAIN, WEIGHTS])
def test_false_block_rate_keeps_to_its_target(world: calibrations.World) -> None:
    """At 95 % three of 60 may exceed it; more than nine would be a chance of one in a thousand."""
    record = simulate(world, FALSE_BLOCK, calibrations=60)

    assert record.found == 60
    assert record.exceeded <= 9 / 60
    assert record.mean_worth is not None
    assert record.mean_worth >= 0.8
    assert record.mean_true_rate is not None
    assert 0.02 < record.mean_true_rate < 0.05


@pytest.mark.parametrize("target", [ACCEPTED_ERROR, CARRIED_OVER])
def test_accepted_error_keeps_to_its_target(target: Target) -> None:
    """Bonferroni promises more than is asked for."""
    record = simulate(PLAIN, target, calibrations=40)

    assert record.found == 40
    assert record.exceeded <= 0.05
    assert record.mean_worth is not None
    assert record.mean_worth >= 0.9


def test_weights_passed_over_would_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    """The world is a test of the column: without it the true rate is above the target."""
    drawn = calibrations.rows_of

    def without(*given: object) -> list[Scored]:
        return [replace(row, weight=1.0) for row in drawn(*given)]  # type: ignore[arg-type]

    monkeypatch.setattr(calibrations, "rows_of", without)

    assert simulate(WEIGHTS, FALSE_BLOCK, calibrations=20).exceeded > 0.5


def test_best_threshold_is_the_last_within_the_target() -> None:
    """Measured against a weaker one every choice would look good."""
    truth = truth_of(PLAIN, np.random.default_rng(1))
    best = best_of(truth, PLAIN, FALSE_BLOCK)

    assert truth.false_block(best) <= 0.05 < truth.false_block(best + 0.002)


def test_world_without_a_good_threshold_has_none() -> None:
    """One answer in ten is a finding: no threshold is within five per cent."""
    world = replace(PLAIN, findings=(0.1, 0.3))

    record = simulate(world, FALSE_BLOCK, calibrations=3)

    assert (record.found, record.exceeded, record.mean_worth) == (0, 0.0, None)


def test_rates_of_a_truth() -> None:
    """One correct answer of four below the mark, one wrong of two."""
    correct, wrong = (np.array(v) for v in ([0.1, 0.6, 0.7, 0.9], [0.2, 0.8]))
    truth = Truth(correct=correct, wrong=wrong)

    assert (truth.false_block(0.5), truth.sensitivity(0.5)) == (0.25, 0.5)
    assert truth.accepted_error(0.5, 0.5) == pytest.approx(0.25 / 0.625)
    assert truth.accepted_error(1.0, 0.5) == 0.0


def test_result_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Seed, worlds and figures: all that another run needs."""
    out = tmp_path / "calibrations.json"

    code = calibrations.main(["--calibrations", "2", "-o", str(out)])

    written = json.loads(out.read_text())
    assert code == 0
    assert written["worlds"].keys() == {world.name for world in WORLDS}
    assert [row["calibrations"] for row in written["calibrations"]] == [2] * 8
    assert describe(CARRIED_OVER) == "accepted error <= 0.1 at 0.95, 0.15 wrong"
    assert capsys.readouterr().err.count("Record(") == 8
