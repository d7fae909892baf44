"""Fitting the shipped thresholds, over a model that reads them off the text."""

import gzip
import json
from pathlib import Path

from benchmarks.calibrate_public import (
    calibration,
    calm_pairs,
    contradiction_threshold,
    support_threshold,
)
from benchmarks.sets import FITTED
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.support import Weighing
from gatekeeper.core.versions import scorer_fingerprint
from gatekeeper.protocols import PairScore
from gatekeeper.runtime.manifest import model_folder, read_manifest
from gatekeeper.testing import FakeModel
from tests.benchmarks.rows import drawn


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


def test_file_follows_from_the_scores() -> None:
    """Counts, thresholds and the fingerprint of the folder that they were fitted for."""
    folder = model_folder("minilm-l6-nli")
    rows = {name: drawn(60, seed=n, dataset=name) for n, name in enumerate(FITTED)}

    choice = support_threshold(rows, 0.9, None)
    found = calibration(folder, 0.9, choice, rows)

    marks = Thresholds(support=choice.threshold, contradiction=0.9)
    assert found.fingerprint == scorer_fingerprint(read_manifest(folder).fingerprint, marks)
    assert found.source == "public"
    assert (found.support_threshold, found.contradiction_threshold) == (choice.threshold, 0.9)
    assert found.sets["qags"] == {
        "rows": 60,
        "unsupported": sum(row.wrong for row in rows["qags"]),
        "half": "calibration",
        "balanced_accuracy": round(choice.by_set["qags"], 4),
    }


def test_threshold_is_chosen_for_the_weighing() -> None:
    """Scores of another scale need another mark."""
    rows = {"one": drawn(300)}
    low = Weighing(weights={"entailment": 1.0}, bias=-3.0)

    assert (
        support_threshold(rows, 0.9, low).threshold < support_threshold(rows, 0.9, None).threshold
    )
