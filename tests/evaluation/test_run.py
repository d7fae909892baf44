"""One check as evaluation and the command line run it: the gate, behind the bounds of a route."""

import asyncio
from collections.abc import Callable

import pytest

from gatekeeper.core.decide import Side
from gatekeeper.evaluation.calibrate import scored
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.evaluation.run import (
    BOUNDS,
    Evaluated,
    check_rows,
    check_within_bounds,
    judged,
)
from gatekeeper.policy import Bounds
from gatekeeper.verdict import Evidence, NotCheckedReason, Passage, Verdict
from tests.cli.fakes import LineGate

EVIDENCE = Evidence(passages=(Passage(id="0", text="a"), Passage(id="1", text="b")))


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


def checked(
    row: Row, *, bounds: Bounds = BOUNDS, rule: Callable[[Verdict], Side] | None = None
) -> tuple[Evaluated, LineGate]:
    """Run one row; the gate keeps what it was asked."""

    async def run() -> list[Evaluated]:
        return [item async for item in check_rows(gate, [row], bounds=bounds, rule=rule)]

    gate = LineGate()
    [found] = asyncio.run(run())
    return found, gate


def row(answer: str, *others: str, standing: Verdict | None = None) -> Row:
    """Return a row on one or more choices, labelled as wrong."""
    return Row(
        line=1,
        id="a",
        evidence=EVIDENCE,
        answer=answer,
        label=Label.UNSUPPORTED,
        others=others,
        standing=standing,
    )


def test_bounds_are_those_of_the_route() -> None:
    """A policy may take fewer passages than others, or more."""
    found, gate = checked(row("SUPPORTED a"), bounds=Bounds(passages=1))

    assert (found.verdict.not_checked, gate.asked) == (NotCheckedReason.SIZE, [])


@pytest.mark.parametrize(
    ("others", "outcome", "asked"),
    [
        (("SUPPORTED b",), "SUPPORTED", 2),
        (("UNSUPPORTED b", "SUPPORTED c"), "FLAGGED", 3),
        (("UNRESOLVED b",), "UNRESOLVED", 2),
        ((" ",), "NOT_CHECKED", 1),
        ((" ", "UNSUPPORTED b"), "FLAGGED", 2),
    ],
)
def test_choices_of_a_response_stand_together(
    others: tuple[str, ...], outcome: str, asked: int
) -> None:
    """Every one must pass for the response to pass; one without text is not checked."""
    found, gate = checked(row("SUPPORTED a", *others))

    assert (str(found.verdict.outcome), len(gate.asked)) == (outcome, asked)
    assert found.verdict.fingerprint == gate.fingerprint


def test_choice_without_text_leaves_a_calibration_row_open() -> None:
    """Where the others pass, the response is not checked: it counts only where it is blocked."""
    whole, _ = checked(row("SUPPORTED a", "SUPPORTED b"))
    gap, _ = checked(row("UNSUPPORTED a", ""))

    found = [scored(item) for item in (whole, gap)]
    assert [one.is_open for one in found if one is not None] == [False, True]


def test_verdict_that_stands_is_taken_as_it_is() -> None:
    """Nothing was read: there is nothing to ask a gate."""
    standing = Verdict(not_checked=NotCheckedReason.SHAPE)

    found, gate = checked(row("", standing=standing))

    assert (found.verdict, found.side, gate.asked) == (standing, Side.UNCHECKED, [])


@pytest.mark.parametrize("side", Side)
def test_policy_says_on_which_side_a_verdict_is(side: Side) -> None:
    """Flagged ones that a route annotates are let through, and open ones it withholds are not."""
    found, _ = checked(row("UNSUPPORTED a"), rule=lambda _: side)

    assert (found.side, found.is_decided) == (side, side is not Side.UNCHECKED)
    assert judged(found).blocked is (side is Side.BLOCKED)
