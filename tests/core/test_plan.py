"""The plan of a claim: what is fixed without the model, and what the model is asked."""

from gatekeeper.core import values
from gatekeeper.core.plan import ClaimPlan, Limits, Planner
from gatekeeper.core.rulings import Guard, finished
from gatekeeper.core.segment import segments
from gatekeeper.testing import FakeModel
from gatekeeper.verdict import ClaimStatus
from tests.core.test_evidence import build


def plans(
    answer: str, *texts: str, limits: Limits | None = None, question: str = ""
) -> list[ClaimPlan]:
    """Plan the claims of an answer; the fake model's tokens are characters."""
    index = build(*texts)
    model = FakeModel()
    facts = values.index([line.sentence.text for line in index.lines])
    planner = Planner(
        index,
        Guard(index, facts, texts, model.unknown_words),
        encode=model.encode,
        limits=limits or Limits(pair_tokens=100_000, joint_tokens=20_000),
        question=question,
    )
    return [
        finished(planner.plan(segment, is_last=segment.end == len(answer)))
        for segment in segments(answer)
        if segment.is_claim
    ]


def test_code_is_never_put_to_the_model() -> None:
    """An entailment model has no opinion on code worth having."""
    (plan,) = plans("```\nrun --fast\n```", "Use `run --fast` here.")

    assert plan.fixed is not None
    assert plan.fixed.status is ClaimStatus.SUPPORTED
    assert plan.pairs == []


def test_clash_costs_no_pair() -> None:
    """What the guard has decided needs no forward pass."""
    (plan,) = plans("The pass costs 90 euros.", "The pass costs 60 euros.")

    assert plan.waiting() == []


def test_bare_answer_is_asked_with_its_question() -> None:
    """A bare yes follows from anything; with its question it says something."""
    (plan,) = plans("Yes.", "Dogs may swim here.", question="May dogs swim here?")

    assert plan.asked == "May dogs swim here? Yes."
    assert len(plan.waiting()) == 1


def test_claim_without_a_word_to_look_up_has_no_premise() -> None:
    """A small model finds support for "It is." in any text, so it is not asked."""
    (plan,) = plans("It is.", "The gate is red.")

    assert plan.planned == []


def test_only_the_end_of_an_answer_may_be_broken_off() -> None:
    """An item of a list ends where it ends: "each week" is not the beginning of "weekend"."""
    text = "Staff of the mill are paid each weekend. The mill is open daily."

    (last,) = plans("- Staff of the mill are paid each week", text)
    first, _ = plans("- Staff of the mill are paid each week\n- The mill is open daily.", text)

    assert last.is_copy
    assert not first.is_copy


def test_copy_is_asked_about_other_passages_only() -> None:
    """A sentence of the evidence supports itself; another passage may still contradict it."""
    (plan,) = plans("The gate is red.", "The gate is red.", "The gate was green before.")

    assert plan.planned[0].verbatim
    assert [entry.premise.passages for entry in plan.planned[1:]] == [(1,)]
    assert plan.waiting() == [1]


def test_copied_row_is_not_held_against_its_neighbours() -> None:
    """The other rows of a table say other things of other things; a copied table is right."""
    table = "| Day | Opens |\n|---|---|\n| Monday | 9:00 |\n| Sunday | 10:00 |\n"

    found = plans(table, table)

    assert [(plan.is_copy, plan.waiting(), plan.joint) for plan in found] == [(True, [], None)] * 2


def test_later_claims_never_change_the_plan_of_earlier_ones() -> None:
    """An answer that arrives in pieces gets the plan of a whole one."""
    texts = ("The gate is old. It was red. It is tall. The fence is low.",)
    limits = Limits(pair_tokens=700, joint_tokens=200)
    short = plans("The gate is new.", *texts, limits=limits)
    long = plans("The gate is new. The fence is high. The door is shut.", *texts, limits=limits)

    assert short[0].pairs == long[0].pairs
    assert short[0].joint == long[0].joint


def test_plan_stays_within_its_tokens() -> None:
    """The model's work on one answer is bounded before any of it begins."""
    limits = Limits(pair_tokens=600, joint_tokens=150)
    found = plans(
        "The gate is new. The fence is high. The door is shut. The lamp is lit.",
        "The gate is old. It was red. It is tall.",
        "The fence is low. The door was open. The lamp is blue.",
        limits=limits,
    )

    spent = [sum(pair.tokens for pair in plan.pairs if pair) for plan in found]
    joint = [plan.joint[1].tokens for plan in found if plan.joint]
    assert sum(spent) <= 450
    assert sum(joint) <= 150
    assert all(len(plan.pairs) >= limits.least_windows or plan.fixed is not None for plan in found)


def test_model_is_shown_a_value_in_the_claims_notation() -> None:
    """To the model 3 kilometres and 3,000 metres are strangers; the guard has proved them equal."""
    (plan,) = plans("The bridge is 3,000 metres away.", "The bridge is 3 kilometres away.")

    shown = [FakeModel._decode(pair)[0] for pair in plan.pairs if pair]
    assert shown == ["The bridge is 3 kilometres (3,000 metres) away."]


def test_premises_carry_what_the_evidence_knows_of_the_claim() -> None:
    """A weighing may use it: of "castle" and "hut" the evidence knows one."""
    (plan,) = plans("The castle has a hut.", "The hut is red.", "The door is blue.")

    (entry,) = plan.planned
    assert entry.words == 2
    assert 0.0 < entry.known < 0.5
