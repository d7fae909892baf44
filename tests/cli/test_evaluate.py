"""``gatekeeper evaluate``: files in, files out, progress and exit codes."""

import io
import json
from pathlib import Path

import pytest

from gatekeeper.cli import main
from gatekeeper.evaluation.calibration import Fit
from gatekeeper.evaluation.run import BOUNDS
from tests.cli.fakes import LineGate

ROWS = [
    {"id": "a", "context": "x", "answer": "SUPPORTED a", "label": "supported"},
    {"id": "b", "context": "x", "answer": "UNSUPPORTED a", "label": "unsupported"},
    {"id": "c", "context": "x", "answer": "UNRESOLVED a", "label": "unsupported"},
    {"id": "d", "context": "", "answer": "SUPPORTED a"},
]


def _data(folder: Path, *extra: str) -> str:
    path = folder / "rows.jsonl"
    path.write_text("\n".join([*map(json.dumps, ROWS), *extra]))
    return str(path)


def _run(*arguments: str) -> tuple[int, LineGate]:
    gate = LineGate()
    return main(["evaluate", *arguments], open_gate=gate.open), gate


def test_result_and_rows_are_written(tmp_path: Path) -> None:
    """Both files hold what the gate did, row by row and in sum."""
    result, rows = tmp_path / "out.json", tmp_path / "rows-out.jsonl"

    code, gate = _run(_data(tmp_path), "--json", str(result), "--rows", str(rows))

    written = json.loads(result.read_text())
    lines = [json.loads(line) for line in rows.read_text().splitlines()]
    assert (code, gate.closed, gate.tested) == (0, 1, [True])
    assert written["calibration"] == "own"
    assert (written["n"], written["n_labelled"], written["n_decided"]) == (4, 3, 2)
    assert written["gate"]["threshold"] == 0.5
    assert written["gate"]["balanced_accuracy"]["value"] == 1.0
    assert written["worst_case"]["sensitivity"]["value"] == 0.5
    assert written["versions"]["scorer"] == "fake-gate"
    assert {"gatekeeper", "python", "onnxruntime", "tokenizers"} < set(written["versions"])
    assert [list(line) for line in lines] == [
        ["id", "label", "verdict", "score", "claims", "faithfulness", "severity"]
    ] * 4
    assert [(line["id"], line["label"], line["verdict"]) for line in lines] == [
        ("a", "supported", "SUPPORTED"),
        ("b", "unsupported", "FLAGGED"),
        ("c", "unsupported", "UNRESOLVED"),
        ("d", None, "NOT_CHECKED"),
    ]


def test_old_rows_file_is_replaced(tmp_path: Path) -> None:
    """Rows of two runs in one file would be counted twice."""
    rows = tmp_path / "rows-out.jsonl"
    rows.write_text("old\n")

    _run(_data(tmp_path), "--rows", str(rows), "--limit", "1")

    assert len(rows.read_text().splitlines()) == 1
    assert "old" not in rows.read_text()


def test_people_get_rates_and_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The figures stand on standard output, progress on standard error."""
    _run(_data(tmp_path))

    shown = capsys.readouterr()
    assert "rows 4, labelled 3, decided 2" in shown.out
    assert "  sensitivity          1.000" in shown.out
    assert "worst case" in shown.out
    assert "  UNRESOLVED           supported 0, unsupported 1, unlabelled 0" in shown.out
    assert "evaluated 4 of 4" in shown.err
    assert max(map(len, shown.out.splitlines())) <= 80


class Terminal(io.StringIO):
    """A standard error that somebody watches."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_progress_is_told_in_some_twenty_steps_to_who_watches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line a row would bury the faults of a long file; in a log four will do."""
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join(json.dumps({**ROWS[0], "id": i}) for i in range(45)))

    _run(str(path))
    kept = capsys.readouterr().err
    watched = Terminal()
    monkeypatch.setattr("sys.stderr", watched)
    _run(str(path))

    assert kept.count("evaluated ") == 5
    assert kept.endswith("evaluated 45 of 45\n")
    assert watched.getvalue().count("evaluated ") == 23


def test_undefined_rates_are_called_undefined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One correct answer: nothing is known of wrong ones, and one row gives no interval."""
    _run(_data(tmp_path), "--limit", "1")

    shown = capsys.readouterr().out
    assert "  sensitivity          undefined" in shown
    assert "  false_block_rate     0.000\n" in shown


def test_bad_lines_are_reported_and_are_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run goes on, but a script must not take it for a run over the whole file."""
    result = tmp_path / "out.json"

    code, _ = _run(_data(tmp_path, "{", '{"id": "\\u001b[2J"}'), "--json", str(result))

    shown = capsys.readouterr().err
    written = json.loads(result.read_text())
    assert code == 1
    assert "rows.jsonl: line 5: found " in shown
    assert "2 lines could not be used" in shown
    assert "\x1b" not in shown
    assert written["bad_lines"] == 2
    assert [fault["line"] for fault in written["faults"]] == [5, 6]


