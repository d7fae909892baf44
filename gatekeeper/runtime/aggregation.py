"""A model folder's ``aggregation.json``: how its pair scores become the support of a claim.

It decides verdicts, so it is a file of the model: named by the manifest with its sha256 and with
that part of the fingerprint. A folder without one keeps the plain maximum of P(entailment).
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gatekeeper.core.support import MEASURES, Point, Weighing
from gatekeeper.errors import AggregationError, ManifestError, ModelFileError
from gatekeeper.runtime.fields import Faults, shown
from gatekeeper.runtime.manifest import MANIFEST, read_manifest

FORMAT = 1
AGGREGATION = "aggregation.json"

# Far above any fit; a file of a weight without a bound could turn every logit to certainty.
MOST_WEIGHT = 100.0
MOST_POINTS = 1000


def weighing_of(folder: Path) -> Weighing | None:
    """Read the weighing of a model folder; None if it has none.

    Raises:
        ModelError: If the manifest is not what it should be, or doesn't name a file that is there.
            ModelFileError if the file is missing or was changed, AggregationError if it says
            something impossible; it names every fault.
    """
    named = read_manifest(folder).files.get(AGGREGATION)
    path = folder / AGGREGATION
    if named is None:
        if path.exists():
            found = f"{AGGREGATION} in the folder and no entry files[{AGGREGATION!r}]"
            raise ManifestError(folder / MANIFEST, found, "both or neither")
        return None
    try:
        content = path.read_bytes()
    except OSError as error:
        found = (error.strerror or "an error while reading").lower()
        raise ModelFileError(path, found, f"sha256 {named}") from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != named:
        raise ModelFileError(path, f"sha256 {digest}", f"sha256 {named}")
    return parse_weighing(content, path)


def parse_weighing(content: bytes, path: Path) -> Weighing:
    """Turn a file's content into its value; ``path`` is for the message.

    Raises:
        AggregationError: If it is no JSON, or says something impossible.
    """
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise AggregationError(path, f"no JSON ({error})", "an object") from error
    if not isinstance(raw, dict):
        raise AggregationError(path, f"{type(raw).__name__}", "an object")
    faults = Faults(raw)
    faults.whole("format", least=FORMAT, most=FORMAT)
    weights = _weights(faults)
    bias = faults.number("bias", least=-MOST_WEIGHT, most=MOST_WEIGHT)
    curve = _curve(faults)
    if faults.found:
        raise AggregationError(path, "; ".join(faults.found), "; ".join(faults.expected))
    try:
        return Weighing(weights=weights, bias=bias, curve=curve)
    except ValueError as error:
        raise AggregationError(path, str(error), "weights and a curve as described") from error


def write_weighing(path: Path, weighing: Weighing, about: Mapping[str, object]) -> None:
    """Write a file that ``parse_weighing`` reads back as the same value.

    ``about`` is for people: what it was fitted on, and how.

    Raises:
        OSError: If it can't be written.
    """
    record = {
        "format": FORMAT,
        "weights": dict(weighing.weights),
        "bias": weighing.bias,
        "curve": [list(point) for point in weighing.curve],
        **about,
    }
    path.write_text(json.dumps(record, indent=2, allow_nan=False) + "\n", encoding="utf-8")


def _weights(faults: Faults) -> dict[str, float]:
    raw: dict[str, Any] = faults.table("weights")
    inner = Faults(raw, "weights: ")
    found = {}
    for name in raw:
        if name in MEASURES:
            found[name] = inner.number(name, least=0.0, most=MOST_WEIGHT)
        else:
            inner.add(f"{shown(name)}", f"one of {', '.join(MEASURES)}")
    faults.take(inner)
    return found


def _curve(faults: Faults) -> tuple[Point, ...]:
    found = faults.check("curve", _is_points, f"2 to {MOST_POINTS} pairs of numbers from 0 to 1")
    return tuple((float(x), float(y)) for x, y in found or [(0.0, 0.0), (1.0, 1.0)])


def _is_points(value: object) -> bool:
    return (
        isinstance(value, list)
        and 2 <= len(value) <= MOST_POINTS
        and all(isinstance(point, list) and len(point) == 2 for point in value)
        and all(type(x) in {int, float} and 0 <= x <= 1 for point in value for x in point)
    )
