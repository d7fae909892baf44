"""Average two checkpoints of one shape: ``python -m models.average A B OUT --share 0.5``.

Between a checkpoint and what it became by training on something narrower lie models that keep more
of the one and have learnt some of the other (Wortsman et al., Robust fine-tuning of zero-shot
models, CVPR 2022). It costs no training.
"""

import argparse
import shutil
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from models.checkpoint import read_checkpoint

COPIED = ("config.json", "tokenizer.json")


def average(first: Path, second: Path, out: Path, *, share: float) -> None:
    """Write the checkpoint ``share`` of the way from the first to the second, in float16.

    Raises:
        ValueError: If they are not of one shape.
    """
    shape, one = read_checkpoint(first)
    other_shape, other = read_checkpoint(second)
    if shape != other_shape or one.keys() != other.keys():
        raise ValueError(f"{first} and {second} differ in shape: no average of them is a model")
    mixed = {
        name: ((1 - share) * one[name] + share * other[name]).astype(np.float16) for name in one
    }
    out.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        shutil.copyfile(second / name, out / name)
    save_file(mixed, out / "model.safetensors", metadata={"format": "pt"})


def main() -> None:
    """Write the average."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="of the second")
    given = parser.parse_args()
    average(given.first, given.second, given.out, share=given.share)


if __name__ == "__main__":
    main()
