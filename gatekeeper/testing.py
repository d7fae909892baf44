"""Fakes for tests: a model whose verdicts you write down, so that nothing is loaded or guessed."""

from collections.abc import Callable, Sequence

from gatekeeper.errors import InferenceError
from gatekeeper.protocols import EncodedPair, PairScore

_SEPARATOR = -1

Scoring = Callable[[str, str], PairScore]


def entails_when_contained(premise: str, hypothesis: str) -> PairScore:
    """Entail a hypothesis whose words all stand in the premise, whatever their order."""
    contained = set(hypothesis.lower().strip(".").split()) <= set(
        premise.lower().replace(".", "").split()
    )
    return PairScore(entailment=0.9 if contained else 0.1, contradiction=0.05)


class FakeModel:
    """A model that scores pairs by a function of their texts; one token a character.

    ``passes`` holds the size of each forward pass so far. ``fails`` makes each pass raise.
    """

    fingerprint = "fake"

    def __init__(
        self, scoring: Scoring = entails_when_contained, *, max_tokens: int = 2048
    ) -> None:
        self._scoring = scoring
        self._max_tokens = max_tokens
        self.passes: list[int] = []
        self.fails = False

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode both texts as code points, the premise cut to fit."""
        room = self._max_tokens - len(hypothesis) - 1
        if room < 1:
            return None
        ids = (*map(ord, premise[:room]), _SEPARATOR, *map(ord, hypothesis))
        return EncodedPair(ids=ids, type_ids=(0,) * len(ids))

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """Return the words with an emoji in them, as a WordPiece vocabulary would."""
        return tuple(word for word in text.split() if max(word) >= "\U0001f300")

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Apply the function to each pair."""
        self.passes.append(len(pairs))
        if self.fails:
            raise InferenceError("the fake model was told to fail")
        return [self._scoring(*self._decode(pair)) for pair in pairs]

    @staticmethod
    def _decode(pair: EncodedPair) -> tuple[str, str]:
        cut = pair.ids.index(_SEPARATOR)
        return "".join(map(chr, pair.ids[:cut])), "".join(map(chr, pair.ids[cut + 1 :]))
