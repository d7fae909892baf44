"""How close evidence sentences are to a claim, by the terms outside the values."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import nsmallest

from gatekeeper.core.values.match import Match, agreement
from gatekeeper.core.values.model import FactIndex, Value

# A sentence is about the claim's matter from this share of the claim's terms on.
ALIGNED = 0.6
# A near-copy: this share of the claim's terms and of the sentence's.
COPY_OF_CLAIM, COPY_OF_SENTENCE = 0.8, 0.6
# Closest sentences that are looked at for anything.
MAX_ALIGNED = 200
_MAX_VALUES = 12  # of claim and sentence, compared to tell which sentence is meant
# How much worse the sentence that has the value must fit than the one that has another.
MARGIN = 0.3
# Two sentences are built alike ("The Wren weighs", "The Heron weighs") from this share on.
PARALLEL = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Aligned:
    """An evidence sentence with the share of the claim's terms it has, and of its own."""

    position: int
    of_claim: float
    of_sentence: float

    @property
    def is_copy(self) -> bool:
        """True if claim and sentence say the same apart from their values."""
        return self.of_claim >= COPY_OF_CLAIM and self.of_sentence >= COPY_OF_SENTENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The claim's words, values and terms, and the evidence sentences, best-aligned first.

    ``placed`` holds, of each of the closest sentences, which values no value of the claim agrees
    with, by position.
    """

    plain: str
    values: tuple[Value, ...]
    terms: frozenset[str]
    aligned: tuple[Aligned, ...]
    facts: FactIndex
    placed: Mapping[int, tuple[Value, ...]]
    _agreeing: dict[int, int] = field(default_factory=dict, repr=False, compare=False)

    def share(self, position: int) -> float:
        """Return the share of the claim's terms that a sentence has.

        The sentence before it counts too where it refers back by a pronoun.
        """
        if not self.terms:
            return 1.0
        found = self.facts.facts[position].terms
        if position and self.facts.facts[position].refers_back:
            found |= self.facts.facts[position - 1].terms
        return len(self.terms & found) / len(self.terms)

    def agreeing(self, position: int) -> int:
        """Count the values of the claim that a sentence has."""
        if position not in self._agreeing:
            others = self.facts.facts[position].values[:_MAX_VALUES]
            self._agreeing[position] = sum(
                any(agreement(value, other) is Match.SAME for other in others)
                for value in self.values[:_MAX_VALUES]
            )
        return self._agreeing[position]


def align(claim_terms: frozenset[str], facts: FactIndex) -> tuple[Aligned, ...]:
    """Return up to MAX_ALIGNED sentences that share a term with the claim, closest first."""
    shared: Counter[int] = Counter()
    for term in claim_terms:
        shared.update(facts.by_term.get(term, ()))
    aligned = [
        Aligned(
            position=position,
            of_claim=count / len(claim_terms),
            of_sentence=count / len(facts.facts[position].terms),
        )
        for position, count in shared.items()
    ]
    return tuple(
        nsmallest(MAX_ALIGNED, aligned, key=lambda a: (-a.of_claim, -a.of_sentence, a.position))
    )


def fits_worse(claim: Claim, holder: int, rival: Aligned) -> bool:
    """True if it is certain that the claim is about ``rival`` and not about ``holder``.

    Either the rival is a near-copy of the claim and the holder is not close, or the two are built
    alike and the rival has all the claim's terms that the holder has, and more ("large" in the
    row of the large size). Never if the holder has another value of the claim that the rival lacks:
    what was sold in 2020 is not told by the figure for 2019.
    """
    facts = claim.facts.facts
    if claim.agreeing(holder) > claim.agreeing(rival.position) + 1:
        return False
    if rival.is_copy and claim.share(holder) <= rival.of_claim - MARGIN:
        return True
    one, other = facts[holder].terms, facts[rival.position].terms
    if facts[holder].refers_back or rival.of_claim < ALIGNED:
        return False
    alike = len(one & other) >= PARALLEL * max(len(one), len(other))
    return alike and (claim.terms & one) < (claim.terms & other) and bool(one - claim.terms - other)
