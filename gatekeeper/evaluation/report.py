"""The result of an evaluation as one JSON object, and its rows as one object each.

Rates cover labelled rows that the gate decided. The others are counted by verdict and label, and
``worst_case`` takes them as let through. Nothing undefined is written as a number.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.evaluation.calibration import Fit
from gatekeeper.evaluation.extraction import Audit, audit, audit_record
from gatekeeper.evaluation.metrics import (
    RATES,
    GateMetrics,
    Judged,
    gate_metrics,
    interval_method,
    released,
)
from gatekeeper.evaluation.records import claim_record
from gatekeeper.evaluation.rows import Label, LineFault
from gatekeeper.evaluation.run import Evaluated, judged
from gatekeeper.evaluation.severity import (
    Critical,
    SeverityTable,
    severity,
    severity_record,
    severity_table,
    weigh,
)
from gatekeeper.evaluation.strata import Stratum
from gatekeeper.verdict import ClaimStatus, Outcome, SegmentKind, Verdict

UNLABELLED = "unlabelled"

# What a result declares, so that two of them are compared only like with like.
DECLARED = {
    "target": "support by the given context",
    "granularity": "clause",
    "duplicates": "keep",
    "empty": "undefined, left out of the mean and counted",
    "aggregation": "worst claim",
}
_BY_POLICY = "what the route's policy holds back or cuts"
# With nothing but points wanted of them.
_FEW = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class BothWays:
    """Rates with the rows of a sample that have no label counted as wrong, and as correct.

    ``undecided`` is the share of the answers on which the gate takes no side, told or not.
    """

    rows: int
    undecided: float
    as_wrong: GateMetrics
    as_correct: GateMetrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What the gate did on a set of rows.

    ``gate`` covers the ``n_decided`` labelled rows that are FLAGGED or SUPPORTED, ``worst_case``
    all labelled rows, the undecided ones as let through. ``claims`` and ``severity`` need no
    labels. ``extraction`` is None where no row has claims marked. ``interval`` and ``blocked`` say
    how intervals were had and what counts as blocked. ``cannot_tell`` is None without strata.
    """

    n: int
    n_labelled: int
    n_decided: int
    fingerprint: str
    thresholds: Thresholds
    calibration: Fit
    gate: GateMetrics
    worst_case: GateMetrics
    verdicts: Mapping[str, Mapping[str, int]]
    claims: Mapping[str, object]
    severity: SeverityTable
    extraction: Audit | None
    faults: tuple[LineFault, ...]
    interval: str
    blocked: str
    cannot_tell: BothWays | None = None


def summarise(  # noqa: PLR0913 - a result declares all that it depends on
    evaluated: Sequence[Evaluated],
    faults: Sequence[LineFault],
    *,
    fingerprint: str,
    thresholds: Thresholds,
    calibration: Fit,
    critical: Collection[Critical] = (),
    strata: Mapping[str, Stratum] | None = None,
) -> Evaluation:
    """Count what a gate with this fingerprint, these thresholds and their origin did.

    ``critical`` names kinds of claims that count as critical beside those the data marks.
    ``strata`` are what the rows were drawn from; their rows without a label are those of which
    nobody can tell.
    """
    labelled = [item for item in evaluated if item.row.label is not None]
    decided = [judged(item) for item in labelled if item.is_decided]
    rest = [released(judged(item)) for item in labelled if not item.is_decided]
    return Evaluation(
        n=len(evaluated),
        n_labelled=len(labelled),
        n_decided=len(decided),
        fingerprint=fingerprint,
        thresholds=thresholds,
        calibration=calibration,
        gate=gate_metrics(decided, strata=strata),
        worst_case=gate_metrics([*decided, *rest], strata=strata),
        verdicts=verdict_counts(evaluated),
        claims=claim_metrics([item.verdict for item in evaluated]),
        severity=severity_table(evaluated, critical),
        extraction=audit(evaluated),
        faults=tuple(faults),
        interval=interval_method(decided, strata),
        blocked=_BY_POLICY if any(item.ruled for item in evaluated) else str(Outcome.FLAGGED),
        cannot_tell=None if strata is None else _both_ways(evaluated, decided),
    )


def _both_ways(evaluated: Sequence[Evaluated], decided: Sequence[Judged]) -> BothWays:
    """Count the rows that the gate decided and nobody could, as one and as the other."""
    open_ = [item for item in evaluated if item.row.label is None]
    found = []
    for label in (Label.UNSUPPORTED, Label.SUPPORTED):
        items = [replace(item, row=replace(item.row, label=label)) for item in open_]
        more = [judged(item) for item in items if item.is_decided]
        plain = [replace(row, stratum=None) for row in (*decided, *more)]
        found.append(gate_metrics(plain, draws=_FEW))
    whole = sum(item.row.weight for item in evaluated)
    undecided = sum(item.row.weight for item in evaluated if not item.is_decided)
    return BothWays(
        rows=len(open_), undecided=undecided / whole, as_wrong=found[0], as_correct=found[1]
    )


