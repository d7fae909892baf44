"""Claims whose value is derived rightly from the evidence: none of them may be refused.

Templates over real numbers: sums, differences, counts, durations, conversions, hedged rounding,
bounds, points and shares. Deterministic by seed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from benchmarks import derived_counts, derived_times
from benchmarks.chance import seeded

WANTED = {
    "sum": 75,
    "difference": 60,
    "count": 75,
    "duration": 80,
    "conversion": 60,
    "rounding": 65,
    "bound": 35,
    "points": 15,
    "share": 35,
}
_TEMPLATES = {**derived_counts.TEMPLATES, **derived_times.TEMPLATES}
# Sentences that may stand beside those that tell.
_OTHERS = (
    "The caretaker keeps the keys.",
    "Visitors sign the book at the door.",
    "Both were painted in the same year.",
    "The records are kept in the town hall.",
    "Nothing else was changed.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A claim that follows by a rule from the passages."""

    rule: str
    passages: tuple[str, ...]
    claim: str


class _Numbers:
    """Real numbers to draw from, those of each range picked out once."""

    def __init__(self, numbers: Sequence[int], random: Random) -> None:
        self._numbers = numbers
        self._random = random
        self._fitting: dict[tuple[int, int], list[int]] = {}

    def __call__(self, low: int, high: int) -> int:
        """Return one between two bounds, the lower bound if there is none."""
        if (low, high) not in self._fitting:
            self._fitting[low, high] = [n for n in self._numbers if low <= n <= high] or [low]
        return self._random.choice(self._fitting[low, high])


def derivations(
    numbers: Sequence[int], wanted: Mapping[str, int] = WANTED, *, seed: int = 0
) -> list[Derived]:
    """Return so many claims of each rule over the numbers given."""
    made = []
    for rule, count in wanted.items():
        random = seeded(seed, rule)
        pick = _Numbers(numbers, random)
        for _ in range(count):
            sentences, claim = random.choice(_TEMPLATES[rule])(random, pick)
            made.append(Derived(rule=rule, passages=_passages(sentences, random), claim=claim))
    return made


def _passages(sentences: list[str], random: Random) -> tuple[str, ...]:
    """Set the sentences into one passage or into one each, some with a sentence beside."""
    apart = len(sentences) > 1 and random.random() < 0.3
    texts = list(sentences) if apart else [" ".join(sentences)]
    if random.random() < 0.5:
        at = random.randrange(len(texts))
        gap = random.choice(("", "\n")) if texts[at].endswith("\n") else " "
        texts[at] = f"{texts[at]}{gap}{random.choice(_OTHERS)}"
    return tuple(texts)
