"""The version numbers of what decides verdicts, held to the verdicts themselves."""

import json
from collections.abc import Iterator

import pytest

from gatekeeper.build import open_gate
from gatekeeper.gate import Gate
from tests.stored_verdicts import STORED, judge, versions

AGAIN = "raise a number in core/versions.py, then run python -m tests.stored_verdicts"


@pytest.fixture
def gate() -> Iterator[Gate]:
    """Open the shipped model."""
    opened = open_gate()
    yield opened
    opened.close()


def test_changed_verdict_comes_with_a_changed_version(gate: Gate) -> None:
    """Figures of one fingerprint are pooled: it must not stand for two ways to decide."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))

    found = judge(gate)

    assert len(found) == 200
    assert {name: found[name] for name in found if found[name] != stored["verdicts"].get(name)} == (
        {}
    ), AGAIN
    assert versions(gate) == stored["versions"], "store the verdicts of this version"


def test_stored_verdicts_are_of_every_kind() -> None:
    """A file in which everything is supported would notice little."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))["verdicts"].values()

    statuses = {status for found in stored for status in found[1:]}

    assert {"SUPPORTED", "CONTRADICTED", "UNSUPPORTED"} <= statuses
