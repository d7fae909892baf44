"""``check`` on real model folders: none is taken at its word."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gatekeeper.cli import main
from gatekeeper.config.scorer import load_with_scorer
from gatekeeper.errors import ConfigurationError
from gatekeeper.evaluation.calibration import read_calibration, write_calibration
from tests.config.policies import toml
from tests.own_model import own_model

LABELS = '"entailment", "neutral", "contradiction"'
SWAPPED = '"contradiction", "neutral", "entailment"'


def _check(folder: Path, model: Path, answer: str) -> int:
    """Check an answer against a sentence about a museum."""
    (folder / "context.txt").write_text("Everybody likes museums that are open.")
    (folder / "answer.txt").write_text(answer)
    files = ["--context", str(folder / "context.txt"), "--answer", str(folder / "answer.txt")]
    return main(["check", *files, "--model", str(model), "--json"])


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (LABELS, SWAPPED, "the order of the labels is not"),
        ("[CLS] {premise} [SEP]", "[CLS] not {premise} [SEP]", "from the stored ones"),
        ("temperature = 0.", "temperature = 1.", "from the stored ones"),
    ],
)
def test_model_that_scores_otherwise_is_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, fault: str
) -> None:
    """With its labels swapped it supports that nobody likes what everybody likes."""
    code = _check(tmp_path, own_model(tmp_path, old, new), "Nobody likes open museums.")

    shown = capsys.readouterr()
    assert (code, shown.out) == (1, "")
    assert shown.err.startswith("gatekeeper: self-test failed: ")
    assert fault in shown.err


def test_calibration_of_another_scorer_is_told_and_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its marks, as near to 0 and 1 as they can be, anything would be supported."""
    model = own_model(tmp_path)
    path = model / "calibration.json"
    odd = replace(read_calibration(path), support_threshold=0.0001, contradiction_threshold=0.9999)
    write_calibration(path, odd)

    code = _check(tmp_path, model, "Dogs bark loudly at museums.")

    shown = capsys.readouterr()
    assert (code, json.loads(shown.out)["calibration"]) == (3, "foreign")
    assert "support 0.5, contradiction 0.95" in shown.err


def test_calibration_that_was_written_is_enforced_with_and_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From labelled answers to an enforced route, and back to shadow when the scorer changes."""
    fact = "The lamp has a warranty of two years."
    answers = [(fact, "supported")] * 30 + [("The lamp is red.", "unsupported")] * 2
    rows = [
        {"id": n, "context": fact, "answer": answer, "label": label}
        for n, (answer, label) in enumerate(answers)
    ]
    data, out = tmp_path / "rows.jsonl", tmp_path / "mine.json"
    data.write_text("\n".join(map(json.dumps, rows)))

    assert main(["calibrate", str(data), "--max-false-block", "0.1", "-o", str(out)]) == 0

    written = read_calibration(out)
    policy = tmp_path / "gatekeeper.toml"
    policy.write_text(toml({"mode": '"enforce"'}, calibration='"mine.json"'))
    assert load_with_scorer(policy)[1].fitted == written
    (tmp_path / "fact.txt").write_text(fact)
    files = ["--context", str(tmp_path / "fact.txt"), "--answer", str(tmp_path / "fact.txt")]
    assert main(["check", *files, "--calibration", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["calibration"] == "own"
    write_calibration(out, replace(written, fingerprint="0" * 64))
    with pytest.raises(ConfigurationError, match="without a calibration for this scorer"):
        load_with_scorer(policy)
