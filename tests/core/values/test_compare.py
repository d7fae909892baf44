"""What a finding says, how evidence is aligned, and what many sentences change."""

from gatekeeper.core.values import Finding, Kind, Relation, compare, index

_FILLER = [f"The shed numbered s{n}x holds old rope and paint." for n in range(450)]


def _only(claim: str, evidence: list[str], hypothesis: str = "") -> Finding:
    (finding,) = compare(claim, hypothesis or claim, index(evidence))
    return finding


def test_a_derivation_is_written_out_for_the_model() -> None:
    """The model is weak at sums; the note lets it check the conclusion in words."""
    finding = _only(
        "The halls seat 200 people.", ["The north hall seats 120 people, the south hall 80."]
    )

    assert (finding.rule, finding.note, finding.sentence) == ("sum", "120 + 80 = 200", 0)


def test_a_sum_of_three_and_a_broken_result_are_written_out() -> None:
    """Totals often have more than two parts, and results are not always whole."""
    total = _only("They ate 6.5 kg.", ["They ate 1.5 kg, then 2 kg and then 3 kg."])
    gap = _only("The blue box is 1.5 kg lighter.", ["The red box weighs 4 kg and the blue 2.5 kg."])

    assert total.note == "1.5 kg + 2 kg + 3 kg = 6.5 kg"
    assert gap.note == "4 kg - 2.5 kg = 1.5"


def test_the_sentence_that_states_the_value_is_named() -> None:
    """Reasons shown to people name the passage, so the index must be the right one."""
    finding = _only("The mill has 76 doors.", ["The barn is old.", "The mill has 76 doors."])

    assert (finding.relation, finding.sentence) == (Relation.STATED, 1)


def test_the_hypothesis_aligns_a_claim_without_a_subject() -> None:
    """A pronoun's claim is wrong only once it is known what the pronoun stands for."""
    evidence = ["The Wren canoe weighs 14 kilograms.", "The Heron canoe weighs 22 kilograms."]

    carried = _only("It weighs 14 kilograms.", evidence, "The Heron weighs 14 kilograms.")

    assert (carried.relation, carried.sentence) == (Relation.CLASHING, 1)


def test_a_carried_heading_does_not_hide_a_negation() -> None:
    """A heading before a colon is a clause of its own; the claim is the rest."""
    evidence = ["Dogs are not allowed on deck."]

    (finding,) = compare("Dogs are allowed on deck.", "Ferry: Dogs are allowed on deck.",
                         index(evidence))  # fmt: skip

    assert (finding.relation, finding.rule) == (Relation.CLASHING, "negation")


def test_a_sentence_that_says_the_same_outweighs_one_that_denies_it() -> None:
    """Passages that disagree are for the aggregation to judge, not for the guard."""
    evidence = ["Dogs are not allowed on deck.", "Dogs are allowed on deck."]

    assert not compare("Dogs are allowed on deck.", "Dogs are allowed on deck.", index(evidence))


def test_values_are_found_among_many_sentences() -> None:
    """Long contexts are searched by index; the value may stand where no other word is shared."""
    evidence = [*_FILLER, "Ravel Mill was sold for 4,310 euros.", *_FILLER]

    stated = _only("A price of EUR 4310 was paid.", evidence)
    absent = _only("A price of EUR 4311 was paid.", evidence)

    assert (stated.relation, stated.sentence) == (Relation.STATED, len(_FILLER))
    assert absent.relation is Relation.ABSENT


def test_words_that_only_look_like_identifiers_are_judged_only_when_stated() -> None:
    """Words such as "3D" may be absent from evidence that supports the claim."""
    claim = "The room has a 3D model."

    assert not compare(claim, claim, index(["The room has a model."]))
    assert _only(claim, ["A 3D model stands there."]).relation is Relation.STATED


def test_an_identifier_from_another_sentence_is_no_lookalike() -> None:
    """Another part number somewhere does not contradict the claim's."""
    finding = _only("Order A-113 for the pump.", ["The gate has lock B-200.", "Ask the keeper."])

    assert finding.relation is Relation.ABSENT


def test_an_address_inside_a_longer_text_is_found() -> None:
    """Addresses stand in brackets and after colons, and must not match half of a longer one."""
    claim = "Write to help@example.org."

    assert _only(claim, ["mailto:help@example.org?x"]).relation is Relation.STATED
    assert _only(claim, ["See help@example.org.uk/x"]).relation is not Relation.STATED


def test_a_lone_end_of_a_clock_range_is_stated() -> None:
    """Opening hours are two times, and either may be quoted alone."""
    finding = _only("It opens at 9.", ["It is open 9 to 11 in the morning."])

    assert finding.relation is Relation.STATED


def test_a_bound_beyond_a_bounded_amount_is_left_open() -> None:
    """At least 6 and at most 9 may both hold; neither states the other."""
    finding = _only("The hut sleeps at least 6 people.", ["The hut sleeps at most 9 people."])

    assert finding.relation is not Relation.STATED


def test_quantifiers_that_only_differ_are_no_clash() -> None:
    """Weaker than the evidence is fine, and under a negation stronger is weaker."""
    for claim, sentence in [
        ("Many of the beds are watered.", "Some of the beds are watered."),
        ("Not all of the beds are watered.", "Some of the beds are not watered."),
    ]:
        assert not compare(claim, claim, index([sentence]))


def test_a_day_that_the_month_does_not_have_in_common_is_absent() -> None:
    """A date with more detail than the evidence goes beyond it."""
    finding = _only("It opened on 3 July 2024.", ["It opened on 4 May 2024."])

    assert finding.relation is Relation.CLASHING
    assert finding.value is not None
    assert finding.value.kind is Kind.DATE


def test_ranges_that_overlap_in_part_do_not_explain_each_other() -> None:
    """A range that sticks out of the stated one says more than the evidence."""
    finding = _only("Delivery takes 6 to 9 days.", ["Delivery takes 5 to 7 days."])

    assert finding.relation is Relation.CLASHING


def test_a_range_that_holds_elsewhere_is_not_narrowed() -> None:
    """Two services may have two ranges; the one with the very value counts."""
    evidence = ["Delivery takes 3 to 5 days.", "Delivery takes 3 days by courier."]

    assert _only("Delivery takes 3 days.", evidence).relation is Relation.STATED


def test_nothing_is_derived_from_a_zero() -> None:
    """A change from zero has no percentage; it must not raise either."""
    finding = _only("Visits rose by 50 percent.", ["Visits rose from 0 to 40."])

    assert finding.relation is Relation.ABSENT
