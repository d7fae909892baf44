"""A list of ONNX nodes that names its own values, and the rounding of weights to integers.

Names are counted, never drawn, so the same weights give the same file byte for byte.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

FloatArray = npt.NDArray[np.float32]
Int8Array = npt.NDArray[np.int8]


class Nodes:
    """Nodes and constants of a graph, in the order in which they were added."""

    def __init__(self) -> None:
        self.written: list[onnx.NodeProto] = []
        self.tensors: list[onnx.TensorProto] = []
        self._constants: dict[tuple[str, bytes, tuple[int, ...]], str] = {}

    def add(
        self, op: str, *inputs: str, output: str = "", domain: str = "", **attributes: Any
    ) -> str:
        """Append a node with one output and return the output's name."""
        output = output or f"v{len(self.written)}"
        node = helper.make_node(op, list(inputs), [output], domain=domain, **attributes)
        self.written.append(node)
        return output

    def split(self, value: str, *, parts: int) -> tuple[str, ...]:
        """Cut the last axis into equal parts."""
        names = tuple(f"v{len(self.written)}_{part}" for part in range(parts))
        self.written.append(helper.make_node("Split", [value], names, axis=-1, num_outputs=parts))
        return names

    def tensor(self, array: npt.NDArray[Any]) -> str:
        """Store a constant; an equal one is stored once."""
        key = (array.dtype.str, array.tobytes(), array.shape)
        if key not in self._constants:
            name = f"c{len(self._constants)}"
            self._constants[key] = name
            self.tensors.append(numpy_helper.from_array(array, name))
        return self._constants[key]

    def scalar(self, number: float) -> str:
        """Store a float32 scalar."""
        return self.tensor(np.array(number, dtype=np.float32))

    def ints(self, *numbers: int) -> str:
        """Store a list of int64: axes, shapes."""
        return self.tensor(np.array(numbers, dtype=np.int64))

    def index(self, number: int) -> str:
        """Store one int64 without an axis."""
        return self.tensor(np.array(number, dtype=np.int64))


def quantise_rows(table: FloatArray, *, levels: int) -> tuple[Int8Array, FloatArray]:
    """Round each row of a matrix to integers in [-levels, levels] with one scale a row.

    Returns:
        The integers and the scales, shape ``(rows,)``; a row of zeros has the scale 1.0.
    """
    largest = np.abs(table).max(axis=1)
    scales = np.where(largest > 0, largest / levels, 1.0).astype(np.float32)
    return np.rint(table / scales[:, None]).astype(np.int8), scales


def quantise_channels(
    weight: FloatArray, *, levels: int, keep_sums: bool
) -> tuple[Int8Array, FloatArray]:
    """Round a weight ``[out, in]`` like ``quantise_rows``, optionally so that no sum saturates.

    Without VNNI an x86 processor multiplies unsigned by signed bytes two at a time and keeps the
    sum of two neighbours in 16 bits, cut off at 32,767. That sum is at most 255 times what two
    neighbours of one sign hold together, so ``keep_sums`` bounds that by 128: where a large weight
    has small neighbours, nearly all 8 bits are used.
    """
    largest = np.abs(weight).max(axis=1) / levels
    if keep_sums:
        both = np.stack([np.clip(weight, 0, None), np.clip(-weight, 0, None)])
        neighbours = both[:, :, 0::2] + both[:, :, 1::2]
        # 127, not 128: rounding may add a half to each of the two.
        largest = np.maximum(largest, neighbours.max(axis=(0, 2)) / 127)
    scales = np.where(largest > 0, largest, 1.0).astype(np.float32)
    return np.rint(weight / scales[:, None]).astype(np.int8), scales
