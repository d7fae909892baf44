"""A claim built like a sentence of the evidence: values are compared place by place."""

import pytest

from gatekeeper.core.values import Finding, Relation, compare, index

_CHANGED = [
    # The changed value stands elsewhere, so a search would find it.
    ("The mill won its prizes in 1996 and 1996.", ["The mill won its prizes in 1994 and 1996."]),
    ("The barn was sold in 2009 to the mill.",
     ["The barn was sold in 2008 to the mill.", "In 2009 the mill burnt down."]),
    # It follows from others by some sum.
    ("The ward has 40 old beds, 20 new beds and 20 cots.",
     ["The ward has 40 old beds, 25 new beds and 20 cots."]),
    ("The fine doubled to 80 euros after 30 days.", ["The fine doubled to 60 euros after 30 days.",
                                                     "It was 40 euros before."]),
    # Other units and currencies, and words that may be idioms elsewhere.
    ("The old mill weighs 140 dollars more.", ["The old mill weighs 140 pounds more."]),
    ("The eleven mill hands left early.", ["The two mill hands left early."]),
    ("The opal is valued at A$90 (£50; £68).", ["The opal is valued at A$90 (£50; $68)."]),
    # A limit, and a range, moved.
    ("The trench is up to 12 kilometres deep.", ["The trench is up to 11 kilometres deep."]),
    ("The dose suits children of 20 to 62 kg.", ["The dose suits children of 20 to 26 kg."]),
    # A row of a table has no words.
    ("1 | 2 | 3 | 4 | 5 | 6 | 8", ["1 | 2 | 3 | 4 | 5 | 6 | 7"]),
]  # fmt: skip

# Other notations, parts of a sentence, and sentences that only look alike.
_SAME = [
    ("The barn was sold for 5k euros after two weeks.",
     ["The barn was sold for 5,000 euros after 14 days."]),
    ("The desk of the mill opens at 3 pm.", ["The desk of the mill opens at 15:00 every day."]),
    ("The mill barn holds about 20 sheep.", ["The mill barn holds about 19 sheep."]),
    ("The mill sold 40 sheep in 2020.",
     ["The mill sold 30 sheep in 2019.", "The mill sold 40 sheep in 2020."]),
    ("The old sieve runs with Grainer 7.", ["The old sieve runs with Grainer 6 and 7."]),
    ("The old mill opened on 1 July 2024.", ["In 2024 all went well.",
                                             "The old mill opened on 1 July."]),
    ("The old barn stores 1.250.000 seeds.", ["The old barn stores 1250000 seeds."]),
]  # fmt: skip


def _against(claim: str, evidence: list[str]) -> list[Finding]:
    findings = compare(claim, claim, index(evidence))
    return [f for f in findings if f.relation in (Relation.CLASHING, Relation.ABSENT)]


@pytest.mark.parametrize(("claim", "evidence"), _CHANGED)
def test_a_value_changed_in_a_copied_sentence_is_caught(claim: str, evidence: list[str]) -> None:
    """The place says which value is meant; another sentence that has it, or a sum, is no excuse."""
    found = _against(claim, evidence)

    assert [f.relation for f in found] == [Relation.CLASHING]
    assert found[0].sentence == 0


@pytest.mark.parametrize(("claim", "evidence"), _SAME)
def test_what_only_looks_changed_is_no_clash(claim: str, evidence: list[str]) -> None:
    """A false alarm blocks a right answer: notations, rounding and lists must pass."""
    assert not _against(claim, evidence)


def test_a_row_with_most_values_different_is_another_row() -> None:
    """Figures of another year are in the same words; what is said of them is for the search."""
    claim = "The mill sold 40 sheep in 2020."
    evidence = ["The mill sold 30 sheep in 2019.", "In 2020 sales of sheep rose to 40."]

    assert not _against(claim, evidence)
