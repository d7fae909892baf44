"""``gatekeeper check``: what goes in, what comes out, and the exit code."""

import io
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from gatekeeper.cli import inputs, main
from gatekeeper.evaluation.calibration import Fit
from gatekeeper.evaluation.run import BOUNDS
from gatekeeper.verdict import Passage
from tests.cli.fakes import LineGate


class _Files:
    """A folder with an answer and a context, and a gate that tells what it was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.gate = LineGate()
        self.context = self.write("context.txt", "A passage.")

    def write(self, name: str, text: str | bytes) -> str:
        """Write a file and return its path."""
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def check(self, answer: str | bytes, *options: str, context: str | None = None) -> int:
        """Run the command on an answer."""
        path = self.write("answer.txt", answer)
        context = self.context if context is None else context
        arguments = ["check", "--context", context, "--answer", path, *options]
        return main(arguments, open_gate=self.gate.open)

    def passages(self) -> tuple[Passage, ...]:
        """Return the passages of the last check."""
        return self.gate.asked[-1][1].passages


@pytest.fixture
def files(tmp_path: Path) -> _Files:
    """Give each test its own folder."""
    return _Files(tmp_path)


@pytest.fixture
def full() -> Iterator[TextIO]:
    """Give a stream to a disk that is full, which can be closed all the same."""
    with (
        Path("/dev/full").open("w", encoding="utf-8") as stream,
        Path(os.devnull).open("w") as sink,
    ):
        yield stream
        os.dup2(sink.fileno(), stream.fileno())


@pytest.mark.parametrize(
    ("answer", "code", "verdict"),
    [
        ("SUPPORTED a", 0, "SUPPORTED"),
        ("", 0, "NO_CLAIMS"),
        ("SUPPORTED a\nUNSUPPORTED b", 3, "FLAGGED"),
        ("CONTRADICTED a\nUNRESOLVED b", 3, "FLAGGED"),
        ("CONFLICTING a", 3, "FLAGGED"),
        ("SUPPORTED a\nUNRESOLVED b", 4, "UNRESOLVED"),
    ],
)
def test_exit_code_follows_the_verdict(
    files: _Files, capsys: pytest.CaptureFixture[str], answer: str, code: int, verdict: str
) -> None:
    """Scripts branch on the code: only 0 lets an answer pass."""
    assert files.check(answer, "--json") == code
    assert json.loads(capsys.readouterr().out)["verdict"] == verdict
    assert files.gate.closed == 1


def test_answer_without_evidence_is_not_checked(
    files: _Files, capsys: pytest.CaptureFixture[str]
) -> None:
    """An empty context file is no reason to pass, and no reason to flag."""
    code = files.check("SUPPORTED a", "--json", context=files.write("empty.txt", " \n"))

    shown = json.loads(capsys.readouterr().out)
    assert code == 4
    assert (shown["verdict"], shown["reason"]) == ("NOT_CHECKED", "no_context")


def test_json_has_the_agreed_shape(files: _Files, capsys: pytest.CaptureFixture[str]) -> None:
    """Keys and nulls are a contract with whoever parses the output."""
    files.check("SUPPORTED a\nUNSUPPORTED b", "--json")

    shown = json.loads(capsys.readouterr().out)
    assert list(shown) == [
        "verdict", "action", "reason", "faithfulness", "score", "claims", "model", "elapsed_ms",
        "calibration",
    ]  # fmt: skip
    assert list(shown["claims"][0]) == [
        "text", "start", "end", "status", "support", "contradiction", "passages", "premises",
        "reason",
    ]  # fmt: skip
    assert (shown["action"], shown["reason"]) == (None, None)
    assert (shown["faithfulness"], shown["score"]) == (0.5, 0.2)
    assert shown["model"] == "fake-gate"
    assert shown["elapsed_ms"] >= 0


def test_json_faithfulness_is_a_range_with_unresolved_claims(
    files: _Files, capsys: pytest.CaptureFixture[str]
) -> None:
    """One supported, one open: between a half and all."""
    files.check("SUPPORTED a\nUNRESOLVED b", "--json")

    shown = json.loads(capsys.readouterr().out)
    assert (shown["faithfulness"], shown["score"]) == ([0.5, 1.0], None)
    assert shown["reason"] == "budget"


def test_text_contexts_are_cut_at_blank_lines_and_counted_on(files: _Files) -> None:
    """A second file goes on where the first one ended, so that no two passages share an id."""
    second = files.write("more.txt", "Three.")

    files.check("", "--context", second, context=files.write("two.txt", "One.\n\nTwo.\n"))

    assert files.passages() == (
        Passage(id="0", text="One."),
        Passage(id="1", text="Two."),
        Passage(id="2", text="Three."),
    )


@pytest.mark.parametrize(
    ("content", "passages"),
    [
        ('"One.\\n\\nTwo."', (Passage(id="0", text="One.\n\nTwo."),)),
        ('["a", "b"]', (Passage(id="0", text="a"), Passage(id="1", text="b"))),
        ('[{"id": "x", "text": "a"}]', (Passage(id="x", text="a"),)),
        ("[]", ()),
    ],
)
def test_json_contexts_have_three_forms(
    files: _Files, content: str, passages: tuple[Passage, ...]
) -> None:
    """A name that ends in .json, in any case, is read as JSON."""
    files.check("", context=files.write("context.JSON", content))

    assert files.passages() == passages


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b"{", "expected JSON"),
        ("a.json", b"[" * 100_000, "unusable JSON"),
        ("a.json", b'{"text": "a"}', "found an object"),
        ("a.json", b'["\\ud800"]', "half a surrogate pair"),
        ("a.txt", b"ab\xffc", "found the byte 0xff at offset 2, expected UTF-8 text"),
    ],
)
def test_unreadable_context_is_code_2(
    files: _Files,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes,
    message: str,
) -> None:
    """Evidence is never guessed at: the message names file, fault and what was expected."""
    code = files.check("SUPPORTED a", context=files.write(name, content))

    shown = capsys.readouterr()
    assert (code, shown.out) == (2, "")
    assert name in shown.err
    assert message in shown.err


def test_unreadable_answer_is_code_2(files: _Files, capsys: pytest.CaptureFixture[str]) -> None:
    """An answer in another encoding would be checked as other text than was written."""
    assert files.check(b"caf\xe9") == 2
    assert "answer.txt: found the byte 0xe9 at offset 3" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--context", "--answer", "--model"])
def test_mistyped_name_is_never_taken_as_text(
    files: _Files, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    """A check against the words "contxt.txt" would be a check against nothing."""
    assert files.check("SUPPORTED a", option, "contxt.txt") == 2
    assert "'contxt.txt' does not exist" in capsys.readouterr().err
    assert files.gate.asked == []


def test_folder_is_no_file(files: _Files, capsys: pytest.CaptureFixture[str]) -> None:
    """The message says so before anything is loaded."""
    assert files.check("SUPPORTED a", "--context", str(files.folder)) == 2
    assert "is a directory" in capsys.readouterr().err


def test_file_that_vanishes_is_a_fault(
    files: _Files, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What exists may still refuse to be read."""
    path = files.write("answer.txt", "SUPPORTED a")
    arguments = ["check", "--context", files.context, "--answer", path]

    def refuse(path: Path, _: str) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)

    assert main(arguments, open_gate=files.gate.open) == 2
    assert "found permission denied, expected a readable file" in capsys.readouterr().err


