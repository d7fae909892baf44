"""The model at work: the shipped one, and small ones that misbehave."""

import dataclasses
import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from gatekeeper.errors import InferenceError, ManifestError, ModelFileError
from gatekeeper.protocols import EncodedPair
from gatekeeper.runtime.manifest import MANIFEST, MODEL, model_folder, read_manifest
from gatekeeper.runtime.session import LoneSession, Session, load

Edit = Callable[[str, str], Path]
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def small_model(
    last: onnx.NodeProto, *, inputs: tuple[str, ...] = INPUTS, classes: int = 3
) -> bytes:
    """A model whose ``logits`` are made of ``seeds``: the first ids of a row, as floats."""
    first = helper.make_tensor("wanted", TensorProto.INT64, [classes], range(classes))
    head = [
        helper.make_node("Gather", ["input_ids", "wanted"], ["first"], axis=1),
        helper.make_node("Cast", ["first"], ["seeds"], to=TensorProto.FLOAT),
    ]
    graph = helper.make_graph(
        [*head, last],
        "small",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["pairs", "tokens"]) for n in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", classes])],
        [first],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return bytes(model.SerializeToString())


IDENTITY = helper.make_node("Identity", ["seeds"], ["logits"])


def with_model(folder: Path, content: bytes) -> Path:
    """Put another model in a folder, with its hash."""
    old = read_manifest(folder).files[MODEL]
    (folder / MODEL).unlink()
    (folder / MODEL).write_bytes(content)
    path = folder / MANIFEST
    text = path.read_text(encoding="utf-8").replace(old, hashlib.sha256(content).hexdigest())
    path.write_text(text, encoding="utf-8")
    return folder


def pair_of(*ids: int) -> EncodedPair:
    """A pair with the given ids."""
    return EncodedPair(ids=ids, type_ids=(0,) * len(ids))


def test_shipped_model_tells_support_from_contradiction(shipped: Session) -> None:
    """The whole path from text to probability, on pairs that need no calibration."""
    texts = [
        ("The office in Porto opened in 2019.", "The office in Porto opened in 2019."),
        ("The office in Porto opened in 2019.", "The office in Porto opened in 2011."),
    ]
    pairs = [pair for text in texts if (pair := shipped.encode(*text)) is not None]

    same, other = shipped.score(pairs)

    assert same.entailment > 0.8
    assert same.contradiction < 0.2
    assert other.contradiction > 0.5 > other.entailment


def test_scores_do_not_depend_on_mates_or_threads(shipped: Session) -> None:
    """A verdict may not depend on other people's traffic."""
    pairs = [pair_of(101, *range(2000, 2000 + size), 102) for size in (3, 9, 40, 150)]
    two_threads = load(model_folder("minilm-l6-nli"), threads=2)

    alone = np.concatenate([shipped.logits([pair]) for pair in pairs])

    for found in (
        shipped.logits(pairs),
        shipped.logits(pairs, width=256),
        two_threads.logits(pairs[::-1])[::-1],
    ):
        np.testing.assert_allclose(found, alone, atol=1e-5)


def test_no_pairs_need_no_pass(shipped: Session) -> None:
    """An empty batch is no error."""
    assert shipped.score([]) == []


def test_temperature_softens_the_probabilities(copied: Path) -> None:
    """Temperature divides the logits; without it the thresholds would not fit."""
    session = load(with_model(copied, small_model(IDENTITY)), threads=1)
    manifest = dataclasses.replace(session.manifest, temperature=2.0)
    soft = Session(manifest, session.tokens, session._runtime)

    score = soft.score([pair_of(4, 2, 0)])[0]

    expected = np.exp([2.0, 1.0, 0.0]) / np.exp([2.0, 1.0, 0.0]).sum()
    assert score.entailment == pytest.approx(expected[0])
    assert score.contradiction == pytest.approx(expected[2])


def test_labels_are_mapped_through_the_manifest(copied: Path) -> None:
    """Checkpoints differ in their label order; a fixed one reads support as contradiction."""
    session = load(with_model(copied, small_model(IDENTITY)), threads=1)
    turned = dataclasses.replace(session.manifest, labels=session.manifest.labels[::-1])
    other = Session(turned, session.tokens, session._runtime)

    first, second = session.score([pair_of(9, 0, 0)])[0], other.score([pair_of(9, 0, 0)])[0]

    assert first.entailment == second.contradiction > 0.99


