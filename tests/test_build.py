"""Opening a gate by hand: proven quickly, or wholly where that is asked for."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from gatekeeper.build import open_gate, prove
from gatekeeper.config.scorer import read_scorer
from gatekeeper.core.support import Weighing
from gatekeeper.errors import InputError, SelfTestError
from gatekeeper.evaluation.calibration import Fit, read_calibration, write_calibration
from gatekeeper.marks import SHIPPED_MODEL, UNCALIBRATED, Marks, marks_of, thresholds_of
from gatekeeper.runtime.aggregation import AGGREGATION, write_weighing
from gatekeeper.runtime.manifest import model_folder
from gatekeeper.runtime.session import LoneSession, Session, load
from tests.own_model import Moving, own_model

CALIBRATION = "calibration.json"


@pytest.mark.parametrize("tested", [False, True])
def test_model_with_other_scores_is_never_opened(tmp_path: Path, tested: bool) -> None:
    """Its thresholds were fitted for the stored ones; a single check has time to see to that."""
    folder = own_model(tmp_path, "entailment = 0.9", "entailment = 0.5")

    with pytest.raises(SelfTestError, match="from the stored ones"):
        open_gate(folder, tested=tested)


def test_marks_are_those_fitted_for_the_scorer(tmp_path: Path) -> None:
    """Origin and numbers go together, whoever asks."""
    folder = own_model(tmp_path)

    found = marks_of(folder)

    assert found == Marks(thresholds=read_calibration(folder / CALIBRATION).thresholds, fit=Fit.OWN)
    assert thresholds_of(folder) == found.thresholds


def test_marks_of_another_scorer_do_not_count(tmp_path: Path) -> None:
    """A file copied along with the wrong model would support whatever scores above 0.0001."""
    path = own_model(tmp_path) / CALIBRATION
    found = read_calibration(path)
    write_calibration(
        path, replace(found, support_threshold=0.0001, contradiction_threshold=0.9999)
    )

    assert marks_of(path.parent) == Marks(thresholds=UNCALIBRATED, fit=Fit.FOREIGN)


def test_folder_without_a_calibration_has_the_marks_of_none(tmp_path: Path) -> None:
    """A model can be tried before anything was fitted."""
    folder = own_model(tmp_path)
    (folder / CALIBRATION).unlink()

    assert marks_of(folder) == Marks(thresholds=UNCALIBRATED, fit=Fit.NONE)


def test_calibration_that_leads_nowhere_is_a_fault(tmp_path: Path) -> None:
    """Whoever put a link there wanted a calibration; a broken mount must not go unnoticed."""
    folder = own_model(tmp_path)
    (folder / CALIBRATION).unlink()
    (folder / CALIBRATION).symlink_to(tmp_path / "gone")

    with pytest.raises(InputError, match="found no such file"):
        marks_of(folder)


def test_tested_model_is_used_as_it_is() -> None:
    """Where scores do not move, pairs go on sharing passes."""
    gate = open_gate(tested=True)
    gate.close()

    assert isinstance(gate.model, Session)


def test_model_that_moves_runs_each_pair_alone() -> None:
    """A verdict must not depend on who else asked at the moment."""
    moving = Moving.over(load(model_folder(SHIPPED_MODEL), threads=1))

    proven = prove(moving)

    assert isinstance(proven.model, LoneSession)
    assert not proven.report.is_invariant
    assert proven.accepted() is proven.model


def test_gate_weighs_as_the_models_folder_says(tmp_path: Path) -> None:
    """Opened by hand or for a server, the same folder gives the same verdicts."""
    folder = own_model(tmp_path)
    weighing = Weighing(weights={"entailment": 0.5}, bias=-1.0)
    (folder / AGGREGATION).unlink(missing_ok=True)
    write_weighing(folder / AGGREGATION, weighing, {})
    digest = hashlib.sha256((folder / AGGREGATION).read_bytes()).hexdigest()
    path = folder / "manifest.toml"
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(f'"{AGGREGATION}"')]
    kept.insert(kept.index("[files]") + 1, f'"{AGGREGATION}" = "{digest}"')
    path.write_text("\n".join(kept), encoding="utf-8")

    gate = open_gate(folder)
    gate.close()

    assert gate.settings.weighing == weighing == read_scorer(folder).weighing
    assert gate.fingerprint == read_scorer(folder).fingerprint
