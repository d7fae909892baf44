"""A stage's pairs, drawn from a folder of data: balanced, split by text, the same each time."""

import gzip
import json
from pathlib import Path

import pytest

from models.mixture import (
    EVALUATION,
    MIXTURE,
    Data,
    Labelled,
    Mixture,
    Texts,
    build,
    group_of,
    is_held_out,
    read_mixture,
    shortened,
    within,
)
from models.pairs import Pair, read_pairs, write_pairs


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    """Write a file of the data folder."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def data(tmp_path: Path) -> Data:
    """A folder with 200 pairs over 50 texts, raw texts, and one premise to be measured on."""
    rows = [
        {
            "premise": f"Text {n % 50} tells of {n % 50} mills.",
            "hypothesis": f"There are {n % 50} mills, says row {n}.",
            "label": "entailment" if n % 4 else "contradiction",
            "source": "fever_train",
        }
        for n in range(200)
    ]
    write_rows(tmp_path / "pairs.jsonl.gz", rows)
    write_rows(tmp_path / EVALUATION, [{"premise": "text 7 tells of 7 mills", "source": "mnli"}])
    raw = [
        {
            "context": f"The shop number {n} sold 12 lamps in May. Anna Berg was not there before.",
            "summary": f"The shop number {n} sold 12 lamps.",
        }
        for n in range(20)
    ]
    write_rows(tmp_path / "raw.jsonl.gz", raw)
    return Data(tmp_path)


def mixture(*, held_out: float = 0.2) -> Mixture:
    """A mixture of both kinds of source."""
    labelled = Labelled(
        name="fever",
        file="pairs.jsonl.gz",
        source="fever_train",
        stage1=40,
        stage2=20,
        stage3=30,
        licence="MIT",
        stated=True,
        why="to test",
    )
    texts = Texts(
        name="shops", file="raw.jsonl.gz", documents=20, licence="MIT", stated=True, why="to test"
    )
    families = {
        "stage2": {"number": 5, "negation": 5, "summary": 6},
        "stage3": {"reworded": 8, "summary": 2},
    }
    return Mixture(
        seed=3,
        held_out=held_out,
        families=families,
        pairs=(labelled,),
        claims={"fever": 30},
        texts=(texts,),
    )


def test_same_file_and_data_give_the_same_pairs(data: Data) -> None:
    """What a model learnt from can be made again."""
    assert build(data, mixture(), 2) == build(data, mixture(), 2)


def test_a_stage_draws_its_own_number(data: Data) -> None:
    """The first stage reads no documents; a set that is one-sided is balanced."""
    first = [pair for part in build(data, mixture(), 1) for pair in part]
    second = [pair for part in build(data, mixture(), 2) for pair in part]

    assert len(first) == 40
    assert sum(pair.label == "entailment" for pair in first) == 20
    assert {pair.source for pair in first} == {"fever"}
    assert sum(pair.source == "fever" for pair in second) == 20
    assert any(pair.kind for pair in second)


def test_the_last_stage_reads_on_where_the_one_before_ended(data: Data) -> None:
    """Its sentence pairs are fresh ones; its edits are of claims in other words."""
    second = [pair for part in build(data, mixture(), 2) for pair in part if not pair.kind]
    third = [pair for part in build(data, mixture(), 3) for pair in part]
    reworded = [pair for pair in third if pair.kind.startswith("reworded_")]

    assert not {pair.hypothesis for pair in second} & {p.hypothesis for p in third if not p.kind}
    assert sum(pair.label == "entailment" for pair in reworded) == len(reworded) / 2 == 8


def test_no_text_is_on_both_sides_of_the_split(data: Data) -> None:
    """A model that has seen the premise is not measured on it."""
    train, held = build(data, mixture(held_out=0.4), 2)

    assert train
    assert held
    assert not {pair.group for pair in train} & {pair.group for pair in held}


def test_no_premise_of_the_evaluation_sets_is_learnt(data: Data) -> None:
    """Neither case nor a final stop makes another text of it."""
    drawn = [pair for part in build(data, mixture(), 1) for pair in part]

    assert not [pair for pair in drawn if "Text 7 " in pair.premise]


def test_families_have_as_many_true_as_false() -> None:
    """Whichever side is rarer bounds both; a family nobody asked for is left out."""
    made = [
        Pair(premise="p", hypothesis=f"h {n}", label=label, source="s", kind=kind)
        for n in range(9)
        for kind, label in (
            ("copied", "entailment"),
            ("missing", "neutral"),
            ("number", "entailment"),
            ("summary_number", "not_entailment"),
            ("strange", "neutral"),
        )
    ]

    chosen = within(made, {"presence": 4, "number": 4, "summary": 4}, 1)

    assert sorted(pair.kind for pair in chosen) == ["copied"] * 4 + ["missing"] * 4


def test_a_share_of_texts_is_held_out_by_name() -> None:
    """Which ones depends on nothing else, so more sources don't move the split."""
    groups = [group_of(f"text {n}") for n in range(2000)]

    assert 60 < sum(is_held_out(group, 0.05) for group in groups) < 140


def test_long_premises_are_cut_to_what_the_claim_is_about() -> None:
    """A premise cut at its end would lose the evidence of half of the claims."""
    filler = "Nothing of interest happened on that day in the valley. " * 30

    cut = shortened(
        f"{filler}The baker from Turin bought the mill. {filler}", "A baker bought a mill."
    )

    assert "The baker from Turin bought the mill." in cut
    assert len(cut) < 900


def test_sources_without_a_licence_can_be_left_out() -> None:
    """Whoever may not use them gets a mixture without them."""
    whole, stated = read_mixture(MIXTURE), read_mixture(MIXTURE, stated_only=True)

    assert {source.name for source in whole.pairs} > {source.name for source in stated.pairs}
    assert all(source.stated for source in stated.pairs)
    assert all(source.stated for source in stated.texts)
    assert all(source.licence and source.why for source in whole.pairs)
    assert all(source.licence and source.why for source in whole.texts)


def test_pairs_come_back_as_they_were_written(tmp_path: Path) -> None:
    """The same pairs give the same bytes, so a hash tells whether a mixture is another."""
    pairs = [Pair(premise="p é", hypothesis="h", label="neutral", source="s", kind="k", group="g")]

    write_pairs(tmp_path / "one.gz", pairs)
    write_pairs(tmp_path / "two.gz", pairs)

    assert list(read_pairs(tmp_path / "one.gz")) == pairs
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_a_label_that_is_none_is_refused() -> None:
    """A mistyped label would count as wrong whatever the model says."""
    with pytest.raises(ValueError, match="entailed"):
        Pair(premise="p", hypothesis="h", label="entailed", source="s")
