"""Fitting the shipped thresholds, over a model that reads them off the text."""

import asyncio
import gzip
import json
from pathlib import Path

from benchmarks.calibrate_public import (
    calibration,
    calm_pairs,
    contradiction_threshold,
    score_sets,
    support_threshold,
)
from benchmarks.scoring import OPEN, SavedScores, with_marks
from benchmarks.sets import FITTED
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.protocols import PairScore
from gatekeeper.testing import FakeModel
from tests.benchmarks.gates import checksum_gate


def _pairs(folder: Path, *labels: str) -> Path:
    path = folder / "pairs.jsonl.gz"
    lines = (
        json.dumps(
            {
                "premise": f"{i:02d}",
                "hypothesis": "h" * (20 - i),
                "label": label,
                "source": "written",
            }
        )
        for i, label in enumerate(labels)
    )
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


def _sets(folder: Path) -> Path:
    answers = ("The keeper serves soup.", "Dogs sleep in the barn.", "Rooms are warm.")
    for name in FITTED:
        lines = (
            json.dumps(
                {
                    "id": f"{i}",
                    "context": f"{name} {i}: the keeper and dogs.",
                    "answer": answers[i % 3],
                    "label": "supported" if i % 2 else "unsupported",
                    "group": f"{i % 16:x}",
                }
            )
            for i in range(32)
        )
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return folder


def test_pairs_that_contradict_take_no_part(tmp_path: Path) -> None:
    """The mark says how often what is no contradiction looks like one."""
    labels = ["entailment", "contradiction", "neutral", "not_entailment", "neutral"]

    pairs = calm_pairs(_pairs(tmp_path, *labels), FakeModel(), 10)

    assert len(pairs) == 3
    assert [pair.tokens for pair in pairs] == sorted(pair.tokens for pair in pairs)


def test_pairs_are_taken_from_the_whole_file(tmp_path: Path) -> None:
    """The file is ordered by source; its first rows are one kind of text."""
    model = FakeModel()

    pairs = calm_pairs(_pairs(tmp_path, *["neutral"] * 10), model, 5)

    assert len(pairs) == 5
    assert "".join(map(chr, pairs[0].ids[:2])) == "08"


def test_two_in_a_hundred_may_reach_the_mark(tmp_path: Path) -> None:
    """98 pairs at 0.2, two above: the mark lies just past 0.2."""
    model = FakeModel(
        lambda premise, _: PairScore(entailment=0.1, contradiction=0.8 if premise < "02" else 0.2)
    )
    pairs = calm_pairs(_pairs(tmp_path, *["neutral"] * 20 * 5), model, 100)

    assert contradiction_threshold(pairs, model) == 0.201


def test_file_follows_from_the_scores(tmp_path: Path) -> None:
    """Counts, thresholds and the fingerprint of the gate that uses them."""
    gate = checksum_gate(OPEN)

    scored = asyncio.run(score_sets(gate, _sets(tmp_path), SavedScores(None), None))
    choice = support_threshold(scored, 0.9)
    found = calibration(gate, 0.9, choice, scored)

    marks = Thresholds(support=choice.threshold, contradiction=0.9)
    assert set(scored) == set(FITTED)
    assert found.fingerprint == with_marks(gate, marks).fingerprint
    assert found.source == "public"
    assert (found.support_threshold, found.contradiction_threshold) == (choice.threshold, 0.9)
    assert found.sets["qags"] == {
        "rows": 16,
        "unsupported": 8,
        "half": "calibration",
        "balanced_accuracy": round(choice.by_set["qags"], 4),
    }
