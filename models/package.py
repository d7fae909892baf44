"""Write a model folder's manifest: hashes, labels, temperature, self-test scores.

    python -m models.package models/minilm-l6-nli.toml models/minilm-l6-nli --temperature 1.23

The folder holds model.onnx and tokenizer.json; the first argument is the hand-written part.
The scores are those of the model in the folder at that temperature, each pair run alone. A file of
weights that is there (aggregation.json) is named too.
"""

import argparse
import hashlib
import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gatekeeper.runtime.aggregation import AGGREGATION
from gatekeeper.runtime.manifest import FORMAT, MANIFEST, MODEL, TOKENIZER
from gatekeeper.runtime.session import load

HASHED = (AGGREGATION, MODEL, TOKENIZER)
HAND_WRITTEN = Path(__file__).with_name("minilm-l6-nli.toml")


LABELS = "entailment,neutral,contradiction"


def main() -> None:
    """Write the manifest of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--labels", default=LABELS)
    parser.add_argument("--temperature", type=float, required=True)
    given = parser.parse_args()
    labels = given.labels.split(",")
    write_manifest(given.source, given.folder, temperature=given.temperature, labels=labels)


def write_manifest(
    hand_written: Path,
    folder: Path,
    *,
    temperature: float,
    labels: Sequence[str],
    sources: Sequence[str] | None = None,
) -> None:
    """Write the manifest twice: without scores to load the model, then with its scores.

    ``sources`` replace the hand-written training sources.
    """
    source = tomllib.loads(hand_written.read_text(encoding="utf-8"))
    if sources is not None:
        source["training_sources"] = list(sources)
    source["labels"] = list(labels)
    source["temperature"] = temperature
    for pair in source["self_test"]:
        pair["entailment"] = pair["contradiction"] = 0.0
    path = folder / MANIFEST
    path.write_text(_manifest(folder, source), encoding="utf-8")
    session = load(folder, threads=1)
    for pair in source["self_test"]:
        encoded = session.encode(pair["premise"], pair["hypothesis"])
        if encoded is None:
            raise ValueError(f"self-test pair too long: {pair['hypothesis']!r}")
        score = session.score([encoded])[0]
        pair["entailment"] = round(score.entailment, 6)
        pair["contradiction"] = round(score.contradiction, 6)
        print(f"{pair['label']:13} {score.entailment:.3f} {score.contradiction:.3f}", pair)
    path.write_text(_manifest(folder, source), encoding="utf-8")


def _manifest(folder: Path, source: dict[str, Any]) -> str:
    """Return the manifest as TOML; JSON's strings, numbers and lists are TOML's too."""
    lines = [
        "# Written by models/package.py; calibration.json is not hashed: it changes alone.",
        "",
    ]
    lines.append(_entry("format", FORMAT))
    tables = {"self_test", "files"}
    lines.extend(_entry(key, value) for key, value in source.items() if key not in tables)
    lines.extend(["", "[files]"])
    for name in (name for name in HASHED if (folder / name).exists()):
        digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        lines.append(f'"{name}" = "{digest}"')
    for pair in source["self_test"]:
        lines.extend(["", "[[self_test]]"])
        lines.extend(_entry(key, value) for key, value in pair.items())
    return "\n".join(lines) + "\n"


def _entry(key: str, value: object) -> str:
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"


if __name__ == "__main__":
    main()
