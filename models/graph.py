"""The BERT classifier as an ONNX graph, written node by node.

Pure: weights in, model out. No torch: the graph is short, and writing it out is what lets every
matrix multiplication be replaced by one whose result does not depend on batch mates (linear.py).
Activations stay two-dimensional, one row a token, except inside attention. Padding is masked there
with a large negative number, so that its weight is exactly 0.0 after the softmax.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from models.linear import Linear
from models.nodes import FloatArray, Nodes, quantise_rows

OPSET = 20
IR_VERSION = 9  # read by every onnxruntime since 1.16
MASKED = -10000.0  # exp() of it is 0.0 in float32 beside any score a model gives


@dataclass(frozen=True, slots=True, kw_only=True)
class BertShape:
    """What of a checkpoint's config.json decides the graph."""

    hidden: int
    layers: int
    heads: int
    positions: int
    layer_norm_epsilon: float
    labels: tuple[str, ...]

    @property
    def head_width(self) -> int:
        """Width of one attention head."""
        return self.hidden // self.heads


def read_shape(config: Path) -> BertShape:
    """Read a Hugging Face ``config.json``; labels in the order of the logits.

    Raises:
        ValueError: If it is no BERT with exact GELU and absolute positions.
    """
    raw = json.loads(config.read_text(encoding="utf-8"))
    found = (raw["model_type"], raw["hidden_act"], raw.get("position_embedding_type", "absolute"))
    if found != ("bert", "gelu", "absolute"):
        raise ValueError(f"{config}: found {found}, expected ('bert', 'gelu', 'absolute')")
    labels = raw["id2label"]
    return BertShape(
        hidden=raw["hidden_size"],
        layers=raw["num_hidden_layers"],
        heads=raw["num_attention_heads"],
        positions=raw["max_position_embeddings"],
        layer_norm_epsilon=raw["layer_norm_eps"],
        labels=tuple(labels[str(index)].lower() for index in range(len(labels))),
    )


def build_graph(
    shape: BertShape, weights: Mapping[str, FloatArray], linear: Linear, *, int8_embeddings: bool
) -> onnx.ModelProto:
    """Write the classifier with every matrix multiplication done by ``linear``.

    Args:
        shape: Sizes of the checkpoint.
        weights: Tensors under their Hugging Face names, float32.
        linear: How ``x @ W.T + b`` is written.
        int8_embeddings: Keep the word table as int8 rows with one scale each.

    Returns:
        Inputs ``input_ids``, ``attention_mask``, ``token_type_ids``, int64 ``[pairs, tokens]``;
        output ``logits``, float32 ``[pairs, classes]``.
    """
    graph = _Bert(shape, weights, linear)
    graph.embed(int8_embeddings=int8_embeddings)
    for layer in range(shape.layers):
        graph.attend(f"bert.encoder.layer.{layer}.attention")
        graph.feed_forward(f"bert.encoder.layer.{layer}")
    graph.classify()
    return _model(graph.nodes, len(shape.labels))


