"""Only what asks as a whole is a question; a question added to a statement frees nothing."""

import pytest

from gatekeeper.core.questions import added_question, is_question, only_asks


@pytest.mark.parametrize(
    "text",
    ["Is it open?", "What about dogs?", "In which year was it built?", "Any questions?", "The fee?",
     "If I lose my card, what should I do?", "So, is it free?", "Ann: Is it free?",
     "Would you like to know more?", "Do you know who built it?", '"Is it open?"'],
)  # fmt: skip
def test_questions(text: str) -> None:
    """A question asserts nothing and must not be flagged."""
    assert only_asks(text)


@pytest.mark.parametrize(
    ("text", "added"),
    [("The plan covers fire, right?", "right?"), ("The plan covers fire Any questions?",
     "Any questions?"), ("The plan covers fire; does that help?", "does that help?"),
     ("The plan covers fire - any questions?", "any questions?"),
     ("It covers fire. would you like more?", "would you like more?"),
     ("Did you know that fire is covered?", ""), ("Isn't fire covered?", ""),
     ("What is it, the plan covers fire?", ""), ("Dogs are allowed in all of the rooms?", "")],
)  # fmt: skip
def test_statements_with_a_question_mark(text: str, added: str) -> None:
    """A question mark at the end must not exempt the statement before it."""
    assert is_question(text)
    assert not only_asks(text)
    at = added_question(text)
    assert ("" if at is None else text[at:]) == added


def test_no_question() -> None:
    """Nothing is taken off a sentence that asks nothing."""
    assert not only_asks("It is open.")
    assert added_question("It is right.") is None
    assert added_question("Right?") is None
