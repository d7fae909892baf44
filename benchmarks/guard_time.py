"""How the time of a guard pass grows with the size of evidence, of a claim, and of an answer.

Time is that of the processor, the shortest of a few runs. Work is counted as well, as calls of
functions: that does not depend on the machine or on what else it does. The exponent is the slope
of a straight line through the logarithms over the sizes where fixed cost no longer hides it: 1 is
linear. Sizes go up to the bounds of the gate: 400,000 characters of evidence, 50,000 of an answer
(one claim, if it wants), 64 claims.
"""

import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import FrameType
from typing import TypeVar

from benchmarks.chance import seeded

G = TypeVar("G")

EVIDENCE = (1, 10, 100, 200, 400, 800, 1000, 1600, 3200, 4800)  # sentences
CLAIM = (1, 10, 50, 100, 200, 400, 800, 1600, 3200, 4000)  # values in one claim
ANSWER = (1, 2, 4, 8, 16, 32, 64)  # claims
_FITTED_FROM = {"evidence": 100, "claim": 100, "answer": 4}
_BESIDE = 50  # sentences of evidence where it is not evidence that grows
_REPEATS = 3
_THINGS = "pump tank hall ferry kiosk bridge lamp meter tent boiler trailer gate".split()
_PLACES = "porch cellar loft boathouse shed yard tower meadow harbour mill".split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A pass to measure: what grows and how far, one text of evidence, one answer."""

    size: int
    evidence: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a pass took, reading the evidence and ruling on the answer; calls are of both."""

    size: int
    characters: int
    read_s: float
    rule_s: float
    calls: int


def text(sentences: int, seed: int) -> str:
    """Return sentences of three values each, all different."""
    random = seeded(seed)
    return " ".join(
        f"The {random.choice(_THINGS)} numbered {1000 + n} in the {random.choice(_PLACES)} was "
        f"bought on {random.randint(1, 28)} March {random.randint(1990, 2030)} for "
        f"{random.randint(20, 9000)} euros."
        for n in range(sentences)
    )


def listed(values: int) -> str:
    """Return one claim with that many values."""
    random = seeded("values")
    return f"Paid were {', '.join(f'{random.randint(2, 9999)} euros' for _ in range(values))}."


def sizes() -> dict[str, tuple[Size, ...]]:
    """Return what is measured: each of the three grows while the others stay."""
    short, one = text(_BESIDE, 1), text(1, 1)
    return {
        "evidence": tuple(Size(size=n, evidence=text(n, 1), answer=one) for n in EVIDENCE),
        "claim": tuple(Size(size=n, evidence=short, answer=listed(n)) for n in CLAIM),
        "answer": tuple(Size(size=n, evidence=short, answer=text(n, 2)) for n in ANSWER),
    }


def pass_times(
    read: Callable[[Sequence[str]], G], rule: Callable[[G, str], object]
) -> dict[str, object]:
    """Measure all sizes; ``read`` opens a guard on passages, ``rule`` judges an answer by it."""
    return {
        name: growth([measure(size, read, rule) for size in of_kind], _FITTED_FROM[name])
        for name, of_kind in sizes().items()
    }


def measure(
    size: Size, read: Callable[[Sequence[str]], G], rule: Callable[[G, str], object]
) -> Cost:
    """Run one pass a few times, and once more to count its calls."""
    reading, ruling = [], []
    for _ in range(_REPEATS):
        start = time.process_time()
        guard = read([size.evidence])
        middle = time.process_time()
        rule(guard, size.answer)
        reading.append(middle - start)
        ruling.append(time.process_time() - middle)
    return Cost(
        size=size.size,
        characters=len(size.evidence) + len(size.answer),
        read_s=min(reading),
        rule_s=min(ruling),
        calls=calls(lambda: rule(read([size.evidence]), size.answer)),
    )


def calls(run: Callable[[], object]) -> int:
    """Count the calls of functions, Python's own among them."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        del frame, argument
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def growth(costs: Sequence[Cost], fitted_from: int) -> dict[str, object]:
    """Return the rows, and how time and calls grow from a size on."""
    fitted = [cost for cost in costs if cost.size >= fitted_from]
    whole = [cost.read_s + cost.rule_s for cost in fitted]
    return {
        "rows": [
            {
                "size": cost.size,
                "characters": cost.characters,
                "read_ms": round(1000 * cost.read_s, 3),
                "rule_ms": round(1000 * cost.rule_s, 3),
                "calls": cost.calls,
            }
            for cost in costs
        ],
        "fitted_from": fitted_from,
        "exponent_of_time": exponent([cost.size for cost in fitted], whole),
        "exponent_of_calls": exponent(
            [cost.size for cost in fitted], [cost.calls for cost in fitted]
        ),
        "calls_by_doubling": [
            round(math.log2(two.calls / one.calls) / math.log2(two.size / one.size), 3)
            for one, two in pairwise(fitted)
        ],
    }


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the slope of the least-squares line through the logarithms: 1 where cost is linear."""
    xs, ys = [math.log(size) for size in sizes], [math.log(cost) for cost in costs]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
    return round(above / sum((a - x) ** 2 for a in xs), 3)
