"""Numbers that are part of a name, and references to passages."""

import pytest

from gatekeeper.core.values import Relation, compare, extract, index

STATED, DERIVED = Relation.STATED, Relation.DERIVED
CLASHING, ABSENT = Relation.CLASHING, Relation.ABSENT


@pytest.mark.parametrize(
    ("claim", "sentence", "relation"),
    [
        ("The mill has 14 Rotor 2 sieves.", "The mill has 28 Rotor 2 sieves.", CLASHING),
        ("The mill has 28 Rotor 2 sieves.", "The mill has 14 Rotor 2 sieves.", CLASHING),
        ("The mill has 28 sieves.", "The mill has 14 of the Rotor 2 sieves.", CLASHING),
        ("The sieve runs with Grainer 7.", "The sieve runs with Grainer 6.", CLASHING),
        ("The sieve runs with Grainer 7.", "It has Grainer 6 on all 7 laptops.", ABSENT),
        ("The sieve runs with Grainer 7.", "The sieve runs with Grainer 6 and 7.", STATED),
        ("The sieve fits the mPress 7.", "The sieve fits the mPress 6.", CLASHING),
        ("The sieve fits the mPress 7.", "The sieve fits 5 presses and 2 mills.", ABSENT),
        ("Leave by Gate 4.", "Leave by gate 4.", STATED),
        ("Leave by Gate 4.", "Leave by Gates 3 and 4.", STATED),
        ("It is now in Phase three.", "It is now in Phase 3.", STATED),
        ("In Ravel 5 people sang.", "5 people sang in Ravel.", STATED),
        ("The halls seat 200.", "The halls seat: North 120, South 80.", DERIVED),
        ("The halls seat 200.", "North 120, South 80 seat in the halls.", DERIVED),
    ],
)
def test_a_number_in_a_name_is_stated_as_a_name(
    claim: str, sentence: str, relation: Relation
) -> None:
    """The figure of a model is no amount: it must not be summed, multiplied, or found elsewhere."""
    worst = (CLASHING, ABSENT, DERIVED, STATED)

    relations = {finding.relation for finding in compare(claim, claim, index([sentence]))}

    assert min(relations, key=worst.index) is relation


@pytest.mark.parametrize(
    "text",
    [
        "The mill is old (source: passage 1).", "For fees see section 3 of document 2.",
        "By documents 1, 2 and 3, the mill is old.", "As passage ID 3 says, it is old.",
        "See also section 4.2.", "It is on page 3 of the document.", "Documents 1-2 say so.",
        "[1] Second, it is old.", "1. Minutes are kept.",
    ],
)  # fmt: skip
def test_a_reference_to_a_passage_is_no_value(text: str) -> None:
    """An answer that names its sources has numbers that stand in no source."""
    assert not [value for value in extract(text) if not value.weak and value.noun != "old"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Send the document 14 days before.", "14 days"),
        ("The shop sources 5 kinds.", "5"),
        ("The report documents 12 cases.", "12"),
        ("It documents 12,000 cases.", "12,000"),
        ("The passage 12 metres below is shut.", "12 metres"),
        ("The document 3 times stamped is void.", "3"),
        ("A fee of [5] euros is due.", "5"),
        ("The law has a section 3 of its own.", "3"),
    ],
)
def test_an_amount_beside_such_a_word_is_a_value(text: str, shown: str) -> None:
    """What looks like a reference and has a unit is a figure that must be checked."""
    assert [value.text for value in extract(text)] == [shown]
