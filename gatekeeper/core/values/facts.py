"""The evidence, with values and terms computed once."""

from collections.abc import Sequence

from gatekeeper.core.terms import terms
from gatekeeper.core.values.extract import extract
from gatekeeper.core.values.model import Fact, FactIndex


def index(sentences: Sequence[str]) -> FactIndex:
    """Compute the values and terms of evidence sentences, for any number of comparisons."""
    facts = tuple(
        Fact(text=text, values=extract(text), terms=frozenset(terms(text))) for text in sentences
    )
    return FactIndex(facts=facts, by_term={}, by_kind={}, words="", word_starts=())
