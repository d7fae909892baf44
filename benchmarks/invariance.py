"""Does a pair's score depend on its batch, its padding or the number of threads?

    python -m benchmarks.invariance MODEL_DIR DATA_DIR --out benchmarks/results/invariance.json

DATA_DIR holds nli_eval.jsonl.gz and, for long premises, doc/condaqa.jsonl.gz. Each pair is run
alone, in random batches of random mates and padded to the model's full length, on 1 and on 2
threads; everything is compared with the pair alone on 1 thread.
"""

import argparse
import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.machine import describe
from benchmarks.pairs import FloatArray, encode, read_pairs, sample
from gatekeeper.protocols import EncodedPair
from gatekeeper.runtime.session import Session, load, probabilities

SHORT, LONG = 400, 100
LARGEST_BATCH = 32
BAR = 1e-5


def measure(folder: Path, pairs: Sequence[EncodedPair], *, seed: int = 0) -> dict[str, object]:
    """Compare the ways to run the pairs.

    Returns:
        For each way the largest difference in any probability and the number of pairs of which
        any logit has other bits.
    """
    reference: FloatArray | None = None
    temperature = 1.0
    ways: dict[str, dict[str, object]] = {}
    for threads in (1, 2):
        session = load(folder, threads=threads)
        temperature = session.manifest.temperature
        for way, found in _ways(session, pairs, seed).items():
            reference = found if reference is None else reference
            before = probabilities(reference, temperature=temperature)
            after = probabilities(found, temperature=temperature)
            ways[f"{way}, {threads} threads"] = {
                "largest_difference": float(np.abs(before - after).max()),
                "bits_differ": int((found != reference).any(axis=1).sum()),
            }
    return {"pairs": len(pairs), "seed": seed, "ways": ways}


def _ways(session: Session, pairs: Sequence[EncodedPair], seed: int) -> dict[str, FloatArray]:
    longest = session.manifest.max_tokens
    return {
        "alone": np.concatenate([session.logits([pair]) for pair in pairs]),
        "random batches": _in_random_batches(session, pairs, seed),
        f"padded to {longest}": np.concatenate(
            [session.logits([pair], width=longest) for pair in pairs]
        ),
    }


def _in_random_batches(session: Session, pairs: Sequence[EncodedPair], seed: int) -> FloatArray:
    """Run the pairs in a random order in batches of random sizes."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(pairs))
    found = np.empty((len(pairs), len(session.manifest.labels)))
    while len(order):
        size = int(random.integers(2, LARGEST_BATCH + 1))
        batch, order = order[:size], order[size:]
        found[batch] = session.logits([pairs[position] for position in batch])
    return found


def real_pairs(folder: Path, data: Path) -> list[EncodedPair]:
    """Encode 400 pairs of single sentences and 100 with a paragraph as premise."""
    session = load(folder, threads=1)
    chosen = sample(read_pairs(data / "nli_eval.jsonl.gz"), SHORT)
    chosen += sample(read_pairs(data / "doc" / "condaqa.jsonl.gz"), LONG)
    return encode(session, chosen)


def main() -> None:
    """Measure and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--date", default=dt.datetime.now(dt.UTC).date().isoformat())
    given = parser.parse_args()
    pairs = real_pairs(given.model, given.data)
    lengths = np.array([pair.tokens for pair in pairs])
    found = measure(given.model, pairs)
    result = {
        "date": given.date,
        "model": given.model.name,
        "fingerprint": load(given.model).fingerprint,
        "bar": BAR,
        "tokens": {f"p{q}": int(np.percentile(lengths, q)) for q in (5, 50, 95, 100)},
        **found,
        "machine": describe(),
    }
    given.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
