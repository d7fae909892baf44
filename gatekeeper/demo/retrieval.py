"""Retrieval by BM25 over the terms of a document. Pure.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), equation 3.15 with
the inverse document frequency that is never negative.
"""

import math
from collections import Counter
from collections.abc import Sequence

from gatekeeper.core.terms import terms
from gatekeeper.demo.documents import Document

# The usual constants; fifty documents of like length leave nothing to tune.
K1 = 1.2
B = 0.75

# A question that shares only a word or two in passing with every document finds nothing.
LEAST_SCORE = 4.0


class Index:
    """Documents prepared for search; the words of a title count three times."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = tuple(documents)
        self._counts = [Counter(_weighted_terms(document.text)) for document in documents]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._mean = sum(self._lengths) / max(1, len(self._lengths))
        self._holders = Counter(term for counts in self._counts for term in counts)

    def search(self, question: str, *, most: int) -> tuple[Document, ...]:
        """Return the best documents for a question, best first; none if nothing is close."""
        asked = sorted(set(terms(question)))
        scored = [(self._score(asked, n), -n) for n in range(len(self._documents))]
        best = sorted(scored, reverse=True)[:most]
        return tuple(self._documents[-n] for score, n in best if score >= LEAST_SCORE)

    def _score(self, asked: Sequence[str], n: int) -> float:
        room = K1 * (1 - B + B * self._lengths[n] / self._mean)
        return sum(
            self._weight(term) * count * (K1 + 1) / (count + room)
            for term in asked
            if (count := self._counts[n][term])
        )

    def _weight(self, term: str) -> float:
        total, holders = len(self._documents), self._holders[term]
        return math.log(1 + (total - holders + 0.5) / (holders + 0.5))


def _weighted_terms(text: str) -> tuple[str, ...]:
    title = text.partition("\n")[0]
    return (*terms(title), *terms(title), *terms(text))
