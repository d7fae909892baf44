"""Budgets: what work costs, learnt from what it has cost, and whether it can still be done in time.

Pure: every value is frozen and learning returns a new one; the clock is an argument.
"""

from dataclasses import dataclass, replace
from math import ceil

from gatekeeper.verdict import UnresolvedReason

# Weight of the past at each observation: some fifty passes (a second or two of work) are
# remembered, so a machine that slows down is believed soon and a single pause is not.
KEEP = 0.98

# An observation counts as at most so many times, and at least one such part of, what was expected:
# a process that was paused in a pass must not make the gate refuse everything after it.
OUTLIER = 3.0

# A pass can't be cheaper than this; keeps the arithmetic sane when a clock stands still.
LEAST_TOKEN_S = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class CostModel:
    """Seconds of a forward pass as ``fixed_s + token_s * padded tokens``, learnt as passes end.

    A least-squares line over observations whose weight decays by ``KEEP``, each held within
    ``OUTLIER`` times its expectation. Until passes of two sizes were seen it is the line through
    the origin. The first values are those of two cores that run a six-layer model; ``seen`` is the
    decayed number of observations, and the sums are over (padded tokens, seconds).
    """

    seen: float = 0.0
    sum_tokens: float = 0.0
    sum_s: float = 0.0
    sum_tokens_squared: float = 0.0
    sum_tokens_s: float = 0.0
    fixed_s: float = 0.0
    token_s: float = 6e-5
    padding: float = 1.1

    def seconds(self, padded_tokens: int) -> float:
        """Return what one pass is expected to take."""
        return self.fixed_s + self.token_s * padded_tokens

    def tokens_within(self, seconds: float) -> int:
        """Return the most padded tokens that one pass is expected to do in the time; 0: none."""
        return max(0, int((seconds - self.fixed_s) / self.token_s))

    def backlog_s(self, tokens: int, *, pass_tokens: int) -> float:
        """Return what tokens in line, not padded yet, are expected to take in full passes."""
        padded = tokens * self.padding
        return ceil(padded / pass_tokens) * self.fixed_s + self.token_s * padded

    def after(self, *, padded_tokens: int, tokens: int, seconds: float) -> "CostModel":
        """Learn from a pass of ``tokens`` that were padded to ``padded_tokens``."""
        x, y = float(padded_tokens), seconds
        if self.seen >= 1.0:
            expected = self.seconds(padded_tokens)
            y = min(max(y, expected / OUTLIER), expected * OUTLIER)
        learnt = replace(
            self,
            seen=self.seen * KEEP + 1.0,
            sum_tokens=self.sum_tokens * KEEP + x,
            sum_s=self.sum_s * KEEP + y,
            sum_tokens_squared=self.sum_tokens_squared * KEEP + x * x,
            sum_tokens_s=self.sum_tokens_s * KEEP + x * y,
            padding=self.padding * KEEP + (1.0 - KEEP) * padded_tokens / tokens,
        )
        return _fitted(learnt)


def _fitted(cost: CostModel) -> CostModel:
    """Solve for the line; a negative part of it is no cost, so it is left out."""
    spread = cost.seen * cost.sum_tokens_squared - cost.sum_tokens**2
    together = cost.seen * cost.sum_tokens_s - cost.sum_tokens * cost.sum_s
    # A relative bound: passes of one size differ by rounding errors, which are no slope.
    if spread > 1e-6 * cost.sum_tokens**2 and together > 0.0:
        token_s = max(together / spread, LEAST_TOKEN_S)
        fixed_s = (cost.sum_s - token_s * cost.sum_tokens) / cost.seen
        if fixed_s >= 0.0:
            return replace(cost, fixed_s=fixed_s, token_s=token_s)
    through_origin = max(cost.sum_s / cost.sum_tokens, LEAST_TOKEN_S)
    return replace(cost, fixed_s=0.0, token_s=through_origin)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCost:
    """What a whole check costs beside its passes, and what it asks of them; decayed means.

    It lets a burst of checks be refused at its beginning, when all of it is steps and none of its
    pairs have been planned yet. ``seen`` counts checks, without those that were cut short: they
    would make checks look cheap just when there are too many of them.
    """

    seen: float = 0.0
    sum_s: float = 0.0
    sum_tokens: float = 0.0

    @property
    def steps_s(self) -> float:
        """Mean seconds of all steps of a check; 0.0 before the first one."""
        return self.sum_s / self.seen if self.seen else 0.0

    @property
    def tokens(self) -> float:
        """Mean tokens a check asks to be scored; 0.0 before the first one."""
        return self.sum_tokens / self.seen if self.seen else 0.0

    def after_first(self) -> "CheckCost":
        """Learn that the first steps of a check are done."""
        return CheckCost(
            seen=self.seen * KEEP + 1.0,
            sum_s=self.sum_s * KEEP,
            sum_tokens=self.sum_tokens * KEEP,
        )

    def after_steps(self, seconds: float) -> "CheckCost":
        """Learn what some steps of a check took."""
        return replace(self, sum_s=self.sum_s + seconds) if self.seen else self

    def after_pairs(self, tokens: int) -> "CheckCost":
        """Learn that pairs of so many tokens were asked for, whether they are scored or not."""
        return replace(self, sum_tokens=self.sum_tokens + tokens) if self.seen else self

    def after_cut(self) -> "CheckCost":
        """Learn that a check that had begun was given up before its pairs were known."""
        return replace(self, seen=max(self.seen - 1.0, min(self.seen, 1.0)))


def refusal(*, left_s: float, ahead_s: float, own_s: float) -> UnresolvedReason | None:
    """Say why work is refused on arrival; None if it is let in.

    With nothing ahead it is let in however dear it seems: an estimate that was wrong once could
    not be put right otherwise, and the gate would stay shut.

    Args:
        left_s: Seconds to the deadline; infinite without one.
        ahead_s: What is expected to be done first.
        own_s: What the work itself is expected to take.
    """
    if left_s <= 0.0:
        return UnresolvedReason.BUDGET
    if ahead_s <= 0.0 or ahead_s + own_s <= left_s:
        return None
    return UnresolvedReason.OVERLOAD if own_s <= left_s else UnresolvedReason.BUDGET


def pause_s(failures: int, *, first_s: float = 0.5, longest_s: float = 60.0) -> float:
    """Return how long to wait before a load is tried, after so many failures on end.

    None before the first try, then doubling up to a bound.
    """
    if failures == 0:
        return 0.0
    # 2 ** 30 times the first pause is past any bound: the exponent may stop there.
    return min(longest_s, first_s * 2.0 ** min(failures - 1, 30))
