"""The shipped file against float32: ``python -m benchmarks.parity CHECKPOINT DATA``.

On 10,000 pairs: 7,000 of the evaluation sets and 1,000 of each of three sets over paragraphs. Both
are run at temperature 1, so that only the rounding of the weights and activations differs. First
the checkpoint is exported as the shipped file was: other bytes than the folder's are an error, for
then it is another model.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.machine import describe
from benchmarks.pairs import LabelledPair, all_logits, by_source, encode, read_pairs, sample
from gatekeeper.errors import GatekeeperError, ManifestError
from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.runtime.manifest import MODEL, model_folder
from gatekeeper.runtime.session import load
from models import package
from models.compare import error
from models.export import SHIPPED, write_model

RESULT = Path(__file__).parent / "results" / "parity.json"
FILES = {
    "nli_eval.jsonl.gz": 7000,
    "doc/condaqa.jsonl.gz": 1000,
    "doc/fairytaleqa.jsonl.gz": 1000,
    "doc/contractnli_window.jsonl.gz": 1000,
}
REFERENCE = "fp32"


def draw(data: Path, share: float = 1.0) -> list[LabelledPair]:
    """Return the pairs, or a share of them for a trial."""
    return [
        pair
        for name, size in FILES.items()
        for pair in sample(read_pairs(data / name), round(share * size))
    ]


def measure(
    checkpoint: Path, shipped: Path, pairs: Sequence[LabelledPair], work: Path
) -> dict[str, object]:
    """Export both ways into a folder and compare.

    Raises:
        ManifestError: If the checkpoint's export is not the shipped file.
    """
    found = {}
    for variant in (REFERENCE, SHIPPED):
        folder = work / variant
        write_model(checkpoint, variant, folder)
        labels = package.LABELS.split(",")
        package.write_manifest(package.HAND_WRITTEN, folder, temperature=1.0, labels=labels)
        if variant == SHIPPED:
            same(folder / MODEL, shipped / MODEL)
        session = load(folder)
        found[variant] = all_logits(session, encode(session, pairs))
    return {
        "benchmark": "parity",
        "machine": describe(),
        "model": hashlib.sha256((shipped / MODEL).read_bytes()).hexdigest(),
        "variant": SHIPPED,
        "pairs": {name: len(rows) for name, rows in by_source(pairs).items()},
        **error(found[REFERENCE], found[SHIPPED]),
    }


def same(made: Path, shipped: Path) -> None:
    """Raise ``ManifestError`` if two files differ; it names both hashes."""
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (made, shipped)]
    if digests[0] != digests[1]:
        raise ManifestError(
            shipped,
            f"sha256 {digests[1]}",
            f"{digests[0]}, the export of the checkpoint; name the checkpoint it was made from",
        )


def main() -> int:
    """Measure and write; 2 if the files don't belong together or can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path, help="config.json, model.safetensors, tokenizer")
    parser.add_argument("data", type=Path, help="folder with nli_eval.jsonl.gz and doc/")
    parser.add_argument("--model", type=Path, help="model folder; the shipped one if not given")
    parser.add_argument("--share", type=float, default=1.0, help="of the pairs, for a trial")
    parser.add_argument("-o", "--output", type=Path, default=RESULT)
    given = parser.parse_args()
    shipped = given.model or model_folder(SHIPPED_MODEL)
    try:
        pairs = draw(given.data, given.share)
        with tempfile.TemporaryDirectory() as work:
            result = measure(given.checkpoint, shipped, pairs, Path(work))
    except (GatekeeperError, OSError) as fault:
        print(fault, file=sys.stderr)
        return 2
    given.output.parent.mkdir(exist_ok=True)
    given.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(json.dumps({name: value for name, value in result.items() if name != "machine"}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
