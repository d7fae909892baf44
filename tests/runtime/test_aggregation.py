"""How scores are weighed, read from a model's folder: complete, hashed, or refused."""

import hashlib
import json
from pathlib import Path

import pytest

from gatekeeper.core.support import Weighing
from gatekeeper.errors import AggregationError, ManifestError, ModelFileError
from gatekeeper.runtime.aggregation import (
    AGGREGATION,
    parse_weighing,
    weighing_of,
    write_weighing,
)
from gatekeeper.runtime.manifest import MANIFEST, read_manifest

WEIGHING = Weighing(
    weights={"entailment": 0.5, "calm": 0.25}, bias=-0.5, curve=((0.0, 0.0), (0.5, 0.4), (1.0, 1.0))
)
GOOD = {"format": 1, "weights": {"entailment": 1}, "bias": 0, "curve": [[0, 0], [1, 1]]}


@pytest.fixture
def named(copied: Path) -> Path:
    """A model folder whose manifest names an aggregation file."""
    path = copied / AGGREGATION
    path.unlink(missing_ok=True)
    write_weighing(path, WEIGHING, {"fitted_on": {"one": 3}})
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest = copied / MANIFEST
    lines = manifest.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if not line.startswith(f'"{AGGREGATION}"')]
    at = lines.index("[files]") + 1
    lines.insert(at, f'"{AGGREGATION}" = "{digest}"')
    manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return copied


def test_file_is_read_back_as_it_was_written(named: Path) -> None:
    """What was fitted is what decides."""
    assert weighing_of(named) == WEIGHING


def test_file_is_part_of_the_fingerprint(named: Path) -> None:
    """Other weights are another scorer: a calibration for the old ones must not count."""
    before = read_manifest(named).fingerprint
    manifest = named / MANIFEST
    digest = hashlib.sha256((named / AGGREGATION).read_bytes()).hexdigest()

    manifest.write_text(manifest.read_text().replace(digest, "0" * 64))

    assert read_manifest(named).fingerprint != before


def test_changed_file_is_refused(named: Path) -> None:
    """One weight in an editor, and every verdict is another one."""
    path = named / AGGREGATION
    path.write_text(path.read_text().replace("0.25", "0.35"))

    with pytest.raises(ModelFileError, match="found sha256"):
        weighing_of(named)


def test_missing_file_is_refused(named: Path) -> None:
    """The plain maximum in its place would be held against thresholds of other scores."""
    (named / AGGREGATION).unlink()

    with pytest.raises(ModelFileError, match="no such file"):
        weighing_of(named)


def test_file_the_manifest_does_not_name_is_refused(named: Path) -> None:
    """It would take no effect, and whoever put it there believes it does."""
    manifest = named / MANIFEST
    lines = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(line for line in lines if AGGREGATION not in line))

    with pytest.raises(ManifestError, match="both or neither"):
        weighing_of(named)


def test_model_without_one_has_no_weighing(named: Path) -> None:
    """A model of one's own works as it comes."""
    (named / AGGREGATION).unlink()
    manifest = named / MANIFEST
    lines = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(line for line in lines if AGGREGATION not in line))

    assert weighing_of(named) is None


def _without(key: str) -> str:
    return json.dumps({name: value for name, value in GOOD.items() if name != key})


def _with(**changed: object) -> str:
    return json.dumps({**GOOD, **changed})


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("[", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "found list, expected an object"),
        (_without("format"), "no format"),
        (_with(format=2), "format = 2"),
        (_without("weights"), "no weights"),
        (_with(weights={"luck": 1}), "weights: 'luck', expected .*entailment"),
        (_with(weights={"calm": -1}), "calm = -1"),
        (_with(weights={"calm": "much"}), "calm = 'much'"),
        (_with(weights={"calm": 1e9}), "0.0 to 100.0"),
        (_with(bias=None), "no bias"),
        (_with(bias="0"), "bias = '0'"),
        ('{"format": 1, "weights": {"calm": NaN}, "bias": 0, "curve": [[0, 0], [1, 1]]}', "nan"),
        (_with(curve=[[0, 0]]), "curve"),
        (_with(curve=[[0, 0], [1, 2]]), "curve"),
        (_with(curve=[[0, 0], [1]]), "curve"),
        (_with(curve=[[0, 1], [1, 0]]), "falls"),
        (_with(curve=[[0, 0], [0.5, 0.5]]), "x = 0 to x = 1"),
    ],
)
def test_impossible_file_is_refused(content: str, found: str, tmp_path: Path) -> None:
    """The message names what was found; a file that is half right decides nothing."""
    with pytest.raises(AggregationError, match=found):
        parse_weighing(content.encode(), tmp_path / AGGREGATION)


def test_every_fault_is_named(tmp_path: Path) -> None:
    """Whoever edits the file by hand mends it once."""
    with pytest.raises(AggregationError, match=r"format = 9.*bias = 'x'"):
        parse_weighing(_with(format=9, bias="x").encode(), tmp_path / AGGREGATION)
