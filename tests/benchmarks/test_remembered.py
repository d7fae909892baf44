"""A pair is put to the model once."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.remembered import RememberingModel
from gatekeeper.protocols import EncodedPair, PairScore
from gatekeeper.testing import FakeModel
from tests.benchmarks.gates import by_checksum


class _Counting(FakeModel):
    """Counts the pairs it is asked about."""

    asked = 0

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        self.asked += len(pairs)
        return super().score(pairs)


def _pairs(model: FakeModel, *premises: str) -> list[EncodedPair]:
    found = [model.encode(premise, "A claim.") for premise in premises]
    return [pair for pair in found if pair is not None]


def test_known_pairs_are_not_asked_again(tmp_path: Path) -> None:
    """Neither in one run, twice in one call included, nor in the next one."""
    path = tmp_path / "scores.pairs"
    first, second = _Counting(by_checksum), _Counting(by_checksum)
    pairs = _pairs(first, "One.", "Two.", "One.")

    fresh = RememberingModel(first, path).score(pairs)
    again = RememberingModel(second, path).score([*pairs, *_pairs(second, "Three.")])

    assert fresh == FakeModel(by_checksum).score(pairs)
    assert again[:3] == fresh
    assert (first.asked, second.asked) == (2, 1)


def test_file_holds_no_text(tmp_path: Path) -> None:
    """Hashes and numbers only."""
    path = tmp_path / "scores.pairs"
    model = FakeModel(by_checksum)

    RememberingModel(model, path).score(_pairs(model, "Keeper."))

    assert "eeper" not in path.read_text()
    assert len(path.read_text().split()) == 3


def test_without_a_file_it_remembers_for_one_run() -> None:
    """A trial leaves nothing behind."""
    model = _Counting(by_checksum)
    remembering = RememberingModel(model, None)

    remembering.score(_pairs(model, "One."))
    remembering.score(_pairs(model, "One."))

    assert model.asked == 1
