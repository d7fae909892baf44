"""Worked examples through the command line and the shipped model: the whole way, once.

The statuses are those a careful reader gives. They must not depend on where a threshold lies by
a hair, so each claim is held to its status and to the passages that decide it.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from gatekeeper.cli import main

Claim = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What ``gatekeeper check --json`` said, and its exit code."""

    code: int
    verdict: str
    faithfulness: float
    claims: tuple[Claim, ...]
    answer: str
    slices: tuple[tuple[int, int], ...]

    def status(self, words: str) -> str:
        """Return the status of the one claim whose text holds the words."""
        (found,) = [status for text, status, _ in self.claims if words in text]
        return found

    def passages(self, words: str) -> tuple[str, ...]:
        """Return the deciding passages of the one claim whose text holds the words."""
        (found,) = [passages for text, _, passages in self.claims if words in text]
        return found


class Checker:
    """Runs the command on passages and an answer."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder = folder
        self._capsys = capsys

    def __call__(self, passages: object, answer: str, question: str | None = None) -> Checked:
        """Check the answer; passages in any form that a .json context may have."""
        context, text = self._folder / "context.json", self._folder / "answer.txt"
        context.write_text(json.dumps(passages), encoding="utf-8")
        text.write_text(answer, encoding="utf-8")
        asked = [] if question is None else ["--question", question]
        self._capsys.readouterr()
        code = main(["check", "--context", str(context), "--answer", str(text), "--json", *asked])
        shown = json.loads(self._capsys.readouterr().out)
        return Checked(
            code=code,
            verdict=shown["verdict"],
            faithfulness=shown["faithfulness"],
            claims=tuple((c["text"], c["status"], tuple(c["passages"])) for c in shown["claims"]),
            answer=answer,
            slices=tuple((c["start"], c["end"]) for c in shown["claims"]),
        )


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Checker:
    """Give each test the command."""
    return Checker(tmp_path, capsys)


LUMEN = [
    {
        "id": "report",
        "text": "Revenue in March was 12 % lower than in February. "
        "It began to recover in the last week.",
    },
    {
        "id": "calendar",
        "text": "The sale ended on 3 March; paid traffic fell after it.",
    },
]

RATE = [
    "The standard savings account pays 4.5% APY.",
    "Every account compounds its interest daily.",
    "Rates are reviewed every quarter, last on 1 July 2024.",
]

REFUND = [
    "Refund policy: a digital product can be refunded for 14 days after it is bought.",
    "To ask for a refund open Account Settings, then Purchases, then Refund Request.",
    "After approval the money goes back to the original payment method in 5 to 7 business days.",
    "Exceptions to this policy are rare and need a manager's approval.",
]


def test_invented_cause_is_the_one_unsupported_claim(check: Checker) -> None:
    """Three claims of four stand in the passages; the cause that was asked for does not."""
    found = check(
        LUMEN,
        "Revenue in March was down 12 % on February. Paid traffic fell after the sale ended. "
        "An outage on 8 March caused the dip. Revenue began to recover in the last week.",
        "Why did revenue dip in March?",
    )

    assert [status for _, status, _ in found.claims] == [
        "SUPPORTED",
        "SUPPORTED",
        "UNSUPPORTED",
        "SUPPORTED",
    ]
    assert found.passages("down 12 %")[0] == "report"
    assert found.passages("Paid traffic")[0] == "calendar"
    assert found.passages("recover")[0] == "report"
    assert (found.verdict, found.code, found.faithfulness) == ("FLAGGED", 3, 3 / 4)


def test_wrong_rate_is_contradicted_and_the_rest_of_its_sentence_is_not(check: Checker) -> None:
    """One sentence, two claims: cut at the comma, each with its own passage."""
    found = check(RATE, "Your savings account pays 5.2% APY, compounded daily.")

    assert [status for _, status, _ in found.claims] == ["CONTRADICTED", "SUPPORTED"]
    assert found.passages("5.2%")[0] == "0"
    assert "1" in found.passages("compounded")  # alone, or joined to the one that names accounts
    assert (found.verdict, found.code, found.faithfulness) == ("FLAGGED", 3, 1 / 2)


def test_right_rate_passes(check: Checker) -> None:
    """A gate that blocks this commits a false block."""
    found = check(RATE, "Your savings account pays 4.5% APY, last updated on 1 July 2024.")

    assert {status for _, status, _ in found.claims} == {"SUPPORTED"}
    assert found.passages("4.5%")[0] == "0"
    assert "2" in found.passages("1 July 2024")
    assert (found.verdict, found.code, found.faithfulness) == ("SUPPORTED", 0, 1.0)


def test_narrowed_refund_time_is_named_and_the_steps_pass(check: Checker) -> None:
    """Four sentences, five claims; the fourth claim is open, but it is never contradicted."""
    found = check(
        REFUND,
        "A refund for a digital product takes at most 5 business days. "
        "You can ask for one from the Account Settings menu. "
        "Once approved, the money goes to your original payment method. "
        "Digital products usually cannot be refunded after 14 days, but exceptions can be made.",
    )

    assert len(found.claims) == 5
    assert found.status("at most 5") == "CONTRADICTED"
    assert "2" in found.passages("at most 5")
    assert found.status("Account Settings") == "SUPPORTED"
    assert found.passages("Account Settings")[0] == "1"
    assert found.status("original payment method") == "SUPPORTED"
    assert found.passages("original payment method")[0] == "2"
    assert found.status("cannot be refunded") in {"SUPPORTED", "UNSUPPORTED"}
    assert found.status("exceptions") == "SUPPORTED"
    assert found.passages("exceptions")[0] == "3"
    assert (found.verdict, found.code) == ("FLAGGED", 3)
    assert found.faithfulness in {3 / 5, 4 / 5}


def test_wrong_window_and_added_right_are_named_and_the_third_claim_passes(check: Checker) -> None:
    """30 days for 14 contradicts, a right to transfer is added, and what is right may pass."""
    found = check(
        "Digital products have a 14-day refund window.",
        "Digital products have a 30-day refund window. "
        "You may transfer a purchase to another account. "
        "There is a refund window for digital products.",
    )

    assert found.status("30-day") == "CONTRADICTED"
    assert found.status("transfer") == "UNSUPPORTED"
    assert found.status("There is a refund window") == "SUPPORTED"
    assert (found.verdict, found.code) == ("FLAGGED", 3)


def test_claims_are_slices_of_the_answer(check: Checker) -> None:
    """Nothing is rewritten: what is shown is what stands at the offsets."""
    found = check(RATE, "Your savings account pays 5.2% APY, compounded daily.")

    assert [found.answer[start:end] for start, end in found.slices] == [
        text for text, _, _ in found.claims
    ]
