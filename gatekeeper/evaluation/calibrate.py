"""A calibration fitted to a user's own answers, with a guarantee and what it holds for.

Every row goes once through the gate that runs live, at marks where nothing but a copy is
supported: each claim then has its final score, and the side at any threshold follows from it.
The contradiction threshold is the gate's and is not searched.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.evaluation.calibration import (
    ACCEPTED_ERROR,
    FALSE_BLOCK,
    OWN,
    Calibration,
    Guarantee,
)
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.evaluation.run import Evaluated, has_finding
from gatekeeper.evaluation.sample import independent
from gatekeeper.evaluation.search import (
    FINDING,
    SHARED,
    WALKED,
    Choice,
    FalseBlockTarget,
    Scored,
    Target,
    search,
)
from gatekeeper.gate import Gate
from gatekeeper.verdict import ClaimStatus, Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Rows of a file: read, labelled, counted in the search, and left out by verdict.

    ``left_out`` has the outcomes for which labelled rows were left out. ``correct`` and ``wrong``
    are of the rows that were counted; ``open`` of these have an unresolved claim, and are decided
    only where another one blocks them.
    """

    rows: int
    labelled: int
    counted: int
    correct: int
    wrong: int
    open: int
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """A search over labelled answers: target, what was found, the rows, and how they were had."""

    target: Target
    choice: Choice
    counts: Counts
    how: str | None = None


def open_marks(marks: Thresholds) -> Thresholds:
    """Return marks at which every claim has its joint premise scored and keeps its score."""
    return replace(marks, support=1.0)


def at_marks(gate: Gate, marks: Thresholds) -> Gate:
    """Return a gate over the same model and judge that holds claims against other marks."""
    return Gate(gate.model, gate.judge, replace(gate.settings, thresholds=marks))


def scored(item: Evaluated) -> Scored | None:
    """Return a labelled row, checked at open marks, as the search counts it.

    None where the gate takes a side at no threshold: nothing was checked, claimed or resolved.
    """
    score, is_open = _score(item.verdict)
    if score is None:
        return None
    return Scored(
        wrong=item.row.label is Label.UNSUPPORTED,
        score=score,
        is_open=is_open or item.row.lacks_text,
        weight=item.row.weight,
        group=item.row.group,
    )


def refuse_uncountable(rows: Sequence[Row], target: Target) -> None:
    """Find out before hours of checking that no exact bound holds for labelled rows.

    Raises:
        InputError: As ``calibrate`` does; rows that it would leave out are looked at as well.
    """
    unscored = [
        Scored(wrong=row.label is Label.UNSUPPORTED, score=0.0, weight=row.weight, group=row.group)
        for row in rows
    ]
    independent(unscored, by_label=_is_by_label(target))


def calibrate(evaluated: Sequence[Evaluated], target: Target, *, unlabelled: int = 0) -> Calibrated:
    """Choose a threshold by labelled rows that were checked at open marks.

    Args:
        evaluated: The rows; those without a label are counted and not used.
        target: What is to be kept.
        unlabelled: Further rows without a label, which need not be checked.

    Raises:
        InputError: If no exact bound holds for these rows.
    """
    labelled = [item for item in evaluated if item.row.label is not None]
    left_out: Counter[str] = Counter()
    rows = []
    for item in labelled:
        row = scored(item)
        if row is None:
            left_out[str(item.verdict.outcome)] += 1
        else:
            rows.append(row)
    sample = independent(rows, by_label=_is_by_label(target))
    wrong = sum(row.wrong for row in sample.rows)
    counts = Counts(
        rows=len(evaluated) + unlabelled,
        labelled=len(labelled),
        counted=len(sample.rows),
        correct=len(sample.rows) - wrong,
        wrong=wrong,
        open=sum(row.is_open for row in sample.rows),
        left_out=dict(sorted(left_out.items())),
    )
    return Calibrated(
        target=target, choice=search(sample.rows, target), counts=counts, how=sample.how
    )


def calibration_of(found: Calibrated, gate: Gate, *, data: str, created: str) -> Calibration:
    """Return the file's content for the threshold that was chosen.

    Args:
        found: The search; it chose one.
        gate: The gate whose scores these are; its contradiction threshold is kept.
        data: Name of the rows' file.
        created: A date.

    Raises:
        ValueError: If the search chose none.
    """
    point = found.choice.chosen
    if point is None:
        raise ValueError("no threshold was chosen")
    marks = replace(gate.thresholds, support=point.threshold)
    counts = found.counts
    return Calibration(
        source=OWN,
        fingerprint=at_marks(gate, marks).fingerprint,
        support_threshold=marks.support,
        contradiction_threshold=marks.contradiction,
        sets={
            data: {
                "rows": counts.rows,
                "labelled": counts.labelled,
                "counted": counts.counted,
                "correct": counts.correct,
                "wrong": counts.wrong,
                "false_blocks": point.false_blocks,
                "caught": point.caught,
                "open": counts.open,
                "left_out": dict(counts.left_out),
            }
        },
        created=created,
        guarantee=guarantee_of(found),
        note="The bound holds for answers drawn like these rows, not for others.",
    )


def guarantee_of(found: Calibrated) -> Guarantee | None:
    """Return what is promised of the threshold that was chosen; None without one."""
    target, point, bound = found.target, found.choice.chosen, found.choice.bound
    if point is None or bound is None:
        return None
    if isinstance(target, FalseBlockTarget):
        rate, n, prevalence = FALSE_BLOCK, point.correct, None
    elif target.prevalence is None:
        rate, n, prevalence = ACCEPTED_ERROR, point.accepted, None
    else:
        rate, n, prevalence = ACCEPTED_ERROR, point.correct + point.wrong, float(target.prevalence)
    return Guarantee(
        rate=rate,
        target=float(target.target),
        confidence=float(target.confidence),
        bound=bound,
        n=n,
        method=method(found),
        prevalence=prevalence,
    )


def method(found: Calibrated) -> str:
    """Say how the bound was had."""
    if isinstance(found.target, FalseBlockTarget):
        parts = [
            "one-sided exact binomial bound (Clopper-Pearson)",
            f"fixed sequence of {len(WALKED)} thresholds from the lowest",
        ]
    else:
        parts = [
            "one-sided exact binomial bounds (Clopper-Pearson)",
            f"Bonferroni over {len(SHARED)} thresholds",
        ]
        if found.target.prevalence is not None:
            parts.append("both rates bounded, carried over to the stated share of wrong answers")
    return "; ".join([*parts, *([found.how] if found.how else [])])


def _is_by_label(target: Target) -> bool:
    return isinstance(target, FalseBlockTarget) or target.prevalence is not None


def _score(verdict: Verdict) -> tuple[float | None, bool]:
    """Return the lowest score that is known, and whether a claim is unresolved."""
    if verdict.outcome in {Outcome.NOT_CHECKED, Outcome.NO_CLAIMS}:
        return None, False
    if any(has_finding(claim.status, claim.score) for claim in verdict.claims):
        return FINDING, False
    known = [claim.score for claim in verdict.claims if claim.score is not None]
    is_open = any(claim.status is ClaimStatus.UNRESOLVED for claim in verdict.claims)
    return min(known, default=None), is_open
