"""The exported graph against a forward pass written in numpy, with small random weights."""

import math

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest

from models import linear
from models.graph import BertShape, build_graph
from models.nodes import FloatArray, quantise_channels, quantise_rows

SHAPE = BertShape(
    hidden=64,
    layers=2,
    heads=4,
    positions=40,
    layer_norm_epsilon=1e-12,
    labels=("entailment", "neutral", "contradiction"),
)
VOCABULARY, WIDE = 50, 128
Ids = npt.NDArray[np.int64]


def random_weights(seed: int = 0) -> dict[str, FloatArray]:
    """Weights under Hugging Face names, large enough for attention to be far from uniform."""
    random = np.random.default_rng(seed)
    h, wide = SHAPE.hidden, WIDE
    sizes: dict[str, tuple[int, ...]] = {
        "bert.embeddings.word_embeddings.weight": (VOCABULARY, h),
        "bert.embeddings.position_embeddings.weight": (SHAPE.positions, h),
        "bert.embeddings.token_type_embeddings.weight": (2, h),
        "bert.embeddings.LayerNorm.weight": (h,),
        "bert.embeddings.LayerNorm.bias": (h,),
        "bert.pooler.dense.weight": (h, h),
        "bert.pooler.dense.bias": (h,),
        "classifier.weight": (3, h),
        "classifier.bias": (3,),
    }
    for layer in range(SHAPE.layers):
        prefix = f"bert.encoder.layer.{layer}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            sizes[f"{prefix}.attention.{part}.weight"] = (h, h)
            sizes[f"{prefix}.attention.{part}.bias"] = (h,)
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            sizes[f"{prefix}.{part}.weight"] = (h,)
            sizes[f"{prefix}.{part}.bias"] = (h,)
        sizes[f"{prefix}.intermediate.dense.weight"] = (wide, h)
        sizes[f"{prefix}.intermediate.dense.bias"] = (wide,)
        sizes[f"{prefix}.output.dense.weight"] = (h, wide)
        sizes[f"{prefix}.output.dense.bias"] = (h,)
    return {
        name: (random.standard_normal(size) * 0.2 + ("Norm.weight" in name)).astype(np.float32)
        for name, size in sizes.items()
    }


def forward(weights: dict[str, FloatArray], ids: Ids, types: Ids) -> npt.NDArray[np.float64]:
    """BERT for one unpadded row, after Devlin et al. (NAACL 2019), in float64."""
    w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}

    def dense(x: npt.NDArray[np.float64], name: str) -> npt.NDArray[np.float64]:
        return np.asarray(x @ w[f"{name}.weight"].T + w[f"{name}.bias"])

    def norm(x: npt.NDArray[np.float64], name: str) -> npt.NDArray[np.float64]:
        centred = x - x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True))
        return np.asarray(centred / deviation * w[f"{name}.weight"] + w[f"{name}.bias"])

    prefix = "bert.embeddings"
    x = w[f"{prefix}.word_embeddings.weight"][ids]
    x = x + w[f"{prefix}.position_embeddings.weight"][: len(ids)]
    x = norm(x + w[f"{prefix}.token_type_embeddings.weight"][types], f"{prefix}.LayerNorm")
    for layer in range(SHAPE.layers):
        prefix = f"bert.encoder.layer.{layer}"
        query, key, value = (
            dense(x, f"{prefix}.attention.self.{part}").reshape(len(ids), SHAPE.heads, -1)
            for part in ("query", "key", "value")
        )
        scores = np.einsum("qhd,khd->hqk", query, key) / math.sqrt(SHAPE.head_width)
        attention = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
        mixed = np.einsum("hqk,khd->qhd", attention, value).reshape(len(ids), -1)
        x = norm(
            x + dense(mixed, f"{prefix}.attention.output.dense"),
            f"{prefix}.attention.output.LayerNorm",
        )
        wide = dense(x, f"{prefix}.intermediate.dense")
        wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = norm(x + dense(wide, f"{prefix}.output.dense"), f"{prefix}.output.LayerNorm")
    return dense(np.tanh(dense(x[0], "bert.pooler.dense")), "classifier")


def session_of(written: linear.Linear, *, int8_embeddings: bool) -> onnxruntime.InferenceSession:
    """A runtime session over the graph with random weights."""
    model = build_graph(SHAPE, random_weights(), written, int8_embeddings=int8_embeddings)
    return onnxruntime.InferenceSession(model.SerializeToString())


