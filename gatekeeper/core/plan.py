"""The plan of a claim: what the guard rules, which premises the model is asked about.

Pure. The plan of an answer is a fold: a claim's plan depends on the evidence and on the claims
before it, never on those to come, so an answer that arrives in pieces gets the plan of a whole
one. Nor does it depend on time: a planned pair that was not scored leaves its claim unresolved.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gatekeeper.core import values
from gatekeeper.core.aggregate import Finding, Planned, Ruling, Scored
from gatekeeper.core.evidence import EvidenceIndex, Ranking, bare, join_lines, joint_premise, rank
from gatekeeper.protocols import EncodedPair, PairScore
from gatekeeper.verdict import ClaimStatus, Segment, UnresolvedReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Pipeline constants: all of them decide verdicts, so all are part of the fingerprint.

    ``pair_tokens`` bounds the model's work on one answer; ``joint_tokens`` of it are kept for
    joint premises. A claim takes at most a quarter of what is left of the rest, but always
    ``least_windows``; a claim for which not even those are left is unresolved.
    """

    windows: int = 5
    least_windows: int = 2
    longest_window: int = 2
    joint_places: int = 3
    pair_tokens: int = 1600
    joint_tokens: int = 400
    claims: int = 64


@dataclass(slots=True, kw_only=True)
class ClaimPlan:
    """One claim on its way: its ruling, premises and encoded pairs, and what fixed it unasked.

    ``planned``, ``pairs`` and ``scores`` go together; ``pairs[n]`` is None where ``planned[n]`` is
    a verbatim copy and needs no model, ``scores[n]`` is None until there is one. ``joint`` waits
    for the second round.
    """

    segment: Segment
    ruling: Ruling = field(default_factory=Ruling)
    planned: list[Planned] = field(default_factory=list)
    pairs: list[EncodedPair | None] = field(default_factory=list)
    scores: list[Scored] = field(default_factory=list)
    note: str = ""
    fixed: Finding | None = None
    joint: tuple[Planned, EncodedPair] | None = None

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
UnknownWords = Callable[[str], tuple[str, ...]]


