"""The plan of a claim: what the guard rules, which premises the model is asked about.

Pure. The plan of an answer is a fold: a claim's plan depends on the evidence and on the claims
before it, never on those to come, so an answer that arrives in pieces gets the plan of a whole
one. Nor does it depend on time: a planned pair that was not scored leaves its claim unresolved.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from gatekeeper.core.aggregate import Finding, Planned, Ruling, Scored
from gatekeeper.core.evidence import (
    EvidenceIndex,
    Premise,
    Ranking,
    bare,
    join_lines,
    joint_premise,
    rank,
)
from gatekeeper.core.notation import Apposition
from gatekeeper.core.rulings import Guard
from gatekeeper.core.terms import terms
from gatekeeper.protocols import EncodedPair, PairScore
from gatekeeper.verdict import ClaimStatus, Segment, UnresolvedReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Pipeline constants: all of them decide verdicts, so all are part of the fingerprint.

    ``pair_tokens`` bounds the model's work on one answer; ``joint_tokens`` of it are kept for
    joint premises. A claim takes at most a quarter of what is left of the rest, but always
    ``least_windows``; a claim for which not even those are left is unresolved. ``answer_chars`` and
    ``claims`` bound an answer as a whole: past one it is not checked, or unresolved, never in part.
    """

    windows: int = 5
    least_windows: int = 2
    longest_window: int = 2
    joint_places: int = 3
    pair_tokens: int = 1600
    joint_tokens: int = 400
    claims: int = 64
    answer_chars: int = 50_000


@dataclass(slots=True, kw_only=True)
class ClaimPlan:
    """One claim on its way: its ruling, premises and encoded pairs, and what fixed it unasked.

    ``asked`` is the hypothesis put to the model: the segment's, or question and answer.
    ``planned``, ``pairs`` and ``scores`` go together; ``pairs[n]`` is None where ``planned[n]`` is
    a verbatim copy and needs no model, ``scores[n]`` is None until there is one. ``joint`` waits
    for the second round.
    """

    segment: Segment
    ruling: Ruling = field(default_factory=Ruling)
    planned: list[Planned] = field(default_factory=list)
    pairs: list[EncodedPair | None] = field(default_factory=list)
    scores: list[Scored] = field(default_factory=list)
    appositions: tuple[Apposition, ...] = ()
    asked: str = ""
    fixed: Finding | None = None
    joint: tuple[Planned, EncodedPair] | None = None

    @property
    def is_copy(self) -> bool:
        """True if the claim stands in the evidence word for word."""
        return any(entry.verbatim for entry in self.planned)

    def add(self, planned: Planned, pair: EncodedPair | None) -> None:
        """Plan one more premise."""
        self.planned.append(planned)
        self.pairs.append(pair)
        self.scores.append(PairScore(entailment=1.0, contradiction=0.0) if pair is None else None)

    def add_joint(self) -> None:
        """Plan the joint premise kept for the second round, if there is one."""
        if self.joint is not None:
            self.add(*self.joint)
            self.joint = None

    def waiting(self) -> list[int]:
        """Return the positions that still need the model; none once the claim is fixed."""
        return [] if self.fixed else [n for n, score in enumerate(self.scores) if score is None]


Encode = Callable[[str, str], EncodedPair | None]


