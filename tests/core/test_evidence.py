"""Premises: windows, their order, joint ones."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.evidence import (
    EvidenceIndex,
    Premise,
    build_index,
    joint_premise,
    rank,
)
from gatekeeper.verdict import Evidence, Passage


def build(*texts: str) -> EvidenceIndex:
    """Index passages named by their position."""
    passages = tuple(Passage(id=str(n), text=text) for n, text in enumerate(texts))
    steps = build_index(Evidence(passages=passages))
    try:
        while True:
            next(steps)
    except StopIteration as end:
        index: EvidenceIndex = end.value
        return index


def best(claim: str, index: EvidenceIndex, *, longest: int = 2) -> Premise:
    """Return the highest-ranked window."""
    return rank(claim, index, longest=longest, most=5).premises[0]


def test_window_with_the_claims_words_comes_first() -> None:
    """The model sees few windows; the one that bears on the claim must be among them."""
    index = build("The shop opens at nine. Parking is free. Dogs stay outside.")

    assert best("Parking is free of charge.", index).text == "Parking is free."


def test_longer_window_must_earn_its_length() -> None:
    """A second sentence that adds nothing only dilutes what the model reads."""
    index = build("The boat is blue. It has two sails. It sleeps four people.")

    assert len(best("The boat is blue.", index).lines) == 1


def test_window_stays_inside_its_passage() -> None:
    """Two passages that follow each other in a list say nothing together."""
    index = build("The tent sleeps four.", "The bag is green.")

    found = rank("The tent sleeps four and the bag is green.", index, longest=3, most=10)

    assert all(len(premise.passages) == 1 for premise in found.premises)


def test_question_alone_is_no_premise() -> None:
    """A question repeats the words of a claim without asserting them."""
    index = build("Is the bench made of larch?")

    assert rank("The bench is made of larch.", index, longest=2, most=5).premises == ()


def test_joint_premise_holds_both_halves_in_passage_order() -> None:
    """One sentence may join facts of two passages; neither alone entails it."""
    index = build("The bag is green.", "Rain is likely.", "The tent sleeps four.")
    ranking = rank("The tent sleeps four, the bag is green.", index, longest=1, most=6)

    joint = joint_premise(ranking, index, places=3)

    assert joint is not None
    assert joint.text == "The bag is green. The tent sleeps four."
    assert [ref.passage for ref in joint.refs] == ["0", "2"]


def test_no_joint_premise_when_one_window_holds_all() -> None:
    """A second place that adds no word of the claim costs tokens for nothing."""
    index = build("The tent sleeps four.", "The tent is green.")
    ranking = rank("The tent sleeps four.", index, longest=1, most=6)

    assert joint_premise(ranking, index, places=3) is None


def test_references_slice_the_passage() -> None:
    """A reviewer is shown the place; offsets into another text would mark the wrong words."""
    text = "First line.  The second   one is long.\nThird."
    index = build(text)

    ref = best("The second one is long.", index).refs[0]

    assert text[ref.start : ref.end].strip() == "The second   one is long."


def test_only_the_best_lines_are_considered_in_long_evidence() -> None:
    """The work for a claim grows with its matches, not with the length of a ticket."""
    lines = [f"Shelf {n} stands in room {n}." for n in range(400)]
    index = build(" ".join([*lines, "The spare key hangs behind the fuse box."]))

    assert "fuse box" in best("The key is behind the fuse box.", index).text


def test_window_without_a_word_of_the_claim_is_no_premise() -> None:
    """A small model finds support in anything for a claim that says next to nothing."""
    index = build("The shop opens at nine. Parking is free.")

    assert rank("It is not so.", index, longest=2, most=3).premises == ()
    assert rank("Dogs bite.", index, longest=2, most=3).premises == ()


words = st.sampled_from("the red blue pump lamp costs opens nine ten euros is not".split())
sentence = st.lists(words, min_size=1, max_size=6).map(lambda found: " ".join(found) + ".")


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(st.lists(sentence, max_size=4).map(" ".join), max_size=4), sentence)
def test_ranking_is_deterministic_and_bounded(texts: Sequence[str], claim: str) -> None:
    """Equal input gives equal pairs, each window once, never more than asked for."""
    first = rank(claim, build(*texts), longest=2, most=4)
    second = rank(claim, build(*texts), longest=2, most=4)

    assert first == second
    assert len(first.premises) <= 4
    assert len({premise.lines for premise in first.premises}) == len(first.premises)


def test_long_passage_is_read_in_steps() -> None:
    """One ticket of a megabyte must not hold the worker, and with it every other check."""
    text = "The shelf is red. " * 160

    steps = list(build_index(Evidence(passages=(Passage(id="0", text=text),))))

    assert len(steps) >= 160
