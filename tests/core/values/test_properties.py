"""What holds for any number and any text, checked on generated ones."""

import sys
from fractions import Fraction
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.values import Relation, compare, extract, index

_QUICK = settings(deadline=None, derandomize=True, max_examples=150)

_UNITS = ("km", "kg", "litres", "percent", "euros", "minutes", "working days", "degrees Celsius")
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

# Pieces that numbers, dates, addresses and negation are made of, in any order.
_PIECES = st.sampled_from(
    """1 12 007 1,250 1.250 2.5 1/2 2031 , . - / : ' " % $ € £ ° ( ) [ ] @ + ~ and a an half to
    between from at least most million hundred dozen k m bn kg km h pm July May 1st third one two
    twenty minutes days euros per not no never https:// www. a.b v2 x-1 it is that myth some all
    must ٣ ½ é 年 \n \u200b""".split(" ")
)


def _in_words(number: int) -> str:
    """Write 0 to 999,999 in English."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens = _TENS[number // 10 - 2]
        return tens if number % 10 == 0 else f"{tens}-{_SMALL[number % 10]}"
    size, name = (1000, "thousand") if number >= 1000 else (100, "hundred")
    rest = number % size
    head = f"{_in_words(number // size)} {name}"
    if rest == 0:
        return head
    return f"{head} {'and ' if rest < 100 else ''}{_in_words(rest)}"


def _steps(text: str) -> int:
    """Count the lines run while a text is read: work without a clock."""
    steps = 0

    def trace(_frame: FrameType, _event: str, _arg: object) -> object:
        nonlocal steps
        steps += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        extract(text)
    finally:
        sys.settrace(before)
    return steps


def _notations(number: int) -> tuple[str, ...]:
    return str(number), f"{number:,}", f"{number:,}".replace(",", " "), _in_words(number)


@_QUICK
@given(number=st.integers(0, 999_999), pair=st.tuples(st.integers(0, 3), st.integers(0, 3)))
def test_every_notation_of_a_number_is_the_same_value(number: int, pair: tuple[int, int]) -> None:
    """A supported answer often writes a number otherwise; that must never count against it."""
    mine, theirs = _notations(number)[pair[0]], _notations(number)[pair[1]]

    findings = compare(
        f"The depot holds {mine} seeds.", "", index([f"The depot holds {theirs} seeds."])
    )

    assert all(finding.relation is Relation.STATED for finding in findings)


@_QUICK
@given(number=st.integers(0, 999_999))
def test_number_words_have_the_value_of_the_digits(number: int) -> None:
    """Reading words wrongly would state or deny values that are not there."""
    (value,) = extract(f"It has {_in_words(number)} seeds.")

    assert number in [reading.low for reading in value.readings]


@_QUICK
@given(number=st.integers(10, 5000), change=st.integers(2, 4000), unit=st.sampled_from(_UNITS))
def test_a_changed_value_in_a_copied_sentence_is_caught(
    number: int, change: int, unit: str
) -> None:
    """A copied sentence with one figure changed is the commonest error of summaries."""
    evidence = f"The new pump at Ravel Mill needs {number} {unit} in spring."
    claim = f"The new pump at Ravel Mill needs {number + change} {unit} in spring."

    relations = {finding.relation for finding in compare(claim, claim, index([evidence]))}

    assert relations & {Relation.CLASHING, Relation.ABSENT}


@_QUICK
@given(metres=st.integers(1, 10**6), decimals=st.integers(0, 3))
def test_conversion_is_exact(metres: int, decimals: int) -> None:
    """A unit table with rounded factors would call exact conversions rounded, or wrong."""
    length = Fraction(metres, 10**decimals)
    kilometres = f"{float(length / 1000):.9f}".rstrip("0").rstrip(".")

    findings = compare(
        f"It is {kilometres} km long.", "", index([f"It is {float(length)} metres long."])
    )

    assert [finding.relation for finding in findings] == [Relation.STATED]


@_QUICK
@given(text=st.lists(_PIECES, max_size=60).map(" ".join))
def test_any_text_is_read_without_error(text: str) -> None:
    """Answers are untrusted: whatever they hold, offsets stay true and nothing is raised."""
    for value in extract(text):
        assert text[value.start : value.end] == value.text


@_QUICK
@given(claim=st.text(max_size=80), evidence=st.lists(st.text(max_size=80), max_size=5))
def test_any_claim_is_compared_without_error(claim: str, evidence: list[str]) -> None:
    """The guard decides before the model: an exception here would leave the answer unchecked."""
    for finding in compare(claim, claim, index(evidence)):
        assert finding.sentence is None or 0 <= finding.sentence < len(evidence)


@_QUICK
@given(pieces=st.lists(_PIECES, min_size=1, max_size=40), glue=st.sampled_from(["", " "]))
def test_a_text_supports_itself(pieces: list[str], glue: str) -> None:
    """A verbatim copy must never clash with its source, however odd its values are."""
    text = glue.join(pieces)

    relations = {finding.relation for finding in compare(text, text, index([text]))}

    assert relations <= {Relation.STATED, Relation.DERIVED}


@pytest.mark.parametrize(
    "piece",
    ["1", ",", "1,", "1 ", "111 ", '"', "a@", "a.", "a-1-", "July 1-2 ", "[1,", "+1 2", "1/2/",
     "five million ", "at least ", "one and a half ", "http://", "\n 1. ", "it is a myth that "],
)  # fmt: skip
def test_reading_is_linear(piece: str) -> None:
    """A crafted answer must not hold the worker: twice the text is about twice the lines run."""
    once = _steps(piece * 400)
    twice = _steps(piece * 800)

    assert twice <= 2.6 * once + 2000


def test_huge_numbers_stay_cheap() -> None:
    """Digits beyond any real figure are no number, so no arithmetic grows with them."""
    values = extract("9" * 5000 + " and " + "1," * 5000 + " and 10 million million million")

    assert all(abs(r.high) < 10**40 for value in values for r in value.readings)
