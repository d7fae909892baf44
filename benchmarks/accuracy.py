"""The shipped gate on labelled sets: ``python -m benchmarks.accuracy BENCH_DIR``.

For each set, on one half of its rows: the gate's rates at the shipped thresholds and its ROC-AUC,
with intervals over groups, and beside them a baseline that knows word overlap only. The baseline
gets one threshold for all sets, and its form (lowest or mean sentence), from the calibration
halves of the sets that the gate's thresholds were fitted on. The result file holds numbers only.
"""

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.machine import describe
from benchmarks.scoring import SavedScores, ScoredRow, score_rows
from benchmarks.sets import CALIBRATION as CALIBRATION_HALF
from benchmarks.sets import FITTED, HALVES, TEST, load_half, lowest, mean, overlap
from gatekeeper.build import open_gate
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.errors import GatekeeperError
from gatekeeper.evaluation.calibration import Saved, ThresholdChoice, choose_threshold
from gatekeeper.evaluation.metrics import GateMetrics, Judged, gate_metrics, released
from gatekeeper.evaluation.report import metrics_record
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.evaluation.versions import package_versions
from gatekeeper.verdict import Outcome

RESULT = Path(__file__).parent / "results" / "accuracy.json"

Form = Callable[[Sequence[float]], float]
FORMS: Mapping[str, Form] = {"lowest": lowest, "mean": mean}


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """Word overlap as a judge: blocked when the share lies below the threshold."""

    form: str
    choice: ThresholdChoice

    def metrics(self, rows: Sequence[Row]) -> GateMetrics:
        """Return its rates on rows; it decides every row."""
        scores = [FORMS[self.form](overlap(row)) for row in rows]
        return gate_metrics(
            [
                Judged(
                    wrong=row.label is Label.UNSUPPORTED,
                    blocked=score < self.choice.threshold,
                    score=score,
                    group=row.group,
                )
                for row, score in zip(rows, scores, strict=True)
            ]
        )


def fit_baseline(rows_by_set: Mapping[str, Sequence[Row]]) -> Baseline:
    """Choose form and threshold with the best mean balanced accuracy over the sets."""
    fitted = [
        Baseline(form=name, choice=choose_threshold(_saved(rows_by_set, form)))
        for name, form in FORMS.items()
    ]
    return max(fitted, key=lambda baseline: baseline.choice.mean_balanced_accuracy)


def set_record(
    rows: Sequence[Row], scored: Sequence[ScoredRow], marks: Thresholds, baseline: Baseline
) -> dict[str, object]:
    """Return the figures of one set."""
    judged = [row.judged(marks) for row in scored]
    decided = [row for row in judged if row is not None]
    open_ = [
        released(Judged(wrong=row.wrong, blocked=False, group=row.group))
        for row, side in zip(scored, judged, strict=True)
        if side is None
    ]
    outcomes = Counter(row.outcome for row in scored)
    n = len(rows)
    return {
        "n": n,
        "unsupported": sum(row.wrong for row in scored) / n,
        "verdicts": {str(outcome): outcomes[outcome] for outcome in Outcome},
        "reasons": dict(Counter(row.reason for row in scored if row.reason)),
        "gate": metrics_record(gate_metrics(decided)),
        "worst_case": metrics_record(gate_metrics([*decided, *open_])),
        "overlap": metrics_record(baseline.metrics(rows)),
        "claims_per_answer": sum(len(row.claims) for row in scored) / n,
        "pair_tokens_per_answer": sum(row.tokens for row in scored) / n,
    }


async def run(arguments: argparse.Namespace) -> dict[str, object]:
    """Score the sets and put the result together."""
    folder: Path = arguments.bench
    fitted = {name: load_half(folder, name, CALIBRATION_HALF) for name in FITTED}
    baseline = fit_baseline(fitted)
    gate = open_gate(arguments.model)
    try:
        saved, sets = SavedScores(arguments.scores), {}
        for name in arguments.sets:
            rows = load_half(folder, name, arguments.half, limit=arguments.limit)
            scored = await score_rows(gate, name, rows, saved)
            sets[name] = set_record(rows, scored, gate.thresholds, baseline)
        return {
            "benchmark": "accuracy",
            "half": arguments.half,
            "limit": arguments.limit,
            "machine": describe(),
            "versions": package_versions(),
            "scorer": gate.fingerprint,
            "thresholds": {
                "support": gate.thresholds.support,
                "contradiction": gate.thresholds.contradiction,
            },
            "baseline": {"form": baseline.form, "threshold": baseline.choice.threshold},
            "sets": sets,
            "mean": {
                f"{who}_{figure}": _mean_over(sets, who, figure)
                for who in ("gate", "overlap")
                for figure in ("balanced_accuracy", "roc_auc")
            },
        }
    finally:
        gate.close()


def table(result: Mapping[str, object]) -> list[str]:
    """Return the figures as lines of text."""
    sets = result["sets"]
    if not isinstance(sets, dict):
        raise TypeError("a result holds its sets by name")
    lines = [f"{'set':<26}{'n':>6}{'bal.acc':>22}{'AUC':>22}{'overlap':>10}{'AUC':>8}"]
    for name, record in sets.items():
        gate, words = record["gate"], record["overlap"]
        lines.append(
            f"{name:<26}{record['n']:>6}{_text(gate['balanced_accuracy']):>22}"
            f"{_text(gate['roc_auc']):>22}{_text(words['balanced_accuracy'])[:5]:>10}"
            f"{_text(words['roc_auc'])[:5]:>8}"
        )
    return [*lines, f"mean {result['mean']}"]


def main() -> int:
    """Run the benchmark; 0 whatever the figures, 2 if a file can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=Path, help="folder of NAME.jsonl.gz")
    parser.add_argument("--sets", nargs="+", default=list(FITTED))
    parser.add_argument("--half", choices=HALVES, default=TEST)
    parser.add_argument("--limit", type=int, help="first rows of each set")
    parser.add_argument("--scores", type=Path, help="keeps raw numbers, outside the project")
    parser.add_argument("--model", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=RESULT)
    arguments = parser.parse_args()
    try:
        result = asyncio.run(run(arguments))
    except GatekeeperError as error:
        print(error, file=sys.stderr)
        return 2
    arguments.output.parent.mkdir(exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print("\n".join(table(result)))
    return 0


def _saved(rows_by_set: Mapping[str, Sequence[Row]], form: Form) -> dict[str, list[Saved]]:
    return {
        name: [
            Saved(score=form(overlap(row)), wrong=row.label is Label.UNSUPPORTED) for row in rows
        ]
        for name, rows in rows_by_set.items()
    }


def _mean_over(sets: Mapping[str, object], who: str, figure: str) -> float | None:
    values = [record[who][figure]["value"] for record in sets.values() if isinstance(record, dict)]
    return fmean(values) if values and None not in values else None


def _text(figure: Mapping[str, float | None]) -> str:
    value, low, high = figure["value"], figure["low"], figure["high"]
    if value is None:
        return "undefined"
    return f"{value:.3f}" + ("" if low is None else f" [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    sys.exit(main())
