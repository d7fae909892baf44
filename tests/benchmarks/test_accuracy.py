"""Accuracy on labelled sets: the record of a set and the baseline beside it."""

import asyncio
import json

import pytest

from benchmarks.accuracy import Baseline, fit_baseline, set_record, table
from benchmarks.scoring import SavedScores, score_rows
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.evaluation.calibration import ThresholdChoice
from gatekeeper.evaluation.metrics import RATES
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.verdict import Evidence, Passage
from tests.benchmarks.gates import checksum_gate

MARKS = Thresholds(support=0.5, contradiction=0.9)


def _row(number: int, answer: str, label: Label, *texts: str) -> Row:
    passages = tuple(Passage(id=text, text=text) for text in texts)
    return Row(
        line=number,
        id=str(number),
        evidence=Evidence(passages=passages),
        answer=answer,
        label=label,
        group=str(number),
    )


ROWS = (
    _row(0, "Dogs bark loudly. Cats sleep.", Label.SUPPORTED, "Dogs bark loudly; cats sleep."),
    _row(1, "Dogs bark. Cows fly high.", Label.UNSUPPORTED, "Dogs bark and cats sleep."),
    _row(2, "Cats sleep.", Label.SUPPORTED, "Dogs bark and cats sleep."),
    _row(3, "Fish swim.", Label.UNSUPPORTED),
)


def test_baseline_takes_the_form_that_separates() -> None:
    """One uncovered sentence shows in the lowest share and is diluted in the mean."""
    diluted = _row(
        4, "Dogs bark. Cats sleep. Cows fly.", Label.UNSUPPORTED, "Dogs bark and cats sleep."
    )
    loose = _row(5, "Dogs bark loudly.", Label.SUPPORTED, "Dogs bark and cats sleep.")

    found = fit_baseline({"a": [diluted, loose]})

    assert found.form == "lowest"
    assert found.choice.mean_balanced_accuracy == 1.0


def test_baseline_blocks_below_its_threshold() -> None:
    """It decides every row, also one without evidence."""
    choice = ThresholdChoice(threshold=0.5, mean_balanced_accuracy=1.0, by_set={})

    found = Baseline(form="lowest", choice=choice).metrics(ROWS)

    assert found.sensitivity.value == 1.0
    assert found.false_block_rate.value == 0.0


def test_record_of_a_set_holds_gate_worst_case_and_baseline() -> None:
    """Undecided rows are counted, and in the worst case let through."""
    scored = asyncio.run(score_rows(checksum_gate(MARKS), "one", ROWS, SavedScores(None)))
    baseline = fit_baseline({"a": ROWS})

    found = json.loads(json.dumps(set_record(ROWS, scored, MARKS, baseline), allow_nan=False))

    assert (found["n"], found["unsupported"]) == (4, 0.5)
    assert found["verdicts"]["NOT_CHECKED"] == 1
    assert found["reasons"] == {"no_context": 1}
    for part in ("gate", "worst_case", "overlap"):
        assert set(found[part]) == set(RATES)
    assert found["worst_case"]["coverage"]["value"] >= 0.25
    assert found["pair_tokens_per_answer"] > 0


def test_table_shows_a_line_a_set() -> None:
    """Figures with intervals where there are some, words where there are none."""
    figure = {"value": 0.5, "low": 0.25, "high": 0.75}
    undefined = {"value": None, "low": None, "high": None}
    alone = {"value": 0.5, "low": None, "high": None}
    record = {
        "n": 3,
        "gate": {"balanced_accuracy": figure, "roc_auc": undefined},
        "overlap": {"balanced_accuracy": alone, "roc_auc": figure},
    }

    lines = table({"sets": {"one": record}, "mean": {}})

    assert lines[1].split() == [
        "one", "3", "0.500", "[0.250,", "0.750]", "undefined", "0.500", "0.500"
    ]  # fmt: skip


def test_table_needs_a_result() -> None:
    """Anything else is a mistake in the program."""
    with pytest.raises(TypeError, match="sets by name"):
        table({"sets": []})
