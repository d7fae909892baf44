"""What a live route adds to an answer, added by commands: house facts and boilerplate."""

import json
from pathlib import Path

import pytest

from gatekeeper.cli import main
from gatekeeper.cli.gates import Opened
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.evaluation.calibration import Fit
from gatekeeper.gate import Gate, Settings
from gatekeeper.testing import FakeJudge, FakeModel

ANSWER = "We are open all day. Returns are free. The lamp is red."


def opener(model: Path | None, *, tested: bool, calibration: Path | None = None) -> Opened:
    """Open a gate that supports what is contained in the evidence."""
    fake = FakeModel()
    marks = Thresholds(support=0.5, contradiction=0.9)
    return Opened(gate=Gate(fake, FakeJudge(fake), Settings(thresholds=marks)), fit=Fit.OWN)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write an answer that needs both files to hold."""
    (tmp_path / "answer.txt").write_text(ANSWER)
    (tmp_path / "page.txt").write_text("The lamp is red.")
    (tmp_path / "facts.md").write_text("\ufeffReturns are free.\n\nOrders ship fast.\n")
    (tmp_path / "boilerplate.txt").write_text("\n  We are open all day.  \n\nBye.\n")
    row = {"id": "a", "context": "The lamp is red.", "answer": ANSWER, "label": "supported"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    return tmp_path


def test_check_takes_boilerplate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line that stands in every answer is no claim, and house facts are one more context."""
    files = ["--context", str(folder / "page.txt"), "--answer", str(folder / "answer.txt")]
    facts = ["--context", str(folder / "facts.md")]

    assert main(["check", *files, *facts], open_gate=opener) == 3
    capsys.readouterr()
    both = [*facts, "--boilerplate", str(folder / "boilerplate.txt"), "--json"]
    assert main(["check", *files, *both], open_gate=opener) == 0

    shown = json.loads(capsys.readouterr().out)
    assert [claim["text"].strip() for claim in shown["claims"]] == [
        "Returns are free.",
        "The lamp is red.",
    ]
    assert shown["claims"][0]["passages"] == ["1"]


def test_evaluate_takes_house_facts_and_boilerplate(folder: Path) -> None:
    """Figures without what the live route has would be figures of another gate."""
    rows, out = str(folder / "rows.jsonl"), folder / "rows-out.jsonl"
    options = ["--house-facts", str(folder / "facts.md")]
    options += ["--boilerplate", str(folder / "boilerplate.txt")]

    main(["evaluate", rows, "--rows", str(out)], open_gate=opener)
    before = json.loads(out.read_text())
    main(["evaluate", rows, "--rows", str(out), *options], open_gate=opener)
    after = json.loads(out.read_text())

    assert (before["verdict"], len(before["claims"])) == ("FLAGGED", 3)
    assert (after["verdict"], len(after["claims"])) == ("SUPPORTED", 2)
    assert after["claims"][0]["passages"] == ["1"]
    assert after["severity"] == "none"


@pytest.mark.parametrize("option", ["--house-facts", "--boilerplate"])
def test_file_that_can_not_be_read_is_code_2(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    """It is named before a model is loaded for nothing."""
    odd = folder / "odd.txt"
    odd.write_bytes(b"\xff\xfe")

    code = main(["evaluate", str(folder / "rows.jsonl"), option, str(odd)], open_gate=opener)

    assert code == 2
    assert "odd.txt: found the byte 0xff at offset 0, expected UTF-8" in capsys.readouterr().err


def test_evaluate_tells_severity_and_marked_claims(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside the rates: how bad, and what cutting the answer up missed."""
    end = len(ANSWER)
    row = {
        "id": "a",
        "context": "The lamp is red.",
        "answer": ANSWER,
        "claims": [{"start": end - 16, "end": end, "critical": True}],
    }
    (folder / "rows.jsonl").write_text(json.dumps(row))
    rows, out = str(folder / "rows.jsonl"), folder / "out.json"

    main(["evaluate", rows, "--critical", "url", "--json", str(out)], open_gate=opener)

    shown, metrics = capsys.readouterr().out, json.loads(out.read_text())["metrics"]
    assert "  none 0, minor 0, major 1, complete 0, undecided 0, without claims 0" in shown
    assert "  critical supported   1 of 1 claims" in shown
    assert "claims against 1 marked ones in 1 answers\n  omitted 0, merged 0, invented 2" in shown
    assert metrics["severity"]["critical_kinds"] == ["url"]
    assert metrics["extraction"]["pessimistic_precision"] == pytest.approx(1 / 3)


def test_evaluate_says_where_nothing_is_critical(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No critical claim failed, for nobody said what is one."""
    main(["evaluate", str(folder / "rows.jsonl")], open_gate=opener)

    shown = capsys.readouterr().out
    assert "  nothing is marked as critical: no claim counts as such" in shown
    assert "claims against" not in shown
