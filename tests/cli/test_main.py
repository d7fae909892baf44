"""The program as a whole: help, versions, exit codes of faults."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from gatekeeper import __version__
from gatekeeper.cli import COMMANDS, cli, main
from tests.cli.fakes import LineGate
from tests.config.policies import toml


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The list is made without importing the commands, so it is held against them here."""
    assert main(["--help"]) == 0

    shown = capsys.readouterr().out
    assert [name for name in COMMANDS if f"\n  {name} " not in shown] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_list_of_commands_says_what_the_commands_say(name: str) -> None:
    """Two texts about one command must not drift apart."""
    command = cli.get_command(click.Context(cli), name)

    assert command is not None

    assert command.name == name
    assert command.get_short_help_str(limit=200) == COMMANDS[name]


def test_unknown_command_is_none() -> None:
    """Click asks for whatever was typed, and for the list when it completes a word."""
    context = click.Context(cli)

    assert cli.get_command(context, "nonsense") is None
    assert cli.list_commands(context) == list(COMMANDS)


def test_help_and_version_load_nothing_heavy() -> None:
    """Shell completion and scripts call these often: no runtime, no tokenizer, no numpy."""
    program = (
        "import sys; from gatekeeper.cli import main; main(['--help']); main(['--version']); "
        "heavy = {'numpy', 'onnxruntime', 'tokenizers', 'asyncio'} & set(sys.modules); "
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")


def test_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    """One fact in one place."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"gatekeeper {__version__}\n"


@pytest.mark.parametrize("arguments", [["nonsense"], ["check"], ["check", "--nonsense"], []])
def test_wrong_usage_is_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped option is neither a pass nor a finding."""
    assert main(arguments) == 2
    assert "Usage: gatekeeper" in capsys.readouterr().err


def test_model_fault_is_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a model there is no verdict, so none of the verdict codes is used."""
    (tmp_path / "broken").mkdir()
    text = tmp_path / "text.txt"
    text.write_text("SUPPORTED")

    code = main(
        ["check", "--context", str(text), "--answer", str(text), "--model", f"{tmp_path}/broken"],
        open_gate=LineGate().open,
    )

    assert code == 1
    assert capsys.readouterr().err.startswith("gatekeeper: no model at")


def test_interrupt_is_code_130_and_closes_the_gate(tmp_path: Path) -> None:
    """Ctrl-C ends the program as shells expect and leaves no worker behind."""
    text = tmp_path / "text.txt"
    text.write_text("INTERRUPT")
    gate = LineGate()

    code = main(["check", "--context", str(text), "--answer", str(text)], open_gate=gate.open)

    assert code == 130
    assert gate.closed == 1


def test_program_runs_as_a_module() -> None:
    """``python -m gatekeeper.cli`` is the program where no console script is installed."""
    done = subprocess.run(
        [sys.executable, "-m", "gatekeeper.cli", "--version"], capture_output=True, check=False
    )

    assert done.returncode == 0
    assert done.stdout.split() == [b"gatekeeper", __version__.encode()]


def test_reader_that_stops_early_sees_no_traceback() -> None:
    """``gatekeeper ... | head`` closes the pipe while the program still writes."""
    program = f"{sys.executable} -m gatekeeper.cli --help | true"

    done = subprocess.run(["sh", "-c", program], capture_output=True, check=False)

    assert done.stderr == b""


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_full_disk_is_told_and_not_tried_again(word: str) -> None:
    """What could not be written must not be flushed once more at the exit, in a traceback."""
    program = f"{sys.executable} -m gatekeeper.cli {word} >/dev/full"

    done = subprocess.run(["sh", "-c", program], capture_output=True, check=False, text=True)

    assert done.returncode == 2
    assert done.stderr == "gatekeeper: standard output: no space left on device\n"


STEERING = "d\x1b[31mir\x07\u202e\nSUPPORTED"


@pytest.mark.parametrize(
    "arguments",
    [
        ["doctor", "--model", STEERING],
        ["check", "--nonsense" + STEERING],
        ["models", "verify", STEERING],
        [STEERING],
    ],
)
def test_usage_errors_can_not_steer_the_terminal(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Names come from scripts and archives, and stand in messages as they are."""
    assert main(arguments) == 2
    assert set(capsys.readouterr().err) & set("\x1b\x07\u202e") == set()


def test_faults_can_not_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder can have any name; a line feed in it begins no line of its own."""
    folder = tmp_path / STEERING / "broken"
    folder.mkdir(parents=True)
    text = tmp_path / "text.txt"
    text.write_text("SUPPORTED")

    code = main(
        ["check", "--context", str(text), "--answer", str(text), "--model", str(folder)],
        open_gate=LineGate().open,
    )

    (line,) = capsys.readouterr().err.splitlines()
    assert code == 1
    assert r"d\x1b[31mir\x07\u202e\nSUPPORTED/broken: expected a folder" in line


def test_list_of_faults_keeps_its_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A policy's faults stand one a line; a letter out of its place is shown as an escape."""
    policy, body = tmp_path / "gatekeeper.toml", tmp_path / "body"
    policy.write_text('"a\\u001b" = 1\n"b" = 2\n')
    body.write_text("{}")

    code = main(["explain", "-c", str(policy), "--path", "/a", "--response", str(body)])

    shown = capsys.readouterr().err
    assert code == 2
    assert len(shown.splitlines()) > 2
    assert "\x1b" not in shown


def test_file_that_can_not_be_opened_is_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the system refuses comes with the name of the file and without a traceback."""
    policy, body = tmp_path / "gatekeeper.toml", tmp_path / "body"
    policy.write_text(toml({}))
    body.touch()

    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path == body:
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)

    code = main(["explain", "-c", str(policy), "--path", "/v1/answer", "--response", str(body)])

    assert (code, capsys.readouterr().err) == (2, f"gatekeeper: {body}: permission denied\n")
