"""Reading a Hugging Face checkpoint folder: shape, weights, pairs to calibrate on."""

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from models.graph import BertShape, read_shape
from models.nodes import FloatArray


def read_checkpoint(folder: Path) -> tuple[BertShape, dict[str, FloatArray]]:
    """Return what ``config.json`` says and the tensors of ``model.safetensors`` in float32."""
    tensors = load_file(folder / "model.safetensors")
    weights = {name: tensor.astype(np.float32) for name, tensor in tensors.items()}
    return read_shape(folder / "config.json"), weights
