"""Fit the one temperature of a model on half of MNLI dev matched, and test it on the other half.

    python -m models.temperature MODEL_DIR PAIRS.jsonl.gz

To be run on the quantised model that ships: its logits are not those of the checkpoint.
Source: Guo et al., On Calibration of Modern Neural Networks (ICML 2017).
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.pairs import FloatArray, all_logits, encode, read_pairs
from gatekeeper.runtime.session import load, probabilities

SOURCE = "mnli_dev_matched"
LOW, HIGH, STEPS = 0.25, 8.0, 60


def negative_log_likelihood(
    logits: FloatArray, truth: npt.NDArray[np.int64], *, temperature: float
) -> float:
    """Return the mean of -log P(true class)."""
    chosen = probabilities(logits, temperature=temperature)[np.arange(len(truth)), truth]
    return float(-np.log(chosen).mean())


def smallest(of: Callable[[float], float], *, low: float, high: float) -> float:
    """Return where a function with one valley is smallest, by golden section."""
    golden = (5**0.5 - 1) / 2
    for _ in range(STEPS):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if of(left) < of(right) else (left, high)
    return (low + high) / 2


def fit(model: Path, pairs_file: Path) -> float:
    """Return the temperature fitted on the pairs at even positions; say what it does on the odd."""
    session = load(model)
    pairs = [pair for pair in read_pairs(pairs_file) if pair.source == SOURCE]
    logits = all_logits(session, encode(session, pairs))
    truth = np.array([session.manifest.labels.index(pair.label) for pair in pairs])
    found = smallest(
        lambda t: negative_log_likelihood(logits[::2], truth[::2], temperature=t),
        low=LOW,
        high=HIGH,
    )
    print(f"temperature {found:.3f} on {len(truth[::2])} pairs")
    for temperature in (1.0, found):
        loss = negative_log_likelihood(logits[1::2], truth[1::2], temperature=temperature)
        print(f"other half, temperature {temperature:.3f}: NLL {loss:.4f}")
    return found


def main() -> None:
    """Fit on the pairs at even positions, report on the odd ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    given = parser.parse_args()
    fit(given.model, given.pairs)


if __name__ == "__main__":
    main()
