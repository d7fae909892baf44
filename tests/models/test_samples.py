"""Samples of pairs, retellings of summaries, and averages of two checkpoints."""

import gzip
import json
import random
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from models.average import average
from models.construct.kinds import Others, retold_pairs
from models.mixture import EVALUATION, Data, Labelled, Mixture, Texts, build, draw_retellings
from models.pairs import Pair
from models.samples import SENTENCES, SHORT, draw
from tests.models.test_kinds import CHAT, STORY, SUMMARY

OTHERS = Others(
    details=(" in a hall near Porto",),
    claims=("The agent in Leeds repaired a kettle for Nina in June.", SUMMARY),
)
RETELLING = "A baker of Turin was the buyer of the old mill. Lyon got a school from his daughter."


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    """Write a file of the data folder."""
    path.parent.mkdir(exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def retold(seeds: int = 12) -> list[Pair]:
    """Return what different dice make of a story and a chat."""
    made = []
    for seed in range(seeds):
        for text, written in ((STORY, RETELLING), (CHAT, SUMMARY)):
            dice = random.Random(seed)  # noqa: S311  # not for secrets
            made += retold_pairs("made up", "0" * 12, text, [written], dice, OTHERS)[0]
    return made


def test_retellings_are_true_and_false_in_several_ways() -> None:
    """One way to be false alone would be learnt for all."""
    kinds = Counter((pair.kind, pair.label) for pair in retold())

    assert kinds.keys() >= {
        ("retold", "entailment"),
        ("retold_stranger", "neutral"),
        ("retold_speaker", "not_entailment"),
        ("retold_invented", "not_entailment"),
    }
    assert {label for kind, label in kinds if kind == "retold"} == {"entailment"}
    assert {label for kind, label in kinds if kind != "retold"} <= {"neutral", "not_entailment"}


def test_claims_of_other_texts_are_not_put_to_the_text_they_fit() -> None:
    """A claim that a text holds almost word for word may well be true of it."""
    strangers = [pair.hypothesis for pair in retold() if pair.kind == "retold_stranger"]

    assert strangers
    assert all("Leeds" in claim or "agent" in claim for claim in strangers)


@pytest.fixture
def data(tmp_path: Path) -> Data:
    """A folder of sentence pairs, pairs over long documents, and summaries of two sources."""
    write_rows(tmp_path / EVALUATION, [{"premise": "Something else.", "source": "mnli"}])
    pairs = [
        {
            "premise": f"Text {n} tells of {n} mills.",
            "hypothesis": f"There are {n} mills.",
            "label": "entailment" if n % 2 else "contradiction",
            "source": "plain",
        }
        for n in range(200)
    ]
    write_rows(tmp_path / SENTENCES, pairs)
    long = [{**row, "premise": row["premise"] + STORY * 3, "source": "long"} for row in pairs]
    write_rows(tmp_path / "doc" / "long.jsonl.gz", long)
    for name in ("much", "little", "least"):
        rows = [
            {"context": STORY.replace("Turin", f"Turin {n} {name}"), "summary": RETELLING}
            for n in range(60 if name == "much" else 30)
        ]
        write_rows(tmp_path / "doc" / f"{name}.jsonl.gz", rows)
    return Data(tmp_path)


def mixture() -> Mixture:
    """A mixture of what the folder holds."""

    def labelled(name: str, file: str) -> Labelled:
        return Labelled(
            name=name, file=file, source=name, stage1=0, stage2=100, stage3=0,
            licence="none", stated=True, why="to test",
        )  # fmt: skip

    def texts(name: str) -> Texts:
        return Texts(
            name=name, file=f"doc/{name}.jsonl.gz", documents=60,
            licence="none", stated=True, why="to test",
        )  # fmt: skip

    return Mixture(
        seed=1,
        held_out=0.1,
        families={},
        pairs=(labelled("plain", SENTENCES), labelled("long", "doc/long.jsonl.gz")),
        claims={},
        texts=(texts("much"), texts("little"), texts("least")),
    )


def test_a_sample_has_so_many_of_each_part_and_is_the_same_again(data: Data) -> None:
    """Variants differ in what was meant to differ, and in nothing else."""
    parts = {"sentences": 60, "documents": 40, "retold": 30}

    chosen = draw(data, mixture(), parts, seed=3)

    sources = Counter("retold" if pair.kind else pair.source for pair in chosen)
    assert sources == {"plain": 60, "long": 40, "retold": 30}
    assert chosen == draw(data, mixture(), parts, seed=3)
    assert chosen != draw(data, mixture(), parts, seed=4)
    assert max(len(pair.premise) for pair in chosen) <= SHORT + 50


def test_a_stage_has_retellings_and_its_sample_leaves_them_to_their_own_part(data: Data) -> None:
    """Both together would have them twice."""
    stage3 = replace(mixture(), families={"stage3": {"retold": 20}})

    built = Counter(pair.label == "entailment" for pair in build(data, stage3, 3)[0] if pair.kind)

    assert min(built[True], built[False]) >= 10
    assert not [pair for pair in draw(data, stage3, {"stage3": 50}, seed=3) if pair.kind]


def test_no_source_of_summaries_gives_more_than_its_share(
    data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two thirds of the summaries at hand are of support chats."""
    monkeypatch.setattr("models.mixture.MOST_RETOLD", 30)

    sides = Counter(
        (pair.source, pair.label == "entailment") for pair in draw_retellings(data, mixture())
    )

    assert {source for source, _ in sides} == {"much", "little", "least"}
    assert max(sides.values()) == 30


def test_an_average_lies_between_and_is_of_one_shape(tmp_path: Path) -> None:
    """Half way, each weight is the mean of both; other shapes have no mean."""
    config = {
        "model_type": "bert", "hidden_size": 4, "num_attention_heads": 2, "num_hidden_layers": 1,
        "intermediate_size": 8,
        "layer_norm_eps": 1e-12, "hidden_act": "gelu", "vocab_size": 8, "type_vocab_size": 2,
        "max_position_embeddings": 16, "id2label": {"0": "a", "1": "b"},
    }  # fmt: skip
    for name, value in (("one", 1.0), ("two", 2.0), ("other", 2.0)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(config))
        (folder / "tokenizer.json").write_text("{}")
        size = 3 if name == "other" else 2
        tensors = {f"w{n}": np.full(4, value, np.float16) for n in range(size)}
        save_file(tensors, folder / "model.safetensors")

    average(tmp_path / "one", tmp_path / "two", tmp_path / "out", share=0.25)

    found = load_file(tmp_path / "out" / "model.safetensors")
    assert {name: set(weights.tolist()) for name, weights in found.items()} == {
        "w0": {1.25},
        "w1": {1.25},
    }
    assert (tmp_path / "out" / "config.json").exists()
    with pytest.raises(ValueError, match="differ in shape"):
        average(tmp_path / "one", tmp_path / "other", tmp_path / "none", share=0.5)
    shutil.rmtree(tmp_path / "out")
