"""What asserts nothing is exempt as a whole; whatever may assert is a claim."""

import pytest

from gatekeeper.core.kinds import has_value, is_opening, kind_of
from gatekeeper.core.units import Form
from gatekeeper.verdict import SegmentKind


def is_claim(plain: str, form: Form = Form.PROSE) -> bool:
    """Return whether a segment has to be checked."""
    return kind_of(plain, form) is SegmentKind.CLAIM


@pytest.mark.parametrize(
    "title",
    ["Lamp care", "Opening hours and prices", "How to reset the lamp", "What the plan covers",
     "Where to park", "Seat covers and mats", "Terms of use", "Why it matters", "Not included",
     "Services included", "Sales figures overview", "False statements", "Choosing a lamp",
     "Key benefits:", "Is the hall open", "Works council"],
)  # fmt: skip
def test_titles_are_exempt(title: str) -> None:
    """A title that names its topic must not be flagged: every right answer has some."""
    assert kind_of(title, Form.HEADING) is SegmentKind.HEADING


@pytest.mark.parametrize(
    "title",
    ["The plan covers fire and theft", "Plan covers fire and theft", "THE HALL IS OPEN",
     "Dogs allowed", "Fire damage covered", "Kids eat free", "Is covered by the plan", "Yes", "No",
     "The card grants pool access", "When it rains, the hall is open", "Lamp care \u2705",
     "Why the plan pays for fire damage", "Dogs welcome in all rooms", "3 lamps"],
)  # fmt: skip
def test_titles_that_tell_are_claims(title: str) -> None:
    """A false statement must not pass because it is set in bold or under a line."""
    assert is_claim(title, Form.HEADING)


@pytest.mark.parametrize(
    ("row", "claim"),
    [("| Fire is covered | Dogs |", True), ("| Dogs allowed | Price |", False),
     ("| What is covered | Price |", False), ("| 5 euros | x |", True)],
)  # fmt: skip
def test_table_headers(row: str, claim: object) -> None:
    """The rows say "Dogs allowed: yes"; a whole sentence in a header is said by nobody else."""
    assert is_claim(row, Form.TABLE_HEADER) is claim


@pytest.mark.parametrize(
    ("lead", "form", "claim"),
    [("The plan covers:", Form.LEAD_IN, False), ("The plan covers fire damage:", Form.PROSE, True),
     ("The plan covers fire damage:", Form.LEAD_IN, True),
     ("There are limits for the following reasons:", Form.LEAD_IN, False),
     ("If it is sunny:", Form.LEAD_IN, False), ("If it is sunny:", Form.PROSE, False),
     ("When it is sunny:", Form.PROSE, True), ("If it rains, it is free:", Form.LEAD_IN, True),
     ("Here are the hours:", Form.LEAD_IN, False), ("Not included:", Form.PROSE, False)],
)  # fmt: skip
def test_lead_ins(lead: str, form: Form, claim: object) -> None:
    """A lead-in is exempt only where what it says is read with what stands below it."""
    assert is_claim(lead, form) is claim


@pytest.mark.parametrize(
    "text",
    ["\u283a\u2801\u281e\u2811\u2817", "\U0001f197", "\u2705", "Of course!", "x" * 301, "4 mm."],
)
def test_unusual_words_are_claims(text: str) -> None:
    """Braille, pictures that say yes and a lone assent assert; too long is never exempt."""
    assert is_claim(text)


def test_layout_and_values() -> None:
    """Only what has no word at all is layout, and a value makes a claim of a courtesy."""
    assert kind_of("***", Form.PROSE) is SegmentKind.LAYOUT
    assert kind_of("word", Form.LAYOUT) is SegmentKind.LAYOUT
    assert is_claim("x", Form.CODE)
    assert is_claim("Hope this helps you save 5 euros")
    assert has_value("5 euros")
    assert not has_value("euros")


def test_openings() -> None:
    """An opening such as "Sure!" may only begin an answer; "Absolutely" answers."""
    assert is_opening("Sure!")
    assert not is_opening("Absolutely.")
    assert not is_opening("The hall is open.")
