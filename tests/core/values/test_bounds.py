"""How much is read and compared: crafted texts must not hold the worker."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from gatekeeper.core.values import Relation, compare, compare_steps, extract, index
from gatekeeper.core.values.compare import MAX_JUDGED
from gatekeeper.core.values.extract import MAX_VALUES


def _steps(run: Callable[[], object]) -> int:
    """Count the lines run: work without a clock."""
    steps = 0

    def trace(_frame: FrameType, _event: str, _arg: object) -> object:
        nonlocal steps
        steps += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        run()
    finally:
        sys.settrace(before)
    return steps


def _names(number: int) -> str:
    return "Fit " + " ".join(f"x{n}q" for n in range(number)) + "."


def _weights(number: int, start: int = 0) -> str:
    return "The parts weigh " + " ".join(f"{start + 7 * n} kg," for n in range(number))


def test_values_of_one_sentence_are_read_up_to_a_bound() -> None:
    """A line of numbers costs its length and no more, and its words are still known."""
    line = ", ".join(f"oak {number}" for number in range(2 * MAX_VALUES))
    last = str(2 * MAX_VALUES - 1)

    (found,) = compare(f"It has {last} doors.", f"It has {last} doors.", index([line]))

    assert len(extract(line)) == MAX_VALUES
    assert (found.relation, found.rule) == (Relation.STATED, "words")


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        (_names(16), "The part y{}z weighs {} kg."),
        (_weights(16, 10**6), "The parts weigh {} kg and {} kg."),
        ("See " + " ".join(f"http://a{n}.example/x" for n in range(16)),
         "http://b{}.example/{} is."),
        ('"' + '" and "'.join(f"the old mill has {n} doors" for n in range(16)) + '"',
         "The old mill had {} doors or {}."),
        ("Take " + " ".join(f"Rotor {n}," for n in range(16)), "The Rotor 9{} is {}."),
    ],
)  # fmt: skip
def test_work_on_a_claim_hardly_grows_with_the_evidence(claim: str, line: str) -> None:
    """Values times sentences would be seconds: beyond a bound only near sentences are searched."""
    few, many = (
        index([line.format(number, number) for number in range(size)]) for size in (1000, 2000)
    )

    once = _steps(lambda: compare(claim, claim, few))
    twice = _steps(lambda: compare(claim, claim, many))

    assert twice <= 2.2 * once + 2000


def test_values_beyond_the_judged_ones_are_looked_up() -> None:
    """An overlong claim is never checked in part: what stands nowhere is told of every value."""
    claim = _weights(MAX_JUDGED + 40)
    wrong = f"{claim} and 5,551,212 kg"

    stated = compare(claim, claim, index([claim.replace(",", ", about")]))
    absent = compare(wrong, wrong, index([claim]))
    grouped = compare(_weights(90, 1000), "", index([_weights(90, 1000).replace("1", "1,", 1)]))

    assert {finding.relation for finding in stated} == {Relation.STATED}
    assert [f.value.text for f in absent if f.relation is Relation.ABSENT and f.value] == [
        "5,551,212 kg"
    ]
    assert len(grouped) == 90


def test_a_claim_with_more_values_than_are_read_must_be_a_copy() -> None:
    """The value behind the last one read may be the false one."""
    claim = _weights(2 * MAX_VALUES)

    copied = compare(claim, claim, index([claim]))
    changed = compare(f"{claim} and 5 kg", claim, index([claim]))

    assert {finding.relation for finding in copied} == {Relation.STATED}
    assert [f.rule for f in changed if f.relation is Relation.ABSENT] == ["too many values"]


def test_a_value_found_by_its_number_alone_counts_beyond_the_judged_ones() -> None:
    """Another notation must not be called absent only because the claim is long."""
    claim = _weights(MAX_JUDGED, 7) + " and 5,000 kg"

    found = compare(claim, claim, index([_weights(MAX_JUDGED, 7), "It weighs 5 t."]))

    assert found[-1].relation is Relation.STATED


def test_comparing_pauses_after_each_value() -> None:
    """Other checks wait for the worker, so a claim with many values must let them in."""
    claim = _weights(10)

    steps = len(list(compare_steps(claim, claim, index([claim]))))

    assert steps >= 10


def test_a_value_is_found_among_very_many_others() -> None:
    """In long evidence only near and likely sentences are searched, and the right one is one."""
    evidence = [f"Barn {number} weighs {number} kg." for number in range(2000, 5000)]
    claim = "A barn of 4.5 t was sold for 9 euros."

    findings = compare(claim, claim, index([*evidence, "It was sold for EUR 9."]))

    assert [(f.relation, f.sentence) for f in findings] == [
        (Relation.STATED, 2500),
        (Relation.STATED, 3000),
    ]


def test_a_value_that_many_sentences_have_is_no_clash() -> None:
    """Where it stands everywhere, the sentence that is meant may be any of them."""
    evidence = [f"Barn {number} has red doors and 4 windows." for number in "abcdefgh" * 5]
    claim = "The old mill has 4 windows today."

    relations = {
        f.relation for f in compare(claim, claim, index([*evidence, "The old mill has 5 windows."]))
    }

    assert relations == {Relation.STATED}
