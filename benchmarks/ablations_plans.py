"""Choices that need no training: ``python -m benchmarks.ablations_plans BENCH --work DIR``.

The shipped model on the sample of ``benchmarks.ablations``, asked in other ways: more and longer
places, no joint premise, answers split into clauses, and other ways from pairs to an answer. Added
to the result file under "plans".
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.ablations_figures import (
    CALM,
    GUARDED,
    MAXIMUM,
    WEIGHED,
    differences,
    figures,
    weighed,
)
from benchmarks.ablations_scores import GATE, Floats, Plan, plan, score_pairs, scored
from benchmarks.replay import Rules, replay
from benchmarks.scoring import ScoredRow
from benchmarks.variants import Variant, average
from gatekeeper.core.plan import Limits
from gatekeeper.errors import GatekeeperError
from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.protocols import EncodedPair
from gatekeeper.runtime.manifest import model_folder
from gatekeeper.runtime.session import Session, load

RESULT = Path(__file__).parent / "results" / "ablations.json"

_CLAUSE = re.compile(r"(?<=\w)(?:,? (?:and|but|while|whereas)|;) (?=\w+ \w+ \w+)")


def clauses(answer: str) -> str:
    """Return an answer with its clauses as sentences; their subjects are not repeated."""
    return _CLAUSE.sub(". ", answer)


PLANS = (
    Plan(name="sentence", change="places of 1 sentence", limits=Limits(longest_window=1)),
    Plan(name="three", change="places of 1 to 3 sentences", limits=Limits(longest_window=3)),
    Plan(name="two-places", change="2 places", limits=Limits(windows=2)),
    Plan(name="eight-places", change="8 places", limits=Limits(windows=8, pair_tokens=2400)),
    Plan(name="two-joined", change="2 places joined", limits=Limits(joint_places=2)),
    Plan(name="five-joined", change="5 places joined", limits=Limits(joint_places=5)),
    Plan(name="clauses", change="answers split into clauses", reword=clauses),
)

# Other ways from the pairs of the gate's own plan to an answer.
JUDGES = {
    "no joint premise": Variant(rules=Rules(thresholds=CALM, guard=False, joint=False)),
    "mean claim instead of worst": replace(MAXIMUM, of_answer=average),
    "with value guard": GUARDED,
    "weighed with calm": weighed(entailment=0.5, calm=0.25),
    "weighed with agreement": weighed(entailment=0.5, agreement=0.15),
    "weighed with both": WEIGHED,
}


class Scores:
    """A model's scores of numbered pairs, kept in a file; what is new is scored when asked for."""

    def __init__(self, session: Session, path: Path) -> None:
        self._session = session
        self._path = path
        self._found: Floats = np.load(path) if path.exists() else np.empty((0, 2))

    def of(self, pairs: Sequence[EncodedPair]) -> Floats:
        """Return the scores of the pairs, which only ever grow in number."""
        new = pairs[len(self._found) :]
        if new:
            self._found = np.concatenate([self._found, score_pairs(self._session, new)])
            np.save(self._path, self._found)
        return self._found


def cost(rows: Mapping[str, Sequence[ScoredRow]], variant: Variant) -> float:
    """Return the pair tokens an answer costs, mean over the sets."""
    return fmean(
        fmean(one.tokens for one in replay(found, variant.rules)) for found in rows.values()
    )


def run(bench: Path, work: Path) -> dict[str, object]:
    """Measure each way and how it differs from the gate's own."""
    session = load(model_folder(SHIPPED_MODEL))
    scores = Scores(session, work / "shipped.npy")
    planned, pairs = plan(session, bench, work)
    own = scored(planned, scores.of(pairs))
    before = figures(own)

    def record(change: str, rows: Mapping[str, Sequence[ScoredRow]], by: Variant) -> object:
        found = figures(rows, by)
        print(change, found.balanced_accuracy, flush=True)
        return {
            **found.record(),
            "pair_tokens": cost(rows, by),
            "against_gate": differences(found, before),
        }

    result = {GATE.change: record(GATE.change, own, MAXIMUM)}
    result |= {name: record(name, own, judge) for name, judge in JUDGES.items()}
    for way in PLANS:
        planned, pairs = plan(session, bench, work, way)
        result[way.change] = record(way.change, scored(planned, scores.of(pairs)), MAXIMUM)
    return result


def main() -> int:
    """Run it; 2 if a file can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=Path, help="folder of NAME.jsonl.gz")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=RESULT)
    given = parser.parse_args()
    try:
        plans = run(given.bench, given.work)
    except GatekeeperError as error:
        print(error, file=sys.stderr)
        return 2
    before = json.loads(given.out.read_text(encoding="utf-8")) if given.out.exists() else {}
    given.out.write_text(json.dumps({**before, "plans": plans}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
