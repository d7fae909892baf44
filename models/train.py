"""Train an encoder on a file of pairs; stop it at any minute and start it again.

    python -m models.train INIT PAIRS.jsonl.gz DEV.jsonl.gz OUT --tokens 8000000

INIT is a checkpoint folder (three-way classifier, or a bare encoder: then the head is new). OUT
gets state.pt every few minutes, log.jsonl, and at the end the checkpoint folder OUT/checkpoint.
The learning rate falls with the tokens read, or, with --seconds, with the time spent if
that is further: a run that shares its machine still ends on time. Without --seconds two runs with
one seed on one machine give the same weights, stopped in between or not.
"""

import argparse
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import BertForSequenceClassification
from transformers.utils import logging as transformers_logging

from models.batches import Encoded, encode, one_pass
from models.pairs import Pair, read_pairs
from models.schedule import DEFAULTS, Progress, Settings

LABELS = ("entailment", "neutral", "contradiction")
WEIGHT_DECAY = 0.01
CLIP = 1.0
ROWS = 32  # of dev pairs at a time
TOKENIZER = "tokenizer.json"
CHECKPOINT = "checkpoint"


class Run:
    """A model in training, with all that a later process needs to go on with it."""

    def __init__(self, init: Path, settings: Settings, device: str) -> None:
        self.settings = settings
        self.device = device
        self.progress = Progress()
        torch.manual_seed(settings.seed)
        self.model = load_model(init).to(device)
        # Half of the weights, and what the encoder knows of words, stay as they are.
        still = [
            self.model.bert.embeddings,
            *self.model.bert.encoder.layer[: settings.frozen_layers],
        ]
        for part in still:
            part.requires_grad_(False)  # noqa: FBT003  # torch's signature
        self._trained = [p for p in self.model.parameters() if p.requires_grad]
        decays = [p for p in self._trained if p.ndim > 1]
        others = [p for p in self._trained if p.ndim <= 1]
        self.optimiser = torch.optim.AdamW(
            [
                {"params": decays, "weight_decay": WEIGHT_DECAY},
                {"params": others, "weight_decay": 0.0},
            ],
            lr=settings.rate,
            fused=True,
        )

    def step(self, batch: Encoded) -> float:
        """Learn from one batch; return its mean loss."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.progress.rate(self.settings)
        allowed = torch.from_numpy(batch.allowed).to(self.device)
        loss = loss_of(self.logits(batch), allowed, self.settings)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._trained, CLIP)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.progress.batches += 1
        self.progress.steps += 1
        self.progress.tokens += int(batch.ids.size)
        return float(loss.detach())

    def logits(self, batch: Encoded) -> Any:
        """Return float32 logits ``[rows, 3]``; bfloat16 inside."""
        tensors = {
            "input_ids": batch.ids,
            "token_type_ids": batch.types,
            "attention_mask": batch.mask,
        }
        given = {k: torch.from_numpy(v).long().to(self.device) for k, v in tensors.items()}
        with torch.autocast(self.device, dtype=torch.bfloat16):
            found = self.model(**given).logits
        return found.float()

    def save(self, path: Path) -> None:
        """Write the state so that a crash while writing leaves the state before."""
        state = {
            "model": {n: p for n, p in self.model.named_parameters() if p.requires_grad},
            "optimiser": self.optimiser.state_dict(),
            "progress": asdict(self.progress),
        }
        part = path.with_suffix(".part")
        torch.save(state, part)
        part.replace(path)

    def load(self, path: Path) -> None:
        """Go on from a state that ``save`` wrote."""
        state = torch.load(path, map_location=self.device, weights_only=True)
        self.model.load_state_dict(state["model"], strict=False)
        self.optimiser.load_state_dict(state["optimiser"])
        self.progress = Progress(**state["progress"])


def load_model(folder: Path) -> Any:
    """Return a classifier in float32, ready to train; a head that is missing is drawn anew.

    No dropout: one or two passes over more pairs than weights can learn by heart need none, and
    it costs a tenth of the time.
    """
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    names = dict(enumerate(LABELS))
    model = BertForSequenceClassification.from_pretrained(
        folder,
        num_labels=len(LABELS),
        id2label=names,
        label2id={name: number for number, name in names.items()},
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        attn_implementation="eager",
        dtype=torch.float32,
    )
    return model.train()


def loss_of(logits: Any, allowed: Any, settings: Settings = DEFAULTS) -> Any:
    """Return the mean of -log P(one of the allowed classes), with what the settings add."""
    chances = torch.log_softmax(logits, dim=1)
    loss = _missed(chances, allowed)
    if settings.smoothing:
        loss = (1 - settings.smoothing) * loss - settings.smoothing * chances.mean()
    if settings.two_class:
        entailed = allowed[:, :1]
        either = torch.cat([entailed, ~entailed, ~entailed], dim=1)
        loss = loss + settings.two_class * _missed(chances, either)
    return loss


def _missed(chances: Any, allowed: Any) -> Any:
    return -torch.logsumexp(chances.masked_fill(~allowed, float("-inf")), dim=1).mean()


def batches(run: Run, blocks: Sequence[Encoded]) -> Iterator[Encoded]:
    """Yield the batches a run has still to read, until its end."""
    while True:
        skip = run.progress.batches
        coming = one_pass(
            blocks,
            seed=run.settings.seed,
            number=run.progress.passes,
            batch_tokens=run.settings.batch_tokens,
        )
        for place, batch in enumerate(coming):
            if run.progress.share(run.settings) >= 1.0:
                return
            if place >= skip:
                yield batch
        run.progress.passes += 1
        run.progress.batches = 0


def accuracy(run: Run, pairs: Sequence[Pair], blocks: Sequence[Encoded]) -> dict[str, float]:
    """Return the share of right classes (one of the allowed ones) by source and kind."""
    right: dict[str, list[bool]] = {}
    run.model.eval()
    with torch.no_grad():
        for block in blocks:
            for rows in np.array_split(np.arange(len(block.ids)), -(-len(block.ids) // ROWS)):
                part = block.take(rows)
                chosen = run.logits(part).argmax(dim=1).cpu().numpy()
                for row, allowed, label in zip(part.rows, part.allowed, chosen, strict=True):
                    pair = pairs[row]
                    name = f"{pair.source}/{pair.kind}" if pair.kind else pair.source
                    right.setdefault(name, []).append(bool(allowed[label]))
    run.model.train()
    return {name: round(sum(rows) / len(rows), 4) for name, rows in sorted(right.items())}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a run writes: the folder, and how often (seconds) state and dev figures."""

    folder: Path
    save_every: float
    measure_every: float

    @property
    def state(self) -> Path:
        """Return the file a later process goes on from."""
        return self.folder / "state.pt"

    def log(self, entry: dict[str, object]) -> None:
        """Append a line to the log and show it."""
        line = json.dumps(entry)
        print(line, flush=True)
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def train(
    run: Run, blocks: Sequence[Encoded], dev: Sequence[Pair], tokenizer: Path, to: Place
) -> None:
    """Train to the end; write state, loss and accuracy on ``dev`` now and then, and at the end."""
    held_out = encode(dev, tokenizer)
    progress = run.progress
    clock = time.perf_counter
    mark = clock()
    saved = measured = progress.seconds
    losses: list[float] = []

    def report(*, whole: bool) -> None:
        entry: dict[str, object] = {
            "steps": progress.steps,
            "passes": progress.passes,
            "tokens": progress.tokens,
            "seconds": round(progress.seconds),
            "done": round(progress.share(run.settings), 4),
            "loss": round(sum(losses) / max(1, len(losses)), 4),
        }
        if whole:
            entry["accuracy"] = accuracy(run, dev, held_out)
        to.log(entry)
        losses.clear()

    for batch in batches(run, blocks):
        losses.append(run.step(batch))
        now = clock()
        progress.seconds += now - mark
        mark = now
        if progress.seconds - saved >= to.save_every:
            saved = progress.seconds
            run.save(to.state)
            whole = progress.seconds - measured >= to.measure_every
            report(whole=whole)
            measured = progress.seconds if whole else measured
    run.save(to.state)
    report(whole=True)