def test_two_class_model_never_contradicts(edited: Edit) -> None:
    """A support model has no such class, and 0.0 can pass no contradiction threshold."""
    folder = edited('"entailment", "neutral", "contradiction"', '"not_entailment", "entailment"')
    session = load(with_model(folder, small_model(IDENTITY, classes=2)), threads=1)

    score = session.score([pair_of(0, 9)])[0]

    assert score.entailment > 0.99
    assert score.contradiction == 0.0


def test_model_without_type_ids_is_not_given_any(copied: Path) -> None:
    """RoBERTa and its kin have no such input, and the runtime refuses unknown names."""
    folder = with_model(copied, small_model(IDENTITY, inputs=INPUTS[:2]))

    assert len(load(folder, threads=1).score([pair_of(1, 2, 3)])) == 1


def test_number_that_is_none_is_no_score(copied: Path) -> None:
    """A NaN clamped to 0.0 would be a confident verdict."""
    broken = helper.make_node("Log", ["seeds"], ["logits"])
    session = load(with_model(copied, small_model(broken)), threads=1)

    with pytest.raises(InferenceError, match="NaN"):
        session.score([pair_of(1, 2, 3), pair_of(0, 0, 0)])


def test_failed_pass_is_an_inference_error(shipped: Session) -> None:
    """The scheduler answers its waiters for this error and for no other."""
    with pytest.raises(InferenceError, match="forward pass failed"):
        shipped.score([pair_of(101, 999_999, 102)])


@pytest.mark.parametrize(
    ("model", "found"),
    [
        (b"no model", "no loadable model"),
        (small_model(IDENTITY, inputs=("input_ids", "mask")), "inputs"),
        (small_model(IDENTITY, inputs=(*INPUTS, "position_ids")), "position_ids"),
    ],
    ids=["no model", "a missing input", "an unknown input"],
)
def test_model_that_takes_other_inputs_is_refused(model: bytes, found: str, copied: Path) -> None:
    """Found at load, not at the first request."""
    with pytest.raises(ModelFileError, match=found):
        load(with_model(copied, model), threads=1)


def test_number_of_labels_must_be_that_of_the_logits(copied: Path) -> None:
    """One logit read as three classes is how a reranker ends up in a list of NLI models."""
    with pytest.raises(ManifestError, match="3 labels for an output of shape"):
        load(with_model(copied, small_model(IDENTITY, classes=2)), threads=1)


def test_more_tokens_than_positions_are_refused(edited: Edit) -> None:
    """Found at load: otherwise only the longest answers would fail."""
    with pytest.raises(ManifestError, match="max_tokens 600"):
        load(edited("max_tokens = 256", "max_tokens = 600"), threads=1)


def test_changed_model_is_refused_unless_told_otherwise(copied: Path) -> None:
    """Verification is the default; skipping it is for a caller that has just done it."""
    content = small_model(IDENTITY)
    (copied / MODEL).unlink()
    (copied / MODEL).write_bytes(content)

    with pytest.raises(ModelFileError, match="sha256"):
        load(copied, threads=1)
    assert load(copied, threads=1, verify=False).score([pair_of(9, 0, 0)])[0].entailment > 0.99


def test_fingerprint_is_the_manifests(shipped: Session) -> None:
    """Verdicts carry it, so that figures of two models are never pooled."""
    assert shipped.fingerprint == shipped.manifest.fingerprint
    assert shipped.unknown_words("\U0001f9ff") == ("\U0001f9ff",)


def test_lone_session_scores_each_pair_in_one_way(shipped: Session) -> None:
    """Alone at full length: whatever shares the call, a pair has one score, that of the model."""
    lone = LoneSession(shipped)
    texts = [("The lamp is blue.", "The lamp is blue."), ("The lamp is blue. " * 9, "It is red.")]
    short, long = (pair for text in texts if (pair := lone.encode(*text)) is not None)

    together = lone.score([short, long])

    assert together == [*lone.score([short]), *lone.score([long])]
    plain = EncodedPair(ids=short.ids, type_ids=short.type_ids)
    assert together[0].entailment == pytest.approx(shipped.score([plain])[0].entailment, abs=1e-5)


def test_lone_session_says_what_a_pair_costs(shipped: Session) -> None:
    """Passes are planned by tokens: a short pair that runs at full length must not look cheap."""
    lone = LoneSession(shipped)

    pair = lone.encode("The lamp is blue.", "The lamp is blue.")

    assert pair is not None
    assert (pair.tokens, len(pair.ids) < 20) == (shipped.manifest.max_tokens, True)
    assert lone.encode("The lamp is blue.", "word " * 2000) is None
    assert lone.unknown_words("\u65e5") == shipped.unknown_words("\u65e5")
    assert lone.fingerprint == shipped.fingerprint
