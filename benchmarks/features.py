"""Score the pairs of the sets once: ``python -m benchmarks.features BENCH --model DIR --scores F``.

Everything after it (weighing, thresholds, accuracy, ablations) is computed from the file. Rows
that are in it already are not scored again; nor are pairs, which a second file beside it keeps,
where rows have to be planned anew. The file is for one model.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from benchmarks.remembered import RememberingModel
from benchmarks.scoring import OPEN, SavedScores, pairs_key, score_rows
from benchmarks.sets import CALIBRATION, FITTED, OTHERS, TEST, load_half
from gatekeeper.errors import GatekeeperError
from gatekeeper.gate import Gate, Settings
from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.runtime.manifest import model_folder
from gatekeeper.runtime.session import load
from gatekeeper.scheduler import Scheduler


async def run(arguments: argparse.Namespace) -> None:
    """Score the sets, the calibration halves of all first."""
    folder = arguments.model or model_folder(SHIPPED_MODEL)
    model = RememberingModel(load(folder), arguments.scores.with_suffix(".pairs"))
    gate = Gate(model, Scheduler(model), Settings(thresholds=OPEN))
    try:
        saved, key = SavedScores(arguments.scores), pairs_key(folder)
        for half in arguments.halves:
            for name in arguments.sets:
                rows = load_half(arguments.bench, name, half, limit=arguments.limit)
                await score_rows(gate, name, rows, saved, key=key)
    finally:
        gate.close()


def main() -> int:
    """Run it; 2 if a file can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=Path, help="folder of NAME.jsonl.gz")
    parser.add_argument("--model", type=Path, help="model folder; the shipped one if not given")
    parser.add_argument("--scores", type=Path, required=True, help="a file outside the project")
    parser.add_argument("--sets", nargs="+", default=list(FITTED), choices=[*FITTED, *OTHERS])
    parser.add_argument("--halves", nargs="+", default=[CALIBRATION, TEST])
    parser.add_argument("--limit", type=int, help="first rows of each half, for a trial")
    arguments = parser.parse_args()
    try:
        asyncio.run(run(arguments))
    except GatekeeperError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
