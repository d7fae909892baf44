"""``gatekeeper plan``: arithmetic for people and as JSON."""

import json
from typing import Any

import pytest

from gatekeeper.cli import main

GATE = (
    "gate --answers-per-day 8000 --flag-rate 0.7 --wrong-given-flag 0.9 --sensitivity 0.6 "
    "--check-seconds 0.2"
)
COST = "cost --answers 200 --claims-per-answer 4 --claims-per-batch 5"


def _json(capsys: pytest.CaptureFixture[str], line: str) -> dict[str, Any]:
    assert main(["plan", *line.split(), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def _text(capsys: pytest.CaptureFixture[str], line: str) -> str:
    assert main(["plan", *line.split()]) == 0
    return capsys.readouterr().out


def _refused(capsys: pytest.CaptureFixture[str], line: str) -> str:
    assert main(["plan", *line.split()]) == 2
    return capsys.readouterr().err


def test_gate_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Inputs and every derived number, rates as fractions of 1."""
    assert _json(capsys, f"{GATE} --false-block 0.05 --wrong-given-unflagged 0") == {
        "answers_per_day": 8000,
        "flag_rate": 0.7,
        "wrong_given_flag": 0.9,
        "wrong_given_unflagged": 0,
        "sensitivity": 0.6,
        "false_block": 0.05,
        "check_seconds": 0.2,
        "unchecked": 0,
        "in_category": 5600,
        "wrong_in_category": 5040,
        "wrong": 5040,
        "correct": 2960,
        "caught": 3024,
        "missed": 2016,
        "missed_share": 0.252,
        "false_blocks": 148,
        "blocked_share": 0.3965,
        "accepted": 4828,
        "accepted_error": 504 / 1207,
        "accepted_error_at_no_false_block": 126 / 311,
        "error_without_gate": 0.63,
        "delivered": 4828,
        "delivered_error": 504 / 1207,
        "serial_seconds": 1600,
    }


def test_gate_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """The inputs are repeated as what they are, and the trap is named with both figures."""
    shown = _text(capsys, f"{GATE} --false-block 0.05 --wrong-given-unflagged 0")

    assert "--flag-rate 0.7\n" in shown
    assert "not measured" in shown
    assert "1,600 s = 26.6667 min" in shown
    assert "accepted error             41.756421 %" in shown
    assert "Blocking correct answers raised the accepted error: 40.514469 % " in shown
    assert "withheld, not corrected" in shown
    assert "not lower than without a gate" not in shown


def test_gate_without_false_blocks_has_no_trap(capsys: pytest.CaptureFixture[str]) -> None:
    """A warning that is always there is never read."""
    shown = _text(capsys, f"{GATE} --false-block 0 --wrong-given-unflagged 0")

    assert "accepted error             40.514469 %" in shown
    assert "raised" not in shown


def test_gate_worse_than_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """It blocks more of the correct answers than of the wrong ones."""
    shown = _text(capsys, f"{GATE} --false-block 0.7 --wrong-given-unflagged 0")

    assert "The accepted error is not lower than without a gate" in shown


def test_gate_stops_where_the_total_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    """Without the share outside the category nothing after it is known."""
    shown = _text(capsys, f"{GATE} --false-block 0")
    found = _json(capsys, f"{GATE} --false-block 0")

    assert shown.endswith("wrong in all               unknown without --wrong-given-unflagged\n")
    assert "accepted" not in shown
    assert (found["in_category"], found["wrong_in_category"]) == (5600, 5040)
    assert found["wrong"] is None
    assert found["accepted_error"] is None


def test_gate_that_accepts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Undefined is a word, and null."""
    line = GATE.replace("--sensitivity 0.6", "--sensitivity 1")
    line += " --false-block 1 --wrong-given-unflagged 0"

    assert "accepted error             undefined" in _text(capsys, line)
    assert _json(capsys, line)["accepted_error"] is None


def test_delivered_error_is_shown_where_something_goes_unchecked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """2,000 further answers: 273/569."""
    line = f"{GATE} --false-block 0.05 --wrong-given-unflagged 0"

    assert "delivered error            47.97891 %" in _text(capsys, f"{line} --unchecked 2000")
    assert _json(capsys, f"{line} --unchecked 2000")["delivered_error"] == 273 / 569
    assert "delivered" not in _text(capsys, line)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--flag-rate", "1.01"),
        ("--flag-rate", "-0.1"),
        ("--flag-rate", "nan"),
        ("--flag-rate", "seven"),
        ("--wrong-given-unflagged", "63"),
        ("--answers-per-day", "0"),
        ("--answers-per-day", "1e999999999"),
        ("--check-seconds", "-1"),
        ("--false-block", "1e-99999"),
    ],
)
def test_number_that_can_not_be_names_its_option(
    capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    """63 for 0.63 must not become a plan."""
    line = f"{GATE} --false-block 0 --wrong-given-unflagged 0 {option} {value}"

    shown = _refused(capsys, line)

    assert f"'{option}': found '{value}', expected a number" in shown


def test_cost_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Each ledger has names of its own; a query a claim has no seconds, it was not timed."""
    found = _json(capsys, f"{COST} --exact --batch-seconds 3 --runs-per-day 60 --quota 2000")

    assert (found["claims"], found["pooled_batches"], found["pooled_seconds"]) == (800, 160, 480)
    assert (found["within_answer_batches"], found["within_answer_seconds"]) == (200, 600)
    assert (found["pooled_batches_a_day"], found["pooled_demand"]) == (9600, 4.8)
    assert (found["pooled_excess"], found["pooled_whole_runs"], found["pooled_left"]) == (
        7600,
        12,
        80,
    )
    assert found["query_per_claim_demand"] == 24
    assert "query_per_claim_seconds" not in found


def test_cost_from_an_average_has_a_range(capsys: pytest.CaptureFixture[str]) -> None:
    """200 only when it is told that every answer has four claims."""
    found, shown = _json(capsys, COST), _text(capsys, COST)

    assert "within_answer_batches" not in found
    assert found["within_answer_least_batches"] == 160
    assert found["within_answer_most_batches"] == 320
    assert "From an average alone only the pooled number is known." in shown
    assert "only the pooled" not in _text(capsys, f"{COST} --exact")


def test_cost_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """4.8 times the quota and 380 % above it are the same, and both are said."""
    shown = _text(capsys, f"{COST} --exact --batch-seconds 3 --runs-per-day 60 --quota 2000")

    assert "--exact\n" in shown
    assert "480 s = 8 min" in shown
    assert "4.8 times the quota, 7,600 (380 %) above it" in shown
    assert "12 whole runs, 80 queries left" in shown


def test_cost_of_one_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """Checks of facts and a check of an answer are told to be different units."""
    line = (
        "cost --answers 1 --claims-per-answer 14 --claims-per-batch 1 --batch-seconds 0.9 "
        "--extraction-seconds 1.5 --answer-check-seconds 0.2"
    )

    found, shown = _json(capsys, line), _text(capsys, line)

    assert (found["answer_seconds"], found["answer_check_seconds"]) == (14.1, 0.2)
    assert (found["claim_checks_seconds"], found["checks_to_extraction"]) == (12.6, 8.4)
    assert found["checks_to_answer_check"] == 63
    assert "different units of work" in shown


def test_cost_of_ragas(capsys: pytest.CaptureFixture[str]) -> None:
    """Seven calls of 0.8 s, or four."""
    found = _json(capsys, f"{COST} --batch-seconds 0.8 --ragas-questions 3")

    assert (found["ragas_calls"], found["ragas_seconds"]) == (7, 5.6)
    assert (found["ragas_calls_batched"], found["ragas_seconds_batched"]) == (4, 3.2)
    assert found["ragas_embeddings"] == 4


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("--quota 5", "--runs-per-day"),
        ("--exact --claims-per-answer 4.5", "a whole number with --exact"),
        ("--extraction-seconds 1", "--batch-seconds"),
        ("--ragas-questions 3 --claims-per-answer 4.5", "whole number of claims"),
        ("--answers 0", "--answers"),
        ("--claims-per-batch 0", "--claims-per-batch"),
    ],
)
def test_cost_that_can_not_be_worked_out_says_why(
    capsys: pytest.CaptureFixture[str], more: str, message: str
) -> None:
    """An option that would be without effect is refused."""
    assert message in _refused(capsys, f"{COST} {more}")


@pytest.mark.parametrize(("target", "labels"), [("0.01", 299), ("0.05", 59)])
def test_labels_without_an_event(
    capsys: pytest.CaptureFixture[str], target: str, labels: int
) -> None:
    """The number that a target costs at least."""
    found = _json(capsys, f"labels --target {target}")

    assert (found["labels"], found["events"], found["confidence"]) == (labels, 0, 0.95)
    assert found["bound"] <= float(target)
    assert f"labels                     {labels}\n" in _text(capsys, f"labels --target {target}")


def test_labels_with_expected_events(capsys: pytest.CaptureFixture[str]) -> None:
    """Events cost labels: 181 for 59 at two per cent."""
    found = _json(capsys, "labels --target 0.05 --expected-rate 0.02")

    assert (found["labels"], found["events"]) == (181, 4)


def test_target_that_labels_can_not_show(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing shows that a rate is below itself."""
    shown = _refused(capsys, "labels --target 0.05 --expected-rate 0.05")

    assert "--expected-rate: found 0.05, expected a rate below the target" in shown


@pytest.mark.parametrize("option", ["--target", "--confidence"])
@pytest.mark.parametrize("value", ["0", "1", "95"])
def test_ends_of_shares_are_refused(
    capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    """A confidence of 1 needs all answers there will ever be."""
    shown = _refused(capsys, f"labels --target 0.05 {option} {value}")

    assert f"'{option}': found '{value}', expected a number between 0 and 1" in shown
