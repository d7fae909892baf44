"""What is read from one sentence: kinds, magnitudes, flags and offsets."""

from fractions import Fraction

import pytest

from gatekeeper.core.values import Bound, Kind, Reading, Value, extract


@pytest.mark.parametrize(
    ("text", "kind", "low", "high", "unit"),
    [
        ("It holds 5 to 7 litres.", Kind.QUANTITY, 5, 7, "volume"),
        ("It holds between 5 and 7 litres.", Kind.QUANTITY, 5, 7, "volume"),
        ("It costs 5-7 EUR.", Kind.MONEY, 5, 7, "EUR"),
        ("It is -5 °C.", Kind.QUANTITY, Fraction("268.15"), Fraction("268.15"), "temperature"),
        ("It is minus 5 degrees Celsius.", Kind.QUANTITY, Fraction("268.15"), Fraction("268.15"),
         "temperature"),
        ("It costs 60p.", Kind.MONEY, Fraction("0.6"), Fraction("0.6"), "GBP"),
        ("It needs three quarters of an hour.", Kind.DURATION, 2700, 2700, "duration"),
        ("It lasts 500 m to 2 km.", Kind.QUANTITY, 500, 2000, "length"),
        ("It fell by 30 bps.", Kind.POINTS, Fraction("0.3"), Fraction("0.3"), "points"),
        ("It has a million and one hundred seeds.", Kind.NUMBER, 1000100, 1000100, ""),
        ("It has 1.250,75 seeds.", Kind.NUMBER, Fraction("1250.75"), Fraction("1250.75"), ""),
        ("It has 0,5 seeds.", Kind.NUMBER, Fraction("0.5"), Fraction("0.5"), ""),
        ("It has one hundred thousand seeds.", Kind.NUMBER, 100000, 100000, ""),
        ("It has forty-two thousand and seven seeds.", Kind.NUMBER, 42007, 42007, ""),
        ("It has two million three hundred thousand seeds.", Kind.NUMBER, 2300000, 2300000, ""),
    ],
)  # fmt: skip
def test_magnitude_in_the_base_unit(
    text: str, kind: Kind, low: int | Fraction, high: int | Fraction, unit: str
) -> None:
    """Values are compared in base units, so each must be read exactly, both ends of a range."""
    (value,) = extract(text)

    reading = value.readings[0]

    assert (reading.kind, reading.low, reading.high, reading.unit) == (kind, low, high, unit)
    assert value.is_range == (low != high)


@pytest.mark.parametrize(
    ("text", "bound", "hedged", "exact"),
    [
        ("at least 5 days", Bound.AT_LEAST, False, False),
        ("5 days or more", Bound.AT_LEAST, False, False),
        ("no more than 5 days", Bound.AT_MOST, False, False),
        ("up to about 5 days", Bound.AT_MOST, True, False),
        ("5 days at most", Bound.AT_MOST, False, False),
        ("within 5 days", Bound.AT_MOST, False, False),
        ("~ 5 days", None, True, False),
        ("ca. 5 days", None, True, False),
        ("exactly 5 days", None, False, True),
        ("5 days exactly", None, False, True),
        ("about exactly at most at least 5 days", Bound.AT_MOST, False, True),
        ("5 days", None, False, False),
        ("around 3 pm", None, True, False),
    ],
)
def test_bounds_and_hedges(text: str, bound: Bound | None, hedged: bool, exact: bool) -> None:
    """They decide between rounding and clashing, so each must be tied to its value."""
    (value,) = extract(text)

    assert (value.bound, value.hedged, value.exact) == (bound, hedged, exact)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It opened on 1.7.24 there.", ["1.7.24"]),
        ("It opened on 31/31/2024.", []),
        ("It runs in 2019-20 and 2021.", ["2019", "20", "2021"]),
        ("It ran 3 to 1.", ["3", "1"]),
        ("It ran from 40 to 50.", ["40", "50"]),
        ("It ran from 2010 to 2015.", ["2010", "2015"]),
        ("Meet July 4 and 6, 2031.", ["July 4", "6, 2031"]),
        ("Meet at 13 pm.", ["13"]),
        ("Meet at ten minutes to six.", ["ten minutes to six"]),
        ("She may meet him in May.", ["May."]),
        ("6' tall", ["6"]),
        ("At a 4 m's length.", ["4"]),
        ("It has 9 3/4 parts and 99/0.", ["9 3/4"]),
        ("It has 12 737 MAX jets.", ["12", "737"]),
        ("It holds 5 million litres or 3 miles.", ["5 million litres", "3 miles"]),
        ("It has twenty - first.", ["twenty - first"]),
        ("It has thirty-twelfth.", ["thirty", "twelfth"]),
        ("It has two thousand five million seeds.", ["two thousand", "five million"]),
        ("Meet on Mon, sat down, Fri.", ["Fri"]),
        ("It goes 70 mph 5 m.", ["70 mph", "5 m"]),
        ("It has 12, 000 seeds.", ["12, 000", "12", "000"]),
        ("It costs 5 euros a metre.", ["5 euros"]),
    ],
)
def test_spans(text: str, shown: list[str]) -> None:
    """A span that is too long or too short compares the wrong thing."""
    assert [value.text for value in extract(text)] == shown


def test_an_ambiguous_value_keeps_all_its_meanings() -> None:
    """Whichever was meant, the evidence that has it must count."""
    (date,) = extract("01/07/2024")
    (size,) = extract("5m")
    (hour,) = (v for v in extract("It opens at six."))

    assert {reading.parts for reading in date.readings} == {(2024, 7, 1), (2024, 1, 7)}
    assert {reading.low for reading in size.readings} == {5, 5_000_000}
    assert {reading.low for reading in hour.readings} == {6, 360, 1080}


def test_a_value_without_a_meaning_cannot_be_built() -> None:
    """Every comparison looks at the readings, so a value must have one and a place."""
    with pytest.raises(ValueError, match="no meaning"):
        Value(text="x", start=0, end=1, readings=())
    with pytest.raises(ValueError, match="no meaning"):
        Value(text="x", start=1, end=1, readings=(Reading(kind=Kind.NUMBER),))