def test_answer_reaches_the_gate_unchanged(files: _Files) -> None:
    """Offsets count code points of the text as given: line ends stay, only a mark goes."""
    files.check(b"\xef\xbb\xbfSUPPORTED a\r\n", "--question", "Why?")

    answer, evidence, deadline = files.gate.asked[0]
    assert answer == "SUPPORTED a\r\n"
    assert (evidence.question, deadline) == ("Why?", None)


def test_answer_may_come_from_standard_input(
    files: _Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe needs no file."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"UNSUPPORTED a")))

    code = main(["check", "--context", files.context, "--answer", "-"], open_gate=files.gate.open)

    assert code == 3


def test_closed_standard_input_is_code_2(
    files: _Files, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``--answer - <&-`` in a script is a fault of the script, told in a line."""
    monkeypatch.setattr(sys, "stdin", None)

    code = main(["check", "--context", files.context, "--answer", "-"], open_gate=files.gate.open)

    assert code == 2
    assert capsys.readouterr().err == (
        "gatekeeper: standard input: found that it is closed, expected an answer to read\n"
    )


@pytest.mark.parametrize(
    "texts", [["a"] * (BOUNDS.passages + 1), ["a" * BOUNDS.evidence_chars, "b"]]
)
def test_more_evidence_than_a_route_takes_is_not_checked(
    files: _Files, capsys: pytest.CaptureFixture[str], texts: list[str]
) -> None:
    """The verdict is the one a server gives; none of it is checked against a part."""
    code = files.check("SUPPORTED a", "--json", context=files.write("c.json", json.dumps(texts)))

    shown = json.loads(capsys.readouterr().out)
    assert (code, shown["verdict"], shown["reason"]) == (4, "NOT_CHECKED", "size")
    assert (files.gate.asked, files.gate.closed) == ([], 1)


@pytest.mark.parametrize("which", ["--context", "--answer"])
def test_endless_file_is_code_2(
    files: _Files,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    which: str,
) -> None:
    """``--answer /dev/zero`` must end, and not by using up the memory."""
    monkeypatch.setattr(inputs, "MAX_BYTES", 1000)

    assert files.check("SUPPORTED a", which, "/dev/zero") == 2
    assert "/dev/zero: found more than 1,000 bytes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fit", "remark"),
    [(Fit.NONE, "no calibration.json"), (Fit.FOREIGN, "fitted for another scorer and is not used")],
)
def test_marks_that_nobody_fitted_are_told(
    files: _Files, capsys: pytest.CaptureFixture[str], fit: Fit, remark: str
) -> None:
    """A verdict by made-up thresholds must not look like any other."""
    files.gate.fit = fit

    files.check("SUPPORTED a", "--json")

    shown = capsys.readouterr()
    assert json.loads(shown.out)["calibration"] == fit
    assert len(shown.err.splitlines()) == 1
    assert remark in shown.err
    assert shown.err.endswith("thresholds nobody fitted: support 0.5, contradiction 0.9\n")


@pytest.mark.parametrize("fit", [Fit.OWN, Fit.PUBLIC])
def test_fitted_marks_are_not_talked_about(
    files: _Files, capsys: pytest.CaptureFixture[str], fit: Fit
) -> None:
    """A line at every check would be read at none; a script can ask for the origin."""
    files.gate.fit = fit

    files.check("SUPPORTED a", "--json")

    shown = capsys.readouterr()
    assert (json.loads(shown.out)["calibration"], shown.err) == (fit, "")


def test_budget_becomes_a_deadline(files: _Files) -> None:
    """Counted from the moment the model is ready, on the monotonic clock."""
    before = time.monotonic()
    files.check("SUPPORTED a", "--budget-ms", "250")
    after = time.monotonic()

    deadline = files.gate.asked[0][2]
    assert deadline is not None
    assert before + 0.25 <= deadline <= after + 0.25


def test_check_that_was_given_up_is_unresolved(
    files: _Files, capsys: pytest.CaptureFixture[str]
) -> None:
    """A budget too short even to read the answer is no fault of the model."""
    assert files.check("GIVEN-UP", "--json") == 4

    shown = json.loads(capsys.readouterr().out)
    assert (shown["verdict"], shown["reason"], shown["score"]) == ("UNRESOLVED", "budget", None)
    assert [claim["text"] for claim in shown["claims"]] == ["GIVEN-UP"]


@pytest.mark.parametrize(
    ("budget", "message"),
    [("0", "x>=1"), ("0.2", "whole number of milliseconds, such as 200")],
)
def test_budget_that_is_none_is_wrong_usage(
    files: _Files, capsys: pytest.CaptureFixture[str], budget: str, message: str
) -> None:
    """No budget is left out, not given as 0; whoever thinks in seconds is told the unit."""
    assert files.check("SUPPORTED a", "--budget-ms", budget) == 2

    assert message in capsys.readouterr().err


def test_model_folder_is_handed_on(files: _Files) -> None:
    """Without the option the opener chooses the shipped model."""
    files.check("")
    files.check("", "--model", str(files.folder))

    assert files.gate.models == [None, files.folder]


def test_people_get_a_paragraph_a_claim_and_the_verdict(
    files: _Files, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status, support, text, passages and reason, then what follows from them."""
    monkeypatch.setenv("COLUMNS", "80")

    files.check("SUPPORTED one\nCONTRADICTED two\nUNRESOLVED three")

    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "SUPPORTED     0.90  SUPPORTED one [0] (because)",
        "CONTRADICTED    -   CONTRADICTED two [0] (because)",
        "UNRESOLVED      -   UNRESOLVED three [0] (because)",
    ]
    assert lines[3].startswith("FLAGGED: at least one claim does not hold; 3 claims, ")


def test_undecided_verdict_says_why(files: _Files, capsys: pytest.CaptureFixture[str]) -> None:
    """The reason tells whether to wait, to raise the budget or to look at the model."""
    files.check("UNRESOLVED a")

    shown = capsys.readouterr().out
    assert "UNRESOLVED (budget): " in shown
    assert "; 1 claim, " in shown


@pytest.mark.parametrize("columns", ["10", "80", "400"])
def test_lines_fit_the_terminal(
    files: _Files,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    columns: str,
) -> None:
    """Long claims are wrapped under themselves; nobody reads 400 columns."""
    monkeypatch.setenv("COLUMNS", columns)

    files.check("UNSUPPORTED " + "word " * 60)

    widest = max(map(len, capsys.readouterr().out.splitlines()))
    assert widest <= min(max(int(columns), 40), 100)


STEERING = "UNSUPPORTED \x1b[31mred\x07 \x9b2J \u202eback \u200bnone \u2028end"


def test_foreign_text_can_not_steer_the_terminal(
    files: _Files, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer could otherwise rewrite its own verdict on the screen."""
    files.check(STEERING)

    shown = capsys.readouterr().out
    assert r"\x1b[31mred\x07 \x9b2J \u202eback \u200bnone" in shown
    assert set(shown) & set("\x1b\x07\x9b\u202e\u200b\u2028") == set()


def test_json_can_not_steer_the_terminal_either(
    files: _Files, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON is printed in ASCII; what is parsed from it is the text as it was."""
    files.check(STEERING, "--json")

    shown = capsys.readouterr().out
    assert shown.isascii()
    assert "\x1b" not in shown
    assert json.loads(shown)["claims"][0]["text"].startswith("UNSUPPORTED \x1b[31mred")


def test_terminal_without_the_letters_gets_escapes(
    files: _Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Latin terminal must not end the program in a traceback."""
    screen = io.BytesIO()
    stream = io.TextIOWrapper(screen, encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)

    assert files.check("SUPPORTED caf\u00e9") == 0

    stream.flush()
    assert rb"caf\xe9" in screen.getvalue()


def test_closed_output_leaves_the_code(files: _Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """``>&-`` says that only the code is wanted."""
    monkeypatch.setattr(sys, "stdout", None)

    assert files.check("UNSUPPORTED a") == 3


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_output_on_a_full_disk_is_code_2(
    files: _Files,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    full: TextIO,
    options: tuple[str, ...],
) -> None:
    """A verdict that reached nobody is neither a pass nor a finding."""
    monkeypatch.setattr(sys, "stdout", full)

    assert files.check("UNSUPPORTED a", *options) == 2
    assert capsys.readouterr().err == "gatekeeper: standard output: no space left on device\n"


@pytest.mark.parametrize("closed", [True, False])
def test_message_that_reaches_nobody_changes_no_code(
    files: _Files,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    full: TextIO,
    closed: bool,
) -> None:
    """With standard error closed or full, a remark is lost and the verdict is not."""
    files.gate.fit = Fit.NONE
    monkeypatch.setattr(sys, "stderr", None if closed else full)

    assert files.check("UNSUPPORTED a", "--json") == 3
    shown = capsys.readouterr()
    assert json.loads(shown.out)["verdict"] == "FLAGGED"
