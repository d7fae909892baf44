"""Batches: which waiting pairs share the next forward pass.

Pure: the clock is an argument. A pass of n pairs costs n x longest tokens, for every row is
padded to the longest one.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A pair in line: its length and the reading of the clock after which no pass may start."""

    tokens: int
    deadline: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Positions into the line: what runs now, longest first, and what is too late for any pass."""

    run: tuple[int, ...]
    late: tuple[int, ...]


def plan_batch(line: Sequence[Waiting], *, now_s: float, max_padded_tokens: int) -> Plan:
    """Pick the pairs of the next pass.

    The most urgent pair in time always runs, however long it is, so that none can starve. The
    pass is padded to its length and no further; beside it run the longest of those not longer
    and at least half as long, the more urgent first among equals. Shorter ones make a cheaper
    pass of their own.

    Args:
        line: Most urgent first.
        now_s: Monotonic clock reading.
        max_padded_tokens: Ceiling for pairs x longest, unless one pair alone exceeds it.

    Returns:
        A plan that names each pair at most once.
    """
    late = tuple(n for n, pair in enumerate(line) if pair.deadline <= now_s)
    in_time = [n for n, pair in enumerate(line) if pair.deadline > now_s]
    if not in_time:
        return Plan(run=(), late=late)
    first, *others = in_time
    longest = line[first].tokens
    rows = max_padded_tokens // max(1, longest)
    alike = [n for n in others if longest <= 2 * line[n].tokens <= 2 * longest]
    alike.sort(key=lambda n: (-line[n].tokens, n))
    return Plan(run=(first, *alike[: max(0, rows - 1)]), late=late)
