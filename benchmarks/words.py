"""Word overlap as a judge: what a gate without a model would reach."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.sets import lowest, mean, overlap
from gatekeeper.evaluation.calibration import Saved, ThresholdChoice, choose_threshold
from gatekeeper.evaluation.metrics import GateMetrics, Judged, gate_metrics
from gatekeeper.evaluation.rows import Label, Row

Form = Callable[[Sequence[float]], float]
FORMS: Mapping[str, Form] = {"lowest": lowest, "mean": mean}


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """Blocks an answer when the share of its words in the context lies below the threshold."""

    form: str
    choice: ThresholdChoice

    def score(self, row: Row) -> float:
        """Return the share of the answer, sentence by sentence, that stands in the context."""
        return FORMS[self.form](overlap(row))

    def blocks(self, row: Row) -> bool:
        """Tell whether it blocks an answer; it decides every one."""
        return self.score(row) < self.choice.threshold

    def metrics(self, rows: Sequence[Row]) -> GateMetrics:
        """Return its rates on rows."""
        return gate_metrics(
            [
                Judged(
                    wrong=row.label is Label.UNSUPPORTED,
                    blocked=self.blocks(row),
                    score=self.score(row),
                    group=row.group,
                )
                for row in rows
            ]
        )


def fit_baseline(rows_by_set: Mapping[str, Sequence[Row]]) -> Baseline:
    """Choose form and threshold with the best mean balanced accuracy over the sets."""
    fitted = [
        Baseline(form=name, choice=choose_threshold(_saved(rows_by_set, form)))
        for name, form in FORMS.items()
    ]
    return max(fitted, key=lambda baseline: baseline.choice.mean_balanced_accuracy)


def _saved(rows_by_set: Mapping[str, Sequence[Row]], form: Form) -> dict[str, list[Saved]]:
    return {
        name: [
            Saved(score=form(overlap(row)), wrong=row.label is Label.UNSUPPORTED) for row in rows
        ]
        for name, rows in rows_by_set.items()
    }