def test_remarks_alone_are_code_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty line lost nothing."""
    code, _ = _run(_data(tmp_path, "", ""))

    assert code == 0
    assert "line 5: found an empty line" in capsys.readouterr().err


def test_many_faults_are_cut_on_the_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file of the wrong kind must not scroll the message away; the result holds them all."""
    result = tmp_path / "out.json"

    _run(_data(tmp_path, *["{"] * 30), "--json", str(result))

    shown = capsys.readouterr().err
    assert shown.count("(not used)") == 20
    assert "and 10 more, all in the --json result" in shown
    assert json.loads(result.read_text())["bad_lines"] == 30


def test_file_without_a_row_is_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing was evaluated, so nothing is written."""
    path = tmp_path / "rows.jsonl"
    path.write_text("{\n")

    code, gate = _run(str(path), "--json", str(tmp_path / "out.json"))

    assert code == 2
    assert gate.models == []
    assert "found no usable row" in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("option", ["--json", "--rows"])
def test_result_that_can_not_be_written_is_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    """The message names the file, and comes before hours of checking rather than after."""
    code, gate = _run(_data(tmp_path), option, str(tmp_path / "none" / "out.json"))

    assert (code, gate.closed, gate.asked) == (2, 1, [])
    assert "out.json: found no such file or directory" in capsys.readouterr().err


def test_missing_data_is_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped name is a usage error."""
    code, _ = _run("none.jsonl")

    assert code == 2
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--json", "--rows"])
def test_result_on_a_full_disk_is_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    """A result cut off half-way must not be taken for one."""
    code, gate = _run(_data(tmp_path), option, "/dev/full")

    assert (code, gate.closed) == (2, 1)
    assert "/dev/full: found no space left on device" in capsys.readouterr().err


def test_pipes_take_results(tmp_path: Path) -> None:
    """``--json >(jq .)``: a pipe can be neither emptied nor opened twice."""
    code, _ = _run(_data(tmp_path), "--json", "/dev/null", "--rows", "/dev/stderr")

    assert code == 0


def test_result_of_the_last_run_stays_until_there_is_another(tmp_path: Path) -> None:
    """Whoever breaks a run off still has the figures from before."""
    result = tmp_path / "out.json"
    result.write_text("before")
    rows = [{**ROWS[0], "answer": "INTERRUPT"}]
    data = tmp_path / "rows.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)))

    code, gate = _run(str(data), "--json", str(result))

    assert (code, gate.closed, result.read_text()) == (130, 1, "before")


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("rows.jsonl", ["--rows", "rows.jsonl"]),
        ("rows.jsonl", ["--json", "./rows.jsonl"]),
        ("rows.jsonl", ["--json", "linked.jsonl"]),
        ("rows.jsonl", ["--rows", "hard.jsonl"]),
        ("linked.jsonl", ["--rows", "rows.jsonl"]),
        ("rows.jsonl", ["--json", "new", "--rows", "new"]),
        ("rows.jsonl", ["--json", "new", "--rows", "folder/../new"]),
    ],
)
def test_one_file_for_two_is_wrong_usage(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    data: str,
    options: list[str],
) -> None:
    """Labels are work of weeks, and a file for two results holds neither."""
    monkeypatch.chdir(tmp_path)
    path = Path(_data(tmp_path))
    before = path.read_bytes()
    (tmp_path / "linked.jsonl").symlink_to(path)
    (tmp_path / "hard.jsonl").hardlink_to(path)
    (tmp_path / "folder").mkdir()

    code, gate = _run(data, *options)

    assert (code, gate.models, path.read_bytes()) == (2, [], before)
    assert " are one file: " in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_rows_with_too_much_evidence_are_counted(tmp_path: Path) -> None:
    """They are rows the gate would not have checked, and are neither lost nor dragged along."""
    result = tmp_path / "out.json"
    large = {**ROWS[0], "context": ["a"] * (BOUNDS.passages + 1)}

    code, _ = _run(_data(tmp_path, json.dumps(large)), "--json", str(result))

    written = json.loads(result.read_text())
    assert (code, written["n"]) == (0, 5)
    assert written["metrics"]["reasons"]["NOT_CHECKED: size"] == 1


@pytest.mark.parametrize("fit", Fit)
def test_origin_of_the_marks_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fit: Fit
) -> None:
    """Figures by marks that nobody fitted must not be compared with others unawares."""
    gate, result = LineGate(fit), tmp_path / "out.json"

    main(["evaluate", _data(tmp_path), "--json", str(result)], open_gate=gate.open)

    assert json.loads(result.read_text())["calibration"] == fit
    told = "thresholds nobody fitted" in capsys.readouterr().err
    assert told is (fit in {Fit.NONE, Fit.FOREIGN})
