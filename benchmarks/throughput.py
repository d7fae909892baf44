"""Pair tokens a second of a model, on real pairs and at fixed shapes.

    python -m benchmarks.throughput MODEL_DIR DATA_DIR --out benchmarks/results/throughput.json

Tokens of real pairs are counted without padding; batches are of similar length, as in the
scheduler. Each figure is the best and the median of the rounds: on a shared machine only the best
says what the model costs.
"""

import argparse
import datetime as dt
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from benchmarks.machine import describe
from benchmarks.pairs import all_logits, encode, read_pairs, sample
from gatekeeper.protocols import EncodedPair
from gatekeeper.runtime.session import load

PAIRS = 200
ROUNDS = 7
SHAPES = ((1, 32), (1, 96), (8, 64), (4, 128), (2, 256))


def measure(
    folder: Path, pairs: Sequence[EncodedPair], *, clock: Callable[[], float], rounds: int = ROUNDS
) -> dict[str, object]:
    """Return tokens a second by threads and kind of load."""
    found: dict[str, object] = {}
    for threads in (1, 2):
        session = load(folder, threads=threads)
        runs: dict[str, tuple[int, Callable[[], object]]] = {
            "real pairs": (
                sum(pair.tokens for pair in pairs),
                lambda session=session: all_logits(session, pairs),  # type: ignore[misc]
            )
        }
        for rows, tokens in SHAPES:
            batch = [_row(tokens)] * rows
            runs[f"{rows} x {tokens}"] = (
                rows * tokens,
                lambda session=session, batch=batch: session.logits(batch),  # type: ignore[misc]
            )
        found[f"{threads} threads"] = {
            name: _rate(count, run, clock, rounds) for name, (count, run) in runs.items()
        }
    return found


def _row(tokens: int) -> EncodedPair:
    return EncodedPair(ids=(5,) * tokens, type_ids=(0,) * tokens)


def _rate(
    tokens: int, run: Callable[[], object], clock: Callable[[], float], rounds: int
) -> dict[str, int]:
    run()
    seconds = []
    for _ in range(rounds):
        start = clock()
        run()
        seconds.append(clock() - start)
    return {"best": round(tokens / min(seconds)), "median": round(tokens / median(seconds))}


def main() -> None:
    """Measure and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--date", default=dt.datetime.now(dt.UTC).date().isoformat())
    given = parser.parse_args()
    session = load(given.model)
    pairs = encode(session, sample(read_pairs(given.data / "nli_eval.jsonl.gz"), PAIRS))
    result = {
        "date": given.date,
        "model": given.model.name,
        "fingerprint": session.fingerprint,
        "unit": "tokens a second",
        **measure(given.model, pairs, clock=time.perf_counter),
        "machine": describe(),
    }
    given.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
