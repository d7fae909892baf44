"""The check of one answer: its text in steps, its claims planned and scored, the verdict.

A check is incremental: text is fed, or followed and scored, as it comes, and any way of cutting an
answer gives the same verdict. It belongs to one answer and one task.
"""

from collections.abc import Generator, Iterator
from dataclasses import replace
from itertools import chain
from math import inf

from gatekeeper.core.aggregate import Finding, claim_score, decide_claim
from gatekeeper.core.evidence import build_index
from gatekeeper.core.language import is_readable
from gatekeeper.core.plan import ClaimPlan, Planner
from gatekeeper.core.rulings import Guard, build_facts
from gatekeeper.core.segment import Segmenter
from gatekeeper.core.wording import reason_of
from gatekeeper.errors import UnavailableError
from gatekeeper.means import Errand, Means
from gatekeeper.protocols import Steps, Wanted
from gatekeeper.verdict import (
    ClaimStatus,
    ClaimVerdict,
    Evidence,
    NotCheckedReason,
    Segment,
    UnresolvedReason,
    Verdict,
    unresolved,
)

# What an answer in pieces is not checked for, whatever comes.
_FINAL = frozenset({NotCheckedReason.SIZE, NotCheckedReason.NO_CONTEXT})


class Check:
    """The check of one answer. Feed its text in any pieces, then finish once.

    Cancelling an awaited call abandons the check; a pass that has begun ends unused.
    """

    def __init__(self, gate: Means, evidence: Evidence, errand: Errand) -> None:
        self._gate = gate
        self._errand = errand
        self._evidence = Evidence(
            passages=tuple(passage for passage in evidence.passages if passage.text.strip()),
            question=evidence.question,
        )
        self._segmenter = Segmenter(gate.settings.boilerplate, self._evidence.question or "")
        self._pieces: list[str] = []
        self._chars = 0
        self._has_ended = False
        self._segments: list[Segment] = []
        self._claims: list[ClaimPlan] = []
        self._planner: Planner | None = None
        self._is_planned = False
        self._is_foreign = False
        self._asked: list[tuple[ClaimPlan, int]] = []
        self._wanted = Wanted(pairs=())
        self._given_up: UnresolvedReason | None = None
        self._done_to = 0
        self._reach = 0.0
        self._reads_evidence: bool | None = None

    async def feed(self, text: str) -> tuple[Segment, ...]:
        """Take the next piece of the answer; returns the segments it completed."""
        done = len(self._segments)
        self._lay(text)
        if self._is_too_long():
            return ()
        await self.work(self._read(text))
        return tuple(self._segments[done:])

    async def follow(
        self, text: str, *, deadline: float | None = None, ends: bool = False
    ) -> Verdict:
        """Take the next piece and have what it completes scored.

        Returns ``so_far``; with ``ends``, or where nothing that comes can change it, the verdict on
        the answer. Once work was refused or late, the rest of the answer is one open claim.
        ``deadline`` takes the place of the one of the check.
        """
        self._lay(text)
        await self.work(self._following(text, ends=ends), deadline=deadline)
        is_last = ends or self._given_up is not None or self._not_checked() in _FINAL
        return self.conclude() if is_last else self.so_far

    @property
    def so_far(self) -> Verdict:
        """The verdict on what was followed, is complete and can be read: it stays as it is."""
        answer = "".join(self._pieces)
        done = self._segments[: self._done_to]
        claims = tuple(self._rule(claim, answer) for claim in self._reached(self._done_end))
        return self._verdict(claims, segments=tuple(done))

    @property
    def plans(self) -> tuple[ClaimPlan, ...]:
        """The claims as they were planned and scored up to now: for whoever measures."""
        return tuple(self._claims)

    async def finish(self) -> Verdict:
        """Score what was planned and give the verdict.

        UNRESOLVED as a whole if the judge refused work on it or gave it up.
        """
        await self.work(self._finishing())
        return self.conclude()

    def steps(self, answer: str) -> Steps:
        """Return all work on a whole answer as steps for a judge; ``conclude`` ends the check."""
        self._lay(answer)
        first = () if self._is_too_long() else self._read(answer)
        return chain(first, self._finishing())

    def give_up(self, reason: UnresolvedReason) -> None:
        """Note that the judge left the steps where they stand."""
        self._given_up = reason

    def conclude(self) -> Verdict:
        """Give the verdict on what the steps have come to."""
        reason = self._not_checked()
        if reason is not None:
            return self._verdict((), reason)
        answer = "".join(self._pieces)
        if self._given_up is not None:
            if not self._is_planned:
                return self._cut_off(self._given_up, answer)
            self._leave_unscored(self._given_up)
        return self._verdict(tuple(self._rule(claim, answer) for claim in self._claims))

    async def work(self, steps: Steps, *, deadline: float | None = None) -> None:
        """Have the judge take steps of this check, unless it gave up before."""
        errand = self._errand
        if self._given_up is not None:
            return
        until_s = errand.deadline if deadline is None else deadline
        try:
            await self._gate.judge.run(
                steps, deadline=until_s, priority=errand.priority, usage=errand.usage
            )
        except UnavailableError as error:
            self.give_up(error.reason)

    def _lay(self, text: str) -> None:
        """Note a piece of the answer, whatever becomes of the work on it."""
        self._pieces.append(text)
        self._chars += len(text)

    def _finishing(self) -> Steps:
        """Take the end of the answer and have its claims scored, in steps."""
        if self._is_too_long():
            return
        self._has_ended = True
        yield from self._take(self._segmenter.finish_steps())
        self._is_planned = True
        self._is_foreign = not self._reads(self._chars)
        if not self._is_foreign:
            self._reach = inf
        yield from self._scoring()

    def _following(self, text: str, *, ends: bool) -> Steps:
        """Take a piece, or the last one, and have the claims it completes scored, in steps."""
        if self._is_too_long():
            return
        done = len(self._segments)
        yield from self._read(text)
        if len(self._segments) > done:
            self._go_on()
        yield from self._finishing() if ends else self._scoring()

    def _go_on(self) -> None:
        """Move to the last segment up to which there is evidence, and all reads as English."""
        if not self._evidence.passages:
            kinds = [segment.is_claim for segment in self._segments]
            self._done_to = kinds.index(True) if True in kinds else len(kinds)
            return
        for count in range(len(self._segments), self._done_to, -1):
            if self._reads(self._segments[count - 1].end):
                self._done_to = count
                self._reach = self._done_end
                return

    @property
    def _done_end(self) -> int:
        return self._segments[self._done_to - 1].end if self._done_to else 0

    def _scoring(self) -> Steps:
        """Have the claims scored that were reached and not scored yet, in two rounds."""
        if len(self._claims) > self._gate.settings.limits.claims:
            return
        yield from self._round()
        for claim in filter(self._is_undecided, self._reached(self._reach)):
            claim.add_joint()
        yield from self._round()

    def _reached(self, end: float) -> list[ClaimPlan]:
        return [claim for claim in self._claims if claim.segment.end <= end]

    def _cut_off(self, reason: UnresolvedReason, answer: str) -> Verdict:
        """Give the verdict on an answer that was followed up to somewhere; the rest is open."""
        rest = unresolved(reason, answer[self._done_end :]).claims[0]
        rest = replace(rest, start=self._done_end, end=len(answer))
        return replace(self.so_far, claims=(*self.so_far.claims, rest))

    def _read(self, text: str) -> Steps:
        """Segment a piece and plan what it completes, in steps: any cutting gives the same."""
        return self._take(self._segmenter.feed_steps(text))

    def _take(self, found: Iterator[Segment | None]) -> Steps:
        """Take segments as they are completed, and plan the claims among them."""
        for segment in found:
            if segment is not None:
                self._segments.append(segment)
                if segment.is_claim and self._evidence.passages:
                    if self._planner is None:
                        self._planner = yield from self._prepare()
                    self._claims.append((yield from self._plan(segment, self._planner)))
            yield None

    def _prepare(self) -> Generator[None, None, Planner]:
        """Build the evidence index, the guard and the planner, in steps."""
        index = yield from build_index(self._evidence)
        facts = yield from build_facts(index)
        model = self._gate.model
        texts = tuple(passage.text for passage in self._evidence.passages)
        guard = Guard(index, facts, texts, model.unknown_words)
        return Planner(
            index,
            guard,
            encode=model.encode,
            limits=self._gate.settings.limits,
            question=self._evidence.question or "",
        )

    def _plan(self, claim: Segment, planner: Planner) -> Generator[None, None, ClaimPlan]:
        """Plan a claim; past the bound on claims none is planned, the answer is not checked."""
        if len(self._claims) >= self._gate.settings.limits.claims:
            return ClaimPlan(segment=claim)
        return (
            yield from planner.plan(claim, is_last=self._has_ended and claim.end == self._chars)
        )

    def _is_too_long(self) -> bool:
        return self._chars > self._gate.settings.limits.answer_chars

    def _not_checked(self) -> NotCheckedReason | None:
        """Say why the answer can't be checked; one without claims needs neither."""
        if self._is_too_long():
            return NotCheckedReason.SIZE
        if not any(piece.strip() for piece in self._pieces):
            return NotCheckedReason.NO_TEXT
        if not self._evidence.passages and any(segment.is_claim for segment in self._segments):
            return NotCheckedReason.NO_CONTEXT
        return NotCheckedReason.LANGUAGE if self._is_foreign else None

    def _reads(self, end: int) -> bool:
        """Tell whether guard and model, who read English, can read what they have to, up to there.

        A claim that is a copy needs no reading.
        """
        claims = self._reached(end)
        if all(claim.is_copy or claim.segment.literal for claim in claims):
            return True
        if self._reads_evidence is None:
            evidence = " ".join(passage.text for passage in self._evidence.passages)
            self._reads_evidence = is_readable(evidence, self._gate.model.unknown_words)
        answer = "".join(self._pieces)[:end]
        return self._reads_evidence and is_readable(answer, self._gate.model.unknown_words)

    def _round(self) -> Steps:
        """Have every pair scored that waits, all claims together."""
        self._asked = [(c, n) for c in self._reached(self._reach) for n in c.waiting()]
        pairs = [pair for claim, n in self._asked if (pair := claim.pairs[n]) is not None]
        self._wanted = Wanted(pairs=pairs)
        if pairs:
            yield self._wanted
        self._take_scores()

    def _take_scores(self) -> None:
        """Hand the claims what came of the last round; nothing if it was not answered."""
        for (claim, n), score in zip(self._asked, self._wanted.scores, strict=False):
            claim.scores[n] = score

    def _leave_unscored(self, reason: UnresolvedReason) -> None:
        """Keep the scores there are; what still waits, also for a second round, has a reason."""
        self._take_scores()
        for claim in filter(self._is_undecided, self._claims):
            claim.add_joint()
        for claim in self._claims:
            for n in claim.waiting():
                claim.scores[n] = reason

    def _is_undecided(self, claim: ClaimPlan) -> bool:
        finding = self._find(claim)
        return (
            claim.fixed is None
            and finding.status is ClaimStatus.UNSUPPORTED
            and not claim.ruling.absent
        )

    def _find(self, claim: ClaimPlan) -> Finding:
        """Return what is known of a claim now."""
        if claim.fixed is not None:
            return claim.fixed
        if len(self._claims) > self._gate.settings.limits.claims:
            return Finding(status=ClaimStatus.UNRESOLVED, unresolved=UnresolvedReason.BUDGET)
        by = self._gate.settings
        return decide_claim(claim.planned, claim.scores, claim.ruling, by.thresholds, by.weighing)

    def _rule(self, claim: ClaimPlan, answer: str) -> ClaimVerdict:
        """Turn a finding into the verdict on a claim, with places and words for people."""
        finding = self._find(claim)
        segment = claim.segment
        premises = [claim.planned[n].premise for n in finding.decided_by]
        refs = tuple(ref for premise in premises for ref in premise.refs)
        by_guard = tuple(self._evidence.passages[n].id for n in claim.ruling.passages)
        return ClaimVerdict(
            start=segment.start,
            end=segment.end,
            text=answer[segment.start : segment.end],
            status=finding.status,
            support=finding.support,
            contradiction=finding.contradiction,
            score=claim_score(finding, claim.ruling, self._gate.settings.thresholds),
            passages=tuple(dict.fromkeys((*by_guard, *(ref.passage for ref in refs)))),
            premises=refs,
            reason=reason_of(finding, claim),
            unresolved=finding.unresolved,
        )

    def _verdict(
        self,
        claims: tuple[ClaimVerdict, ...],
        reason: NotCheckedReason | None = None,
        segments: tuple[Segment, ...] | None = None,
    ) -> Verdict:
        if segments is None:
            segments = () if reason is NotCheckedReason.SIZE else tuple(self._segments)
        return Verdict(
            segments=segments,
            claims=claims,
            not_checked=reason,
            fingerprint=self._gate.fingerprint,
        )
