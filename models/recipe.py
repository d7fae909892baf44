"""From the base encoder and a folder of data to a model folder, in steps that are done once.

    python -m models.recipe DATA OUT
    python -m models.recipe DATA OUT --init CHECKPOINT

A step whose product is there is skipped and a training run goes on from its last state, so the
same command finishes what was stopped. Stage 1 makes a sentence-pair model of the base encoder;
stage 2 teaches it premises as the gate builds them, and documents; stage 3 goes on with what is
hard: claims in other words than the text's. What ships lies between the checkpoint that stage 2
started from and the last one. --init starts at stage 2 from a checkpoint folder.
OUT/package is the model folder, with its card and licence. Thresholds need labelled answers: make
model adds them where BENCH names a folder of them.
"""

import argparse
import json
import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from gatekeeper.runtime.manifest import read_manifest
from models import base, card, mixture, package, shortcuts, temperature
from models.average import average
from models.export import SHIPPED, write_model
from models.pairs import write_pairs
from models.schedule import Settings
from models.steps import once
from models.train import CHECKPOINT, Place, train_stage

STAGES = {
    1: Settings(tokens=13_000_000, rate=1e-4),
    2: Settings(tokens=3_780_000, rate=8e-5, end=0.51),
    3: Settings(tokens=5_270_000, rate=5e-5),
}
# Of the way from what stage 2 started from to what stage 3 ended with: between them both rank
# better than either (models/README.md, "What was tried").
KEPT = 0.75
LICENCE = Path(__file__).parent / "minilm-l6-nli" / "LICENSE"
CALIBRATION = "calibration.json"
SAVE_EVERY, MEASURE_EVERY = 120.0, 1500.0
DEV_PAIRS = 1500  # of those held out that a run is measured on now and then


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Where the data is, where products go, and what was asked for."""

    data: Path
    out: Path
    init: Path | None
    stated_only: bool
    seconds: float

    def run(self) -> None:
        """Do each step that has not been done."""
        checkpoint = self.init
        if checkpoint is None:
            once(self.out / "base", self._base)
            checkpoint = self._stage(1, self.out / "base")
        last = self._stage(3, self._stage(2, checkpoint))
        once(self.out / CHECKPOINT, lambda to: average(checkpoint, last, to, share=KEPT))
        self._package(self.out / CHECKPOINT)

    def _base(self, to: Path) -> None:
        base.copy_base(base.package_folder(), to)

    def _stage(self, stage: int, init: Path) -> Path:
        """Build a stage's pairs and train on them; return its checkpoint."""
        folder = self.out / f"stage{stage}"
        once(folder / "pairs", lambda to: self._pairs(stage, to))
        settings = replace(STAGES[stage], seconds=self.seconds)
        place = Place(folder=folder / "run", save_every=SAVE_EVERY, measure_every=MEASURE_EVERY)
        if not (place.folder / CHECKPOINT).exists():
            pairs = folder / "pairs"
            train_stage(init, pairs / "train.jsonl.gz", pairs / "few.jsonl.gz", settings, place)
        return place.folder / CHECKPOINT

    def _pairs(self, stage: int, to: Path) -> None:
        """Write a stage's pairs, and what can be told of them without reading the premise."""
        wanted = mixture.read_mixture(mixture.MIXTURE, stated_only=self.stated_only)
        train, dev = mixture.build(mixture.Data(self.data), wanted, stage)
        write_pairs(to / "train.jsonl.gz", train)
        write_pairs(to / "dev.jsonl.gz", dev)
        write_pairs(to / "few.jsonl.gz", dev[:: max(1, len(dev) // DEV_PAIRS)])
        report = shortcuts.report(train, dev)
        (to / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")

    def _package(self, checkpoint: Path) -> None:
        """Export, fit the temperature on the exported model, write the manifest and the card."""
        to = self.out / "package"
        drawn = mixture.read_mixture(mixture.MIXTURE, stated_only=self.stated_only)
        once(to, lambda part: self._exported(checkpoint, part, drawn))
        text = card.card(self.out, self.data, drawn, kept=KEPT)
        (to / card.CARD).write_text(text, encoding="utf-8")
        print(f"{to}: {read_manifest(to).name}, thresholds: {_thresholds(to)}")

    def _exported(self, checkpoint: Path, to: Path, drawn: mixture.Mixture) -> None:
        write_model(checkpoint, SHIPPED, to)
        shutil.copyfile(LICENCE, to / LICENCE.name)

        def write(at: float) -> None:
            package.write_manifest(
                package.HAND_WRITTEN,
                to,
                temperature=at,
                labels=package.LABELS.split(","),
                sources=mixture.training_sources(drawn),
            )

        write(1.0)
        fitted = temperature.fit(to, self.data / mixture.EVALUATION)
        text = json.dumps(asdict(fitted), indent=1) + "\n"
        (self.out / card.TEMPERATURE).write_text(text, encoding="utf-8")
        write(round(fitted.temperature, 3))


def _thresholds(folder: Path) -> str:
    path = folder / CALIBRATION
    return str(path) if path.exists() else "none yet; BENCH=folder of labelled answers adds them"


def main() -> None:
    """Run what is left of the recipe."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--init", type=Path, help="a checkpoint folder that stage 2 starts from")
    parser.add_argument("--stated-only", action="store_true", help="only sources with a licence")
    parser.add_argument("--seconds", type=float, default=0.0, help="most time a stage may train")
    given = parser.parse_args()
    Recipe(
        data=given.data,
        out=given.out,
        init=given.init,
        stated_only=given.stated_only,
        seconds=given.seconds,
    ).run()


if __name__ == "__main__":
    main()
