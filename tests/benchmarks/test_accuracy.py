"""Accuracy on labelled sets: the record of a set, and everything that stands beside it."""

import asyncio
import gzip
import json
import shutil
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.accuracy import by_kind, difference, run, set_record, sides, singles
from benchmarks.fit import name_in_manifest
from benchmarks.replay import Rules, replay
from benchmarks.scoring import SavedScores, pairs_key, score_rows
from benchmarks.sets import CALIBRATION, FITTED, TEST, load_half
from benchmarks.table import markdown
from benchmarks.words import fit_baseline
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.support import Weighing
from gatekeeper.errors import InputError
from gatekeeper.evaluation.metrics import RATES
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.runtime.aggregation import AGGREGATION, write_weighing
from gatekeeper.runtime.manifest import model_folder
from gatekeeper.verdict import Evidence, Passage
from tests.benchmarks.gates import checksum_gate
from tests.benchmarks.rows import claim, drawn, premise, row

MARKS = Thresholds(support=0.5, contradiction=0.9)
RULES = Rules(thresholds=MARKS)


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


def test_record_of_a_set_holds_gate_worst_case_and_baseline() -> None:
    """Undecided answers are counted, and in the worst case let through."""
    gate = checksum_gate(MARKS)
    scored = asyncio.run(score_rows(gate, "one", ROWS, SavedScores(None), key="k"))
    baseline = fit_baseline({"a": ROWS})

    found = json.loads(json.dumps(set_record(ROWS, scored, RULES, baseline), allow_nan=False))

    assert (found["n"], found["unsupported"], found["undecided"]) == (4, 0.5, 1)
    assert found["unchecked"] == {"no_context": 1}
    for part in ("gate", "worst_case", "overlap"):
        assert set(found[part]) == set(RATES)
    assert found["worst_case"]["coverage"]["value"] >= 0.25
    assert found["pair_tokens_per_answer"] > 0
    assert sum(found["statuses"].values()) == found["claims_per_answer"] * 4


def test_answer_the_gate_took_no_side_on_is_let_through() -> None:
    """Compared with another gate, an open answer must not vanish: it reached the reader."""
    (side,) = sides(replay([row(claim(fixed="UNRESOLVED"), wrong=True)], RULES))

    assert (side.wrong, side.blocked) == (True, False)


def test_kinds_of_error_are_told_apart() -> None:
    """An answer with two kinds counts in both; a correct one in none."""
    meta = [json.dumps({"edit_types": kinds}) for kinds in (["swap"], ["swap", "negation"], ["x"])]
    rows = [
        row(claim(premise(0.1)), wrong=True, meta=meta[0], dataset="summedits"),
        row(claim(premise(0.9)), wrong=True, meta=meta[1], dataset="summedits"),
        row(claim(premise(0.9)), wrong=False, meta=meta[2], dataset="summedits"),
    ]

    found = by_kind(replay(rows, RULES))

    assert found == {"negation": {"n": 1, "caught": 0.0}, "swap": {"n": 2, "caught": 0.5}}


def test_only_answers_of_one_claim_have_a_claim_score() -> None:
    """The label is the answer's; of two claims nobody knows which is meant."""
    rows = [row(claim(premise(0.3))), row(claim(premise(0.3)), claim(premise(0.8)))]

    (found,) = singles(replay(rows, RULES))

    assert (found.score, found.right) == (0.3, True)


def test_difference_is_new_minus_old() -> None:
    """Turned round, a loss would be reported as a gain."""
    rows = drawn(200)
    never = replace(RULES, thresholds=Thresholds(support=0.001, contradiction=2.0))

    found = difference({"one": rows}, RULES, {"one": rows}, never)

    assert isinstance(found["mean"], dict)
    assert found["mean"]["value"] > 0.1
    assert found["mean"]["low"] > 0.0


def _bench(folder: Path) -> Path:
    """Write small sets: half of the answers name what is nowhere in their context."""
    words = ("keeper", "soup", "barn", "trail", "summer", "winter", "rooms", "dogs")
    for name in FITTED:
        lines = []
        for i in range(48):
            one, other = words[i % 8], words[(i * 3 + 1) % 8]
            wrong = i % 3 == 0
            lines.append(
                json.dumps(
                    {
                        "id": str(i),
                        "context": f"The {one} of {name} is near the {other}. It is number {i}.",
                        "answer": f"The {one} is near the {'castle' if wrong else other}.",
                        "label": "unsupported" if wrong else "supported",
                        "group": f"{i % 16:x}{i}",
                    }
                )
            )
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return folder


@pytest.fixture
def weighed(tmp_path: Path) -> Path:
    """A model folder with a weighing; its scores are those of the checksum model."""
    folder = tmp_path / "model"
    folder.mkdir()
    shutil.copyfile(model_folder("minilm-l6-nli") / "manifest.toml", folder / "manifest.toml")
    write_weighing(folder / AGGREGATION, Weighing(weights={"entailment": 1.0, "known": 1.0}), {})
    name_in_manifest(folder, AGGREGATION)
    return folder


def test_whole_result_from_saved_scores(tmp_path: Path, weighed: Path) -> None:
    """Sets, variants, differences and reliability, as JSON without a NaN and as tables."""
    bench, scores = _bench(tmp_path), tmp_path / "scores.jsonl"
    saved, key = SavedScores(scores), pairs_key(weighed)
    for name in FITTED:
        for half in (CALIBRATION, TEST):
            rows = load_half(bench, name, half)
            asyncio.run(score_rows(checksum_gate(MARKS), name, rows, saved, key=key))
    arguments = Namespace(
        bench=bench, scores=scores, model=weighed, baseline=weighed, baseline_scores=scores
    )

    result, _ = run(arguments)
    found = json.loads(json.dumps(result, allow_nan=False))

    assert set(found["sets"]) == set(FITTED)
    assert set(found["variants"]["gate"]["balanced_accuracy"]) == set(FITTED)
    assert found["against_overlap"]["mean"]["low"] <= found["against_overlap"]["mean"]["value"]
    assert set(found["against_baseline"]) == {"gate", "maximum alone, worst claim"}
    text = "\n".join(markdown(found))
    assert text.count("| summedits |") >= 1
    assert "without value guard" in text


def test_set_that_was_not_scored_is_named(tmp_path: Path, weighed: Path) -> None:
    """A mean over part of the sets would pass for one over all."""
    arguments = Namespace(
        bench=_bench(tmp_path),
        scores=tmp_path / "none.jsonl",
        model=weighed,
        baseline=None,
        baseline_scores=None,
    )

    with pytest.raises(InputError, match=r"summedits.*benchmarks\.features"):
        run(arguments)
