"""Fakes for tests: what they say is written down by the test, so nothing is loaded or guessed.

``FakeGate`` stands in for a gate in tests of an app that asks one. ``FakeModel`` and ``FakeJudge``
stand in for what lies below a real gate.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.errors import InferenceError, UnavailableError
from gatekeeper.protocols import EncodedPair, Model, PairScore, Priority, Steps, Usage
from gatekeeper.verdict import (
    ClaimStatus,
    ClaimVerdict,
    Evidence,
    NotCheckedReason,
    Segment,
    SegmentKind,
    UnresolvedReason,
    Verdict,
)

_SEPARATOR = -1

Scoring = Callable[[str, str], PairScore]


def entails_when_contained(premise: str, hypothesis: str) -> PairScore:
    """Entail a hypothesis whose words all stand in the premise, whatever their order."""
    contained = set(hypothesis.lower().strip(".").split()) <= set(
        premise.lower().replace(".", "").split()
    )
    return PairScore(entailment=0.9 if contained else 0.1, contradiction=0.05)


class FakeModel:
    """A model that scores pairs by a function of their texts; one token a character.

    ``passes`` holds the size of each forward pass so far. ``fails`` makes each pass raise.
    """

    fingerprint = "fake"

    def __init__(
        self, scoring: Scoring = entails_when_contained, *, max_tokens: int = 2048
    ) -> None:
        self._scoring = scoring
        self._max_tokens = max_tokens
        self.passes: list[int] = []
        self.fails = False

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode both texts as code points, the premise cut to fit."""
        room = self._max_tokens - len(hypothesis) - 1
        if room < 1:
            return None
        ids = (*map(ord, premise[:room]), _SEPARATOR, *map(ord, hypothesis))
        return EncodedPair(ids=ids, type_ids=(0,) * len(ids))

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """Return the words with an emoji in them, as a WordPiece vocabulary would."""
        return tuple(word for word in text.split() if max(word) >= "\U0001f300")

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Apply the function to each pair."""
        self.passes.append(len(pairs))
        if self.fails:
            raise InferenceError("the fake model was told to fail")
        return [self._scoring(*self._decode(pair)) for pair in pairs]

    @staticmethod
    def _decode(pair: EncodedPair) -> tuple[str, str]:
        cut = pair.ids.index(_SEPARATOR)
        return "".join(map(chr, pair.ids[:cut])), "".join(map(chr, pair.ids[cut + 1 :]))


class FakeJudge:
    """A judge that works at once, in the caller, without threads or a clock: it is never late.

    ``skip`` holds positions of pairs, counted over all checks, that go without a score as if time
    had run out. ``refuses`` can be set at any time: the reason why all work but replies is
    refused. ``priorities`` lists the calls of ``run``; ``is_closed`` tells whether it was closed.
    """

    def __init__(
        self,
        model: Model,
        *,
        skip: frozenset[int] = frozenset(),
        refuses: UnresolvedReason | None = None,
    ) -> None:
        self._model = model
        self._skip = skip
        self._seen = 0
        self.refuses = refuses
        self.priorities: list[Priority] = []
        self.is_closed = False

    def refusal(
        self, *, deadline: float | None, priority: Priority = Priority.ENFORCE
    ) -> UnresolvedReason | None:
        """Say what all work is refused with; a reply never is."""
        return None if priority is Priority.REPLY else self.refuses

    async def run(
        self,
        steps: Steps,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> None:
        """Take all steps and score what they want; other tasks run in between.

        Raises:
            UnavailableError: If work is refused; no step was taken then.
        """
        self.priorities.append(priority)
        reason = self.refusal(deadline=deadline, priority=priority)
        if reason is not None:
            raise UnavailableError(reason)
        for wanted in steps:
            if wanted is not None:
                wanted.scores = await self.score(wanted.pairs, deadline=deadline, usage=usage)
            await asyncio.sleep(0)

    async def score(
        self,
        pairs: Sequence[EncodedPair],
        *,
        deadline: float | None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> list[PairScore | UnresolvedReason]:
        """Score the pairs in one pass; a pass that fails is a model error for each of them."""
        if self.refuses is not None:
            return [self.refuses] * len(pairs)
        kept = [n for n in range(len(pairs)) if self._seen + n not in self._skip]
        self._seen += len(pairs)
        found: list[PairScore | UnresolvedReason] = [UnresolvedReason.BUDGET] * len(pairs)
        try:
            scores = self._model.score([pairs[n] for n in kept]) if kept else []
        except InferenceError:
            return [UnresolvedReason.MODEL_ERROR] * len(pairs)
        for n, score in zip(kept, scores, strict=True):
            found[n] = score
        if usage is not None:
            usage.pairs += len(kept)
            usage.pair_tokens += sum(pairs[n].tokens for n in kept)
        return found

    def close(self) -> None:
        """Note that the judge was closed."""
        self.is_closed = True


Verdicts = Mapping[str, Verdict] | Callable[[str, Evidence], Verdict]

_FINGERPRINT = "fake-gate"
_FAKE_SCORES = {ClaimStatus.SUPPORTED: 1.0, ClaimStatus.UNSUPPORTED: 0.0}


class UnwrittenVerdictError(LookupError):
    """A fake gate was asked about an answer that no verdict was written for."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        super().__init__(f"no verdict was written for the answer {answer!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One check that a fake gate was asked for. ``deadline`` is a monotonic clock reading."""

    answer: str
    evidence: Evidence
    deadline: float | None


class FakeGate:
    """A gate for tests of code that asks one: it gives the verdicts you wrote.

    ``verdicts`` is a table from the whole answer to its verdict, or a function of answer and
    evidence. An answer that is not in the table raises: nothing passes because it was forgotten.
    ``asked`` holds every finished check, in order; ``is_closed`` tells whether it was closed.
    """

    fingerprint = _FINGERPRINT
    thresholds = Thresholds(support=0.5, contradiction=0.95)

    def __init__(self, verdicts: Verdicts) -> None:
        self._verdicts = verdicts
        self.asked: list[Asked] = []
        self.is_closed = False

    def open(
        self,
        evidence: Evidence,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> "FakeCheck":
        """Begin a check, as ``Gate.open``; takes no time and uses nothing."""
        return FakeCheck(self, evidence, deadline=deadline)

    async def check(
        self,
        answer: str,
        evidence: Evidence,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> Verdict:
        """Check a whole answer, as ``Gate.check``.

        Raises:
            UnwrittenVerdictError: If no verdict was written for the answer.
        """
        check = self.open(evidence, deadline=deadline, priority=priority, usage=usage)
        await check.feed(answer)
        return await check.finish()

    def close(self) -> None:
        """Note that the gate was closed."""
        self.is_closed = True

    def decide(self, asked: Asked) -> Verdict:
        """Note what was asked and return the verdict written for it."""
        self.asked.append(asked)
        if callable(self._verdicts):
            return self._verdicts(asked.answer, asked.evidence)
        if asked.answer not in self._verdicts:
            raise UnwrittenVerdictError(asked.answer)
        return self._verdicts[asked.answer]


class FakeCheck:
    """The check of one answer by a fake gate; its segments are known only when it is finished."""

    def __init__(self, gate: FakeGate, evidence: Evidence, *, deadline: float | None) -> None:
        self._gate = gate
        self._evidence = evidence
        self._deadline = deadline
        self._pieces: list[str] = []
        self.so_far = Verdict()

    async def feed(self, text: str) -> tuple[Segment, ...]:
        """Take the next piece of the answer; completes no segment."""
        self._pieces.append(text)
        return ()

    async def follow(
        self, text: str, *, deadline: float | None = None, ends: bool = False
    ) -> Verdict:
        """Take the next piece; nothing is known before the last one, which ``ends`` the answer."""
        self._pieces.append(text)
        return await self.finish() if ends else self.so_far

    async def finish(self) -> Verdict:
        """Give the verdict written for what was fed."""
        answer = "".join(self._pieces)
        asked = Asked(answer=answer, evidence=self._evidence, deadline=self._deadline)
        return self._gate.decide(asked)


def write_verdict(
    answer: str,
    *,
    flagged: Sequence[str] = (),
    unresolved: UnresolvedReason | None = None,
    not_checked: NotCheckedReason | None = None,
) -> Verdict:
    """Write a verdict whose offsets fit the answer.

    Args:
        answer: The whole answer; without a word in it the verdict is NO_CLAIMS.
        flagged: Slices of it, in the order they stand, that no passage supports. What lies
            between them is supported, one claim a slice.
        unresolved: Why what is not flagged could not be decided.
        not_checked: Why the gate never got as far as claims; the rest is then left out.

    Raises:
        ValueError: If a flagged slice does not stand in the answer, after the one before it.
    """
    if not_checked is not None:
        return Verdict(not_checked=not_checked, fingerprint=_FINGERPRINT)
    status = ClaimStatus.SUPPORTED if unresolved is None else ClaimStatus.UNRESOLVED
    segments: list[Segment] = []
    claims: list[ClaimVerdict] = []
    for start, end, is_flagged in _cuts(answer, flagged):
        text = answer[start:end]
        if text.strip():
            found = ClaimStatus.UNSUPPORTED if is_flagged else status
            claims.append(_claim(text, start, found, None if is_flagged else unresolved))
        kind = SegmentKind.CLAIM if text.strip() else SegmentKind.LAYOUT
        words = text.strip()
        segments.append(Segment(start=start, end=end, kind=kind, plain=words, hypothesis=words))
    return Verdict(segments=tuple(segments), claims=tuple(claims), fingerprint=_FINGERPRINT)


def _cuts(answer: str, flagged: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """Yield the slices of an answer that are not empty, and whether each is flagged."""
    end = 0
    for text in flagged:
        start = answer.find(text, end)
        if start < 0 or not text.strip():
            raise ValueError(f"{text!r} does not stand in the answer after offset {end}")
        if start > end:
            yield end, start, False
        end = start + len(text)
        yield start, end, True
    if end < len(answer):
        yield end, len(answer), False


def _claim(
    text: str, start: int, status: ClaimStatus, unresolved: UnresolvedReason | None
) -> ClaimVerdict:
    score = _FAKE_SCORES.get(status)
    return ClaimVerdict(
        start=start,
        end=start + len(text),
        text=text,
        status=status,
        support=score,
        contradiction=None if score is None else 0.0,
        score=score,
        reason="written by a test",
        unresolved=unresolved,
    )
