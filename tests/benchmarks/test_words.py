"""Word overlap as a judge."""

from benchmarks.words import Baseline, fit_baseline
from gatekeeper.evaluation.calibration import ThresholdChoice
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.verdict import Evidence, Passage


def _row(answer: str, label: Label, *texts: str) -> Row:
    passages = tuple(Passage(id=text, text=text) for text in texts)
    return Row(line=1, id=answer, evidence=Evidence(passages=passages), answer=answer, label=label)


KNOWN = "Dogs bark and cats sleep."


def test_baseline_takes_the_form_that_separates() -> None:
    """One uncovered sentence shows in the lowest share and is diluted in the mean."""
    diluted = _row("Dogs bark. Cats sleep. Cows fly.", Label.UNSUPPORTED, KNOWN)
    loose = _row("Dogs bark loudly.", Label.SUPPORTED, KNOWN)

    found = fit_baseline({"a": [diluted, loose]})

    assert found.form == "lowest"
    assert found.choice.mean_balanced_accuracy == 1.0


def test_baseline_blocks_below_its_threshold() -> None:
    """It decides every answer, also one without evidence."""
    choice = ThresholdChoice(threshold=0.5, mean_balanced_accuracy=1.0, by_set={})
    baseline = Baseline(form="lowest", choice=choice)
    rows = [
        _row("Dogs bark.", Label.SUPPORTED, KNOWN),
        _row("Cows fly.", Label.UNSUPPORTED, KNOWN),
        _row("Fish swim.", Label.UNSUPPORTED),
    ]

    assert [baseline.blocks(row) for row in rows] == [False, True, True]
    assert baseline.metrics(rows).balanced_accuracy.value == 1.0
