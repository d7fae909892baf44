"""Ways to write ``x @ W.T + b``: float32 and three kinds of int8.

A verdict may not depend on other people's traffic, so the choice between them is measured for
invariance, not only for size and speed (the card of the shipped model has the table).
"""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from onnx import TensorProto

from models.nodes import FloatArray, Int8Array, Nodes, quantise_channels, quantise_rows

ZERO_POINT = 128  # unsigned activations around 128: signed ones have no fast path on x86
SMALLEST = 1e-12  # stands in for the maximum of a row of zeros, whose scale would divide by 0
BLOCK = 32


class Linear(Protocol):
    """Writes one multiplication of ``[rows, in]`` by a weight ``[out, in]`` and adds the bias."""

    def __call__(self, nodes: Nodes, rows: str, weight: FloatArray, bias: FloatArray) -> str:
        """Append the nodes and return the name of the result, ``[rows, out]``."""
        ...


def float32(nodes: Nodes, rows: str, weight: FloatArray, bias: FloatArray) -> str:
    """Plain float32."""
    product = nodes.add("MatMul", rows, nodes.tensor(np.ascontiguousarray(weight.T)))
    return nodes.add("Add", product, nodes.tensor(bias))


class PerTokenInt8:
    """Each row has its own scale, max|x| / 127, so no row can move another one.

    Args:
        levels: 127 for int8 weights; 63 keeps them to 7 bits.
        keep_sums: Round so that no processor can saturate, see ``quantise_channels``.
    """

    def __init__(self, levels: int = 127, *, keep_sums: bool = True) -> None:
        self.levels, self.keep_sums = levels, keep_sums

    def __call__(self, nodes: Nodes, rows: str, weight: FloatArray, bias: FloatArray) -> str:
        """Quantise the rows, multiply integers, scale back by row and by channel."""
        largest = nodes.add("ReduceMax", nodes.add("Abs", rows), nodes.ints(1), keepdims=1)
        guarded = nodes.add("Max", largest, nodes.scalar(SMALLEST))
        scale = nodes.add("Mul", guarded, nodes.scalar(1 / 127))
        flat = nodes.add("Squeeze", scale, nodes.ints(1))
        zero = nodes.tensor(np.array([ZERO_POINT], dtype=np.uint8))
        zeros = nodes.add("Expand", zero, nodes.add("Shape", flat))
        integers = nodes.add("QuantizeLinear", rows, flat, zeros, axis=0)
        channels = quantise_channels(weight, levels=self.levels, keep_sums=self.keep_sums)
        by_channel = _integer_product(nodes, integers, channels, ZERO_POINT)
        return nodes.add("Add", nodes.add("Mul", by_channel, scale), nodes.tensor(bias))


class StaticInt8:
    """One scale and zero point a multiplication, fixed beforehand on calibration data.

    Args:
        ranges: (smallest, largest) input of each multiplication, in the order of the graph.
    """

    def __init__(self, ranges: Iterator[tuple[float, float]]) -> None:
        self.ranges = ranges

    def __call__(self, nodes: Nodes, rows: str, weight: FloatArray, bias: FloatArray) -> str:
        """Quantise with the fixed scale, multiply integers, scale back by channel."""
        low, high = next(self.ranges)
        low, high = min(low, 0.0), max(high, 0.0)
        scale = max(high - low, SMALLEST) / 255
        zero = round(-low / scale)
        zero_point = nodes.tensor(np.array(zero, dtype=np.uint8))
        integers = nodes.add("QuantizeLinear", rows, nodes.scalar(scale), zero_point)
        channels = quantise_channels(weight, levels=127, keep_sums=True)
        by_channel = _integer_product(nodes, integers, channels, zero)
        scaled = nodes.add("Mul", by_channel, nodes.scalar(scale))
        return nodes.add("Add", scaled, nodes.tensor(bias))


def block32(nodes: Nodes, rows: str, weight: FloatArray, bias: FloatArray) -> str:
    """Weights of 8 bits in blocks of 32 inputs with one scale each; activations float32."""
    out, width = weight.shape
    integers, scales = quantise_rows(weight.reshape(-1, BLOCK), levels=127)
    stored = (integers.astype(np.int16) + 128).astype(np.uint8)
    return nodes.add(
        "MatMulNBits",
        rows,
        nodes.tensor(stored.reshape(out, width // BLOCK, BLOCK)),
        nodes.tensor(scales.reshape(out, width // BLOCK)),
        "",
        "",
        nodes.tensor(bias),
        domain="com.microsoft",
        K=width,
        N=out,
        bits=8,
        block_size=BLOCK,
    )


def _integer_product(
    nodes: Nodes, integers: str, channels: tuple[Int8Array, FloatArray], zero: int
) -> str:
    quantised, scales = channels
    product = nodes.add(
        "MatMulInteger",
        integers,
        nodes.tensor(np.ascontiguousarray(quantised.T)),
        nodes.tensor(np.array(zero, dtype=np.uint8)),
    )
    return nodes.add("Mul", nodes.add("Cast", product, to=TensorProto.FLOAT), nodes.tensor(scales))
