"""A gate over a model whose scores follow from the texts, without threads."""

import zlib
from collections.abc import Sequence

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits
from gatekeeper.gate import Gate, Settings
from gatekeeper.protocols import EncodedPair, PairScore, Priority, Steps, Usage
from gatekeeper.testing import FakeModel
from gatekeeper.verdict import UnresolvedReason


class Inline:
    """A judge that works at once, in the caller."""

    def __init__(self, model: FakeModel) -> None:
        self._model = model

    def refusal(
        self, *, deadline: float | None, priority: Priority = Priority.ENFORCE
    ) -> UnresolvedReason | None:
        """Refuse nothing."""
        return None

    async def run(
        self,
        steps: Steps,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> None:
        """Exhaust the steps."""
        for wanted in steps:
            if wanted is not None:
                wanted.scores = await self.score(wanted.pairs, deadline=deadline, usage=usage)

    async def score(
        self,
        pairs: Sequence[EncodedPair],
        *,
        deadline: float | None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> list[PairScore | UnresolvedReason]:
        """Score all and count."""
        if usage is not None:
            usage.pairs += len(pairs)
            usage.pair_tokens += sum(pair.tokens for pair in pairs)
        return list(self._model.score(pairs))

    def close(self) -> None:
        """Hold nothing."""


def by_checksum(premise: str, hypothesis: str) -> PairScore:
    """Give every pair of texts numbers of its own, the same in every run."""
    entailment = zlib.crc32(f"{premise}|{hypothesis}".encode()) % 1000 / 1000
    other = zlib.crc32(f"{hypothesis}|{premise}".encode()) % 1000 / 1000
    return PairScore(entailment=entailment, contradiction=(1 - entailment) * other)


def checksum_gate(marks: Thresholds) -> Gate:
    """Build a gate over such a model; its tokens are characters, so limits are wide."""
    model = FakeModel(by_checksum)
    limits = Limits(pair_tokens=100_000, joint_tokens=20_000)
    return Gate(model, Inline(model), Settings(thresholds=marks, limits=limits))
