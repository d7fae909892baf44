"""Fit the shipped thresholds: ``python -m benchmarks.calibrate_public BENCH_DIR --pairs FILE``.

First the contradiction threshold, on labelled pairs that take no part in what follows: the
smallest one that at most 2 % of the entailed or neutral pairs reach. Then the support threshold:
the one with the best mean balanced accuracy over the calibration halves of the sets, findings
included. No guarantee is claimed for either.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.pairs import read_pairs
from benchmarks.scoring import OPEN, SavedScores, ScoredRow, score_rows, with_marks
from benchmarks.sets import CALIBRATION, FITTED, load_half
from gatekeeper.build import open_gate
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.errors import GatekeeperError
from gatekeeper.evaluation.calibration import (
    Calibration,
    Saved,
    ThresholdChoice,
    choose_threshold,
    smallest_exceeded_by,
    write_calibration,
)
from gatekeeper.gate import Gate
from gatekeeper.protocols import EncodedPair, Model
from gatekeeper.runtime.manifest import ENTAILMENT, NEUTRAL

CONTRADICTED_AT_MOST = 0.02
CALM_LABELS = frozenset({ENTAILMENT, NEUTRAL})

_PASS = 32  # pairs a forward pass


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
    scored: Mapping[str, Sequence[ScoredRow]], contradiction: float
) -> ThresholdChoice:
    """Choose over the rows the gate took a side on; a set without scores is an error."""
    marks = Thresholds(support=1.0, contradiction=contradiction)
    judged = {name: [row.judged(marks) for row in rows] for name, rows in scored.items()}
    return choose_threshold(
        {
            name: [
                Saved(score=row.score, wrong=row.wrong)
                for row in rows
                if row is not None and row.score is not None
            ]
            for name, rows in judged.items()
        }
    )


async def score_sets(
    gate: Gate, folder: Path, saved: SavedScores, limit: int | None
) -> dict[str, list[ScoredRow]]:
    """Score the calibration halves with no threshold in the way."""
    opened = with_marks(gate, OPEN)
    return {
        name: await score_rows(
            opened, name, load_half(folder, name, CALIBRATION, limit=limit), saved
        )
        for name in FITTED
    }


def calibration(
    gate: Gate, contradiction: float, choice: ThresholdChoice, scored: Mapping[str, list[ScoredRow]]
) -> Calibration:
    """Put the file's content together; the fingerprint is that of the gate with these marks."""
    marks = Thresholds(support=choice.threshold, contradiction=contradiction)
    return Calibration(
        source="public",
        fingerprint=with_marks(gate, marks).fingerprint,
        support_threshold=choice.threshold,
        contradiction_threshold=contradiction,
        sets={
            name: {
                "rows": len(rows),
                "unsupported": sum(row.wrong for row in rows),
                "half": CALIBRATION,
                "balanced_accuracy": round(choice.by_set[name], 4),
            }
            for name, rows in scored.items()
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
    parser.add_argument("bench", type=Path, help="folder of NAME.jsonl.gz")
    parser.add_argument("--pairs", type=Path, required=True, help="labelled pairs, .jsonl.gz")
    parser.add_argument("--pairs-limit", type=int, default=6000)
    parser.add_argument("--scores", type=Path, help="keeps raw numbers, outside the project")
    parser.add_argument("--limit", type=int, help="first rows of each set, for a trial")
    parser.add_argument("--model", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    try:
        gate = open_gate(arguments.model)
    except GatekeeperError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        pairs = calm_pairs(arguments.pairs, gate.model, arguments.pairs_limit)
        contradiction = contradiction_threshold(pairs, gate.model)
        print(f"contradiction {contradiction:g} from {len(pairs)} pairs", flush=True)
        saved = SavedScores(arguments.scores)
        scored = asyncio.run(score_sets(gate, arguments.bench, saved, arguments.limit))
        choice = support_threshold(scored, contradiction)
        print(f"support {choice.threshold:g}: {choice.mean_balanced_accuracy:.4f} {choice.by_set}")
        write_calibration(arguments.output, calibration(gate, contradiction, choice, scored))
    except (GatekeeperError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        gate.close()
    return 0


def _batches(pairs: Sequence[EncodedPair]) -> Iterator[Sequence[EncodedPair]]:
    return (pairs[start : start + _PASS] for start in range(0, len(pairs), _PASS))


if __name__ == "__main__":
    sys.exit(main())
