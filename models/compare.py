"""Measure export variants beside float32: size, speed, error, accuracy, invariance.

    python -m models.compare VARIANTS_DIR DATA_DIR --out benchmarks/results/variants.json

VARIANTS_DIR holds one model folder a variant, fp32 among them; DATA_DIR holds nli_eval.jsonl.gz.
"""

import argparse
import datetime as dt
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks import invariance
from benchmarks.machine import describe
from benchmarks.pairs import (
    FloatArray,
    LabelledPair,
    all_logits,
    by_source,
    encode,
    read_pairs,
    sample,
)
from gatekeeper.protocols import EncodedPair
from gatekeeper.runtime.manifest import ENTAILMENT, MODEL, NOT_ENTAILMENT
from gatekeeper.runtime.session import load, probabilities

ROWS_PER_SET = 350
REFERENCE = "fp32"
TIMED_PAIRS = 60
ROUNDS = 7
EVERY = 10  # of the pairs benchmarks/invariance.py runs in full for the shipped model


def error(reference: FloatArray, found: FloatArray) -> dict[str, float]:
    """Compare P(entailment), column 0, and the likeliest class with the reference's logits."""
    shift = np.abs(probabilities(reference) - probabilities(found))[:, 0]
    return {
        "max_dp_entailment": float(shift.max()),
        "mean_dp_entailment": float(shift.mean()),
        "argmax_agreement": float((reference.argmax(axis=1) == found.argmax(axis=1)).mean()),
    }


def accuracies(
    pairs: Sequence[LabelledPair], logits: FloatArray, labels: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Return for each set the share of right classes, and of right "entailment or not".

    Two-way: the likeliest class is entailment, or isn't. Three-way is left out where the set only
    knows "not_entailment".
    """
    sets: dict[str, dict[str, float]] = {}
    chosen = [labels[column] for column in logits.argmax(axis=1)]
    for name in by_source(pairs):
        rows = [(p.label, c) for p, c in zip(pairs, chosen, strict=True) if p.source == name]
        two_way = [(truth == ENTAILMENT) == (found == ENTAILMENT) for truth, found in rows]
        sets[name] = {"rows": len(rows), "two_way": sum(two_way) / len(rows)}
        if NOT_ENTAILMENT not in {truth for truth, _ in rows}:
            sets[name]["three_way"] = sum(truth == found for truth, found in rows) / len(rows)
    return sets


def speeds(
    folders: Sequence[Path], pairs: Sequence[EncodedPair], *, clock: Callable[[], float]
) -> dict[str, dict[str, int]]:
    """Return the best tokens a second of each variant by number of threads.

    The variants take turns, so that other work on the machine slows all of them alike.
    """
    tokens = sum(pair.tokens for pair in pairs)
    found: dict[str, dict[str, int]] = {folder.name: {} for folder in folders}
    for threads in (1, 2):
        sessions = {folder.name: load(folder, threads=threads) for folder in folders}
        seconds: dict[str, list[float]] = {name: [] for name in sessions}
        for _ in range(ROUNDS):
            for name, session in sessions.items():
                start = clock()
                all_logits(session, pairs)
                seconds[name].append(clock() - start)
        for name, taken in seconds.items():
            found[name][f"{threads} threads"] = round(tokens / min(taken))
    return found


def main() -> None:
    """Measure each variant and write the result file after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variants", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=ROWS_PER_SET, help="most pairs of a set")
    parser.add_argument("--date", default=dt.datetime.now(dt.UTC).date().isoformat())
    given = parser.parse_args()
    sets = by_source(read_pairs(given.data / "nli_eval.jsonl.gz")).values()
    pairs = [pair for rows in sets for pair in sample(rows, given.rows)]
    encoded = encode(load(given.variants / REFERENCE), pairs)
    mates = invariance.real_pairs(given.variants / REFERENCE, given.data)[::EVERY]
    reference = all_logits(load(given.variants / REFERENCE), encoded)
    variants: dict[str, dict[str, object]] = {}
    folders = sorted(given.variants.iterdir())
    few = encoded[:: len(encoded) // TIMED_PAIRS]
    timed = speeds(folders, few, clock=time.perf_counter)
    for folder in folders:
        session = load(folder)
        found = all_logits(session, encoded)
        variants[folder.name] = {
            "megabytes": (folder / MODEL).stat().st_size / 1e6,
            "tokens_a_second": timed[folder.name],
            "error": error(reference, found),
            "accuracy": accuracies(pairs, found, session.manifest.labels),
            "invariance": invariance.measure(folder, mates),
        }
        result = {
            "date": given.date,
            "pairs": len(pairs),
            "variants": variants,
            "machine": describe(),
        }
        given.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        print(folder.name, variants[folder.name]["error"], flush=True)


if __name__ == "__main__":
    main()
