"""One change of the training at a time: ``python -m benchmarks.ablations DATA BENCH --work DIR``.

Each variant of ``VARIANTS`` is made from the checkpoint of --init, by training on a sample of
pairs (``models.samples``) or by averaging, exported as the shipped model is, and measured on a
sample of the calibration halves and on sentence pairs. What WORK holds is not made again and a
training goes on from its last state; a variant that the result file has is skipped.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ablations_figures import (
    GUARDED,
    MAXIMUM,
    WEIGHED,
    Figures,
    differences,
    figures,
)
from benchmarks.ablations_scores import EACH_LABEL, plan, score_pairs, scored
from benchmarks.machine import describe
from benchmarks.pairs import all_logits, by_source, encode, read_pairs, sample
from benchmarks.scoring import ScoredRow
from benchmarks.sets import CALIBRATION
from gatekeeper.errors import GatekeeperError
from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.protocols import EncodedPair
from gatekeeper.runtime.manifest import ENTAILMENT, model_folder
from gatekeeper.runtime.session import Session, load
from models import mixture, package, samples
from models.ablated import GIVEN, VARIANTS, WHOLE_RUNS, Variant
from models.average import average
from models.batches import encode as encode_blocks
from models.compare import accuracies
from models.export import SHIPPED, write_model
from models.pairs import Pair, write_pairs
from models.pairs import read_pairs as read_training
from models.steps import once

RESULT = Path(__file__).parent / "results" / "ablations.json"

MNLI = "mnli_dev_matched"
SENTENCES = {MNLI: 2500}
OTHER_SENTENCES = 500
# That of the given checkpoint: one threshold is fitted to each model anyway.
TEMPERATURE = 0.935
SAVE_EVERY = 60.0
JUDGES = {"maximum": MAXIMUM, "maximum with value guard": GUARDED, "weighed": WEIGHED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folders named on the command line."""

    data: Path
    bench: Path
    init: Path
    recipe: Path | None
    work: Path

    def of(self, variant: Variant) -> Path:
        """Return where a variant is made."""
        return self.work / variant.name

    def checkpoint(self, name: str) -> Path:
        """Return a variant's checkpoint folder, or that of a stage of the recipe's own run."""
        if name == GIVEN:
            return self.init
        if name in WHOLE_RUNS:
            return (self.recipe or self.work) / name / "run" / "checkpoint"
        return self.work / name / "run" / "checkpoint"


@dataclass(slots=True, kw_only=True)
class Bench:
    """The planned sample, loaded once, and the figures of the given checkpoint."""

    planned: dict[str, list[ScoredRow]]
    pairs: Sequence[EncodedPair]
    given: dict[str, Figures] = field(default_factory=dict)


def draw(variant: Variant, places: Places) -> Path:
    """Write the sample a variant learns from; return the file."""
    folder = places.of(variant) / "pairs"

    def make(to: Path) -> None:
        wanted = mixture.read_mixture(mixture.MIXTURE, stated_only=variant.stated_only)
        chosen = samples.draw(
            mixture.Data(places.data),
            wanted,
            variant.parts,
            seed=variant.seed,
            longest=variant.longest,
        )
        if variant.sure < 1.0:
            chosen = unknown(chosen, load(places.work / GIVEN / "package"), variant.sure)
        write_pairs(to / "train.jsonl.gz", chosen)

    once(folder, make)
    return folder / "train.jsonl.gz"


def unknown(pairs: Sequence[Pair], session: Session, sure: float) -> list[Pair]:
    """Leave out the pairs by construction that a model gets right and is sure of."""
    made = [
        (pair, encoded)
        for pair in pairs
        if pair.kind and (encoded := session.encode(pair.premise, pair.hypothesis)) is not None
    ]
    entailed = score_pairs(session, [encoded for _, encoded in made])[:, 0]
    known = {
        (pair.premise, pair.hypothesis)
        for (pair, _), p in zip(made, entailed, strict=True)
        if (p if pair.label == ENTAILMENT else 1 - p) > sure
    }
    return [pair for pair in pairs if (pair.premise, pair.hypothesis) not in known]