def open_run(init: Path, settings: Settings, to: Place) -> Run:
    """Return a run as it was left, or a new one; on a GPU where there is one."""
    to.folder.mkdir(parents=True, exist_ok=True)
    run = Run(init, settings, "cuda" if torch.cuda.is_available() else "cpu")
    if to.state.exists():
        run.load(to.state)
    return run


def train_stage(init: Path, pairs: Path, dev: Path, settings: Settings, to: Place) -> None:
    """Train on a file of pairs to the end and write the checkpoint."""
    run = open_run(init, settings, to)
    blocks = encode(list(read_pairs(pairs)), init / TOKENIZER)
    train(run, blocks, list(read_pairs(dev)), init / TOKENIZER, to)
    write_checkpoint(run.model, init, to.folder / CHECKPOINT)


def write_checkpoint(model: Any, init: Path, folder: Path) -> None:
    """Write config.json, model.safetensors (float16) and the tokenizer the run used."""
    # A folder half written would count as one that is done.
    part = folder.with_name(f"{folder.name}.part")
    model.half().save_pretrained(part)
    model.float()
    shutil.copyfile(init / TOKENIZER, part / TOKENIZER)
    part.rename(folder)


def main() -> None:
    """Train, or go on with what OUT holds; with --export only write the checkpoint so far."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("init", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tokens", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--rate", type=float, default=DEFAULTS.rate)
    parser.add_argument(
        "--end", type=float, default=DEFAULTS.end, help="share of --rate at the end"
    )
    parser.add_argument("--seed", type=int, default=DEFAULTS.seed)
    parser.add_argument("--batch-tokens", type=int, default=DEFAULTS.batch_tokens)
    parser.add_argument("--save-every", type=float, default=120.0)
    parser.add_argument("--measure-every", type=float, default=600.0)
    parser.add_argument("--export", type=Path, help="write the checkpoint so far here, and stop")
    given = parser.parse_args()
    settings = Settings(
        tokens=given.tokens,
        seconds=given.seconds,
        rate=given.rate,
        end=given.end,
        seed=given.seed,
        batch_tokens=given.batch_tokens,
    )
    to = Place(folder=given.out, save_every=given.save_every, measure_every=given.measure_every)
    if given.export:
        run = open_run(given.init, settings, to)
        write_checkpoint(run.model, given.init, given.export)
        return
    train_stage(given.init, given.pairs, given.dev, settings, to)


if __name__ == "__main__":
    main()
