"""Edits by kind: a worked example of each, and what the edit does to the truth."""

import random

import pytest

from models.construct.edits import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILMENT, Edit
from models.construct.makers import MAKERS

CASES = {
    "number": ("The fee is 12 euros.", ["It was 19 before."], "The fee is 19 euros."),
    "member": ("We met on Monday.", ["They left on Friday."], "We met on Friday."),
    "opposite": ("Sales increased in May.", [], "Sales decreased in May."),
    "negation": ("The door was locked.", [], "The door was not locked."),
    "hedge": ("Heat may damage the seal.", [], "Heat will damage the seal."),
    "limit": ("Entry to the hall is free unless you are late.", [], "Entry to the hall is free."),
    "only": ("The shop is open on Mondays.", [], "The shop is only open on Mondays."),
    "entity": (
        "The prize went to Anna Berg.",
        ["In the hall Tom Hill spoke."],
        "The prize went to Tom Hill.",
    ),
    "roles": ("Anna asked for help from Tom.", [], "Tom asked for help from Anna."),
}


def edits_of(kind: str, text: str, others: list[str]) -> list[Edit]:
    """Return what a maker finds with a few different dice."""
    dice = [random.Random(seed) for seed in range(12)]  # noqa: S311  # not for secrets
    found = [MAKERS[kind](text, others, draw) for draw in dice]
    return [edit for edit in found if edit is not None]


@pytest.mark.parametrize("kind", CASES)
def test_each_kind_changes_what_its_name_says(kind: str) -> None:
    """A kind that stopped firing would leave the model without its examples, unseen."""
    text, others, expected = CASES[kind]

    changed = {edit.apply(text) for edit in edits_of(kind, text, others)}

    assert expected in changed


@pytest.mark.parametrize("text", ["Anna and her friend met Tom.", "Anna was with her Tom."])
def test_roles_of_equals_stay(text: str) -> None:
    """Where both do the same, the exchange leaves the sentence true."""
    assert edits_of("roles", text, []) == []


@pytest.mark.parametrize(
    ("kind", "text", "forward", "backward"),
    [
        ("number", "The fee is 12 euros.", CONTRADICTION, CONTRADICTION),
        ("negation", "The door was not locked.", CONTRADICTION, CONTRADICTION),
        ("hedge", "Heat may damage the seal.", NEUTRAL, ENTAILMENT),
        ("hedge", "It takes up to 5 days.", NOT_ENTAILMENT, None),
        ("only", "The shop is open on Mondays.", NEUTRAL, ENTAILMENT),
        ("limit", "Entry to the hall is free unless you are late.", NOT_ENTAILMENT, None),
    ],
)
def test_directions_have_their_own_labels(
    kind: str, text: str, forward: str, backward: str | None
) -> None:
    """All entails some and some does not entail all: one label for both would teach a lie."""
    edit = edits_of(kind, text, [])[0]

    assert (edit.forward, edit.backward) == (forward, backward)


def test_negation_goes_and_comes() -> None:
    """If "not" were only ever added, "not" alone would tell the label."""
    texts = {"The door was not locked.": "The door was locked.", "It isn't open.": "It is open."}

    for text, expected in texts.items():
        assert {edit.apply(text) for edit in edits_of("negation", text, [])} == {expected}


def test_a_verb_that_only_looks_like_an_auxiliary_is_left_alone() -> None:
    """They "have not cars" is no English, and a model would learn that from its sound."""
    assert edits_of("negation", "They have cars.", []) == []
    assert edits_of("negation", "They have closed the shop.", [])


def test_a_number_changes_its_value_and_keeps_its_look() -> None:
    """An invented number must not be known from commas, decimals or its size."""
    for text in ("It cost 9,250 pounds.", "It grew by 2.5 points.", "He was born in 1912."):
        for edit in edits_of("number", text, []):
            assert edit.new != edit.old
            assert ("," in edit.new, "." in edit.new) == ("," in edit.old, "." in edit.old)


def test_an_edit_does_nothing_where_its_words_stand_twice() -> None:
    """With one of two places changed, which of them the claim means is open."""
    edit = Edit(kind="k", old="12", new="13", forward=CONTRADICTION, backward=None)

    assert edit.apply("12 of 12 came.") is None
    assert edit.apply("12 of 120 came.") == "13 of 120 came."
    assert edit.apply("No number.") is None
