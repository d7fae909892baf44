"""Changed values and other notations: a change changes the value, a notation keeps it."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.chance import seeded
from benchmarks.implied import implied
from benchmarks.meanings import meaning_of
from benchmarks.mutations import Change, mutations
from benchmarks.renotate import renotations
from benchmarks.spelling import plain, read, spelled
from benchmarks.spots import Spot, spots
from benchmarks.trials import MADE_UP


def spot_of(sentence: str, kind: str) -> Spot:
    """Return the only value of a kind in a sentence."""
    (found,) = [spot for spot in spots(sentence) if spot.kind == kind]
    return found


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Born on 9 September 1967 in Pilton.", ("date", "9 September 1967")),
        ("It opened in 1995 his office says.", ("date", "1995")),
        ("It is shut from 2031-03-09 on.", ("date", "2031-03-09")),
        ("It costs $5.2 million in all.", ("currency", "$5.2 million")),
        ("It costs 30 million euros in all.", ("currency", "30 million euros")),
        ("It grew by 12.5 % at least.", ("percentage", "12.5 %")),
        ("A five-year plan was made.", ("duration", "five-year")),
        ("The road is 16 km long.", ("unit", "16 km")),
        ("The doors open at 3:30 pm on Monday.", ("time", "3:30 pm")),
        ("The form is MV-82 for all.", ("identifier", "MV-82")),
        (
            "Look at https://forms.example.org/a/b for more.",
            ("url", "https://forms.example.org/a/b"),
        ),
        ("Write to a.b@harbour.example today.", ("email", "a.b@harbour.example")),
        ("Two hundred and six men came.", ("number", "Two hundred and six")),
        ("The town has 14,473 inhabitants.", ("number", "14,473")),
    ],
)
def test_values_are_found_with_their_kind(sentence: str, expected: tuple[str, str]) -> None:
    """A value of the wrong kind, or cut short, would be tried as what it is not."""
    assert [(spot.kind, spot.text) for spot in spots(sentence)] == [expected]


@pytest.mark.parametrize(
    "sentence",
    [
        "One of them came.",
        "The parties agree. 4. No copies are made.",
        "This was shown before [12].",
        "I miss my friends at Nine very much.",
        "The old town covers 4 km ² of land.",
        "In 1500 cases it failed.",
        "It weighs 15 pounds in all.",
        "It is her twenty-second album.",
        "They had ($41.2 m) then.",
        "His worth was -$947,987 then.",
        "Vectors in $0/1$ are cut.",
    ],
)
def test_what_may_be_no_value_is_left_out(sentence: str) -> None:
    """Changing what only looks like a value makes no wrong claim."""
    assert list(spots(sentence)) == []


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("number", "5,000", "5k"),
        ("number", "5000", "five thousand"),
        ("number", "1,200,000", "1.2 million"),
        ("percentage", "25%", "twenty-five percent"),
        ("duration", "2 weeks", "14 days"),
        ("duration", "three years", "36 months"),
        ("currency", "$1.5 million", "1,500,000 dollars"),
        ("currency", "£3bn", "£3,000,000,000"),
        ("unit", "1 km", "1000 m"),
        ("unit", "5 kg", "5,000 grams"),
        ("unit", "6 feet", "72 inches"),
        ("date", "2024-03-01", "March 1, 2024"),
        ("date", "1st of March 2024", "1 Mar. 2024"),
        ("date", "13/3/2024", "3/13/2024"),
        ("time", "3 pm", "15:00"),
        ("time", "12:30 a.m.", "12.30 am"),
        ("identifier", "KR-20931-B", "kr 20931 b"),
        ("url", "https://www.example.org/a/", "example.org/a"),
        ("email", "A.B@example.org", "a.b@Example.org"),
    ],
)
def test_one_value_in_two_notations_has_one_meaning(kind: str, one: str, other: str) -> None:
    """All checks of changes and notations rest on this."""
    assert meaning_of(kind, one) is not None
    assert meaning_of(kind, one) == meaning_of(kind, other)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("number", "5,000", "50,000"),
        ("percentage", "25%", "2.5%"),
        ("duration", "2 weeks", "2 months"),
        ("duration", "12 months", "12 years"),
        ("currency", "$12", "£12"),
        ("currency", "£12", "12 pence"),
        ("unit", "5 km", "5 miles"),
        ("unit", "20 °C", "20 °F"),
        ("date", "9 June 2031", "9 July 2031"),
        ("date", "May 2010", "2010"),
        ("time", "3 am", "3 pm"),
        ("identifier", "HM-77120-C", "HM-77210-C"),
        ("url", "https://example.org/a", "https://example.org/a/b"),
    ],
)
def test_two_values_have_two_meanings(kind: str, one: str, other: str) -> None:
    """Else a changed value would be thrown out as none."""
    assert meaning_of(kind, one) != meaning_of(kind, other)


SENTENCES = [
    "The town has 14,473 inhabitants.",
    "She owns twelve dogs and a cat.",
    "The bridge was opened on 28 May 1999 by the mayor.",
    "The strike began on 2031-03-19 in Corran.",
    "It lasted 90 minutes in the open air.",
    "It took two weeks to mend the roof.",
    "Turnout was 25% of the electorate.",
    "The film earned $182 million worldwide.",
    "The ticket costs 12 euros for adults.",
    "The road is 16 km long.",
    "The box weighs 2.5 kg when empty.",
    "The doors open at 3:30 pm on Monday.",
    "The claim was filed as HM-77120-C in May.",
    "Forms are at https://www.forms.example.org/garden/apply today.",
    "Write to permits.office@harbour.example for help.",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_change_changes_the_value(sentence: str) -> None:
    """A mutation that is the same value would count as a miss of the guard."""
    spot = next(spots(sentence))
    found = [change for seed in range(40) for change in mutations(spot, seeded(seed))]

    assert len({change.sort for change in found}) >= 2
    for change in found:
        meaning = meaning_of(spot.kind, change.text)
        assert meaning is not None
        assert meaning != spot.meaning
        assert spot.put(sentence, change.text) != sentence


@pytest.mark.parametrize("sentence", SENTENCES)
def test_notation_keeps_the_value(sentence: str) -> None:
    """A notation that is another value would count as a false alarm of the guard."""
    spot = next(spots(sentence))
    found = [form for form in renotations(spot, sentence) if not form.sort.startswith("idiom")]

    assert found
    for form in found:
        assert form.text != spot.text
        assert meaning_of(spot.kind, form.text) == spot.meaning


@pytest.mark.parametrize(
    ("sentence", "kind", "expected"),
    [
        ("The town sold 5,000 tickets.", "number", "5k"),
        ("The town sold 5,000 tickets.", "number", "five thousand"),
        ("She owns twelve dogs.", "number", "12"),
        ("She owns 12 dogs.", "number", "a dozen"),
        ("It took 2 weeks in all.", "duration", "14 days"),
        ("It took 30 minutes in all.", "duration", "half an hour"),
        ("It starts at 3 pm on Monday.", "time", "15:00"),
        ("It costs $1.5 million in all.", "currency", "1,500,000 dollars"),
        ("It was 25 % of the crop.", "percentage", "a quarter"),
        ("It was 25 % of the crop.", "percentage", "25 percent"),
        ("The road is 1 km long.", "unit", "1,000 metres"),
        ("It opened on 2024-03-01 at last.", "date", "March 1, 2024"),
    ],
)
def test_notations_people_use_are_among_them(sentence: str, kind: str, expected: str) -> None:
    """The target names them; idioms are held to their meaning here, for the reader has none."""
    forms = renotations(spot_of(sentence, kind), sentence)

    assert expected in [form.text for form in forms]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("He said “it took 2 weeks in all” and left.", "duration"),
        ('He said "it took 2 weeks in all" and left.', "duration"),
        ("He is 5 feet 8 inches tall.", "unit"),
        ("Delivery takes 3 to 5 days in all.", "duration"),
        ("The crew of Apollo 11 landed.", "number"),
    ],
)
def test_value_that_may_not_be_rewritten_is_left(sentence: str, kind: str) -> None:
    """In a quotation, a range, a name another notation says something else."""
    found = [form for spot in spots(sentence) if spot.kind == kind
             for form in renotations(spot, sentence)]  # fmt: skip

    assert found == []


@pytest.mark.parametrize(
    ("sentence", "text", "why"),
    [
        ("More than 50 people came.", "40", "bound"),
        ("More than 50 people came.", "60", None),
        ("Up to 50 people came.", "60", "bound"),
        ("Up to 50 people came.", "40", None),
        ("Not more than 50 people came.", "60", "bound"),
        ("It does not exceed 50 people.", "60", "bound"),
        ("About 50 people came.", "51", "hedge"),
        ("About 50 people came.", "500", None),
        ("Exactly 50 people came.", "51", None),
        ("There were 50 people or more.", "40", "bound"),
    ],
)
def test_change_that_follows_all_the_same_is_named(
    sentence: str, text: str, why: str | None
) -> None:
    """Who says "more than 40" where 50 was said is not wrong."""
    spot = spot_of(sentence, "number")

    assert implied(spot, sentence, Change(sort="digit", text=text)) == why


@given(st.integers(0, 999_999))
def test_words_read_back_as_the_number(number: int) -> None:
    """Below one thousand the reader knows every number that is written in words."""
    if number < 1000 and number != 1:
        assert read(spelled(number)) == number
    assert read(plain(Fraction(number)) or "") == number


@pytest.mark.parametrize("kind", MADE_UP)
def test_made_up_value_reads_as_its_kind(kind: str) -> None:
    """What is set into a sentence must be found there again."""
    make: Callable[..., str] = MADE_UP[kind]
    random = seeded(kind)

    for _ in range(50):
        assert meaning_of(kind, make(random)) is not None
