"""A refusal is exempt as a whole; a negated fact is none."""

import pytest

from gatekeeper.core.refusals import is_refusal


@pytest.mark.parametrize(
    "text",
    ["No information about refunds is available in the provided context.",
     "I can't confirm that dogs are allowed.", "I do not know who built it or when it was built.",
     "The documents do not include information on whether the hut is heated.",
     "I don't have enough information to answer that question.",
     "There is no explicit information about the share of the fee that members have.",
     "That is not mentioned in the documents.", "The fee is not mentioned in the leaflet,"],
)  # fmt: skip
def test_refusals(text: str) -> None:
    """What was asked for may be a noun phrase or one question."""
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    ["Rain that is not mentioned is covered by the plan.", "Dogs are not mentioned and are free.",
     "Every lamp that is not listed in the documents is free of charge.",
     "There is no evidence that rain harms the lamp.", "No data on guests is kept by the hotel.",
     "I do not know anyone whose dogs were refused at the lake.",
     "I do not know a place that allows dogs.", "I do not know, " + "well " * 80,
     "I do not know whether the hut is open and the pool and the gym are free."],
)  # fmt: skip
def test_negative_facts(text: str) -> None:
    """A relative clause or a second verb makes a fact of it, and a fact is checked."""
    assert not is_refusal(text)
