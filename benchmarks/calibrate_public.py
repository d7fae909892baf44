"""Fit the shipped thresholds: ``python -m benchmarks.calibrate_public --model DIR --scores FILE``.

First the contradiction threshold, on labelled pairs that take no part in what follows: the
smallest one that at most 2 % of the entailed or neutral pairs reach. Then the support threshold,
from scores that ``benchmarks.features`` saved, with the folder's weighing: the one with the best
mean balanced accuracy over the calibration halves of the sets, findings included. No guarantee is
claimed for either.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.fit import load_rows
from benchmarks.pairs import read_pairs
from benchmarks.replay import Rules
from benchmarks.scoring import OPEN, ScoredRow
from benchmarks.sets import CALIBRATION
from benchmarks.variants import Variant
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.support import Weighing
from gatekeeper.core.versions import scorer_fingerprint
from gatekeeper.errors import GatekeeperError
from gatekeeper.evaluation.calibration import (
    Calibration,
    ThresholdChoice,
    smallest_exceeded_by,
    write_calibration,
)
from gatekeeper.protocols import EncodedPair, Model
from gatekeeper.runtime.aggregation import weighing_of
from gatekeeper.runtime.manifest import ENTAILMENT, NEUTRAL, read_manifest
from gatekeeper.runtime.session import load

CONTRADICTED_AT_MOST = 0.02
CALM_LABELS = frozenset({ENTAILMENT, NEUTRAL})

_PASS = 32  # pairs a forward pass

Rows = Mapping[str, Sequence[ScoredRow]]


def calm_pairs(path: Path, model: Model, limit: int) -> list[EncodedPair]:
    """Encode labelled pairs that contradict nothing, evenly from the whole file, short first."""
    calm = [pair for pair in read_pairs(path) if pair.label in CALM_LABELS]
    taken = calm[:: max(1, len(calm) // limit)][:limit]
    encoded = (model.encode(pair.premise, pair.hypothesis) for pair in taken)
    return sorted((pair for pair in encoded if pair is not None), key=lambda pair: pair.tokens)


def contradiction_threshold(pairs: Sequence[EncodedPair], model: Model) -> float:
    """Return the smallest thousandth that at most 2 % of the pairs reach."""
    scores = [
        score.contradiction for batch in _batches(pairs) for score in model.score(list(batch))
    ]
    return smallest_exceeded_by(scores, share=CONTRADICTED_AT_MOST)


def support_threshold(
    rows: Rows, contradiction: float, weighing: Weighing | None
) -> ThresholdChoice:
    """Choose over the rows the gate took a side on; a set without scores is an error."""
    marks = Thresholds(support=OPEN.support, contradiction=contradiction)
    return Variant(rules=Rules(thresholds=marks, weighing=weighing)).choose(rows)


def calibration(
    folder: Path, contradiction: float, choice: ThresholdChoice, rows: Rows
) -> Calibration:
    """Put the file's content together; the fingerprint is that of the folder with these marks."""
    marks = Thresholds(support=choice.threshold, contradiction=contradiction)
    return Calibration(
        source="public",
        fingerprint=scorer_fingerprint(read_manifest(folder).fingerprint, marks),
        support_threshold=choice.threshold,
        contradiction_threshold=contradiction,
        sets={
            name: {
                "rows": len(found),
                "unsupported": sum(row.wrong for row in found),
                "half": CALIBRATION,
                "balanced_accuracy": round(choice.by_set[name], 4),
            }
            for name, found in rows.items()
            if name in choice.by_set
        },
        created=datetime.now(UTC).date().isoformat(),
        note=(
            "Best mean balanced accuracy over the sets, on the rows it was fitted on. "
            "No guarantee for other data: calibrate on your own rows before you enforce."
        ),
    )


def main() -> int:
    """Fit and write; 2 if a file can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    parser.add_argument("--scores", type=Path, required=True, help="from benchmarks.features")
    parser.add_argument("--pairs", type=Path, required=True, help="labelled pairs, .jsonl.gz")
    parser.add_argument("--pairs-limit", type=int, default=6000)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    try:
        model = load(arguments.model)
        pairs = calm_pairs(arguments.pairs, model, arguments.pairs_limit)
        contradiction = contradiction_threshold(pairs, model)
        print(f"contradiction {contradiction:g} from {len(pairs)} pairs", flush=True)
        rows = load_rows(arguments.scores, arguments.model)
        choice = support_threshold(rows, contradiction, weighing_of(arguments.model))
        print(f"support {choice.threshold:g}: {choice.mean_balanced_accuracy:.4f} {choice.by_set}")
        found = calibration(arguments.model, contradiction, choice, rows)
        write_calibration(arguments.output, found)
    except (GatekeeperError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _batches(pairs: Sequence[EncodedPair]) -> Iterator[Sequence[EncodedPair]]:
    return (pairs[start : start + _PASS] for start in range(0, len(pairs), _PASS))


if __name__ == "__main__":
    sys.exit(main())
