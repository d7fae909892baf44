"""What doctor and models verify find, and that a fault is a line and never a traceback."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gatekeeper.cli import main, probes
from gatekeeper.cli.probes import Finding, State, findings, machine_looks, model_looks
from gatekeeper.errors import GatekeeperError, ModelMissingError
from gatekeeper.evaluation.calibration import (
    Calibration,
    Guarantee,
    read_calibration,
    write_calibration,
)
from gatekeeper.runtime.manifest import model_folder
from gatekeeper.runtime.selftest import SelfTestReport

SHIPPED = model_folder("minilm-l6-nli")


def _state(folder: Path, name: str) -> State:
    """Take one look at a model folder and return the state of what it finds."""
    looks = tuple(look for look in model_looks(folder) if look[0] == name)
    return next(findings(looks)).state


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Copy the shipped model, for a test to damage."""
    return Path(shutil.copytree(SHIPPED, tmp_path / "model"))


@pytest.mark.parametrize(
    "error", [ModelMissingError(Path("x")), ImportError("no lib"), OSError(5, "io"), ValueError()]
)
def test_fault_in_a_look_is_a_finding(error: Exception) -> None:
    """Doctor is run when things are broken; it must get to its last line."""

    def broken() -> Iterator[Finding]:
        yield Finding(state=State.OK, name="first", text="fine")
        raise error

    found = list(findings((("broken", broken), ("again", broken))))

    assert [(item.name, item.state) for item in found] == [
        ("first", State.OK),
        ("broken", State.FAIL),
        ("first", State.OK),
        ("again", State.FAIL),
    ]
    assert all(item.text for item in found)


def test_machine_is_fit_for_the_tests() -> None:
    """Whoever runs the tests has the libraries; threads are at least one."""
    found = {finding.name: finding for finding in findings(machine_looks())}

    assert State.FAIL not in {finding.state for finding in found.values()}
    assert {"python", "onnxruntime", "tokenizers", "numpy", "threads", "int8"} == set(found)
    assert int(found["threads"].text.split()[0]) >= 1


def test_library_that_can_not_be_imported_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel for another processor is installed and yet does not load."""
    monkeypatch.setitem(sys.modules, "tokenizers", None)

    found = {finding.name: finding for finding in findings(machine_looks())}

    assert found["tokenizers"].state is State.FAIL
    assert found["numpy"].state is State.OK


@pytest.mark.parametrize(
    ("flags", "state", "text"),
    [
        ("flags : fpu avx_vnni", State.OK, "avx_vnni"),
        ("Features : fp asimddp", State.OK, "asimddp"),
        ("flags : fpu avx2", State.WARN, "slower"),
        (None, State.WARN, "unknown"),
    ],
)
def test_byte_instructions_are_read_from_the_processor(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: str | None,
    state: State,
    text: str,
) -> None:
    """Without them the same model takes longer: a warning, not a fault."""
    path = tmp_path / "cpuinfo"
    if flags is not None:
        path.write_text(flags)
    monkeypatch.setattr(probes, "_CPU_INFO", path)

    found = {finding.name: finding for finding in findings(machine_looks())}["int8"]

    assert found.state is state
    assert text in found.text


def test_changed_file_fails(copied: Path) -> None:
    """One byte more is another model."""
    with (copied / "tokenizer.json").open("ab") as stream:
        stream.write(b" ")

    assert _state(copied, "files") is State.FAIL


def test_missing_calibration_is_a_warning(copied: Path) -> None:
    """The gate works without one, with marks that nobody fitted."""
    (copied / "calibration.json").unlink(missing_ok=True)

    assert _state(copied, "calibration") is State.WARN


def test_calibration_of_another_scorer_is_a_warning(copied: Path) -> None:
    """Thresholds fitted for other scores mean something else here."""
    _write(copied, fingerprint="0" * 64)

    assert _state(copied, "calibration") is State.WARN


def test_unreadable_calibration_fails(copied: Path) -> None:
    """The gate would refuse to open."""
    (copied / "calibration.json").write_text("{")

    assert _state(copied, "calibration") is State.FAIL


def _write(folder: Path, *, fingerprint: str) -> None:
    calibration = Calibration(
        source="own",
        fingerprint=fingerprint,
        support_threshold=0.5,
        contradiction_threshold=0.9,
    )
    write_calibration(folder / "calibration.json", calibration)


def test_calibration_of_this_scorer_is_fine(copied: Path) -> None:
    """The fingerprint covers model, pipeline, guard, segmenter and the thresholds themselves."""
    _write(copied, fingerprint="unknown yet")
    unfitted = read_calibration(copied / "calibration.json")
    _write(copied, fingerprint=probes._scorer(copied, unfitted))

    assert _state(copied, "calibration") is State.OK


def test_promise_of_a_calibration_is_told(copied: Path) -> None:
    """Whoever looks before enforcing wants to know at what risk."""
    _write(copied, fingerprint="another")
    path = copied / "calibration.json"
    promised = Guarantee(
        rate="false_block_rate", target=0.05, confidence=0.95, bound=0.049, n=400, method="exact"
    )
    write_calibration(path, replace(read_calibration(path), guarantee=promised))

    [finding] = probes._calibration(copied, None)

    told = "; false_block_rate at most 0.05 with 0.95 confidence by 400 answers; not used"
    assert told in finding.text


@pytest.mark.parametrize(
    ("difference", "shift", "states"),
    [
        (0.0, 0.0, (State.OK, State.OK)),
        (0.1, 0.0, (State.FAIL, State.OK)),
        (0.0, 0.1, (State.OK, State.WARN)),
    ],
)
def test_self_test_report_becomes_two_findings(
    difference: float, shift: float, states: tuple[State, State]
) -> None:
    """Other scores forbid enforcing; scores that move with the batch only cost speed."""
    report = SelfTestReport(
        pairs=16, largest_difference=difference, largest_shift=shift, separation=0.8
    )

    assert (probes._scores_kept(report).state, probes._invariance(report).state) == states


def test_doctor_is_content_with_the_shipped_model(capsys: pytest.CaptureFixture[str]) -> None:
    """What we ship passes its own test, a line a finding."""
    assert main(["doctor"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines} <= {"ok", "warn"}
    assert any(line.split()[1] == "self-test" for line in lines)


def test_doctor_on_a_folder_without_a_model_is_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The machine's lines come all the same."""
    assert main(["doctor", "--model", str(tmp_path)]) == 1

    shown = capsys.readouterr().out
    assert f"fail  files         no model at {tmp_path}" in shown
    assert "ok    numpy" in shown


def test_models_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Name, fingerprint, licence and folder of what came with the package."""
    assert main(["models", "list"]) == 0

    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("minilm-l6-nli")
    assert line.endswith(str(SHIPPED))


def test_verify_passes_the_shipped_model_and_no_other(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit codes let a deployment stop before it serves with a damaged file."""
    assert main(["models", "verify"]) == 0
    assert "fail" not in capsys.readouterr().out

    (copied / "model.onnx").unlink()

    assert main(["models", "verify", str(copied)]) == 1
    assert "model.onnx: found no file" in capsys.readouterr().out


def test_every_error_of_the_package_is_caught() -> None:
    """A new kind of error descends from the one root and is a finding, too."""
    assert GatekeeperError in probes._FAULTS
