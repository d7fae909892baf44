"""The whole recipe on a toy encoder and toy data; skipped without the dependency group train."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from gatekeeper.runtime.manifest import read_manifest
from tests.models.toy import WORDS, write_tokenizer

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("sklearn")

from models import mixture, recipe  # noqa: E402  # needs torch
from models.checkpoint import read_checkpoint  # noqa: E402

# Threads that wait for each other cost a toy more than its sums, above all on a busy machine.
torch.set_num_threads(1)

TOY = """
seed = 1
held_out = 0.2

[families.stage2]
number = 6

[families.stage3]
reworded = 6

[[claims]]
name = "toy"
count = 20

[[pairs]]
name = "toy"
file = "pairs.jsonl.gz"
source = "toy"
stage1 = 30
stage2 = 30
stage3 = 30
licence = "none"
stated = true
why = "to test"

[[texts]]
name = "texts"
file = "texts.jsonl.gz"
documents = 10
licence = "none"
stated = true
why = "to test"
"""


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    """Write a file of the data folder."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data, a mixture of it, a checkpoint to start from, and stages of a few steps."""
    labels = ("entailment", "neutral", "contradiction")
    rows = [
        {
            "premise": f"w{n % 13} sold {n} lamps in May to w{n % 5}.",
            "hypothesis": f"w{n % 13} sold {n} lamps.",
            "label": labels[n % 3],
            "source": "toy",
        }
        for n in range(90)
    ]
    write_rows(tmp_path / "pairs.jsonl.gz", rows)
    texts = [{"context": f"The shop {n} sold 12 lamps in May. It was not there before.",
              "summary": f"The shop {n} sold 12 lamps."} for n in range(12)]  # fmt: skip
    write_rows(tmp_path / "texts.jsonl.gz", texts)
    measured = [row | {"premise": "w1 w2", "source": "mnli_dev_matched"} for row in rows[:12]]
    write_rows(tmp_path / mixture.EVALUATION, measured)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=128,
        max_position_embeddings=256,
        id2label=dict(enumerate(labels)),
    )
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path / "init")
    write_tokenizer(tmp_path / "init" / "tokenizer.json")
    (tmp_path / "mixture.toml").write_text(TOY)
    monkeypatch.setattr(mixture, "MIXTURE", tmp_path / "mixture.toml")
    few = {n: replace(stage, tokens=8000) for n, stage in recipe.STAGES.items()}
    monkeypatch.setattr(recipe, "STAGES", few)
    return tmp_path


def test_recipe_ends_in_a_model_folder_and_is_done_once(folder: Path) -> None:
    """Each product is there; the second run trains nothing and packs the same model."""
    steps = recipe.Recipe(
        data=folder, out=folder / "out", init=folder / "init", stated_only=False, seconds=0.0
    )

    steps.run()

    trained = folder / "out" / "stage3" / "run" / "checkpoint"
    weights = [
        read_checkpoint(at)[1] for at in (folder / "init", trained, folder / "out" / "checkpoint")
    ]
    bias = [one["classifier.bias"].astype(float) for one in weights]
    assert bias[2] == pytest.approx(0.25 * bias[0] + 0.75 * bias[1], abs=1e-3)
    package = folder / "out" / "package"
    text = (package / "README.md").read_text(encoding="utf-8")
    assert "| toy | none | yes | 30 | 30 | 30 | to test |" in text
    assert "no thresholds yet" in text
    assert (package / "LICENSE").exists()
    manifest = read_manifest(package)
    assert manifest.temperature > 0
    assert manifest.training_sources[1:3] == (
        "toy",
        "pairs made from the texts of texts and of the above",
    )
    assert manifest.labels == ("entailment", "neutral", "contradiction")
    for stage in ("stage2", "stage3"):
        report = json.loads((folder / "out" / stage / "pairs" / "report.json").read_text())
        assert report["all"]["pairs"] > 0
    model = (package / "model.onnx").read_bytes()
    log = (folder / "out" / "stage3" / "run" / "log.jsonl").read_text()

    steps.run()

    assert (package / "model.onnx").read_bytes() == model
    assert (folder / "out" / "stage3" / "run" / "log.jsonl").read_text() == log
