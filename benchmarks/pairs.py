"""Labelled premise-hypothesis pairs of a data folder, and runs of them through a model."""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gatekeeper.protocols import EncodedPair
from gatekeeper.runtime.session import Session

# A batch: near what a pass of the scheduler's 30 ms holds on two cores; its ceiling is 2048.
PADDED_TOKENS = 512

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """One line of a file of pairs; ``source`` names the set it came from."""

    premise: str
    hypothesis: str
    label: str
    source: str


def read_pairs(path: Path) -> list[LabelledPair]:
    """Read a gzipped file of one JSON object a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    names = ("premise", "hypothesis", "label", "source")
    return [LabelledPair(**{name: row[name] for name in names}) for row in rows]


def by_source(pairs: Sequence[LabelledPair]) -> dict[str, list[LabelledPair]]:
    """Group pairs by set, order kept."""
    groups: dict[str, list[LabelledPair]] = {}
    for pair in pairs:
        groups.setdefault(pair.source, []).append(pair)
    return groups


def sample(pairs: Sequence[LabelledPair], size: int, *, seed: int = 0) -> list[LabelledPair]:
    """Draw without replacement; all of them, in order, if there are no more than ``size``."""
    if len(pairs) <= size:
        return list(pairs)
    chosen = np.random.default_rng(seed).choice(len(pairs), size, replace=False)
    return [pairs[position] for position in sorted(chosen)]


def encode(session: Session, pairs: Sequence[LabelledPair]) -> list[EncodedPair]:
    """Encode pairs as the gate would.

    Raises:
        ValueError: If a hypothesis leaves no room for its premise.
    """
    encoded = [session.encode(pair.premise, pair.hypothesis) for pair in pairs]
    fitting = [pair for pair in encoded if pair is not None]
    if len(fitting) < len(encoded):
        raise ValueError(f"{len(encoded) - len(fitting)} of {len(encoded)} hypotheses are too long")
    return fitting


def all_logits(session: Session, pairs: Sequence[EncodedPair]) -> FloatArray:
    """Return the logits of all pairs, in order, run in batches of similar length."""
    found = np.empty((len(pairs), len(session.manifest.labels)))
    for run in batches(pairs):
        found[run] = session.logits([pairs[position] for position in run])
    return found


def batches(pairs: Sequence[EncodedPair]) -> Iterator[list[int]]:
    """Yield positions, longest pairs first, as many a batch as stay under the padded size."""
    order = sorted(range(len(pairs)), key=lambda position: -pairs[position].tokens)
    start = 0
    while start < len(order):
        size = max(1, PADDED_TOKENS // pairs[order[start]].tokens)
        yield order[start : start + size]
        start += size
