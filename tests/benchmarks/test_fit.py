"""The command that fits a weighing: what it writes, and what it says of itself."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.fit import (
    calibrated,
    choice,
    fitted,
    load_rows,
    maker,
    name_in_manifest,
    platt,
    report,
    scores_of,
)
from benchmarks.scoring import OPEN, SavedScores, pairs_key
from benchmarks.sets import FITTED
from benchmarks.weights import fit, pose
from gatekeeper.core.support import MEASURES
from gatekeeper.errors import InputError
from gatekeeper.runtime.aggregation import AGGREGATION, weighing_of, write_weighing
from gatekeeper.runtime.manifest import model_folder
from tests.benchmarks.rows import claim, drawn, premise, row

ROWS = {"one": drawn(240), "two": drawn(200, seed=1, claims=2), "three": drawn(160, seed=2)}


def test_support_is_a_frequency_after_the_fit() -> None:
    """Among answers of one claim with support near 0.7, about seven in ten are supported."""
    rows = {"one": drawn(1500, seed=3), "two": drawn(1500, seed=4)}

    weighing = fitted(rows)

    scores = [one for found in rows.values() for one in scores_of(found, weighing)]
    for low in (0.2, 0.4, 0.6):
        near = [one for one in scores if low <= one.score < low + 0.2]
        share = sum(not one.wrong for one in near) / len(near)
        assert share == pytest.approx(sum(one.score for one in near) / len(near), abs=0.08)


def test_scaling_keeps_the_order() -> None:
    """Calibration may move a threshold, never a verdict at its best threshold."""
    plain = fit(pose(ROWS))
    scaled = calibrated(plain, ROWS)

    first = [one.score for one in scores_of(ROWS["one"], plain)]
    second = [one.score for one in scores_of(ROWS["one"], scaled)]

    assert list(np.argsort(first)) == list(np.argsort(second))


def test_platt_finds_scale_and_shift() -> None:
    """Labels drawn from a known curve give it back."""
    source = np.random.default_rng(0)
    z = source.normal(0, 2, 20_000)
    right = (source.random(20_000) < 1 / (1 + np.exp(-(0.5 * z - 1)))).astype(float)

    scale, shift = platt(z, right, np.full(20_000, 1 / 20_000))

    assert scale == pytest.approx(0.5, abs=0.05)
    assert shift == pytest.approx(-1, abs=0.1)


def test_guard_has_its_word_in_the_scores() -> None:
    """The threshold is chosen for the gate as it is, findings included."""
    rows = [row(claim(premise(0.9), absent=True), wrong=True), row(claim(premise(0.9)), name="b")]

    assert [one.score for one in scores_of(rows, None)] == [0.0, 0.9]


def test_report_judges_on_what_was_not_fitted() -> None:
    """Both ways of judging, both aggregations, every set."""
    weighing = fitted(ROWS)

    found = json.loads(
        json.dumps(report(ROWS, weighing, lambda rows: fitted(rows, ["entailment", "known"])))
    )

    for name in ("maximum", "weighing"):
        for way in ("contexts", "sets"):
            part = found[f"{name}_on_unseen_{way}"]
            assert set(part["sets"]) == set(ROWS)
            assert 0.5 < part["mean"]["roc_auc"] <= 1.0
    better = found["weighing_on_unseen_contexts"]["mean"]["roc_auc"]
    assert better > found["maximum_on_unseen_contexts"]["mean"]["roc_auc"]


def test_given_weights_keep_their_ratio() -> None:
    """Only their scale follows from the rows."""
    weighing = maker(MEASURES, [("entailment", 0.5), ("calm", 0.25)])(ROWS)

    assert weighing.weights.keys() == {"entailment", "calm"}
    assert weighing.weights["calm"] / weighing.weights["entailment"] == pytest.approx(0.5)


def test_unknown_weight_is_an_error() -> None:
    """A misspelt measure would weigh nothing."""
    with pytest.raises(ValueError, match="unknown measure 'calmness'"):
        maker(MEASURES, [("calmness", 0.5)])


def test_one_threshold_is_chosen_for_all() -> None:
    """Every set has its figure there."""
    found = choice(ROWS, None)

    assert set(found.by_set) == set(ROWS)
    assert found.mean_balanced_accuracy == pytest.approx(np.mean(list(found.by_set.values())))


@pytest.mark.parametrize("times", [1, 2])
def test_manifest_names_the_file_once(times: int, tmp_path: Path) -> None:
    """A second fit takes the place of the first; anything else would not load."""
    shutil.copyfile(model_folder("minilm-l6-nli") / "manifest.toml", tmp_path / "manifest.toml")
    weighing = fitted(ROWS)

    for number in range(times):
        write_weighing(tmp_path / AGGREGATION, weighing, {"round": number})
        name_in_manifest(tmp_path, AGGREGATION)

    digest = hashlib.sha256((tmp_path / AGGREGATION).read_bytes()).hexdigest()
    text = (tmp_path / "manifest.toml").read_text(encoding="utf-8")
    assert text.count(AGGREGATION) == 1
    assert f'"{AGGREGATION}" = "{digest}"' in text
    assert weighing_of(tmp_path) == weighing


def test_set_without_scores_is_an_error(tmp_path: Path) -> None:
    """A weighing over part of the sets would pass for one over all."""
    folder = model_folder("minilm-l6-nli")
    saved = SavedScores(tmp_path / "scores.jsonl")
    for name in FITTED[:-1]:
        one = row(claim(premise(0.5)), name="0a", dataset=name)
        saved.add(replace(one, scorer=pairs_key(folder)))

    with pytest.raises(InputError, match=FITTED[-1]):
        load_rows(tmp_path / "scores.jsonl", folder)


def test_open_marks_support_nothing() -> None:
    """The scores that thresholds are chosen from must hold the joint premise of every claim."""
    assert (OPEN.support, OPEN.contradiction) == (1.0, 1.0)
