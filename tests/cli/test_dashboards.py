"""``gatekeeper dashboards``: what it writes, and what it leaves alone."""

import shlex
from pathlib import Path

import pytest
import yaml

from gatekeeper.cli import main
from gatekeeper.observe.dashboards import ALERTS, DASHBOARD, NAMES, RULES, TESTS, content


def held(folder: Path) -> dict[str, bytes]:
    """Return what a folder holds, files that begin with a dot included."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_are_written_as_they_are_shipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Into a folder that is made, with nothing left beside them and what to do with each."""
    folder = tmp_path / "new" / "observability"

    assert main(["dashboards", str(folder)]) == 0

    assert held(folder) == {name: content(name) for name in NAMES}
    said = capsys.readouterr().out
    for name in NAMES:
        assert f"{folder / name}  written\n" in said
    assert f"Import, and choose {folder / DASHBOARD}." in said
    assert f"rule_files: [{folder / RULES}, {folder / ALERTS}]" in said
    assert f"name {RULES} and {ALERTS} under rule_files" in said
    assert f"promtool check rules {folder / RULES} {folder / ALERTS}\n" in said
    assert f"promtool test rules {folder / TESTS}\n" in said


def test_blanks_in_the_folder_are_quoted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The lines are copied into a shell and into a file of YAML."""
    folder = tmp_path / "of ours, #1"

    assert main(["dashboards", str(folder)]) == 0

    said = capsys.readouterr().out
    lines = said.splitlines()
    [check] = [line for line in lines if "promtool check rules" in line]
    assert shlex.split(check)[-2:] == [str(folder / RULES), str(folder / ALERTS)]
    [names] = [line for line in lines if "rule_files: " in line]
    assert yaml.safe_load(names) == {"rule_files": [str(folder / RULES), str(folder / ALERTS)]}


def test_second_time_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever runs it at each deployment must not have Prometheus reload for nothing."""
    main(["dashboards", str(tmp_path)])
    before = [(tmp_path / name).stat().st_mtime_ns for name in NAMES]
    capsys.readouterr()

    assert main(["dashboards", str(tmp_path)]) == 0

    assert [(tmp_path / name).stat().st_mtime_ns for name in NAMES] == before
    assert capsys.readouterr().out.count("  as it was\n") == len(NAMES)


def test_own_changes_are_named_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A threshold somebody tuned is worth more than our default; nothing at all is written."""
    (tmp_path / ALERTS).write_text("groups: []\n")
    (tmp_path / RULES).write_text("groups: []\n")

    assert main(["dashboards", str(tmp_path)]) == 2

    assert sorted(held(tmp_path)) == sorted([ALERTS, RULES])
    assert (tmp_path / ALERTS).read_text() == "groups: []\n"
    said = capsys.readouterr().err
    assert f"found other content in {RULES}, {ALERTS}," in said
    assert "--force" in said


def test_force_replaces_and_keeps_the_mode(tmp_path: Path) -> None:
    """A file that only Prometheus may read stays so."""
    (tmp_path / ALERTS).write_text("groups: []\n")
    (tmp_path / ALERTS).chmod(0o640)

    assert main(["dashboards", "--force", str(tmp_path)]) == 0

    assert held(tmp_path) == {name: content(name) for name in NAMES}
    assert (tmp_path / ALERTS).stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Found before anything is written, and by its name."""
    (tmp_path / TESTS).mkdir()

    assert main(["dashboards", "--force", str(tmp_path)]) == 2

    assert sorted(held_names(tmp_path)) == [TESTS]
    assert f"{tmp_path / TESTS}: found is a directory" in capsys.readouterr().err


def test_folder_that_cannot_be_made_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The parent is a file: a message with the name, no traceback."""
    (tmp_path / "file").write_text("")

    assert main(["dashboards", str(tmp_path / "file" / "below")]) == 2

    assert f"{tmp_path / 'file' / 'below'}" in capsys.readouterr().err


def held_names(folder: Path) -> list[str]:
    """Return the names in a folder."""
    return [path.name for path in folder.iterdir()]
