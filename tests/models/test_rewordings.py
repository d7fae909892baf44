"""Rewordings that keep a sentence true, and talk retold in the third person."""

import pytest

from models.construct.reductions import finished, reductions
from models.construct.speech import renamed, retold, speakers, without_handles


@pytest.mark.parametrize(
    ("kind", "sentence", "left"),
    [
        ("detail", "The mill was sold to a baker from Turin in 1912.",
         "The mill was sold to a baker from Turin."),
        ("apposition", "Andrew Lee, a former teacher, was elected.", "Andrew Lee was elected."),
        ("lead", "In May 2017, the town opened a new library.", "The town opened a new library."),
        ("said", "The mayor said that the bridge is closed.", "The bridge is closed."),
    ],
)  # fmt: skip
def test_a_part_can_be_left_out(kind: str, sentence: str, left: str) -> None:
    """What is left says less than the sentence and nothing else."""
    found = {reduction.kind: reduction for reduction in reductions(sentence)}

    assert finished(found[kind].text) == left
    assert found[kind].part in sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "The mill was not sold to a baker in 1912.",
        "Only members may enter the hall on Mondays.",
        "The price depends on the weight.",
        "Prices are higher than in the north.",
    ],
)
def test_nothing_is_cut_where_a_cut_would_change_the_rest(sentence: str) -> None:
    """Without its tail, a negation or comparison says more than it did."""
    assert [r for r in reductions(sentence) if r.kind == "detail"] == []


def test_a_turn_is_retold() -> None:
    """The claim about a chat is in the third person; the chat is not."""
    names = ("Ann", "Tom")

    assert retold("Ann: I lost my keys in the park.", names) == (
        "Ann",
        "Ann lost Ann's keys in the park.",
    )
    assert retold("Tom: We'll send you a new one.", names) == (
        "Tom",
        "Tom will send Ann a new one.",
    )


@pytest.mark.parametrize(
    "turn",
    [
        "Ann: Where did I leave my keys?",
        "Ann: I lost the keys that I got from you.",
        "Ann: Nice weather today.",
        "Eve: I lost my keys in the park.",
    ],
)
def test_a_turn_that_is_hard_to_retell_is_left(turn: str) -> None:
    """A wrong retelling labelled true is worse than none."""
    assert retold(turn, ("Ann", "Tom", "Ben")) is None


def test_speakers_get_names_in_talk_and_summary_alike() -> None:
    """If only one of the two were renamed, the summary would be false."""
    chat = "Customer: It broke.\nAgent: I am sorry, customer's always first."
    summary = "The customer says it broke."

    told = renamed([chat, summary], ("Customer", "Agent"), ("Ann", "Tom"))

    assert speakers(told[0]) == ("Ann", "Tom")
    assert told[1] == "Ann says it broke."
    assert "Ann's always first" in told[0]


def test_handles_and_signatures_go() -> None:
    """They name nobody the summary names, and teach the model to look for them."""
    chat = "Customer: @shop It broke\nAgent: @12 Sorry &amp; thanks ^KL\nAgent: @12"

    assert without_handles(chat) == "Customer: It broke\nAgent: Sorry & thanks"
