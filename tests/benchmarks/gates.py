"""A gate over a model whose scores follow from the texts, without threads."""

import zlib

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits
from gatekeeper.gate import Gate, Settings
from gatekeeper.protocols import PairScore
from gatekeeper.testing import FakeJudge, FakeModel


def by_checksum(premise: str, hypothesis: str) -> PairScore:
    """Give every pair of texts numbers of its own, the same in every run."""
    entailment = zlib.crc32(f"{premise}|{hypothesis}".encode()) % 1000 / 1000
    other = zlib.crc32(f"{hypothesis}|{premise}".encode()) % 1000 / 1000
    return PairScore(entailment=entailment, contradiction=(1 - entailment) * other)


def checksum_gate(marks: Thresholds) -> Gate:
    """Build a gate over such a model; its tokens are characters, so limits are wide."""
    model = FakeModel(by_checksum)
    limits = Limits(pair_tokens=100_000, joint_tokens=20_000)
    return Gate(model, FakeJudge(model), Settings(thresholds=marks, limits=limits))
