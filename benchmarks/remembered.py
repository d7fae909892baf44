"""A model that remembers what it scored, in a file: a pair is put to it once.

What the guard or the segmenter makes of a text may change while the model stays; then rows are
planned anew, and nearly all of their pairs are known. The file holds hashes and numbers.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from gatekeeper.protocols import EncodedPair, Model, PairScore


class RememberingModel:
    """A model as the gate sees it, see ``gatekeeper.protocols.Model``; one file a model."""

    def __init__(self, model: Model, path: Path | None) -> None:
        self._model = model
        self._path = path
        self._known: dict[str, PairScore] = {}
        if path is not None and path.exists():
            with path.open(encoding="ascii") as lines:
                for line in lines:
                    key, entailment, contradiction = line.split()
                    self._known[key] = PairScore(
                        entailment=float(entailment), contradiction=float(contradiction)
                    )

    @property
    def fingerprint(self) -> str:
        """The model's."""
        return self._model.fingerprint

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode with the model."""
        return self._model.encode(premise, hypothesis)

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """Ask the model."""
        return self._model.unknown_words(text)

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Return what is known of the pairs, after one pass over those that are new."""
        keys = [_key(pair) for pair in pairs]
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._known}
        if new:
            self._learn(list(new), self._model.score(list(new.values())))
        return [self._known[key] for key in keys]

    def _learn(self, keys: Sequence[str], scores: Sequence[PairScore]) -> None:
        self._known.update(zip(keys, scores, strict=True))
        if self._path is not None:
            with self._path.open("a", encoding="ascii") as stream:
                stream.writelines(
                    f"{key} {score.entailment!r} {score.contradiction!r}\n"
                    for key, score in zip(keys, scores, strict=True)
                )


def _key(pair: EncodedPair) -> str:
    content = repr((pair.ids, pair.type_ids)).encode()
    return hashlib.sha256(content).hexdigest()[:32]
