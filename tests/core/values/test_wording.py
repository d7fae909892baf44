"""What a claim leaves out or adds of sentences whose words it takes."""

import pytest

from gatekeeper.core.values import Relation, compare, index

# claim, hypothesis ("" for the claim), evidence, rule
_BEYOND = [
    ("The discount applies to members.", "",
     ["The discount applies only to members who renew online."], "limit"),
    ("The coating reduces rust.", "", ["Early results suggest the coating could reduce rust."],
     "reserve"),
    ("The old mill opens in June.", "", ["The old mill may open in June."], "reserve"),
    ("The orchard's sales fell because a shop opened.", "",
     ["The orchard's sales fell.", "A new shop opened nearby."], "cause"),
    ("The blue ladder in row 5 is kept in the cellar.", "",
     ["The red rake in row 1 is kept in the cellar, too.",
      "The blue ladder in row 5 is kept in the loft."], "place"),
    ("phone help", "Basic: phone help",
     ["Plan Basic includes email help.", "Plan Plus includes email help and phone help."], "other"),
    ("phone help", "Basic: phone help",
     ["Basic: email help", "Plus: email help", "Plus: phone help"], "other"),
    ("on the shore path", "Horses are allowed: on the shore path",
     ["Dogs are allowed: in the meadow", "Dogs are allowed: on the shore path",
      "Horses are allowed: in the meadow"], "other"),
    ("A surge damaged the router.", "", ["Experts suspect that a surge damaged the router."],
     "reserve"),
    ("A surge damaged the router.", "", ["Police fear a surge damaged the router."], "reserve"),
    ("The small size is blue.", "", ["Size: Small, Colour: red", "Size: Large, Colour: blue"],
     "other"),
]  # fmt: skip

_KEPT = [
    ("The discount applies only to members.",
     ["The discount applies only to members who renew online."]),
    ("The discount applies to members.", ["The discount applies only to members."]),
    ("The discount applies to members.",
     ["The discount applies only to members who renew.", "The discount applies to all members."]),
    ("The coating might reduce rust.", ["Early results suggest the coating could reduce rust."]),
    ("The coating reduces rust.",
     ["The coating may reduce rust.", "Tests show that the coating reduces rust."]),
    ("The coating reduces rust.", ["The coating reduces rust and could save money."]),
    ("The orchard's sales fell because a shop opened.",
     ["The orchard's sales fell.", "The reason was a new shop that opened nearby."]),
    ("Ann stays in because rain fell.", ["Ann: Ann stays in.", "Ben: Rain fell."]),
    ("The sales did not fall because a shop opened.", ["The sales fell.", "A shop opened."]),
    ("Apply within the year for a loan.",
     ["Only those who hold a card may apply within the year for a loan of the old town library."]),
    ("Click Create and select Create schema.",
     ["Click Create and select the file.", "Then select Create schema."]),
    ("Ann met Ben at the mill.", ["Ben met Ann at the mill."]),
    ("The road runs from Elm to Oak.", ["The road runs from Oak to Elm."]),
    ("The blue ladder in row 5 is kept in the loft.",
     ["The red rake is kept in the cellar.", "The blue ladder in row 5 is kept in the loft."]),
    ("The blue ladder in row 5 is kept in the cellar.",
     ["The red rake is kept in the cellar.", "The blue ladder in row 5 is kept in the loft.",
      "In the cellar a blue ladder is kept, too: the one in row 5."]),
    ("Kim gives Ann the call.", ["Kim: What did Ann say of the hall?", "Leo: I give Ann a call."]),
    # The price is not what is said of the other plan: it stands in the row of this one.
    ("The Plus plan costs EUR 4.99 a month.",
     ["Plan: Plus plan, Monthly: EUR 4.99", "The Plus plan can be tried for 14 days.",
      "The Team plan includes 10 members; each further member costs EUR 1.50 a month."]),
    # A part of a sentence word for word: the limit and the reserve are another part's.
    ("The coating reduces rust.", ["The coating reduces rust and could reduce noise."]),
    ("Ann sells ripe apples.", ["Only one shop is left: Ann sells ripe apples while Ben is away."]),
    ("The hall shows the work of local artists.",
     ["The only hall in Elm shows the work of local artists who paint."]),
    ("Tim Hart was held in Elm.", ["The suspect, Tim Hart, was held in Elm."]),
    ("The board closed the mill.", ["After much thought, the board closed the mill."]),
    ("The crowd left the square.", ["Without fear the crowd left the square."]),
    ("The large size is blue.", ["Size: Small, Colour: red", "Size: Large, Colour: blue"]),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "hypothesis", "evidence", "rule"), _BEYOND)
def test_what_goes_beyond_the_sentence_is_found(
    claim: str, hypothesis: str, evidence: list[str], rule: str
) -> None:
    """The words are the same, so a model that goes by them lets the claim pass."""
    findings = compare(claim, hypothesis or claim, index(evidence))

    assert [(f.relation, f.rule) for f in findings if f.value is None] == [(Relation.ABSENT, rule)]


def test_changed_roles_are_a_clash() -> None:
    """Who sells and who buys is all that the sentence says."""
    evidence = ["The orchard sells apples to the bakery."]
    claim = "The bakery sells apples to the orchard."

    (finding,) = compare(claim, claim, index(evidence))

    assert (finding.relation, finding.rule, finding.sentence) == (Relation.CLASHING, "roles", 0)


@pytest.mark.parametrize(("claim", "evidence"), _KEPT)
def test_what_the_evidence_says_somewhere_is_no_finding(claim: str, evidence: list[str]) -> None:
    """A false alarm blocks a right answer; other sentences, and symmetry, must count."""
    assert [f for f in compare(claim, claim, index(evidence)) if f.value is None] == []
