"""Fit the one temperature of a model on half of MNLI dev matched, and test it on the other half.

    python -m models.temperature MODEL_DIR PAIRS.jsonl.gz

To be run on the quantised model that ships: its logits are not those of the checkpoint.
Source: Guo et al., On Calibration of Modern Neural Networks (ICML 2017).
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """A temperature, and the negative log-likelihood of other pairs at 1 and at it."""

    temperature: float
    pairs: int
    before: float
    after: float


def fit(model: Path, pairs_file: Path) -> Fitted:
    """Fit on the pairs at even positions, and say what it does on the odd ones."""
    session = load(model)
    pairs = [pair for pair in read_pairs(pairs_file) if pair.source == SOURCE]
    logits = all_logits(session, encode(session, pairs))
    truth = np.array([session.manifest.labels.index(pair.label) for pair in pairs])
    found = smallest(
        lambda t: negative_log_likelihood(logits[::2], truth[::2], temperature=t),
        low=LOW,
        high=HIGH,
    )
    before, after = (
        negative_log_likelihood(logits[1::2], truth[1::2], temperature=t) for t in (1.0, found)
    )
    return Fitted(temperature=found, pairs=len(truth[::2]), before=before, after=after)


def main() -> None:
    """Fit on the pairs at even positions, report on the odd ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    given = parser.parse_args()
    found = fit(given.model, given.pairs)
    print(f"temperature {found.temperature:.3f} on {found.pairs} pairs; on the others the negative")
    print(f"log-likelihood goes from {found.before:.4f} to {found.after:.4f}")


if __name__ == "__main__":
    main()
