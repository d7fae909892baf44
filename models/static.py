"""The ranges static int8 needs: what each multiplication is given on real pairs."""

import gzip
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnx import TensorProto, helper
from tokenizers import Tokenizer

from models.graph import BertShape, build_graph
from models.linear import float32
from models.nodes import FloatArray, Nodes

CALIBRATION_PAIRS = 256
EVERY = 97  # neighbours in the file come from one source
MAX_TOKENS = 192


class Recorder:
    """Writes float32 multiplications and notes what they are given, in order."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def __call__(self, nodes: Nodes, rows: str, weight: FloatArray, bias: FloatArray) -> str:
        """Append a plain multiplication."""
        self.given.append(rows)
        return float32(nodes, rows, weight, bias)


def observed_ranges(
    shape: BertShape, weights: Mapping[str, FloatArray], tokenizer: Path, pairs: Path
) -> list[tuple[float, float]]:
    """Return the smallest and largest input of each multiplication over calibration pairs."""
    recorder = Recorder()
    model = build_graph(shape, weights, recorder, int8_embeddings=False)
    outputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in recorder.given]
    model.graph.output.extend(outputs)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    extremes = [
        [(float(one.min()), float(one.max())) for one in session.run(recorder.given, inputs)]
        for inputs in _inputs(tokenizer, pairs)
    ]
    return [
        (min(low for low, _ in seen), max(high for _, high in seen))
        for seen in zip(*extremes, strict=True)
    ]


def _inputs(tokenizer: Path, pairs: Path) -> Iterator[dict[str, npt.NDArray[np.int64]]]:
    encoder = Tokenizer.from_file(str(tokenizer))
    encoder.enable_truncation(MAX_TOKENS)
    with gzip.open(pairs, "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, EVERY * CALIBRATION_PAIRS, EVERY):
            row = json.loads(line)
            encoded = encoder.encode(row["premise"], row["hypothesis"])
            yield {
                "input_ids": np.array([encoded.ids]),
                "attention_mask": np.ones((1, len(encoded.ids)), dtype=np.int64),
                "token_type_ids": np.array([encoded.type_ids]),
            }
