"""What is decided without the model, and what the model is shown of it."""

import re

import pytest

from gatekeeper.core import values
from gatekeeper.core.aggregate import Ruling
from gatekeeper.core.evidence import EvidenceIndex, build_index
from gatekeeper.core.notation import Apposition
from gatekeeper.core.rulings import NAMES_A_STEP, Guard
from gatekeeper.core.segment import segments
from gatekeeper.verdict import ClaimStatus, Evidence, Passage, Segment, SegmentKind


def build(*texts: str) -> EvidenceIndex:
    """Index passages named a, b, c."""
    passages = tuple(Passage(id=name, text=text) for name, text in zip("abc", texts, strict=False))
    steps = build_index(Evidence(passages=passages))
    try:
        while True:
            next(steps)
    except StopIteration as end:
        index: EvidenceIndex = end.value
        return index


def guard(*texts: str) -> Guard:
    """Make a guard whose model can't spell words with a Greek letter in them."""
    index = build(*texts)
    facts = values.index([line.sentence.text for line in index.lines])
    return Guard(index, facts, texts, lambda text: tuple(re.findall(r"[α-ω]+", text)))


def rule(answer: str, *texts: str) -> tuple[Ruling, tuple[Apposition, ...]]:
    """Rule on an answer of one claim."""
    (claim,) = segments(answer)
    return guard(*texts).rule(claim)


def literal(code: str, *texts: str) -> tuple[ClaimStatus, Ruling]:
    """Compare code literally."""
    segment = Segment(
        start=0, end=1, kind=SegmentKind.CLAIM, plain=code, hypothesis=code, literal=True
    )
    finding, ruling = guard(*texts).compare_literally(segment)
    return finding.status, ruling


def test_clash_names_value_rule_and_passage() -> None:
    """A reviewer must be able to check the guard's word by hand."""
    ruling, _ = rule(
        "The pump moves 430 litres an hour.", "Blue.", "The pump moves 340 litres an hour."
    )

    assert ruling.clashing
    assert ruling.passages == (1,)
    assert "430 litres" in ruling.reason
    assert "passage b" in ruling.reason


def test_absent_value_limits_and_is_named() -> None:
    """Nothing in the evidence explains the number: the claim can't be supported."""
    ruling, forms = rule("The pump was sold 93 times.", "The pump is green.")

    assert ruling.absent
    assert not ruling.clashing
    assert "93" in ruling.reason
    assert forms == ()


@pytest.mark.parametrize(
    ("answer", "evidence", "shown"),
    [
        ("The bridge is 3,000 metres away.", "The bridge is 3 kilometres away.",
         "The bridge is 3 kilometres (3,000 metres) away."),
        ("The stay was about 5 minutes.", "The stay was 4.97 minutes.",
         "The stay was 4.97 minutes (5 minutes)."),
        ("The course took two years.", "The course began in May 2031 and ended in May 2033.",
         "The course began in May 2031 and ended in May 2033, two years."),
    ],
)  # fmt: skip
def test_proved_value_is_shown_in_the_claims_notation(
    answer: str, evidence: str, shown: str
) -> None:
    """The model can't convert: the premise says the value the way the claim does."""
    ruling, forms = rule(answer, evidence)

    assert ruling == Ruling()
    assert [form.put_into(evidence) for form in forms] == [shown]


def test_value_in_the_same_words_is_left_alone() -> None:
    """Where both say it alike there is nothing to add, and the evidence stays as it is."""
    assert rule("The pass costs 60 euros.", "A pass costs 60 euros.")[1] == ()


def test_satisfied_bound_is_not_shown_as_the_value() -> None:
    """A shorter term may satisfy a longer one; to say 60 in the evidence would be a lie."""
    _, forms = rule("It arrives within 60 days.", "It arrives within 30 days.")

    assert forms == ()


def test_citation_must_name_a_passage() -> None:
    """A made-up source is a made-up fact."""
    assert rule("The gate is red [3].", "The gate is red.")[0].absent
    assert not rule("The gate is red [1].", "The gate is red.")[0].absent
    assert not rule("The gate is red [7].", "As said before [7], the gate is red.")[0].absent
    assert not rule("The gate is red [a].", "The gate is red.")[0].absent


def test_word_no_vocabulary_spells_must_stand_in_the_evidence() -> None:
    """All such words are one token to the model: it would take any for any other."""
    assert rule("The part is called ωβγ.", "The part is called ωδε.")[0].absent
    assert not rule("The part is called ωβγ.", "A part called ωβγ is sold.")[0].absent


def test_code_stands_letter_by_letter_or_not() -> None:
    """One changed option is another command; a model sees almost the same words."""
    assert literal("run --fast", "Use `run --fast` here.")[0] is ClaimStatus.SUPPORTED
    status, ruling = literal("run --slow", "Use `run --fast` here.")
    assert status is ClaimStatus.UNSUPPORTED
    assert ruling.absent


def test_what_only_reads_like_a_citation_needs_no_passage() -> None:
    """A copied sentence with "[2,22]" or a raised figure in it cites nothing."""
    for text in ("The test gave F[2,22] here.", "The wood covers all of the 4 km ² there."):
        assert rule(text, text)[0] == Ruling()
    assert "[9]" in rule("The wood is old [9].", "The wood is old [5, 7].")[0].reason


def test_a_count_is_shown_with_what_is_counted() -> None:
    """To the model "four" is no statement; "four tools" is."""
    _, forms = rule("The kit has three tools.", "The kit has a brush, a pad and a cloth.")

    assert forms == (
        Apposition(
            line=0,
            old="The kit has a brush, a pad and a cloth",
            new="The kit has a brush, a pad and a cloth, three tools",
        ),
    )


def test_a_formula_is_shown_behind_the_words_that_say_it() -> None:
    """The model can't read letters, but it can see that they stand in the right place."""
    evidence = "Flow is volume divided by time."

    for claim in ("Flow can be written as $Q = V / t$.", "Flow is $Q = \\frac{V}{t}$."):
        ((form,),) = [rule(claim, evidence)[1]]
        assert form.old == "Flow is volume divided by time"
        assert "V" in form.new
    assert rule("Flow can be written as $Q = t / V$.", evidence)[1] == ()
    assert rule("Flow can be written as $Q = V \\times t$.", evidence)[1] == ()
    assert rule("Speed can be written as $Q = V / t$.", evidence)[1] == ()


def test_a_claim_broken_off_within_a_word_is_known_by_its_beginning() -> None:
    """A stream cut by a limit must not be flagged for the half word it ends in."""
    text = "Boats leave at noon. The gate opens at six and closes at nine. Is the gate of oak wood?"

    def begun(answer: str) -> int | None:
        (claim,) = [s for s in segments(answer) if s.is_claim]
        return guard(text).begun(claim)

    assert begun("The gate opens at six and clo") == 1
    assert begun("The gate opens at six and cli") is None
    assert begun("The gate opens at six and") is None
    assert begun("The gat") is None


def test_many_names_are_looked_for_in_steps() -> None:
    """A crafted answer cites hundreds of sources; each is searched in all of the evidence."""
    marks = range(4, 4 + 5 * NAMES_A_STEP)
    text = "The pump is old. " + "".join(f"[{n}, {n + 1}] " for n in marks)
    (claim,) = segments("The pump is old" + "".join(f"[{n}]" for n in marks) + ".")
    one, _ = segments("The pump is old [4]. It is.")
    steps = guard(text).rule_steps(claim)

    assert sum(1 for _ in steps) >= 5 + sum(1 for _ in guard(text).rule_steps(one))
    assert rule("The pump is old [4][999].", text)[0].reason == "[999] names no passage"
