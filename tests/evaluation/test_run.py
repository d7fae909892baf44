"""One check as evaluation and the command line run it: the gate, behind the bounds of a route."""

import asyncio

import pytest

from gatekeeper.evaluation.run import BOUNDS, check_within_bounds
from gatekeeper.verdict import Evidence, Passage
from tests.cli.fakes import LineGate


def _verdict(texts: list[str]) -> tuple[str, str | None, int]:
    """Check against these passages; outcome, reason and how often the gate was asked."""
    gate = LineGate()
    evidence = Evidence(passages=tuple(Passage(id=str(n), text=t) for n, t in enumerate(texts)))
    verdict = asyncio.run(check_within_bounds(gate, "SUPPORTED a", evidence))
    assert verdict.fingerprint == gate.fingerprint
    return str(verdict.outcome), verdict.reason, len(gate.asked)


@pytest.mark.parametrize("texts", [["a"] * BOUNDS.passages, ["a" * BOUNDS.evidence_chars]])
def test_evidence_as_large_as_a_route_takes_is_checked(texts: list[str]) -> None:
    """What is checked over HTTP is checked here: figures are of the gate that runs."""
    assert _verdict(texts) == ("SUPPORTED", None, 1)


@pytest.mark.parametrize(
    "texts",
    [["a"] * (BOUNDS.passages + 1), ["a" * BOUNDS.evidence_chars, "b"]],
)
def test_evidence_larger_than_a_route_takes_is_not_checked(texts: list[str]) -> None:
    """A context of megabytes holds the program for half a minute, and no route would take it."""
    assert _verdict(texts) == ("NOT_CHECKED", "size", 0)