def evaluation_record(result: Evaluation, *, versions: Mapping[str, str]) -> dict[str, object]:
    """Return what ``gatekeeper evaluate --json`` writes."""
    marks = {
        "threshold": result.thresholds.support,
        "contradiction_threshold": result.thresholds.contradiction,
    }
    return {
        "n": result.n,
        "n_labelled": result.n_labelled,
        "n_decided": result.n_decided,
        "calibration": str(result.calibration),
        "gate": {**marks, **metrics_record(result.gate)},
        "worst_case": {**marks, **metrics_record(result.worst_case)},
        "verdicts": result.verdicts,
        "metrics": {
            **result.claims,
            "severity": severity_record(result.severity),
            "extraction": audit_record(result.extraction),
        },
        "declared": {**DECLARED, "blocked": result.blocked, "interval": result.interval},
        "versions": {**versions, "scorer": result.fingerprint},
        "bad_lines": sum(fault.dropped for fault in result.faults),
        "faults": [asdict(fault) for fault in result.faults],
        **_both_ways_record(result.cannot_tell),
    }


def _both_ways_record(found: BothWays | None) -> dict[str, object]:
    if found is None:
        return {}
    both = {"as_wrong": found.as_wrong, "as_correct": found.as_correct}
    points = {
        name: {rate: getattr(metrics, rate).value for rate in RATES}
        for name, metrics in both.items()
    }
    return {
        "cannot_tell": {"rows": found.rows, **points},
        "undecided_share": found.undecided,
    }


def row_record(item: Evaluated, critical: Collection[Critical] = ()) -> dict[str, object]:
    """Return one line of ``gatekeeper evaluate --rows``; ``critical`` as in ``summarise``."""
    return {
        "id": item.row.id,
        "label": item.row.label,
        "verdict": str(item.verdict.outcome),
        "score": item.verdict.score,
        "claims": [claim_record(claim) for claim in item.verdict.claims],
        "faithfulness": item.verdict.faithfulness,
        "severity": severity(weigh(item, critical)),
    }


def metrics_record(metrics: GateMetrics) -> dict[str, dict[str, float | None]]:
    """Return the six figures, each with value, low and high; null when undefined."""
    found = {name: getattr(metrics, name) for name in RATES}
    return {
        name: {"value": item.value, "low": item.low, "high": item.high}
        for name, item in found.items()
    }


def verdict_counts(evaluated: Sequence[Evaluated]) -> dict[str, dict[str, int]]:
    """Count rows by verdict and label, every verdict and label named, also with 0."""
    counts = Counter((item.verdict.outcome, item.row.label or UNLABELLED) for item in evaluated)
    labels = [*Label, UNLABELLED]
    return {
        str(outcome): {str(label): counts[outcome, label] for label in labels}
        for outcome in Outcome
    }


def claim_metrics(verdicts: Sequence[Verdict]) -> dict[str, object]:
    """Describe the claims without using labels.

    ``support_precision`` is the supported share of the claims (Min et al., FActScore, EMNLP
    2023), as the mean over answers and pooled over claims: the two differ when answers differ in
    length. Answers without claims are counted as undefined. With unresolved claims each figure
    is [low, high]: all of them unsupported, all supported.
    """
    shares = [share for v in verdicts if (share := v.faithfulness) is not None]
    claims = [claim for verdict in verdicts for claim in verdict.claims]
    statuses = Counter(claim.status for claim in claims)
    kinds = Counter(segment.kind for verdict in verdicts for segment in verdict.segments)
    reasons = Counter(
        f"{verdict.outcome}: {verdict.reason}" for verdict in verdicts if verdict.reason
    )
    return {
        "support_precision": {
            "mean": _mean(shares),
            "pooled": _pooled(statuses),
            "answers": len(shares),
            "undefined": len(verdicts) - len(shares),
        },
        "all_supported": sum(v.outcome is Outcome.SUPPORTED for v in verdicts),
        "claims_per_answer": fmean(len(v.claims) for v in verdicts) if verdicts else None,
        "claims": {str(status): statuses[status] for status in ClaimStatus},
        "exempt_segments": {
            str(kind): kinds[kind] for kind in SegmentKind if kind is not SegmentKind.CLAIM
        },
        "reasons": dict(sorted(reasons.items())),
    }


def _pooled(statuses: Mapping[ClaimStatus, int]) -> float | list[float] | None:
    total = sum(statuses.values())
    if not total:
        return None
    low = statuses[ClaimStatus.SUPPORTED] / total
    high = low + statuses[ClaimStatus.UNRESOLVED] / total
    return low if low == high else [low, high]


def _mean(shares: Sequence[float | tuple[float, float]]) -> float | list[float] | None:
    if not shares:
        return None
    bounds = [share if isinstance(share, tuple) else (share, share) for share in shares]
    low, high = fmean(low for low, _ in bounds), fmean(high for _, high in bounds)
    return low if low == high else [low, high]
