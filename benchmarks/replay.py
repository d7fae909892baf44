"""What the gate makes of saved scores at any marks, with any weighing, with and without its parts.

The live ``decide_claim`` decides; a property test holds a replay to what the gate itself says. The
joint premise is asked about in a second round only, as live, so that the cost is the true one too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmarks.scoring import ScoredClaim, ScoredPremise, ScoredRow
from gatekeeper.core.aggregate import Finding, Planned, Ruling, Thresholds, claim_score
from gatekeeper.core.aggregate import decide_claim as decide
from gatekeeper.core.evidence import Premise
from gatekeeper.core.support import Weighing
from gatekeeper.evaluation.metrics import Judged
from gatekeeper.protocols import PairScore
from gatekeeper.verdict import ClaimStatus, PremiseRef

# Nothing reaches it: findings by contradiction are switched off.
NEVER = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How answers are judged: the marks, the weighing, and whether the value guard has a word."""

    thresholds: Thresholds
    weighing: Weighing | None = None
    guard: bool = True
    joint: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedClaim:
    """A claim as these rules have it; score None while unresolved, support None where unasked."""

    status: ClaimStatus
    score: float | None
    support: float | None
    tokens: int

    @property
    def by_finding(self) -> bool:
        """True if guard or contradiction decided: the score is 0 whatever the support."""
        return self.score == 0.0 and bool(self.support)


@dataclass(frozen=True, kw_only=True)
class ReplayedRow:
    """An answer as these rules have it."""

    row: ScoredRow
    claims: tuple[ReplayedClaim, ...]

    @cached_property
    def tokens(self) -> int:
        """What the model read: pair tokens."""
        return sum(claim.tokens for claim in self.claims)

    @cached_property
    def judged(self) -> Judged | None:
        """The side the answer fell on; None if the gate took none."""
        scores = [claim.score for claim in self.claims]
        known = [score for score in scores if score is not None]
        flagged = any(claim.status not in _QUIET for claim in self.claims)
        if not scores or (len(known) < len(scores) and not flagged):
            return None
        return Judged(
            wrong=self.row.wrong,
            blocked=flagged,
            score=min(known) if len(known) == len(scores) else None,
            finding=0.0 in known,
            group=self.row.group,
        )


_QUIET = frozenset({ClaimStatus.SUPPORTED, ClaimStatus.UNRESOLVED})


def replay(rows: Sequence[ScoredRow], rules: Rules) -> list[ReplayedRow]:
    """Judge saved rows by rules, in order."""
    return [
        ReplayedRow(row=row, claims=tuple(replay_claim(claim, rules) for claim in row.claims))
        for row in rows
    ]


def replay_claim(claim: ScoredClaim, rules: Rules) -> ReplayedClaim:
    """Decide one claim, in two rounds as the gate does."""
    ruling = Ruling(clashing=claim.clashing, absent=claim.absent) if rules.guard else Ruling()
    if claim.is_open:
        return ReplayedClaim(status=ClaimStatus.UNRESOLVED, score=None, support=None, tokens=0)
    if claim.fixed is not None and (rules.guard or not claim.clashing):
        return _fixed(ClaimStatus(claim.fixed), ruling, rules)
    first = [premise for premise in claim.premises if not premise.joint]
    finding = _find(first, ruling, rules)
    asked = first
    undecided = finding.status is ClaimStatus.UNSUPPORTED and not ruling.absent
    if rules.joint and undecided and len(first) < len(claim.premises):
        asked = list(claim.premises)
        finding = _find(asked, ruling, rules)
    return ReplayedClaim(
        status=finding.status,
        score=claim_score(finding, ruling, rules.thresholds),
        support=finding.support,
        tokens=sum(premise.tokens for premise in asked),
    )


def planned(premise: ScoredPremise) -> Planned:
    """Return a premise as it was planned, as far as its numbers go."""
    ref = PremiseRef(passage="", start=0, end=0)
    return Planned(
        premise=Premise(
            text="",
            lines=(),
            passages=premise.passages,
            refs=(ref, ref) if premise.joint else (ref,),
        ),
        verbatim=premise.verbatim,
        known=premise.known,
        words=premise.words,
    )


def pair_score(premise: ScoredPremise) -> PairScore:
    """Return the score of a premise as the model gave it."""
    return PairScore(entailment=premise.entailment, contradiction=premise.contradiction)


def _find(premises: Sequence[ScoredPremise], ruling: Ruling, rules: Rules) -> Finding:
    return decide(
        list(map(planned, premises)),
        list(map(pair_score, premises)),
        ruling,
        rules.thresholds,
        rules.weighing,
    )


def _fixed(status: ClaimStatus, ruling: Ruling, rules: Rules) -> ReplayedClaim:
    """Return a claim that needed no pair: a clash, or code that is compared letter by letter."""
    support = None if status is ClaimStatus.CONTRADICTED else float(status is ClaimStatus.SUPPORTED)
    finding = Finding(status=status, support=support)
    score = claim_score(finding, ruling, rules.thresholds)
    return ReplayedClaim(status=status, score=score, support=support, tokens=0)
