"""The audit of the segmenter against marked claims."""

from fractions import Fraction

import pytest

from gatekeeper.evaluation.extraction import Audit, audit, audit_record
from gatekeeper.evaluation.rows import ClaimMark, Row
from gatekeeper.evaluation.run import Evaluated
from gatekeeper.verdict import (
    ClaimStatus,
    ClaimVerdict,
    Evidence,
    NotCheckedReason,
    Verdict,
)

Spans = list[tuple[int, int]]


def checked(answer: str, marked: Spans | None, extracted: Spans) -> Evaluated:
    """Make a checked answer; every extracted claim is supported."""
    marks = None if marked is None else tuple(ClaimMark(start=a, end=b) for a, b in marked)
    claims = tuple(
        ClaimVerdict(
            start=a,
            end=b,
            text=answer[a:b],
            status=ClaimStatus.SUPPORTED,
            support=1.0,
            contradiction=0.0,
            score=1.0,
        )
        for a, b in extracted
    )
    row = Row(line=1, id="a", evidence=Evidence(passages=()), answer=answer, claims=marks)
    return Evaluated(row=row, verdict=Verdict(claims=claims))


def counts(answer: str, marked: Spans, extracted: Spans) -> tuple[int, int, int]:
    """Return omitted, merged and invented."""
    found = audit([checked(answer, marked, extracted)])
    assert found is not None
    return found.omitted, found.merged, found.invented


TEN = "x" * 100


def test_worked_numbers() -> None:
    """Ten marked, eight extracted, all supported: 1, 1/5 and 4/5."""
    marked = [(start, start + 10) for start in range(0, 100, 10)]

    found = audit([checked(TEN, marked, marked[:8])])

    assert found is not None
    assert (found.marked, found.extracted, found.supported, found.omitted) == (10, 8, 8, 2)
    assert found.precision == 1
    assert found.omission_rate == Fraction(1, 5)
    assert found.pessimistic_precision == Fraction(4, 5)


@pytest.mark.parametrize(
    ("marked", "extracted", "expected"),
    [
        ([(0, 10)], [(0, 10)], (0, 0, 0)),
        ([(0, 10)], [(0, 12)], (0, 0, 0)),
        ([(0, 10)], [(0, 5), (5, 10)], (0, 0, 0)),
        ([(0, 10)], [(0, 3), (7, 9)], (0, 0, 0)),
        ([(0, 10)], [(0, 4)], (1, 0, 0)),
        ([(0, 10)], [(10, 20)], (1, 0, 1)),
        ([(0, 10)], [(6, 20)], (1, 0, 1)),
        ([(0, 10), (10, 20)], [(0, 20)], (0, 1, 0)),
        ([(0, 10), (10, 20)], [(0, 14)], (1, 0, 0)),
        ([], [(0, 10)], (0, 0, 1)),
        ([(0, 10)], [], (1, 0, 0)),
    ],
)
def test_omitted_merged_and_invented(
    marked: Spans, extracted: Spans, expected: tuple[int, int, int]
) -> None:
    """Half of a mark covered is found; half of the shorter span shared is the same thing."""
    assert counts(TEN, marked, extracted) == expected


def test_blanks_decide_nothing() -> None:
    """A slice takes the blanks behind a sentence along, a person does not mark them."""
    answer = "ab" + " " * 50 + "cdef"

    assert counts(answer, [(0, 2), (52, 56)], [(0, 52), (52, 56)]) == (0, 0, 0)
    assert counts(answer, [(0, 2)], [(2, 52)]) == (1, 0, 1)


def test_answers_that_were_not_marked_or_not_checked_are_left_out() -> None:
    """Nobody said what is a claim there, or nothing was cut."""
    unmarked = checked(TEN, None, [(0, 10)])
    marked = checked(TEN, [(0, 10)], [])
    unchecked = Evaluated(row=marked.row, verdict=Verdict(not_checked=NotCheckedReason.NO_CONTEXT))

    assert audit([unmarked, unchecked]) is None
    assert audit_record(None) is None
    found = audit([unmarked, unchecked, marked])
    assert found is not None
    assert (found.answers, found.omitted) == (1, 1)


def test_rates_of_nothing_are_undefined() -> None:
    """Marked as holding no claim, and none found."""
    found = audit([checked(TEN, [], [])])

    assert found == Audit(answers=1)
    record = audit_record(found)
    assert record is not None
    assert record["omission_rate"] is record["precision"] is None
    assert record["pessimistic_precision"] is None


def test_record_holds_counts_and_rates() -> None:
    """Slices are never altered, and the record says so with a number."""
    record = audit_record(audit([checked(TEN, [(0, 10), (20, 30)], [(0, 10)])]))

    assert record == {
        "answers": 1,
        "marked": 2,
        "extracted": 1,
        "supported": 1,
        "omitted": 1,
        "merged": 0,
        "invented": 0,
        "altered": 0,
        "omission_rate": 0.5,
        "precision": 1.0,
        "pessimistic_precision": 0.5,
    }