class _Bert:
    """The graph in the making; ``rows`` names the activations, ``[pairs * tokens, hidden]``."""

    def __init__(self, shape: BertShape, weights: Mapping[str, FloatArray], linear: Linear) -> None:
        self.shape, self.weights, self.linear = shape, weights, linear
        self.nodes = Nodes()
        self.rows = ""
        add = self.nodes.add
        self.input_shape = add("Shape", "input_ids")
        mask = add("Cast", "attention_mask", to=TensorProto.FLOAT)
        absent = add("Sub", self.nodes.scalar(1.0), mask)
        flat = add("Mul", absent, self.nodes.scalar(MASKED))
        self.mask = add("Unsqueeze", flat, self.nodes.ints(1, 2))

    def embed(self, *, int8_embeddings: bool) -> None:
        """Sum word, position and type rows, then normalise."""
        add, prefix = self.nodes.add, "bert.embeddings"
        words = self._word_rows(f"{prefix}.word_embeddings.weight", int8=int8_embeddings)
        tokens = add("Gather", self.input_shape, self.nodes.ints(1))
        positions = add(
            "Slice",
            self.nodes.tensor(self.weights[f"{prefix}.position_embeddings.weight"]),
            self.nodes.ints(0),
            tokens,
            self.nodes.ints(0),
        )
        types = add(
            "Gather",
            self.nodes.tensor(self.weights[f"{prefix}.token_type_embeddings.weight"]),
            "token_type_ids",
        )
        summed = add("Add", add("Add", words, types), positions)
        rows = add("Reshape", summed, self.nodes.ints(-1, self.shape.hidden))
        self.rows = self._normalise(rows, f"{prefix}.LayerNorm")

    def attend(self, prefix: str) -> None:
        """Self-attention in float32; the three projections are one multiplication."""
        add, shape = self.nodes.add, self.shape
        weight, bias = self._joined_projections(f"{prefix}.self")
        joined = self.linear(self.nodes, self.rows, weight, bias)
        query, key, value = self.nodes.split(joined, parts=3)
        by_head = add(
            "Concat", self.input_shape, self.nodes.ints(shape.heads, shape.head_width), axis=0
        )
        query = add("Transpose", add("Reshape", query, by_head), perm=[0, 2, 1, 3])
        key = add("Transpose", add("Reshape", key, by_head), perm=[0, 2, 3, 1])
        value = add("Transpose", add("Reshape", value, by_head), perm=[0, 2, 1, 3])
        scores = add("Add", add("MatMul", query, key), self.mask)
        mixed = add("MatMul", add("Softmax", scores, axis=-1), value)
        mixed = add("Transpose", mixed, perm=[0, 2, 1, 3])
        rows = add("Reshape", mixed, self.nodes.ints(-1, shape.hidden))
        self._project_and_add(rows, f"{prefix}.output")

    def feed_forward(self, prefix: str) -> None:
        """The two-layer block with exact GELU."""
        wide = self._linear(self.rows, f"{prefix}.intermediate.dense")
        self._project_and_add(self.nodes.add("Gelu", wide), f"{prefix}.output")

    def classify(self) -> None:
        """First token, pooler, classifier.

        The last product is written as multiply and sum: a matrix product of one row may be
        computed in another order than one of many, and then a pair alone scores differently.
        """
        add = self.nodes.add
        by_pair = add("Concat", self.input_shape, self.nodes.ints(self.shape.hidden), axis=0)
        first = add("Gather", add("Reshape", self.rows, by_pair), self.nodes.index(0), axis=1)
        pooled = add("Tanh", self._linear(first, "bert.pooler.dense"))
        products = add(
            "Mul",
            add("Unsqueeze", pooled, self.nodes.ints(1)),
            self.nodes.tensor(self.weights["classifier.weight"]),
        )
        sums = add("ReduceSum", products, self.nodes.ints(2), keepdims=0)
        bias = self.nodes.tensor(self.weights["classifier.bias"])
        self.nodes.add("Add", sums, bias, output="logits")

    def _word_rows(self, name: str, *, int8: bool) -> str:
        add, table = self.nodes.add, self.weights[name]
        if not int8:
            return add("Gather", self.nodes.tensor(table), "input_ids")
        quantised, scales = quantise_rows(table, levels=127)
        rows = add("Gather", self.nodes.tensor(quantised), "input_ids")
        row_scales = add("Gather", self.nodes.tensor(scales[:, None]), "input_ids")
        return add("Mul", add("Cast", rows, to=TensorProto.FLOAT), row_scales)

    def _joined_projections(self, prefix: str) -> tuple[FloatArray, FloatArray]:
        # The softmax's 1/sqrt(width) goes into the query's weights: one multiplication less.
        factors = {"query": self.shape.head_width**-0.5, "key": 1.0, "value": 1.0}
        weight = [self.weights[f"{prefix}.{part}.weight"] * by for part, by in factors.items()]
        bias = [self.weights[f"{prefix}.{part}.bias"] * by for part, by in factors.items()]
        return (
            np.concatenate(weight).astype(np.float32),
            np.concatenate(bias).astype(np.float32),
        )

    def _linear(self, rows: str, prefix: str) -> str:
        weight, bias = self.weights[f"{prefix}.weight"], self.weights[f"{prefix}.bias"]
        return self.linear(self.nodes, rows, weight, bias)

    def _project_and_add(self, rows: str, prefix: str) -> None:
        projected = self._linear(rows, f"{prefix}.dense")
        summed = self.nodes.add("Add", projected, self.rows)
        self.rows = self._normalise(summed, f"{prefix}.LayerNorm")

    def _normalise(self, rows: str, prefix: str) -> str:
        return self.nodes.add(
            "LayerNormalization",
            rows,
            self.nodes.tensor(self.weights[f"{prefix}.weight"]),
            self.nodes.tensor(self.weights[f"{prefix}.bias"]),
            axis=-1,
            epsilon=self.shape.layer_norm_epsilon,
        )


def _model(nodes: Nodes, classes: int) -> onnx.ModelProto:
    names = ("input_ids", "attention_mask", "token_type_ids")
    graph = helper.make_graph(
        nodes.written,
        "bert_classifier",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["pairs", "tokens"]) for n in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", classes])],
        nodes.tensors,
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(
        graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="gatekeeper"
    )
    onnx.checker.check_model(model)
    return model
