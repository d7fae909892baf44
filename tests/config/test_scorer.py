"""The scorer a policy asks for is known, pinned and fitted, or the fault says what is wrong."""

import json
from pathlib import Path

import pytest

from gatekeeper.build import open_gate
from gatekeeper.config.scorer import load_with_scorer, read_scorer, read_with_scorer
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.versions import scorer_fingerprint
from gatekeeper.errors import ConfigurationError
from gatekeeper.evaluation.calibration import Calibration, write_calibration
from gatekeeper.marks import SHIPPED_MODEL, UNCALIBRATED
from gatekeeper.runtime.manifest import model_folder, read_manifest
from tests.config.policies import toml
from tests.own_model import own_model

SHIPPED = model_folder(SHIPPED_MODEL)


def _policy(folder: Path, text: str) -> Path:
    path = folder / "gatekeeper.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_fingerprint_is_that_of_the_gate() -> None:
    """It is compared with the calibration's, which a loaded gate wrote."""
    gate = open_gate(SHIPPED)
    gate.close()

    assert read_scorer(SHIPPED).fingerprint == gate.fingerprint


def test_calibration_counts_for_its_own_scorer_only(tmp_path: Path) -> None:
    """Marks fitted to other scores would be silently wrong."""
    folder = own_model(tmp_path)
    assert read_scorer(folder).fitted is not None

    path = folder / "calibration.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "fingerprint": "0" * 64}))

    scorer = read_scorer(folder)
    assert (scorer.fitted, scorer.is_fitted) == (None, False)
    assert scorer.calibration is not None


@pytest.mark.parametrize("model", ["no-such-model", "./nowhere"])
def test_model_that_is_not_there_is_a_fault_among_the_others(tmp_path: Path, model: str) -> None:
    """Whoever corrects a policy wants all of its faults, and each of them once."""
    path = _policy(tmp_path, toml({"mode": '"enforce"', "budget_ms": "0"}, model=f'"{model}"'))

    with pytest.raises(ConfigurationError) as caught:
        load_with_scorer(path)

    places = [fault.place for fault in caught.value.faults]
    assert places == ["model", 'route[0] "/v1/answer".budget_ms']


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        ("minilm-l6", 'write model = "minilm-l6-nli"'),
        ("mine", 'write model = "./mine"'),
        ("./mini", ""),
        ("zzz", ""),
    ],
)
def test_name_that_is_no_model_is_told_the_names_there_are(
    tmp_path: Path, model: str, advice: str
) -> None:
    """A folder without a slash is the usual slip, and nobody knows the names by heart."""
    (tmp_path / "mine").mkdir()

    draft, _ = read_with_scorer(_policy(tmp_path, toml(model=f'"{model}"')))

    [fault] = draft.faults
    assert (fault.found, fault.instead) == (f'"{model}"', advice)
    assert fault.expected.startswith('"minilm-l6-nli", or with a slash')


