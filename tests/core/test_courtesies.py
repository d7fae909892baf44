"""Courtesies are exempt as a whole, and nothing can be smuggled in behind one."""

import pytest

from gatekeeper.core.courtesies import is_advice, is_greeting, is_meta, is_opinion


@pytest.mark.parametrize(
    "text",
    ["Let me know if you'd like more details about the Wren canoe.", "Feel free to ask!",
     "Please do not hesitate to contact us.", "I hope this helps!", "For example:",
     "If you need more help with painting a particular boat, feel free to ask!",
     "If you have any other questions, please let me know.", "I'm an AI assistant.",
     "Here are the steps to build a kite:", "Here's a list of the kites, boats, and tents:",
     "As instructed, I will cite the book", "Sure, here are the steps:", "Let me explain.",
     "I am an AI and cannot give medical advice.", "I will outline the main points.",
     "Based on the provided context, here is what I found:", "In short:",
     "Below is a list of the opening hours:"],
)  # fmt: skip
def test_talk_about_the_answer(text: str) -> None:
    """Offers and announcements are in most answers and must not be flagged."""
    assert is_meta(text)


@pytest.mark.parametrize(
    "text",
    ["Feel free to bring dogs inside.", "Do not hesitate to light a fire.",
     "Let me explain that the plan covers fire.", "Hope this helps and the plan covers fire.",
     "If you have a boat, please moor it here.", "I am an AI and the plan covers fire.",
     "As requested, here the plan covers fire.", "Let me know if dogs are allowed.",
     "Here is free parking.", "Let me explain: it is free.", "Let me know. It is free.",
     "I will explain " + "a long word " * 5 + "of it", "Let me know " + "now " * 80,
     "Feel free to ask about the free, heated and open pool that has a bar"],
)  # fmt: skip
def test_a_courtesy_hides_no_statement(text: str) -> None:
    """A false statement must not pass because a polite phrase begins the sentence."""
    assert not is_meta(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Please check the website for the latest prices.", True),
     ("It's best to consult a doctor directly.", True),
     ("For more details, please contact the Wren Museum directly.", True),
     ("Check with the staff to be sure.", True),
     ("Ask at any shop for a free new lamp directly.", False),
     ("Ask any shop to mend lamps damaged by rain directly.", False),
     ("Call us; it is free of charge for more information", False),
     ("Call the desk.", False), ("The desk is open.", False), ("Check " + "x " * 200, False)],
)  # fmt: skip
def test_advice(text: str, expected: object) -> None:
    """Sending people elsewhere is exempt; what they get there is a claim."""
    assert is_advice(text) is expected


def test_praise_and_greetings() -> None:
    """Praise measures nothing, and a word more may: "fun alone" says that one may go alone."""
    assert is_opinion("It is a lovely walk.")
    assert not is_opinion("I think it's fun alone.")
    assert not is_opinion("What a nice heated pool!")
    assert is_greeting("Hello there!")
    assert not is_greeting("Hello, it is open.")
