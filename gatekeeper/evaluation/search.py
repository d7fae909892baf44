"""The search for a threshold whose error rate stays below a target, with a stated confidence.

An answer is blocked at t when its score is below t, or on a finding, so a higher t blocks more.

- False-block rate at most a target: the largest t. The rate never falls as t rises, so candidates
  are tested one after the other from the lowest, each at the full level, until one fails.
- Accepted error at most a target: the smallest t. The error is not monotone in t, so a few
  candidates fixed beforehand share the level (Bonferroni).

Bounds are exact for independent answers of equal weight; ``sample`` makes the rows such.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gatekeeper.evaluation.bounds import MOST_LABELS, is_met, labels_needed, upper_bound
from gatekeeper.evaluation.plan import carried_over

# Below every threshold, 0 included: the score of an answer with a finding.
FINDING = -1.0

_TAIL = tuple(digit / 10**power for power in (6, 5, 4) for digit in (1, 2, 5))
# Thousandths, and finer steps at both ends, where a sure model has most of its scores.
WALKED = tuple(sorted({*_TAIL, *(n / 1000 for n in range(1, 1000)), *(1 - t for t in _TAIL)}))
# Few, for each takes its share of the level.
SHARED = (0.001, 0.01, *(n / 20 for n in range(1, 20)), 0.99, 0.999)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A labelled answer: ``score`` is the lowest of its claims', ``FINDING`` on a finding.

    ``is_open``: a claim of it is unresolved, so it counts where it is blocked and nowhere else.
    ``weight`` is the number of answers it stands for; those of one ``group`` are not independent.
    """

    wrong: bool
    score: float
    is_open: bool = False
    weight: float = 1.0
    group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What the gate does with labelled answers at a threshold; rates are None where undefined."""

    threshold: float
    false_blocks: int
    correct: int
    caught: int
    wrong: int

    @property
    def missed(self) -> int:
        """Wrong answers let through."""
        return self.wrong - self.caught

    @property
    def accepted(self) -> int:
        """Answers let through."""
        return self.missed + self.correct - self.false_blocks

    @property
    def false_block_rate(self) -> Fraction | None:
        """P(blocked given correct)."""
        return Fraction(self.false_blocks, self.correct) if self.correct else None

    @property
    def sensitivity(self) -> Fraction | None:
        """P(blocked given wrong)."""
        return Fraction(self.caught, self.wrong) if self.wrong else None

    @property
    def accepted_error(self) -> Fraction | None:
        """P(wrong given accepted), at the share of wrong answers that the rows have."""
        return Fraction(self.missed, self.accepted) if self.accepted else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseBlockTarget:
    """The false-block rate is to be at most ``target``."""

    target: Fraction
    confidence: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedErrorTarget:
    """The accepted error is to be at most ``target``, with ``min_accepted`` of all let through.

    ``prevalence`` is the share of wrong answers in the traffic; without one it is that of the
    rows, and the bound is for answers drawn like these.
    """

    target: Fraction
    confidence: Fraction
    min_accepted: Fraction
    prevalence: Fraction | None = None


Target = FalseBlockTarget | AcceptedErrorTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a search found. ``chosen`` is None where no candidate meets the target.

    ``floor`` is t = 0, where only findings block, with its bound. ``missing`` labels more of the
    same kind would have been enough for some candidate; None if no number is, or none is needed.
    """

    chosen: Point | None
    bound: float | None
    floor: Point
    floor_bound: float
    candidates: int
    missing: int | None = None


def curve(rows: Sequence[Scored], thresholds: Sequence[float]) -> tuple[Point, ...]:
    """Count at each threshold; a row that is open is decided only where it is blocked."""
    scores: dict[tuple[bool, bool], list[float]] = {
        (wrong, is_open): sorted(
            row.score for row in rows if (row.wrong, row.is_open) == (wrong, is_open)
        )
        for wrong in (False, True)
        for is_open in (False, True)
    }

    def blocked_and_all(threshold: float, *, wrong: bool) -> tuple[int, int]:
        whole, open_ = scores[wrong, False], scores[wrong, True]
        among_open = bisect_left(open_, threshold)
        return bisect_left(whole, threshold) + among_open, len(whole) + among_open

    points = []
    for threshold in thresholds:
        false_blocks, correct = blocked_and_all(threshold, wrong=False)
        caught, wrong = blocked_and_all(threshold, wrong=True)
        points.append(
            Point(
                threshold=threshold,
                false_blocks=false_blocks,
                correct=correct,
                caught=caught,
                wrong=wrong,
            )
        )
    return tuple(points)


def walk(points: Sequence[Point], holds: Callable[[Point], bool]) -> Point | None:
    """Return the last of the points, from the lowest on, up to which all hold."""
    last = None
    for point in points:
        if not holds(point):
            break
        last = point
    return last