def run(
    session: onnxruntime.InferenceSession, rows: list[Ids], *, width: int = 0
) -> npt.NDArray[np.float32]:
    """Logits of rows in one batch, padded to the longest or to ``width``."""
    shape = (len(rows), max(width, *(len(row) for row in rows)))
    ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for position, row in enumerate(rows):
        ids[position, : len(row)] = row
        mask[position, : len(row)] = 1
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types_of(ids)}
    return np.asarray(session.run(["logits"], inputs)[0], dtype=np.float32)


def types_of(ids: Ids) -> Ids:
    """The second half of the vocabulary is of type 1: any rule will do."""
    return (ids >= VOCABULARY // 2).astype(np.int64)


@pytest.fixture(scope="module")
def rows() -> list[Ids]:
    """Rows of different lengths, one with a single token and one of full length."""
    random = np.random.default_rng(1)
    return [random.integers(1, VOCABULARY, size=size) for size in (1, 5, 17, 32, SHAPE.positions)]


def test_float32_graph_is_bert(rows: list[Ids]) -> None:
    """The graph is written by hand, so it is compared with a second implementation."""
    session = session_of(linear.float32, int8_embeddings=False)

    found = np.concatenate([run(session, [row]) for row in rows])

    expected = np.stack([forward(random_weights(), row, types_of(row)) for row in rows])
    np.testing.assert_allclose(found, expected, atol=2e-5)


@pytest.mark.parametrize(
    "written",
    [
        linear.PerTokenInt8(),
        linear.PerTokenInt8(levels=63),
        linear.block32,
        linear.StaticInt8(iter([(-6.0, 6.0)] * 100)),
    ],
    ids=["per token", "per token, 7 bits", "blocks of 32", "static"],
)
def test_int8_graphs_stay_near_bert(written: linear.Linear, rows: list[Ids]) -> None:
    """A mistake in a scale or zero point is far larger than the rounding of int8."""
    session = session_of(written, int8_embeddings=True)

    found = np.concatenate([run(session, [row]) for row in rows])

    expected = np.stack([forward(random_weights(), row, types_of(row)) for row in rows])
    assert np.abs(found - expected).mean() < 0.04 * np.ptp(expected)


@pytest.mark.parametrize("levels", [127, 63])
def test_per_token_int8_does_not_see_its_batch(levels: int, rows: list[Ids]) -> None:
    """A verdict may not depend on other people's traffic: alone, batched and padded agree."""
    session = session_of(linear.PerTokenInt8(levels), int8_embeddings=True)

    alone = np.concatenate([run(session, [row]) for row in rows])

    np.testing.assert_allclose(run(session, rows), alone, atol=1e-6)
    padded = np.concatenate([run(session, [row], width=SHAPE.positions) for row in rows])
    np.testing.assert_allclose(padded, alone, atol=1e-6)


def test_row_of_zeros_has_a_scale() -> None:
    """A weight row without a maximum must not become NaN."""
    integers, scales = quantise_rows(np.zeros((2, 8), dtype=np.float32), levels=127)

    assert not integers.any()
    assert (scales == 1.0).all()


def test_activations_of_zero_pass_through_a_per_token_product() -> None:
    """A row of zeros has the maximum 0, by which the scale must not divide."""
    weights = {name: tensor * 0 for name, tensor in random_weights().items()}
    model = build_graph(SHAPE, weights, linear.PerTokenInt8(), int8_embeddings=True)
    session = onnxruntime.InferenceSession(model.SerializeToString())

    logits = run(session, [np.arange(1, 9)])

    assert (logits == 0.0).all()


def test_same_weights_give_the_same_bytes() -> None:
    """The card promises a rebuild to the byte; hashes in the manifest depend on it."""
    built = [
        build_graph(SHAPE, random_weights(), linear.PerTokenInt8(), int8_embeddings=True)
        for _ in range(2)
    ]

    first, second = (model.SerializeToString(deterministic=True) for model in built)
    assert first == second


def test_neighbouring_weights_leave_room_for_their_sum() -> None:
    """Without VNNI the sum of two products is cut at 16 bits: other processors, other verdicts."""
    random = np.random.default_rng(2)
    weight = (random.standard_normal((50, 64)) ** 3).astype(np.float32)
    weight[0] = 0.0

    bounded, scales = quantise_channels(weight, levels=127, keep_sums=True)
    free, _ = quantise_channels(weight, levels=127, keep_sums=False)

    for sign in (1, -1):
        one_sided = np.clip(sign * bounded.astype(np.int32), 0, None)
        assert 255 * (one_sided[:, 0::2] + one_sided[:, 1::2]).max() <= np.iinfo(np.int16).max
    assert np.abs(free).max() == 127
    assert np.abs(bounded * scales[:, None] - weight).max() <= scales.max() / 2 + 1e-6
