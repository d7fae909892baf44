"""Compare an export with the reference implementation, transformers on torch.

    python -m models.check_reference CHECKPOINT MODEL_DIR PAIRS.jsonl.gz

Prints the largest difference of any logit, and how many pairs got other token ids. The only
script that needs torch and transformers.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from benchmarks.pairs import encode, read_pairs, sample
from gatekeeper.runtime.session import load

PAIRS = 300


def main() -> None:
    """Run the same pairs through both, one at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(given.checkpoint)
    reference = AutoModelForSequenceClassification.from_pretrained(
        given.checkpoint, dtype=torch.float32
    ).eval()
    session = load(given.model, threads=1)
    pairs = sample(read_pairs(given.pairs), PAIRS)
    differences, other_ids = [], 0
    for pair, encoded in zip(pairs, encode(session, pairs), strict=True):
        inputs = tokenizer(
            pair.premise,
            pair.hypothesis,
            return_tensors="pt",
            truncation="only_first",
            max_length=session.manifest.max_tokens,
        )
        other_ids += tuple(inputs["input_ids"][0].tolist()) != encoded.ids
        with torch.no_grad():
            expected = reference(**inputs).logits.numpy()
        differences.append(np.abs(expected - session.logits([encoded])).max())
    print(f"{len(pairs)} pairs, largest logit difference {max(differences):.2e}")
    print(f"pairs with other token ids: {other_ids}")


if __name__ == "__main__":
    main()
