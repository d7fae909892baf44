"""The trainer on a toy encoder; skipped where torch is not installed (dependency group train)."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from models.batches import encode
from models.pairs import write_pairs
from models.schedule import Settings
from models.steps import once
from tests.models.toy import WORDS, toy_pairs, write_tokenizer

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

# Threads that wait for each other cost a toy more than its sums, above all on a busy machine.
torch.set_num_threads(1)

SETTINGS = Settings(tokens=16_000, rate=1e-3, batch_tokens=400, seed=5)


@pytest.fixture
def init(tmp_path: Path) -> Path:
    """A bare encoder of two small layers, as a checkpoint folder."""
    folder = tmp_path / "init"
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=192,
    )
    transformers.BertModel(config).save_pretrained(folder)
    write_tokenizer(folder / "tokenizer.json")
    return folder


def test_a_stopped_run_ends_at_the_same_weights(init: Path, tmp_path: Path) -> None:
    """Stopped after any batch and started again, a run gives the same bits."""
    from models.train import Run, batches  # noqa: PLC0415  # needs torch

    blocks = encode(toy_pairs(60), init / "tokenizer.json")
    whole = Run(init, SETTINGS, "cpu")
    for batch in batches(whole, blocks):
        whole.step(batch)

    first = Run(init, SETTINGS, "cpu")
    for done, batch in enumerate(batches(first, blocks)):
        if done == 11:
            break
        first.step(batch)
    first.save(tmp_path / "state.pt")
    second = Run(init, SETTINGS, "cpu")
    second.load(tmp_path / "state.pt")
    for batch in batches(second, blocks):
        second.step(batch)

    assert whole.progress == second.progress
    assert whole.progress.passes > 1
    for one, other in zip(whole.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_training_lowers_the_loss_and_leaves_embeddings_alone(init: Path, tmp_path: Path) -> None:
    """A finished run has learnt, and has written what the exporter reads."""
    from models.train import Place, load_model, train_stage  # noqa: PLC0415  # needs torch

    write_pairs(tmp_path / "pairs.gz", toy_pairs(60))
    write_pairs(tmp_path / "dev.gz", toy_pairs(20))
    to = Place(folder=tmp_path / "run", save_every=0.0, measure_every=math.inf)

    train_stage(init, tmp_path / "pairs.gz", tmp_path / "dev.gz", SETTINGS, to)

    log = [json.loads(line) for line in (to.folder / "log.jsonl").read_text().splitlines()]
    assert log[-2]["loss"] < log[0]["loss"]
    assert set(log[-1]["accuracy"]) == {"toy", "toy/odd"}
    before, after = load_model(init), load_model(to.folder / "checkpoint")
    words = [m.bert.embeddings.word_embeddings.weight for m in (before, after)]
    assert torch.equal(words[0].half(), words[1].half())
    assert after.config.id2label == {0: "entailment", 1: "neutral", 2: "contradiction"}


def test_loss_of_two_allowed_classes_is_that_of_their_sum() -> None:
    """Not entailed is P(neutral) + P(contradiction)."""
    from models.train import loss_of  # noqa: PLC0415  # needs torch

    logits = torch.log(torch.tensor([[0.2, 0.3, 0.5]]))

    assert loss_of(logits, torch.tensor([[False, True, True]])).item() == pytest.approx(
        -math.log(0.8), abs=1e-6
    )
    assert loss_of(logits, torch.tensor([[False, True, False]])).item() == pytest.approx(
        -math.log(0.3), abs=1e-6
    )


def test_a_step_that_was_stopped_half_way_is_done_again(tmp_path: Path) -> None:
    """A folder that is there is whole."""

    def fails(to: Path) -> None:
        (to / "half").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        once(tmp_path / "product", fails)
    assert not (tmp_path / "product").exists()

    calls: list[Path] = []
    once(tmp_path / "product", calls.append)
    once(tmp_path / "product", calls.append)

    assert (tmp_path / "product").is_dir()
    assert len(calls) == 1


def test_losses_are_those_of_the_settings() -> None:
    """Neutral in place of contradiction costs the classes something, the two sides nothing."""
    from models.train import loss_of  # noqa: PLC0415  # needs torch

    logits = torch.tensor([[-20.0, 20.0, -20.0]])
    contradiction = torch.tensor([[False, False, True]])
    plain = float(loss_of(logits, contradiction))

    assert plain == pytest.approx(40.0)
    both = Settings(tokens=1, two_class=0.5)
    assert float(loss_of(logits, contradiction, both)) == pytest.approx(plain)
    entailed = torch.tensor([[True, False, False]])
    assert float(loss_of(logits, entailed, both)) == pytest.approx(1.5 * 40.0)
    smooth = Settings(tokens=1, smoothing=0.3)
    assert float(loss_of(logits, contradiction, smooth)) == pytest.approx(0.7 * 40 + 0.3 * 80 / 3)


def test_frozen_layers_stay_as_they_are(init: Path) -> None:
    """The lowest layer keeps its weights, the one above learns."""
    from models.train import Run, batches  # noqa: PLC0415  # needs torch

    run = Run(init, replace(SETTINGS, frozen_layers=1, tokens=2_000), "cpu")
    layers = run.model.bert.encoder.layer
    before = [layer.output.dense.weight.detach().clone() for layer in layers]
    for batch in batches(run, encode(toy_pairs(60), init / "tokenizer.json")):
        run.step(batch)

    assert torch.equal(before[0], layers[0].output.dense.weight)
    assert not torch.equal(before[1], layers[1].output.dense.weight)