def test_package_without_its_model_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy that names no model has no name to correct."""
    monkeypatch.setattr("gatekeeper.config.scorer.SHIPPED_MODEL", "gone")

    [fault] = read_with_scorer(_policy(tmp_path, toml()))[0].faults

    assert fault.found.startswith("no model at ")


def test_model_that_is_broken_says_where(tmp_path: Path) -> None:
    """The fault of the file is the fault of the policy, once and in its own words."""
    folder = own_model(tmp_path)
    (folder / "calibration.json").write_text("{")
    path = _policy(tmp_path, toml(model='"./model"'))
    [fault] = read_with_scorer(path)[0].faults
    assert str(fault).startswith(f"model: found {folder / 'calibration.json'}: no JSON")

    (folder / "manifest.toml").write_text("=")
    [fault] = read_with_scorer(path)[0].faults
    assert str(fault).startswith(f"model: found {folder / 'manifest.toml'} with no TOML")
    assert fault.expected == "a manifest"


def test_model_is_looked_for_beside_the_policy(tmp_path: Path) -> None:
    """As all files a policy names: a server may be started from anywhere."""
    own_model(tmp_path)

    _, scorer = load_with_scorer(_policy(tmp_path, toml(model='"./model"')))

    assert scorer.folder == tmp_path / "model"


def test_calibration_that_is_none_is_a_fault(tmp_path: Path) -> None:
    """A file cut short must not pass for a model without a calibration."""
    (own_model(tmp_path) / "calibration.json").write_text("{")

    draft, scorer = read_with_scorer(_policy(tmp_path, toml(model='"./model"')))

    assert scorer is None
    assert [fault.place for fault in draft.faults] == ["model"]


def test_running_scorer_stays(tmp_path: Path) -> None:
    """A reload is held against what runs, not against what has been put on disk since."""
    path = _policy(tmp_path, toml(model='"./model"'))
    own_model(tmp_path)
    _, running = load_with_scorer(path)
    (tmp_path / "model" / "calibration.json").write_text("{")

    assert load_with_scorer(path, running=running)[1] is running
    _policy(tmp_path, toml())
    with pytest.raises(ConfigurationError, match="restart the server to change the model"):
        load_with_scorer(path, running=running)


def _calibration(folder: Path, *, source: str = "own") -> Path:
    """Write a calibration for the shipped model, with a threshold that is not its own."""
    marks = Thresholds(support=0.123, contradiction=0.95)
    model = read_manifest(SHIPPED).fingerprint
    path = folder / "mine.json"
    calibration = Calibration(
        source=source,
        fingerprint=scorer_fingerprint(model, marks),
        support_threshold=marks.support,
        contradiction_threshold=marks.contradiction,
    )
    write_calibration(path, calibration)
    return path


def test_calibration_of_the_policy_takes_the_place_of_the_models(tmp_path: Path) -> None:
    """A user's own thresholds must not need a changed package."""
    path = _calibration(tmp_path)

    policy, scorer = load_with_scorer(
        _policy(tmp_path, toml({"mode": '"enforce"'}, calibration='"mine.json"'))
    )

    assert policy.calibration == str(path)
    assert scorer.thresholds.support == 0.123
    assert scorer.fitted is not None
    assert scorer.fitted.source == "own"
    assert scorer.fingerprint == scorer.fitted.fingerprint


def test_calibration_of_another_scorer_is_not_enforced_with(tmp_path: Path) -> None:
    """Its thresholds are of scores that mean something else here."""
    path = _calibration(tmp_path)
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "support_threshold": 0.124}))
    enforced = _policy(tmp_path, toml({"mode": '"enforce"'}, calibration='"mine.json"'))

    draft, scorer = read_with_scorer(enforced)

    [fault] = draft.faults
    assert fault.found == '"enforce" without a calibration for this scorer'
    assert scorer is not None
    assert scorer.thresholds == UNCALIBRATED


@pytest.mark.parametrize(
    ("content", "found"),
    [(None, "no such file or directory"), ("{", "no JSON"), ("{}", "nothing")],
)
def test_calibration_that_is_named_has_to_be_there(
    tmp_path: Path, content: str | None, found: str
) -> None:
    """A mistyped name must not leave the model's own thresholds in its place."""
    path = _calibration(tmp_path)
    path.unlink() if content is None else path.write_text(content)

    [fault] = read_with_scorer(_policy(tmp_path, toml(calibration='"mine.json"')))[0].faults

    assert fault.place == "calibration"
    assert str(path) in fault.found
    assert found in fault.found


def test_running_calibration_stays(tmp_path: Path) -> None:
    """Thresholds are part of the fingerprint that figures are counted under."""
    _calibration(tmp_path)
    path = _policy(tmp_path, toml(calibration='"mine.json"'))
    _, running = load_with_scorer(path)

    assert load_with_scorer(path, running=running)[1] is running
    _policy(tmp_path, toml())
    with pytest.raises(ConfigurationError, match="restart the server to change the calibration"):
        load_with_scorer(path, running=running)
