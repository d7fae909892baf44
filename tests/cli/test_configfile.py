"""The policy file that a command takes: the usual one, and what is said where it is missing."""

from pathlib import Path

import pytest

from gatekeeper.cli import main
from tests.config.policies import toml

COMMANDS = [
    ["readiness"],
    ["show", "x"],
    ["purge"],
    ["labels", "export", "out.csv", "--reviewer", "ann"],
    ["labels", "import", "out.csv", "--reviewer", "ann"],
    ["labels", "undo", "x", "--reviewer", "ann"],
    ["mode"],
    ["review", "token", "ann"],
    ["explain", "--path", "/", "--response", "body.json"],
    ["evaluate", "--from-store"],
    ["calibrate", "--from-store", "--max-false-block", "0.1"],
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder without a policy."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "body.json").write_text("{}", encoding="utf-8")
    (tmp_path / "out.csv").touch()
    return tmp_path


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_missing_policy_is_told_with_its_folder_by_every_command(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """Most often one stands in another folder than one thinks."""
    assert main(words) == 2
    expected = "expected a policy file: name it with --config"
    line = f"gatekeeper: gatekeeper.toml: found no such file in {folder}, {expected}\n"
    assert capsys.readouterr().err == line

    assert main([*words, "-c", "gone/other.toml"]) == 2
    line = f"gatekeeper: gone/other.toml: found no such file in {folder / 'gone'}, {expected}\n"
    assert capsys.readouterr().err == line


def test_folder_for_a_policy_is_told_as_such(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is something of that name, and "no such file" would send one looking."""
    assert main(["mode", "-c", str(folder)]) == 2
    assert "found a folder, expected a policy file" in capsys.readouterr().err


@pytest.mark.parametrize("words", COMMANDS[:6], ids=lambda words: " ".join(words[:2]))
def test_what_a_policy_lacks_is_shown_as_it_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """Who installed a wheel has no folder docs."""
    (folder / "gatekeeper.toml").write_text(toml(), encoding="utf-8")

    assert main(words) == 2
    told = capsys.readouterr().err
    assert 'expected a table: [outcomes] with store_text = "none" and retention_days = 30' in told


def test_doctor_looks_at_the_usual_policy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every other command takes it without being told to."""
    assert main(["doctor"]) == 0
    told = f"warn  policy        not looked at: no gatekeeper.toml in {folder}"
    assert told in capsys.readouterr().out

    (folder / "gatekeeper.toml").write_text(toml({"mode": '"on"'}), encoding="utf-8")
    assert main(["doctor"]) == 1
    assert "fail  policy" in capsys.readouterr().out
    assert main(["doctor", "-c", "gone.toml"]) == 2
