"""Export a BERT checkpoint to ONNX, with one of several ways to multiply matrices.

    python -m models.export CHECKPOINT OUT --variant int8_per_token

CHECKPOINT holds config.json, model.safetensors and tokenizer.json; OUT gets model.onnx and
tokenizer.json. The same checkpoint gives the same bytes. models/package.py writes the manifest.
"""

import argparse
import shutil
from pathlib import Path

import onnx

from gatekeeper.runtime.manifest import MODEL, TOKENIZER
from models import linear
from models.checkpoint import read_checkpoint
from models.graph import build_graph
from models.static import observed_ranges

DATA_FREE: dict[str, linear.Linear] = {
    "fp32": linear.float32,
    "int8_per_token": linear.PerTokenInt8(),
    "int8_per_token_unbounded": linear.PerTokenInt8(keep_sums=False),
    "int7_per_token": linear.PerTokenInt8(levels=63, keep_sums=False),
    "int8_block32": linear.block32,
}
SHIPPED = "int8_per_token"
VARIANTS = (*DATA_FREE, "int8_static")


def export(checkpoint: Path, variant: str, calibration: Path | None = None) -> onnx.ModelProto:
    """Build one variant; the static one needs a gzipped file of pairs to calibrate on.

    Raises:
        KeyError: If there is no such variant.
        ValueError: If the static one gets no calibration data.
    """
    shape, weights = read_checkpoint(checkpoint)
    if variant == "int8_static":
        if calibration is None:
            raise ValueError("int8_static needs calibration pairs")
        ranges = observed_ranges(shape, weights, checkpoint / TOKENIZER, calibration)
        written: linear.Linear = linear.StaticInt8(iter(ranges))
    else:
        written = DATA_FREE[variant]
    return build_graph(shape, weights, written, int8_embeddings=variant != "fp32")


def write_model(checkpoint: Path, variant: str, out: Path, calibration: Path | None = None) -> None:
    """Write model.onnx and tokenizer.json of one variant."""
    out.mkdir(parents=True, exist_ok=True)
    model = export(checkpoint, variant, calibration)
    (out / MODEL).write_bytes(model.SerializeToString(deterministic=True))
    shutil.copyfile(checkpoint / TOKENIZER, out / TOKENIZER)
    print(f"{out / MODEL}: {(out / MODEL).stat().st_size / 1e6:.1f} MB")


def main() -> None:
    """Write the model folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--variant", choices=VARIANTS, required=True)
    parser.add_argument("--calibration", type=Path, help="pairs, .jsonl.gz, for int8_static")
    given = parser.parse_args()
    write_model(given.checkpoint, given.variant, given.out, given.calibration)


if __name__ == "__main__":
    main()
