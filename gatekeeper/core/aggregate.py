"""From pair scores and guard findings to the status of a claim.

Pure. The rules that hold here:

- A status is final only when all planned pairs are scored; a value clash needs none of them. So
  any subset of scored pairs gives the status of the full run or UNRESOLVED.
- Support is the maximum over premises (SummaC-ZS, Laban et al., TACL 2022) of what the model's
  weighing makes of each; without one that is P(entailment) as it is.
- Contradiction counts from the two highest-ranked windows and from windows whose P(entailment) is
  within 0.2 of the best: a distant sentence on another topic contradicts nothing.
- Both from different passages is CONFLICTING, both from one passage is CONTRADICTED.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p
from statistics import fmean

from gatekeeper.core.evidence import Premise
from gatekeeper.core.support import Measures, Weighing, logit
from gatekeeper.protocols import PairScore
from gatekeeper.verdict import ClaimStatus, UnresolvedReason

CONTRADICTION_WINDOWS = 2
CONTRADICTION_MARGIN = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Support at or above ``support`` supports; contradiction at or above its own contradicts."""

    support: float
    contradiction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One premise planned for a claim.

    ``verbatim`` marks a premise that is the claim word for word: its support is 1.0 unasked.
    ``known`` is the share of the claim's content words, by weight, that stand anywhere in the
    evidence, ``words`` their number.
    """

    premise: Premise
    verbatim: bool = False
    known: float = 1.0
    words: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The value guard's word on a claim: ``clashing`` decides, ``absent`` limits."""

    clashing: bool = False
    absent: bool = False
    passages: tuple[int, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A claim's status, and the premises that decided it by position in the plan, best first."""

    status: ClaimStatus
    support: float | None = None
    contradiction: float | None = None
    decided_by: tuple[int, ...] = ()
    unresolved: UnresolvedReason | None = None


Scored = PairScore | UnresolvedReason | None


def decide_claim(
    plan: Sequence[Planned],
    scores: Sequence[Scored],
    ruling: Ruling,
    thresholds: Thresholds,
    weighing: Weighing | None = None,
) -> Finding:
    """Decide one claim from its plan and as many scores as there are.

    Args:
        plan: Premises in rank order, a joint one last.
        scores: One entry a premise: a score, the reason there is none, or None for not yet.
        ruling: What the value guard found.
        thresholds: The marks of the running calibration.
        weighing: How a premise's support follows from its score; None takes P(entailment).

    Returns:
        UNRESOLVED with the first reason of the list if an entry is no score (budget for None).
    """
    if ruling.clashing:
        return Finding(status=ClaimStatus.CONTRADICTED)
    missing = {
        UnresolvedReason.BUDGET if score is None else score
        for score in scores
        if not isinstance(score, PairScore)
    }
    if missing:
        reason = next(reason for reason in UnresolvedReason if reason in missing)
        return Finding(status=ClaimStatus.UNRESOLVED, unresolved=reason)
    known = [score for score in scores if isinstance(score, PairScore)]
    return _weigh(plan, known, ruling, thresholds, weighing)


def _weigh(
    plan: Sequence[Planned],
    scores: Sequence[PairScore],
    ruling: Ruling,
    marks: Thresholds,
    weighing: Weighing | None,
) -> Finding:
    """Weigh support against contradiction once every score is in."""
    supports = premise_supports(plan, scores, weighing)
    support = max(supports, default=0.0)
    against = {n: scores[n].contradiction for n in _may_contradict(plan, scores)}
    contradiction = max(against.values(), default=0.0)
    supporters = [n for n, value in enumerate(supports) if value >= marks.support]
    opponents = [n for n, value in against.items() if value >= marks.contradiction]
    status = _status(plan, supporters, opponents, ruling)
    deciding = []
    if status is not ClaimStatus.SUPPORTED:
        deciding += sorted(opponents, key=lambda n: -against[n])
    if status in (ClaimStatus.SUPPORTED, ClaimStatus.CONFLICTING):
        deciding += sorted(supporters, key=lambda n: -supports[n])
    return Finding(
        status=status, support=support, contradiction=contradiction, decided_by=tuple(deciding)
    )


def premise_supports(
    plan: Sequence[Planned], scores: Sequence[PairScore], weighing: Weighing | None
) -> list[float]:
    """Return the support each premise gives; a verbatim copy gives 1.0 whatever it scored."""
    if weighing is None:
        found = [score.entailment for score in scores]
    else:
        found = list(map(weighing.support, measure(plan, scores)))
    return [1.0 if entry.verbatim else value for entry, value in zip(plan, found, strict=True)]


def measure(plan: Sequence[Planned], scores: Sequence[PairScore]) -> list[Measures]:
    """Return what is known of each premise once all are scored.

    The joint premise is asked about in a second round and changes no measure of the others.
    """
    logits = [logit(score.entailment) for score in scores]
    single = [x for x, entry in zip(logits, plan, strict=True) if not entry.premise.is_joint]
    agreement = fmean(single) if single else 0.0
    return [
        Measures(
            entailment=entailment,
            calm=-logit(score.contradiction),
            known=entry.known,
            length=log1p(entry.words),
            agreement=agreement,
        )
        for entry, score, entailment in zip(plan, scores, logits, strict=True)
    ]


def _may_contradict(plan: Sequence[Planned], scores: Sequence[PairScore]) -> list[int]:
    """Return the positions whose contradiction counts; a premise never contradicts its copy.

    Near is near the best single premise: whether a joint one was asked about hangs on the support
    threshold, and a contradiction must not.
    """
    entailment = [
        1.0 if entry.verbatim else score.entailment
        for entry, score in zip(plan, scores, strict=True)
    ]
    single = [n for n, entry in enumerate(plan) if not entry.premise.is_joint]
    best = max((entailment[n] for n in single), default=0.0)
    near = [n for n in single if entailment[n] >= best - CONTRADICTION_MARGIN]
    chosen = sorted({*single[:CONTRADICTION_WINDOWS], *near})
    return [n for n in chosen if not plan[n].verbatim]


def _status(
    plan: Sequence[Planned], supporters: Sequence[int], opponents: Sequence[int], ruling: Ruling
) -> ClaimStatus:
    """Map who supports and who contradicts to a status: one mapping, tested both ways."""
    if supporters and not opponents:
        return ClaimStatus.UNSUPPORTED if ruling.absent else ClaimStatus.SUPPORTED
    if not opponents:
        return ClaimStatus.UNSUPPORTED
    for_it = {passage for n in supporters for passage in plan[n].premise.passages}
    against = {passage for n in opponents for passage in plan[n].premise.passages}
    apart = len(for_it | against) > 1
    if for_it and apart and not ruling.absent:
        return ClaimStatus.CONFLICTING
    return ClaimStatus.CONTRADICTED


def claim_score(finding: Finding, ruling: Ruling, thresholds: Thresholds) -> float | None:
    """Return the score of a claim: its support, 0 on a guard or contradiction finding.

    None while unresolved. For every mark t > 0 a claim is flagged exactly if its score is below t.
    """
    if finding.status is ClaimStatus.UNRESOLVED:
        return None
    if ruling.clashing or ruling.absent or finding.support is None:
        return 0.0
    contradicted = (finding.contradiction or 0.0) >= thresholds.contradiction
    return 0.0 if contradicted else finding.support
