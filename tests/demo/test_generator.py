"""The stand-in for a language model: true where it should be, wrong on demand, always the same."""

import pytest

from gatekeeper.demo.documents import Document, documents, script
from gatekeeper.demo.generator import (
    NOTHING_FOUND,
    Invention,
    answer,
    embellish,
    invention_for,
)

PAGES = {document.id: document for document in documents()}
SCRIPT = script()


def said(question: str, *pages: str, invention: Invention = Invention.NONE) -> str:
    """Return what the stand-in says to a question over some pages."""
    return answer(question, [PAGES[page] for page in pages], SCRIPT, invention)


def test_known_question_gets_the_written_reply() -> None:
    """A reply in words of its own is what an entailment model is for; a copy needs none."""
    text = said("How long is the warranty on my Air 2?", "warranty")

    assert text.startswith("The warranty lasts 3 years")


def test_reply_needs_its_page_among_those_found() -> None:
    """The stand-in may say nothing that was not retrieved: that is what invention is for."""
    text = said("How long is the warranty on my Air 2?", "gift-cards")

    assert "warranty" not in text


def test_other_question_is_answered_by_sentences_of_the_best_page() -> None:
    """What nobody wrote a reply for must be answered truly all the same."""
    text = said("When do API keys expire?", "api-keys", "api-limits")

    plain = PAGES["api-keys"].text.replace("*", "")
    assert "Keys expire after 365 days." in text
    assert all(part in plain for part in text.rstrip(".").split(". "))


def test_page_that_shares_no_word_gives_its_first_sentence() -> None:
    """Retrieval may go by a title whose words stand in no sentence."""
    assert said("zzz", "gift-cards").startswith("Gift cards are sold for EUR 25")


def test_nothing_found_makes_nothing_up() -> None:
    """Even a bad generator has to have something to lie about."""
    assert answer("Who won?", [], SCRIPT, Invention.NUMBER) == NOTHING_FOUND


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Within 30 days.", "Within 38 days."),
        ("It costs EUR 6.49 a month.", "It costs EUR 14.49 a month."),
        ("Version 3.8.1 since 11 March.", "Version 3.8.1 since 19 March."),
        ("Ticket T-4101, claim W-20931, at 14:00.", "Ticket T-4101, claim W-20931, at 14:00."),
        ("An Air 2 lasts 3 years.", "An Air 2 lasts 11 years."),
        ("At most 1,000 readings.", "At most 1,000 readings."),
        ("", ""),
    ],
)
def test_made_up_number_replaces_the_first_count(text: str, wrong: str) -> None:
    """The error must be one a person would make: a count or an amount, not a torn name."""
    assert embellish(text, "seed", SCRIPT, Invention.NUMBER) == wrong


@pytest.mark.parametrize(
    ("invention", "choices"),
    [(Invention.POLICY, SCRIPT.policies), (Invention.STEP, SCRIPT.steps)],
)
def test_made_up_sentence_comes_behind_the_truth(
    invention: Invention, choices: tuple[str, ...]
) -> None:
    """One wrong sentence behind right ones is what a gate has to find."""
    texts = {embellish("True.", f"seed {n}", SCRIPT, invention) for n in range(40)}

    assert texts == {f"True. {choice}" for choice in choices}


def test_made_up_sentences_stand_in_no_page() -> None:
    """An invention that a page happens to state would make the demo wrong."""
    everything = "\n".join(page.text for page in PAGES.values())

    assert not any(text in everything for text in (*SCRIPT.policies, *SCRIPT.steps))


def test_some_questions_bring_inventions_of_their_own() -> None:
    """A generator that is always right, or always wrong, would show nothing."""
    drawn = [invention_for(f"question {n}") for n in range(400)]

    assert set(drawn) == set(Invention)
    assert 0.6 < drawn.count(Invention.NONE) / len(drawn) < 0.9
    assert drawn == [invention_for(f"question {n}") for n in range(400)]


def test_lists_are_read_and_tables_are_not() -> None:
    """Half a table row is no sentence."""
    page = Document(
        id="x",
        kind="how-to",
        date="2025-01-01",
        status="current",
        text="# Lamp\n\n| Lamp | Price |\n|---|---|\n| Lamp A | 5 |\n\n1. Turn the **lamp** off.\n",
    )

    assert answer("lamp", [page], SCRIPT, Invention.NONE) == "Turn the lamp off."