class Planner:
    """Plans the claims of one answer in order; holds how many pair tokens are spent."""

    def __init__(
        self,
        index: EvidenceIndex,
        guard: Guard,
        *,
        encode: Encode,
        limits: Limits,
        question: str = "",
    ) -> None:
        self._index = index
        self._guard = guard
        self._encode = encode
        self._limits = limits
        self._question = question
        self._left = limits.pair_tokens - limits.joint_tokens
        self._joint_left = limits.joint_tokens

    def plan(self, segment: Segment, *, is_last: bool = False) -> Generator[None, None, ClaimPlan]:
        """Plan the first round of the next claim, in steps.

        Args:
            segment: The claim.
            is_last: The answer ends with it, so it may be broken off.
        """
        claim = ClaimPlan(segment=segment)
        if segment.literal:
            claim.fixed, claim.ruling = yield from self._guard.literal_steps(segment)
            return claim
        claim.ruling, claim.appositions = yield from self._guard.rule_steps(segment)
        if claim.ruling.clashing:
            claim.fixed = Finding(status=ClaimStatus.CONTRADICTED)
            return claim
        limits = self._limits
        claim.asked = self._ask(segment)
        ranking = rank(
            claim.asked,
            self._index,
            longest=limits.longest_window,
            most=2 * limits.windows,
        )
        self._add_verbatim(claim, is_last=is_last)
        self._add_windows(claim, ranking)
        self._reserve_joint(claim, ranking)
        return claim

    def _add_verbatim(self, claim: ClaimPlan, *, is_last: bool) -> None:
        """Plan the evidence line that is, or begins like, the claim word for word, if any."""
        number = self._index.copies.get(bare(claim.segment.hypothesis))
        if number is None and is_last:
            number = self._guard.begun(claim.segment)
        if number is not None:
            premise = join_lines([number], self._index)
            claim.add(Planned(premise=premise, verbatim=True), None)

    def _add_windows(self, claim: ClaimPlan, ranking: Ranking) -> None:
        """Plan the best windows that the claim's share of the pair tokens has room for."""
        # A row of a table seems to contradict the row beside it; a copy can't be refuted by its own
        # passage, only by another one.
        copied = {number for entry in claim.planned for number in entry.premise.passages}
        limits = self._limits
        room = self._left // 4
        wanted = 0
        for premise in ranking.premises:
            if copied & set(premise.passages):
                continue
            if wanted == limits.windows:
                break
            pair = self._pair(premise, claim)
            if pair is None:
                claim.fixed = _unresolved(UnresolvedReason.CLAIM_TOO_LONG)
                return
            if wanted >= limits.least_windows and pair.tokens > room:
                break
            if pair.tokens > self._left:
                claim.fixed = _unresolved(UnresolvedReason.BUDGET)
                return
            room -= pair.tokens
            self._left -= pair.tokens
            wanted += 1
            claim.add(_planned(premise, ranking), pair)

    def _reserve_joint(self, claim: ClaimPlan, ranking: Ranking) -> None:
        """Keep a joint premise for the second round, if there is one and it has room.

        Room is given out in the order of the claims, needed or not: were it given by need, the
        status of one claim would hang on whether another one was scored in time.
        """
        premise = joint_premise(ranking, self._index, places=self._limits.joint_places)
        if premise is None or claim.fixed is not None or claim.is_copy:
            return
        pair = self._pair(premise, claim)
        if pair is not None and pair.tokens <= self._joint_left:
            self._joint_left -= pair.tokens
            claim.joint = (_planned(premise, ranking), pair)

    def _ask(self, segment: Segment) -> str:
        """Return what to ask the model: "Yes." means nothing without its question."""
        if self._question and not terms(segment.hypothesis):
            return f"{self._question} {segment.plain}"
        return segment.hypothesis

    def _pair(self, premise: Premise, claim: ClaimPlan) -> EncodedPair | None:
        """Encode a premise, with the forms of values added that its lines state, and the claim."""
        text = premise.text
        for form in claim.appositions:
            if form.line in premise.lines:
                text = form.put_into(text)
        return self._encode(text, claim.asked)


def _planned(premise: Premise, ranking: Ranking) -> Planned:
    """Plan a premise with how much of the claim the evidence knows in words."""
    return Planned(premise=premise, known=ranking.known, words=len(ranking.weights))


def _unresolved(reason: UnresolvedReason) -> Finding:
    return Finding(status=ClaimStatus.UNRESOLVED, unresolved=reason)
