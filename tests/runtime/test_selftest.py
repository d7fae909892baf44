"""The self-test finds wrong label orders and directions, and says which of the two it is."""

import dataclasses
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path

import pytest

from gatekeeper.errors import SelfTestError
from gatekeeper.protocols import EncodedPair, PairScore
from gatekeeper.runtime.manifest import ENTAILMENT, Manifest, SelfTestPair
from gatekeeper.runtime.selftest import INVARIANCE, quick_test, self_test
from gatekeeper.runtime.session import Session, load

Edit = Callable[[str, str], Path]
LABELS = ("entailment", "neutral", "contradiction")


class ScriptedModel:
    """Scores by label of the manifest's pairs, moved by ``shift`` when a pass holds several."""

    fingerprint = "scripted"

    def __init__(self, manifest: Manifest, *, shift: float = 0.0) -> None:
        self.pairs = manifest.self_test
        self.shift = shift

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode the pair's position in the manifest."""
        texts = [(pair.premise, pair.hypothesis) for pair in self.pairs]
        return EncodedPair(ids=(texts.index((premise, hypothesis)),), type_ids=(0,))

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """None: every text of the manifest is known."""
        return ()

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Return what the manifest has stored."""
        moved = self.shift if len(pairs) > 1 else 0.0
        stored = [self.pairs[pair.ids[0]] for pair in pairs]
        return [
            PairScore(entailment=pair.entailment + moved, contradiction=pair.contradiction)
            for pair in stored
        ]


def test_shipped_model_passes(shipped: Session) -> None:
    """On this machine the shipped scores hold, alone, batched and padded."""
    report = self_test(shipped, shipped.manifest)

    assert report.pairs == 16
    assert report.matches
    assert report.is_invariant
    assert report.separation > 0.5


@pytest.mark.parametrize("labels", [labels for labels in permutations(LABELS) if labels != LABELS])
def test_wrong_label_order_is_named(labels: tuple[str, ...], edited: Edit) -> None:
    """Each of the five wrong orders gives plausible numbers and worthless verdicts."""
    listed = ", ".join(f'"{label}"' for label in labels)
    session = load(edited('"entailment", "neutral", "contradiction"', listed), threads=1)

    with pytest.raises(SelfTestError, match="order of the labels"):
        self_test(session, session.manifest)


def test_reversed_direction_is_named(edited: Edit) -> None:
    """Scored the wrong way round, an answer that adds to its source counts as supported."""
    edited('direction = "premise_first"', 'direction = "hypothesis_first"')
    folder = edited(
        "[CLS] {premise} [SEP] {hypothesis} [SEP]", "[CLS] {hypothesis} [SEP] {premise} [SEP]"
    )
    session = load(folder, threads=1)

    with pytest.raises(SelfTestError, match="direction is not hypothesis_first"):
        self_test(session, session.manifest)


def test_score_that_moves_with_its_batch_is_reported(shipped: Session) -> None:
    """Such a model is used with one batch an answer, not refused."""
    shift = 10 * INVARIANCE
    report = self_test(ScriptedModel(shipped.manifest, shift=shift), shipped.manifest)

    assert not report.is_invariant
    assert report.largest_shift == pytest.approx(shift)
    assert report.matches


def test_score_far_from_the_stored_one_is_reported(shipped: Session) -> None:
    """On another processor the thresholds may not fit; enforcing is up to the caller to refuse."""
    stored = tuple(
        dataclasses.replace(pair, entailment=max(0.0, pair.entailment - 0.03))
        for pair in shipped.manifest.self_test
    )
    manifest = dataclasses.replace(shipped.manifest, self_test=stored)

    report = self_test(shipped, manifest)

    assert not report.matches
    assert report.largest_difference == pytest.approx(0.03, abs=0.001)


def test_two_class_model_is_proven_by_entailment_alone(shipped: Session) -> None:
    """It has no contradiction to look at."""
    manifest = dataclasses.replace(shipped.manifest, labels=("entailment", "not_entailment"))

    assert self_test(ScriptedModel(manifest), manifest).matches


def test_pairs_of_one_kind_prove_nothing(shipped: Session) -> None:
    """A manifest without bad pairs would let any model pass."""
    good = tuple(pair for pair in shipped.manifest.self_test if pair.label == ENTAILMENT)
    manifest = dataclasses.replace(shipped.manifest, self_test=good)

    with pytest.raises(SelfTestError):
        self_test(ScriptedModel(manifest), manifest)


def test_pair_that_does_not_fit_is_named(shipped: Session) -> None:
    """It can't be scored, so it can't be left out in silence either."""
    long = SelfTestPair(
        premise="It rains." * 20,
        hypothesis="snow " * 300,
        label="neutral",
        entailment=0.0,
        contradiction=0.0,
    )
    manifest = dataclasses.replace(shipped.manifest, self_test=(long,))

    with pytest.raises(SelfTestError, match="too long"):
        self_test(shipped, manifest)


def test_quick_test_passes_the_shipped_model(shipped: Session) -> None:
    """One check of one answer has no time for the whole test, and no need of it."""
    quick_test(shipped, shipped.manifest)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"entailment", "neutral", "contradiction"', '"contradiction", "neutral", "entailment"',
         "order of the labels"),
        ("temperature = ", "temperature = 1.5 #", "from the stored ones"),
        ("[CLS] {premise} [SEP]", "[CLS] not {premise} [SEP]", "from the stored ones"),
    ],
)  # fmt: skip
def test_quick_test_finds_what_turns_verdicts(old: str, new: str, fault: str, edited: Edit) -> None:
    """With its labels swapped a model supports "nobody likes it" by "everybody likes it"."""
    session = load(edited(old, new), threads=1)

    with pytest.raises(SelfTestError, match=fault):
        quick_test(session, session.manifest)
