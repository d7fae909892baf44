"""What each part of the gate is worth: the same scores judged with one part taken away.

Each variant gets the support threshold that suits it best on the calibration halves, one for all
sets, as the gate itself does; the contradiction threshold stays the model's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from benchmarks.replay import NEVER, ReplayedRow, Rules, replay
from benchmarks.scoring import ScoredRow
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.evaluation.calibration import Saved, ThresholdChoice, choose_threshold
from gatekeeper.evaluation.metrics import Judged

LEAST_ROWS = 50

Rows = Mapping[str, Sequence[ScoredRow]]
OfAnswer = Callable[[ReplayedRow], float | None]


def lowest(row: ReplayedRow) -> float | None:
    """Return the score of the worst claim: the gate's own rule."""
    return row.judged.score if row.judged is not None else None


def average(row: ReplayedRow) -> float | None:
    """Return the mean claim score, as SummaC-ZS does; None where one is missing."""
    scores = [claim.score for claim in row.claims]
    known = [score for score in scores if score is not None]
    return fmean(known) if known and len(known) == len(scores) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A way to judge answers: the rules of a claim, and what the claims make of an answer."""

    rules: Rules
    of_answer: OfAnswer = lowest

    def scores(self, rows: Sequence[ScoredRow]) -> list[Judged]:
        """Return rows with their scores and without a side; those without a score are left out."""
        marks = replace(self.rules.thresholds, support=1.0)
        found = replay(rows, replace(self.rules, thresholds=marks))
        return [
            Judged(wrong=one.row.wrong, blocked=False, score=score, group=one.row.group)
            for one in found
            if (score := self.of_answer(one)) is not None
        ]

    def choose(self, rows: Rows) -> ThresholdChoice:
        """Choose the support threshold of the best mean balanced accuracy over the sets.

        A set of too few answers has no say, unless all are that small: the steps of its curve
        would choose for the others.
        """
        enough = {name: found for name, found in rows.items() if len(found) >= LEAST_ROWS}
        return choose_threshold(
            {
                name: [
                    Saved(score=one.score, wrong=one.wrong)
                    for one in self.scores(found)
                    if one.score is not None
                ]
                for name, found in (enough or rows).items()
            }
        )

    def judge(self, rows: Sequence[ScoredRow], mark: float) -> list[Judged]:
        """Return rows on the side that a threshold puts them."""
        return [
            replace(one, blocked=one.score is not None and one.score < mark)
            for one in self.scores(rows)
        ]


def variants(gate: Rules) -> dict[str, Variant]:
    """Return the gate, the gate without each of its parts, and the plain ways of others."""
    calm = Thresholds(support=gate.thresholds.support, contradiction=NEVER)
    bare = Rules(thresholds=calm, guard=False)
    return {
        "gate": Variant(rules=gate),
        "maximum instead of weighing": Variant(rules=replace(gate, weighing=None)),
        "without value guard": Variant(rules=replace(gate, guard=False)),
        "without contradiction": Variant(rules=replace(gate, thresholds=calm)),
        "without joint premise": Variant(rules=replace(gate, joint=False)),
        "mean claim instead of worst": Variant(rules=gate, of_answer=average),
        "maximum alone, worst claim": Variant(rules=bare),
        "maximum alone, mean claim": Variant(rules=bare, of_answer=average),
    }