def trained(variant: Variant, places: Places) -> dict[str, object]:
    """Train a variant, or go on with it, for one pass; return what is to be said of the run."""
    from models.train import Place, train_stage  # noqa: PLC0415  # a table needs no torch

    pairs = draw(variant, places)
    rows = list(read_training(pairs))
    blocks = encode_blocks(rows, places.init / "tokenizer.json")
    tokens = sum(int(block.ids.size) for block in blocks)
    settings = variant.settings(tokens)
    to = Place(folder=places.of(variant) / "run", save_every=SAVE_EVERY, measure_every=1e9)
    if not places.checkpoint(variant.name).exists():
        few = pairs.with_name("few.jsonl.gz")
        write_pairs(few, rows[:100])
        train_stage(places.checkpoint(variant.start), pairs, few, settings, to)
    return {"pairs": len(rows), "tokens": tokens, **asdict(settings)}


def averaged(variant: Variant, places: Places) -> dict[str, object]:
    """Average a variant's two checkpoints."""
    to = places.checkpoint(variant.name)
    if not to.exists():
        first, second = (places.checkpoint(name) for name in variant.between)
        average(first, second, to, share=variant.share)
    return {"between": list(variant.between), "share": variant.share}


def made(variant: Variant, places: Places) -> dict[str, object]:
    """Make a variant's checkpoint unless it is there; return how."""
    if variant.parts:
        return trained(variant, places)
    return averaged(variant, places) if variant.between else {}


def scores_of(checkpoint: Path, folder: Path, bench: Bench, data: Path) -> dict[str, object]:
    """Score the sample once with a checkpoint; return its figures on sentence pairs."""
    found, told = folder / "scores.npy", folder / "sentences.json"
    if not (found.exists() and told.exists()):
        exported = folder / "package"
        write_model(checkpoint, SHIPPED, exported)
        labels = package.LABELS.split(",")
        package.write_manifest(
            package.HAND_WRITTEN, exported, temperature=TEMPERATURE, labels=labels
        )
        session = load(exported)
        np.save(found, score_pairs(session, bench.pairs))
        sets = by_source(read_pairs(data / mixture.EVALUATION))
        pairs = [
            pair
            for name, rows in sets.items()
            for pair in sample(rows, SENTENCES.get(name, OTHER_SENTENCES))
        ]
        logits = all_logits(session, encode(session, pairs))
        told.write_text(json.dumps(accuracies(pairs, logits, labels)), encoding="utf-8")
    return dict(json.loads(told.read_text(encoding="utf-8")))


def measured(variant: Variant, places: Places, bench: Bench) -> dict[str, object]:
    """Return a variant's figures and how they differ from those of the given checkpoint."""
    folder = places.of(variant)
    folder.mkdir(parents=True, exist_ok=True)
    sentences = scores_of(places.checkpoint(variant.name), folder, bench, places.data)
    rows = scored(bench.planned, np.load(folder / "scores.npy"))
    record: dict[str, object] = {}
    for name, judge in JUDGES.items():
        found = figures(rows, judge)
        if variant.name == GIVEN:
            bench.given[name] = found
        record[name] = {**found.record(), "against_given": differences(found, bench.given[name])}
    return {**record, "sentences": sentences}


def run(places: Places, names: Sequence[str], out: Path) -> None:
    """Make and measure each variant; the result file is written after each."""
    rows, pairs = plan(load(model_folder(SHIPPED_MODEL)), places.bench, places.work)
    bench = Bench(planned=rows, pairs=pairs)
    result: dict[str, Any] = {"benchmark": "ablations", "half": CALIBRATION}
    if out.exists():
        result = json.loads(out.read_text(encoding="utf-8"))
    done = result.setdefault("variants", {})
    result |= {
        "machine": describe(),
        "answers": {name: len(found) for name, found in rows.items()},
        "most_answers_of_a_label": EACH_LABEL,
    }
    for variant in VARIANTS:
        # The given one is measured each time: the others are compared with it.
        if variant.name != GIVEN and (variant.name not in names or variant.name in done):
            continue
        print(variant.name, flush=True)
        how = made(variant, places)
        figures_of = measured(variant, places, bench)
        done[variant.name] = {"change": variant.change, "how": how, **figures_of}
        out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def main() -> int:
    """Run it; 2 if a file can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("bench", type=Path, help="folder of NAME.jsonl.gz")
    parser.add_argument("--init", type=Path, required=True, help="the checkpoint all start from")
    parser.add_argument("--recipe", type=Path, help="OUT of a run of the recipe")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=RESULT)
    known = [variant.name for variant in VARIANTS]
    parser.add_argument("--only", nargs="+", choices=known, default=known)
    given = parser.parse_args()
    places = Places(
        data=given.data, bench=given.bench, init=given.init, recipe=given.recipe, work=given.work
    )
    try:
        run(places, given.only, given.out)
    except GatekeeperError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
