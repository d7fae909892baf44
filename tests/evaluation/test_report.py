"""Evaluated rows as counts, rates and records."""

import json
from collections.abc import Sequence

import pytest

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.evaluation.calibration import Fit
from gatekeeper.evaluation.metrics import RATES
from gatekeeper.evaluation.report import (
    Evaluation,
    claim_metrics,
    evaluation_record,
    row_record,
    summarise,
)
from gatekeeper.evaluation.rows import Label, LineFault, Row
from gatekeeper.evaluation.run import Evaluated, has_finding, judged
from gatekeeper.verdict import (
    ClaimStatus,
    ClaimVerdict,
    Evidence,
    NotCheckedReason,
    PremiseRef,
    Segment,
    SegmentKind,
    UnresolvedReason,
    Verdict,
)

SUPPORTED, UNSUPPORTED = ClaimStatus.SUPPORTED, ClaimStatus.UNSUPPORTED
UNRESOLVED, CONTRADICTED = ClaimStatus.UNRESOLVED, ClaimStatus.CONTRADICTED


def _claim(status: ClaimStatus, score: float | None = None) -> ClaimVerdict:
    known = {SUPPORTED: 0.9, UNSUPPORTED: 0.2, CONTRADICTED: 0.0}
    return ClaimVerdict(
        start=0,
        end=3,
        text="One",
        status=status,
        support=None,
        contradiction=None,
        score=known.get(status) if score is None else score,
        unresolved=UnresolvedReason.BUDGET if status is UNRESOLVED else None,
    )


def _verdict(*statuses: ClaimStatus) -> Verdict:
    return Verdict(claims=tuple(map(_claim, statuses)))


def _item(verdict: Verdict, label: Label | None = Label.SUPPORTED, name: str = "a") -> Evaluated:
    row = Row(line=1, id=name, evidence=Evidence(passages=()), answer="One", label=label)
    return Evaluated(row=row, verdict=verdict)


def _summary(items: Sequence[Evaluated], faults: Sequence[LineFault] = ()) -> Evaluation:
    marks = Thresholds(support=0.5, contradiction=0.9)
    return summarise(items, faults, fingerprint="f", thresholds=marks, calibration=Fit.OWN)


MIXED = (
    _item(_verdict(SUPPORTED)),
    _item(_verdict(UNSUPPORTED), Label.UNSUPPORTED),
    _item(_verdict(UNRESOLVED), Label.UNSUPPORTED),
    _item(Verdict(), Label.UNSUPPORTED),
    _item(Verdict(not_checked=NotCheckedReason.NO_CONTEXT)),
    _item(_verdict(SUPPORTED), None),
)


def test_undecided_rows_are_counted_and_left_out() -> None:
    """Unresolved, claimless and unchecked rows are neither blocked nor accepted."""
    found = _summary(MIXED)

    assert (found.n, found.n_labelled, found.n_decided) == (6, 5, 2)
    assert found.gate.sensitivity.value == 1.0
    assert found.gate.coverage.value == 0.5
    assert found.verdicts["UNRESOLVED"] == {"supported": 0, "unsupported": 1, "unlabelled": 0}
    assert found.verdicts["NO_CLAIMS"] == {"supported": 0, "unsupported": 1, "unlabelled": 0}
    assert found.verdicts["NOT_CHECKED"] == {"supported": 1, "unsupported": 0, "unlabelled": 0}
    assert found.verdicts["SUPPORTED"] == {"supported": 1, "unsupported": 0, "unlabelled": 1}


def test_worst_case_lets_undecided_rows_through() -> None:
    """Two of three wrong answers got out, and the reader sees it beside the better figure."""
    found = _summary(MIXED)

    assert found.worst_case.sensitivity.value == 1 / 3
    assert found.worst_case.coverage.value == 4 / 5
    assert found.worst_case.accepted_error.value == 2 / 4


def test_record_has_the_agreed_shape() -> None:
    """Other tools read the file: keys and nulls are a contract, and JSON has no NaN."""
    fault = LineFault(line=3, found="x", expected="y")
    record = evaluation_record(_summary(MIXED, [fault]), versions={"gatekeeper": "1"})

    again = json.loads(json.dumps(record, allow_nan=False))

    assert again == record
    assert set(RATES) | {"threshold", "contradiction_threshold"} == set(again["gate"])
    assert again["gate"]["threshold"] == 0.5
    assert set(again["gate"]["roc_auc"]) == {"value", "low", "high"}
    assert again["versions"] == {"gatekeeper": "1", "scorer": "f"}
    assert again["calibration"] == "own"
    assert again["bad_lines"] == 1
    assert again["faults"] == [{"line": 3, "found": "x", "expected": "y", "dropped": True}]


