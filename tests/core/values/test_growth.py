"""Reading evidence and comparing a claim grow with the text, in steps that stay small."""

import sys
from collections.abc import Callable, Generator
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.rulings import CHARS_A_LINE, CHARS_A_STEP
from gatekeeper.core.values import Finding, compare, compare_steps, index, index_steps, read_fact

_QUICK = settings(deadline=None, derandomize=True, max_examples=100)

# What rows, lists, telephone numbers, formulas and causes are made of, in any order.
_PIECES = st.sampled_from(
    """Size: Small , Price: 8 15 euros £ $ 24/7 0555 014 220 1 - 855 279 6207 because due to only
    who may could suggest the mill pump ladder is kept in loft cellar sells apples from bakery 2 3 %
    : ; . | 1. 2) Q = V / t [2,22] ² "the old mill is" 1996 July 3 pm""".split(" ")
)


def _lines(run: Callable[[], object]) -> int:
    """Count the lines run: work without a clock."""
    lines = 0

    def trace(_frame: FrameType, _event: str, _arg: object) -> object:
        nonlocal lines
        lines += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        run()
    finally:
        sys.settrace(before)
    return lines


def _longest_step(steps: Generator[None, None, object]) -> int:
    """Return the most lines run between two pauses."""
    longest, ended = 0, False

    def take() -> None:
        nonlocal ended
        try:
            next(steps)
        except StopIteration:
            ended = True

    while not ended:
        longest = max(longest, _lines(take))
    return longest


@_QUICK
@given(
    claim=st.lists(_PIECES, max_size=25).map(" ".join),
    evidence=st.lists(st.lists(_PIECES, max_size=25).map(" ".join), max_size=6),
)
def test_any_rows_and_lists_are_compared_without_error(claim: str, evidence: list[str]) -> None:
    """Tables and lists arrive broken; whatever they hold, findings point into the evidence."""
    for finding in compare(claim, claim, index(evidence)):
        assert isinstance(finding, Finding)
        assert finding.sentence is None or 0 <= finding.sentence < len(evidence)


@pytest.mark.parametrize(
    "line",
    [
        "{} {} {} {} {} {} {}",  # rows without words: every frame is the same
        "Size: {}, Price: {}",
        "The pump is kept in the loft with {} others",
        "Ann tells of the old mill and of {} barns because of rain",
        "1 - 855 - 279 - {}",
        "The mill",  # each line is a lead-in of the next
    ],
)
def test_evidence_of_one_kind_is_read_and_compared_in_linear_time(line: str) -> None:
    """A crafted page must not make the rules for rows, lists and frames look at all pairs."""
    claim = line.replace("{}", "77") + " today because of the cellar"

    def run(size: int) -> int:
        evidence = [line.replace("{}", str(number)) for number in range(size)]
        return _lines(lambda: compare(claim, claim, index(evidence)))

    once, twice = run(60), run(120)

    assert twice <= 2.3 * once + 2000


def test_an_index_is_built_in_small_steps() -> None:
    """Other answers wait for the worker while a long context is indexed."""
    facts = tuple(read_fact(f"Row {n} has {n} doors and {n + 1} windows.") for n in range(800))

    few, many = (_longest_step(index_steps(facts[:size])) for size in (400, 800))

    assert many <= 2.2 * few
    assert many < _lines(lambda: list(index_steps(facts))) / 3


def test_a_step_of_reading_is_a_few_lines() -> None:
    """However short the lines are, a step reads no more than a handful of dozens of them."""
    assert CHARS_A_STEP // CHARS_A_LINE <= 64


def test_steps_of_a_claim_do_not_grow_with_its_values() -> None:
    """Many values that nothing explains are the longest work; once read, each is a few steps."""
    evidence = index([f"The parts weigh {n} kg, {n + 1} kg and {n + 2} kg." for n in range(20)])

    def longest(size: int) -> int:
        claim = "The parts weigh " + " ".join(f"{10**6 + 7 * n} kg," for n in range(size))
        steps = compare_steps(claim, claim, evidence)
        next(steps)
        return _longest_step(steps)

    assert longest(12) <= 1.7 * longest(4) + 2000