def first(points: Sequence[Point], holds: Callable[[Point], bool]) -> Point | None:
    """Return the lowest of the points that holds."""
    return next((point for point in points if holds(point)), None)


def search(rows: Sequence[Scored], target: Target) -> Choice:
    """Choose a threshold for independent rows of equal weight."""
    candidates = WALKED if isinstance(target, FalseBlockTarget) else SHARED
    floor, *points = curve(rows, (0.0, *candidates))
    if isinstance(target, FalseBlockTarget):
        chosen = walk(points, lambda point: meets(point, target))
    else:
        chosen = first(points, lambda point: meets(point, target))
    return Choice(
        chosen=chosen,
        bound=None if chosen is None else bound(chosen, target),
        floor=floor,
        floor_bound=bound(floor, target),
        candidates=len(candidates),
        missing=None if chosen is not None else _missing(points, target),
    )


def meets(point: Point, target: Target) -> bool:
    """Tell whether the upper bound of a point is at most the target."""
    aim = float(target.target)
    if isinstance(target, FalseBlockTarget):
        return is_met(point.false_blocks, point.correct, aim, float(target.confidence))
    if not accepts_enough(point, target):
        return False
    if target.prevalence is None:
        return is_met(point.missed, point.accepted, aim, _shared(target))
    return bound(point, target) <= aim


def bound(point: Point, target: Target) -> float:
    """Return the upper bound of the rate that the target is about; 1.0 where it has no rows.

    With a prevalence the two rates are bounded apart, each with half of what may go wrong, and
    carried over: the accepted error rises with the missed share and with the false-block rate.
    """
    if isinstance(target, FalseBlockTarget):
        return upper_bound(point.false_blocks, point.correct, float(target.confidence))
    level = _shared(target)
    if target.prevalence is None:
        return upper_bound(point.missed, point.accepted, level)
    half = 1.0 - (1.0 - level) / 2.0
    missed = upper_bound(point.missed, point.wrong, half)
    false_block = upper_bound(point.false_blocks, point.correct, half)
    wrong_accepted = float(target.prevalence) * missed
    accepted = wrong_accepted + float(1 - target.prevalence) * (1.0 - false_block)
    return wrong_accepted / accepted if accepted else 1.0


def accepts_enough(point: Point, target: AcceptedErrorTarget) -> bool:
    """Tell whether a point lets the declared least share of answers through."""
    share = accepted_share(point, target.prevalence)
    return share is not None and share >= target.min_accepted


def accepted_share(point: Point, prevalence: Fraction | None = None) -> Fraction | None:
    """Return the share let through, at the share of wrong answers that is stated or the rows'."""
    if prevalence is None:
        total = point.correct + point.wrong
        return Fraction(point.accepted, total) if total else None
    caught, false_block = point.sensitivity, point.false_block_rate
    if caught is None or false_block is None:
        return None
    return prevalence * (1 - caught) + (1 - prevalence) * (1 - false_block)


def error_at(point: Point, prevalence: Fraction | None) -> Fraction | None:
    """Return the accepted error at a stated share of wrong answers, or at that of the rows."""
    if prevalence is None:
        return point.accepted_error
    caught, false_block = point.sensitivity, point.false_block_rate
    if caught is None or false_block is None:
        return None
    return carried_over(caught, false_block, prevalence)


def _shared(target: AcceptedErrorTarget) -> float:
    """Return the confidence of one candidate so that all of them together have the target's."""
    return 1.0 - float(1 - target.confidence) / len(SHARED)


def _missing(points: Sequence[Point], target: Target) -> int | None:
    """Return by how many labels the best candidate falls short if its rates stay as they are."""
    if isinstance(target, FalseBlockTarget):
        lowest = points[0]
        rate = lowest.false_block_rate or Fraction(0)
        needed = labels_needed(target.target, float(target.confidence), rate)
        return None if needed is None else max(1, needed[0] - lowest.correct)
    found = [_short(point, target) for point in points if accepts_enough(point, target)]
    return min((labels for labels in found if labels is not None), default=None)


def _short(point: Point, target: AcceptedErrorTarget) -> int | None:
    """Return how many labels more a candidate takes, with counts that grow in proportion."""
    labels = point.correct + point.wrong
    error = error_at(point, target.prevalence)
    if error is None or error >= target.target:
        return None
    low, high = labels, labels
    while not meets(_grown(point, Fraction(high, labels)), target):
        low, high = high, 2 * high
        if high > MOST_LABELS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if meets(_grown(point, Fraction(middle, labels)), target):
            high = middle
        else:
            low = middle
    return max(1, high - labels)


def _grown(point: Point, times: Fraction) -> Point:
    """Return a point with more rows at the same rates; parts count against it."""
    return Point(
        threshold=point.threshold,
        false_blocks=math.ceil(point.false_blocks * times),
        correct=math.floor(point.correct * times),
        caught=math.floor(point.caught * times),
        wrong=math.floor(point.caught * times) + math.ceil(point.missed * times),
    )