def test_nothing_evaluated_is_undefined_everywhere() -> None:
    """No rows, no rates: the record still has its shape."""
    record = json.loads(json.dumps(evaluation_record(_summary(()), versions={})))

    assert record["n"] == 0
    assert record["gate"]["sensitivity"] == {"value": None, "low": None, "high": None}
    assert record["metrics"]["support_precision"]["mean"] is None
    assert record["metrics"]["claims_per_answer"] is None


def test_support_precision_by_answer_and_pooled() -> None:
    """1 of 1 and 0 of 9: the mean over answers is 0.5, pooled over claims it is 0.1."""
    found = claim_metrics([_verdict(SUPPORTED), _verdict(*[UNSUPPORTED] * 9)])

    assert found["support_precision"] == {
        "mean": 0.5,
        "pooled": 0.1,
        "answers": 2,
        "undefined": 0,
    }


def test_support_precision_with_an_unresolved_claim_is_a_range() -> None:
    """2 supported, 1 unsupported, 1 unresolved: [1/2, 3/4], never 2/3 by leaving one out."""
    found = claim_metrics([_verdict(SUPPORTED, SUPPORTED, UNSUPPORTED, UNRESOLVED)])

    assert found["support_precision"] == {
        "mean": [0.5, 0.75],
        "pooled": [0.5, 0.75],
        "answers": 1,
        "undefined": 0,
    }


def test_answers_without_claims_are_undefined_and_counted() -> None:
    """A model that falls silent must be seen to do so, not score 1."""
    segment = Segment(start=0, end=3, kind=SegmentKind.GREETING)
    found = claim_metrics([Verdict(segments=(segment,)), _verdict(SUPPORTED)])

    assert found["support_precision"] == {"mean": 1.0, "pooled": 1.0, "answers": 1, "undefined": 1}
    assert found["claims_per_answer"] == 0.5
    exempt = found["exempt_segments"]
    assert isinstance(exempt, dict)
    assert (exempt["greeting"], exempt["question"]) == (1, 0)


def test_reasons_are_counted() -> None:
    """Why answers were not decided is the first thing to look at."""
    assert claim_metrics([item.verdict for item in MIXED])["reasons"] == {
        "NOT_CHECKED: no_context": 1,
        "UNRESOLVED: budget": 1,
    }


def test_row_record_has_the_agreed_shape() -> None:
    """One line a row: enough to choose a threshold without running the gate again."""
    claim = ClaimVerdict(
        start=0,
        end=3,
        text="One",
        status=SUPPORTED,
        support=0.9,
        contradiction=0.1,
        score=0.9,
        passages=("p",),
        premises=(PremiseRef(passage="p", start=1, end=5),),
        reason="follows",
    )

    assert row_record(_item(Verdict(claims=(claim,)), name="r1")) == {
        "id": "r1",
        "label": "supported",
        "verdict": "SUPPORTED",
        "score": 0.9,
        "claims": [
            {
                "text": "One",
                "start": 0,
                "end": 3,
                "status": "SUPPORTED",
                "support": 0.9,
                "contradiction": 0.1,
                "passages": ["p"],
                "premises": [{"passage": "p", "start": 1, "end": 5}],
                "reason": "follows",
            }
        ],
        "faithfulness": 1.0,
        "severity": "none",
    }


def test_unlabelled_row_can_not_be_judged() -> None:
    """A missing label is not a verdict of anybody."""
    with pytest.raises(ValueError, match="no label"):
        judged(_item(_verdict(SUPPORTED), None))


@pytest.mark.parametrize(
    ("status", "score", "finding"),
    [
        (ClaimStatus.CONTRADICTED, 0.0, True),
        (ClaimStatus.CONFLICTING, 0.0, True),
        (ClaimStatus.UNSUPPORTED, 0.0, True),
        (ClaimStatus.UNSUPPORTED, 0.1, False),
        (ClaimStatus.SUPPORTED, 0.9, False),
        (ClaimStatus.UNRESOLVED, None, False),
    ],
)
def test_findings_are_told_from_low_support(
    status: ClaimStatus, score: float | None, finding: bool
) -> None:
    """A finding blocks at threshold 0, low support does not: the two make different curves."""
    assert has_finding(status, score) is finding
