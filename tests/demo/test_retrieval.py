"""Retrieval: the pages a question should find, and none for a question about something else."""

import pytest

from gatekeeper.demo.documents import Reply, documents, script
from gatekeeper.demo.retrieval import Index

INDEX = Index([document for document in documents() if not document.is_ticket])


@pytest.mark.parametrize("reply", script().replies, ids=lambda reply: reply.source)
def test_question_finds_the_page_its_reply_rests_on(reply: Reply) -> None:
    """Otherwise the stand-in would answer from nothing it was shown."""
    found = INDEX.search(reply.asks, most=3)

    assert reply.source in [document.id for document in found]


def test_withdrawn_price_list_is_found_under_its_old_names() -> None:
    """The demo's point: retrieval does not know that a page is out of date."""
    found = INDEX.search("How much is the Plus plan per month?", most=3)

    assert found[0].id == "price-list-2023"


@pytest.mark.parametrize(
    "question", ["Who won the chess championship in 1972?", "Can I bake bread with it?", "", "?"]
)
def test_question_about_something_else_finds_nothing(question: str) -> None:
    """A page that shares a word in passing is no context for an answer."""
    assert INDEX.search(question, most=3) == ()


def test_best_comes_first_and_no_more_than_asked() -> None:
    """The stand-in copies from the first page, so the order decides what is said."""
    question = "How do I change the battery of a leak sensor?"

    three, one = INDEX.search(question, most=3), INDEX.search(question, most=1)

    assert one == three[:1]
    assert one[0].id == "leak-l3-battery"


def test_empty_index_finds_nothing() -> None:
    """A shop without pages has no answers."""
    assert Index([]).search("anything at all", most=3) == ()
