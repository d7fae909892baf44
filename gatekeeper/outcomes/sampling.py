"""Which decisions are kept for review, and from where the next one to label is taken. Pure.

Each decision has a permanent random number u. It is kept if u lies below the keep share of its
stratum, and reviewers get the kept ones of a stratum in the order of u: so whatever was labelled is
a random sample of the stratum, however much it is.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.words import Band
from gatekeeper.policy import Keep

Cell = tuple[Side, Band]

# Labels are asked for in these proportions: one of blocked to three of accepted ones, half of those
# among the lowest scores, where a wrong answer is most likely. Unchecked ones for delivered error.
MIX: Mapping[Cell, int] = MappingProxyType(
    {
        (Side.BLOCKED, Band.ONE): 2,
        (Side.ACCEPTED, Band.LOW): 3,
        (Side.ACCEPTED, Band.HIGH): 3,
        (Side.UNCHECKED, Band.ONE): 1,
    }
)

# Of the kept decisions; two people label these, so that their agreement is known.
SECOND_SHARE = 0.1

# The bits of a double's significand: the quotient is exact and stays below 1.
_BITS = 53


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekPlan:
    """What holds for the decisions of a route in one week, fixed when it begins.

    Accepted scores below ``cut`` are low. ``cut_from`` says where the cut comes from.
    """

    cut: float
    cut_from: str
    keep: Keep

    def band(self, side: Side, score: float | None) -> Band:
        """Return the score band; one with an open claim has no score and is low."""
        if side is not Side.ACCEPTED:
            return Band.ONE
        return Band.LOW if score is None or score < self.cut else Band.HIGH

    def keep_share(self, side: Side, band: Band) -> float:
        """Return the share that is kept of a stratum."""
        if side is Side.ACCEPTED:
            return self.keep.accepted_low if band is Band.LOW else self.keep.accepted_high
        return self.keep.blocked if side is Side.BLOCKED else self.keep.unchecked


def number_of(key: bytes, decision: str, use: str = "u") -> float:
    """Return a decision's random number in [0, 1) for one use: HMAC-SHA256 under the secret."""
    message = f"{use}:{decision}".encode("utf-8", "surrogatepass")
    digest = hmac.new(key, message, hashlib.sha256).digest()
    return (int.from_bytes(digest[:8]) >> (64 - _BITS)) / (1 << _BITS)


def needs_second(key: bytes, decision: str) -> bool:
    """Tell whether two people are to label a decision."""
    return number_of(key, decision, "second") < SECOND_SHARE


def lowest_third(scores: Sequence[float]) -> float | None:
    """Return the score below which a third lies, None for no scores; ties count as not below."""
    return sorted(scores)[len(scores) // 3] if scores else None
