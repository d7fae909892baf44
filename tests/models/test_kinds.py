"""Whole texts to pairs: what is true is in the premise, what is false is not."""

import random
from collections import Counter
from dataclasses import replace

from models.construct import joins, lines, summaries
from models.construct.documents import PREMISE_CHARS, claims, read_document
from models.construct.kinds import all_pairs
from models.construct.rewordings import reworded
from models.construct.shop import Shop
from models.pairs import Pair

STORY = (
    "The old mill was sold to a baker from Turin in 1912. The baker repaired the roof. "
    "His daughter opened a school in Lyon. The school was closed in 1940. "
    "Visitors may enter the garden with a ticket. The mayor said that the river is deep. "
    "In May 2017, the town got a new library. "
    "On Monday Anna Berg asked for help from Tom Hill. Every May the mill turns for a day. "
    "The museum is open on Sundays."
)
CHAT = (
    "Customer: I lost my parcel in May.\nAgent: We sent you 2 letters.\n"
    "Customer: I need a new card before Friday.\nAgent: I will call you tomorrow."
)
SUMMARY = "The customer lost a parcel in May. The agent will call the customer tomorrow."


def dice(seed: int) -> random.Random:
    """Return dice that fall the same way each time."""
    return random.Random(seed)  # noqa: S311  # not for secrets


def shop(seed: int, text: str = STORY) -> Shop:
    """Return a document with its dice."""
    return Shop(
        document=read_document("made up", "0" * 12, text),
        draw=dice(seed),
        outside=(" in a hall near Porto",),
    )


def many(seeds: int = 16) -> list[Pair]:
    """Return the pairs that different dice make of both texts."""
    made = []
    for seed in range(seeds):
        for text, written in ((STORY, ()), (CHAT, (SUMMARY,))):
            draw = dice(seed)
            made += all_pairs("made up", "0" * 12, text, written, draw, (" in a hall near Porto",))[
                0
            ]
    return made


def test_same_dice_make_the_same_pairs() -> None:
    """A mixture that can't be made again can't be argued about."""
    assert many(3) == many(3)


def test_both_texts_give_true_and_false_of_nearly_every_kind() -> None:
    """A kind with one side only would let its look tell the label."""
    sides = Counter((pair.kind, pair.label == "entailment") for pair in many())

    for kind in ("number", "member", "negation", "hedge", "entity", "detail", "lead", "two_facts",
                 "cause", "mixed", "speaker", "invented", "only"):  # fmt: skip
        assert sides[kind, True], kind
        assert sides[kind, False], kind
    assert sides["copied", True]
    assert sides["missing", False]
    assert sides["summary", True]
    assert sides["summary_speaker", False]


def test_premises_fit_and_claims_are_sentences() -> None:
    """What the gate never shows the model is not worth learning."""
    for pair in many(10):
        assert 0 < len(pair.premise) <= 2 * PREMISE_CHARS
        assert pair.hypothesis[0].isupper() or not pair.hypothesis[0].isalpha()
        assert pair.hypothesis[-1] in '.!?")'


def test_an_edit_goes_both_ways() -> None:
    """The true one of a pair must not always be the one in the words of the source."""
    pairs = [p for seed in range(40) for p in lines.edited(shop(seed), 0, "number")]
    true = [pair.hypothesis for pair in pairs if pair.label == "entailment"]

    assert any("1912" in claim for claim in true)
    assert any("1912" not in claim for claim in true)
    for pair in pairs:
        stated = pair.hypothesis.rstrip(".") in pair.premise
        assert stated == (pair.label == "entailment") or "1912" not in pair.hypothesis


def test_a_missing_line_is_not_in_its_premise() -> None:
    """A claim that its window states is not neutral."""
    made = [p for seed in range(20) for n in range(6) for p in lines.missing(shop(seed), n)]

    assert made
    assert all(pair.hypothesis.rstrip(".") not in pair.premise for pair in made)


def test_an_invented_detail_is_stated_only_where_it_is_true() -> None:
    """The same words are true of a premise that holds them."""
    made = [p for seed in range(30) for n in range(6) for p in lines.invented(shop(seed), n)]

    assert {pair.label for pair in made} == {"entailment", "neutral"}
    for pair in made:
        assert (pair.hypothesis.rstrip(".") in pair.premise) == (pair.label == "entailment")


def test_a_cause_is_true_where_the_text_gives_it() -> None:
    """The word "because" must not be a word that tells the label."""
    made = [p for seed in range(60) for p in joins.two_facts(shop(seed), 1, 2)]
    causes = [pair for pair in made if pair.kind == "cause"]

    assert {pair.label for pair in causes} == {"entailment", "neutral"}
    for pair in causes:
        assert (pair.hypothesis.rstrip(".") in pair.premise) == (pair.label == "entailment")


def test_a_mixture_of_two_facts_is_said_by_neither() -> None:
    """Each half is in the premise; together they are not."""
    wrong = [
        pair
        for seed in range(20)
        for pair in joins.mixed(shop(seed), 3, 1)
        if pair.label != "entailment"
    ] or [p for seed in range(20) for p in joins.mixed(shop(seed), 0, 3) if p.label != "entailment"]

    assert wrong
    for pair in wrong:
        assert pair.hypothesis.rstrip(".") not in pair.premise


def test_a_summary_with_exchanged_speakers_is_not_entailed() -> None:
    """Who said what is what summaries of chats get wrong."""
    chat = shop(1, CHAT)

    told = [
        pair
        for claim in claims("Agent will call Customer tomorrow.")
        for pair in summaries.told_by(replace(chat, draw=dice(2)), claim, ("Customer", "Agent"))
    ]

    assert [pair.hypothesis for pair in told] == ["Customer will call Agent tomorrow."]
    assert told[0].label == "not_entailment"


def test_a_claim_in_other_words_is_edited() -> None:
    """The false one differs from the true one by the edit alone, whatever the premise's words."""
    pair = Pair(
        premise="Born in 1912 in Turin, Anna Berg sold her first picture at the age of nine.",
        hypothesis="The painter was born before the war.",
        label="entailment",
        source="made up",
        group="g",
    )

    made = [p for seed in range(20) for p in reworded(pair, dice(seed))]

    assert {p.hypothesis for p in made if p.label == "entailment"} == {pair.hypothesis}
    assert "The painter was born after the war." in {p.hypothesis for p in made}
    assert all(p.group == "g" for p in made)