class Planner:
    """Plans the claims of one answer in order; holds how many pair tokens are spent."""

    def __init__(
        self,
        index: EvidenceIndex,
        facts: values.FactIndex,
        texts: Sequence[str],
        *,
        encode: Encode,
        unknown_words: UnknownWords,
        limits: Limits,
    ) -> None:
        self._index = index
        self._facts = facts
        self._texts = texts
        self._encode = encode
        self._unknown_words = unknown_words
        self._limits = limits
        self._left = limits.pair_tokens - limits.joint_tokens
        self._joint_left = limits.joint_tokens
        self._literal = "\n".join(texts).casefold()

    def plan(self, segment: Segment) -> ClaimPlan:
        """Plan the first round of the next claim."""
        claim = ClaimPlan(segment=segment)
        if segment.literal:
            claim.fixed, claim.ruling = self._compare_literally(segment)
            return claim
        claim.ruling, claim.note = self._rule(segment)
        if claim.ruling.clashing:
            claim.fixed = Finding(status=ClaimStatus.CONTRADICTED)
            return claim
        limits = self._limits
        ranking = rank(
            segment.hypothesis,
            self._index,
            longest=limits.longest_window,
            most=2 * limits.windows,
        )
        self._add_verbatim(claim)
        self._add_windows(claim, ranking)
        self._reserve_joint(claim, ranking)
        return claim

    def _compare_literally(self, segment: Segment) -> tuple[Finding, Ruling]:
        """Decide code and commands: they stand in a passage letter by letter or they don't."""
        found = values.literal_support(segment.plain, self._texts)
        if found is None:
            ruling = Ruling(absent=True, reason="stands in no passage letter by letter")
            return Finding(status=ClaimStatus.UNSUPPORTED, support=0.0), ruling
        ruling = Ruling(passages=(found,), reason="stands in the passage letter by letter")
        return Finding(status=ClaimStatus.SUPPORTED, support=1.0), ruling

    def _rule(self, segment: Segment) -> tuple[Ruling, str]:
        """Ask the value guard; returns its ruling and the sentence it adds for the model."""
        findings = values.compare(segment.plain, segment.hypothesis, self._facts)
        note = " ".join(found.note for found in findings if found.note)
        for relation in (values.Relation.CLASHING, values.Relation.ABSENT):
            decisive = [found for found in findings if found.relation is relation]
            if decisive:
                return self._ruling(decisive), note
        stray = [mark for mark in segment.citations if not self._is_source(mark)]
        if stray:
            return Ruling(absent=True, reason=f"[{stray[0]}] names no passage"), note
        unknown = [
            word
            for word in self._unknown_words(segment.plain)
            if any(map(str.isalnum, word)) and word.casefold() not in self._literal
        ]
        if unknown:
            return Ruling(absent=True, reason=f"{unknown[0][:40]!r} stands in no passage"), note
        return Ruling(), note

    def _ruling(self, findings: Sequence[values.Finding]) -> Ruling:
        """Turn guard findings of one relation into a ruling that names value, rule and passage."""
        lines = [found.sentence for found in findings if found.sentence is not None]
        passages = tuple(dict.fromkeys(self._index.lines[line].passage for line in lines))
        first = findings[0]
        return Ruling(
            clashing=first.relation is values.Relation.CLASHING,
            absent=first.relation is values.Relation.ABSENT,
            passages=passages,
            reason="; ".join(map(self._in_words, findings)),
        )

    def _in_words(self, finding: values.Finding) -> str:
        """Name value, rule and the passage that decided."""
        what = "the claim" if finding.value is None else repr(finding.value.text)
        where = ""
        if finding.sentence is not None:
            where = f" with passage {self._index.ids[self._index.lines[finding.sentence].passage]}"
        return f"{what} is {finding.relation}{where} ({finding.rule})"

    def _is_source(self, mark: str) -> bool:
        """Tell whether a citation names a passage by id or position, or was copied from one."""
        if mark in self._index.ids or f"[{mark}]" in self._literal:
            return True
        return not mark.isdigit() or int(mark) <= len(self._texts)

    def _add_verbatim(self, claim: ClaimPlan) -> None:
        """Plan the evidence line that is the claim word for word, if there is one."""
        number = self._index.copies.get(bare(claim.segment.hypothesis))
        if number is not None:
            premise = join_lines([number], self._index)
            claim.add(Planned(premise=premise, verbatim=True), None)

    def _add_windows(self, claim: ClaimPlan, ranking: Ranking) -> None:
        """Plan the best windows that the claim's share of the pair tokens has room for."""
        copied = {line for entry in claim.planned for line in entry.premise.lines}
        limits = self._limits
        room = self._left // 4
        wanted = 0
        for premise in ranking.premises:
            if copied & set(premise.lines):
                continue
            if wanted == limits.windows:
                break
            pair = self._encode(_with_note(premise.text, claim.note), claim.segment.hypothesis)
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
            claim.add(Planned(premise=premise), pair)

    def _reserve_joint(self, claim: ClaimPlan, ranking: Ranking) -> None:
        """Keep a joint premise for the second round, if there is one and it has room.

        Room is given out in the order of the claims, needed or not: were it given by need, the
        status of one claim would hang on whether another one was scored in time.
        """
        premise = joint_premise(ranking, self._index, places=self._limits.joint_places)
        if premise is None or claim.fixed is not None:
            return
        pair = self._encode(_with_note(premise.text, claim.note), claim.segment.hypothesis)
        if pair is not None and pair.tokens <= self._joint_left:
            self._joint_left -= pair.tokens
            claim.joint = (Planned(premise=premise), pair)


def _unresolved(reason: UnresolvedReason) -> Finding:
    return Finding(status=ClaimStatus.UNRESOLVED, unresolved=reason)


def _with_note(premise: str, note: str) -> str:
    return f"{premise} {note}" if note else premise
