"""Parity is measured on the file that ships, or not at all."""

import hashlib
import json
from pathlib import Path

import pytest

from benchmarks.parity import RESULT, same
from gatekeeper.errors import ManifestError
from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.runtime.manifest import MODEL, model_folder


def test_other_bytes_are_an_error(tmp_path: Path) -> None:
    """Both hashes are named."""
    for name in ("made", "shipped"):
        (tmp_path / name).write_text(name)

    with pytest.raises(ManifestError) as caught:
        same(tmp_path / "made", tmp_path / "shipped")

    for name in ("made", "shipped"):
        assert hashlib.sha256(name.encode()).hexdigest() in str(caught.value)


def test_result_is_of_the_shipped_file() -> None:
    """Rounding changes less than is allowed: 2 % of classes, 0.015 of P(entailment)."""
    found = json.loads(RESULT.read_text(encoding="utf-8"))
    shipped = (model_folder(SHIPPED_MODEL) / MODEL).read_bytes()

    assert found["model"] == hashlib.sha256(shipped).hexdigest()
    assert sum(found["pairs"].values()) == 10_000
    assert found["argmax_agreement"] >= 0.98
    assert found["mean_dp_entailment"] <= 0.015
