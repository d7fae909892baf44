"""Write a model folder's card from what made it: ``python -m models.card OUT DATA``.

OUT is that of models/recipe.py. Every number is read from the run, the mixture and the model
folder, or measured with the model in it; ``card.md`` has the words round them. What isn't there
yet (thresholds, weights, parity) is said to be missing.
"""

import argparse
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from string import Template

from benchmarks.pairs import all_logits, by_source, encode, read_pairs, sample
from gatekeeper.evaluation.calibration import read_calibration
from gatekeeper.runtime.aggregation import weighing_of
from gatekeeper.runtime.manifest import MODEL, read_manifest
from gatekeeper.runtime.session import Session, load
from models import mixture
from models.compare import accuracies
from models.mixture import Labelled, Mixture
from models.temperature import Fitted

TEMPLATE = Path(__file__).with_name("card.md")
PROBES = Path(__file__).with_name("card.toml")
CARD = "README.md"
TEMPERATURE, PARITY = "temperature.json", "parity.json"
ABLATIONS = Path(__file__).parents[1] / "benchmarks" / "results" / "ablations.json"
WITH, WITHOUT = "retold", "retold-stated"
TOLD = ("mnli_dev_matched", "fever_dev", "sufficient_facts", "breaking_nli", "conjnli_dev")
ROWS = 2500  # of a set; most have more
STAGES = (1, 2, 3)

Part = Callable[[Path], str]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def sources(drawn: Mixture) -> str:
    """List the labelled sets: where from, under which terms, how many a stage, what for."""

    def row(source: Labelled) -> list[object]:
        counts = [source.wanted(stage) or "" for stage in STAGES]
        stated = "yes" if source.stated else "no"
        return [source.name, source.licence, stated, *counts, source.why]

    head = ("source", "terms", "stated", *(f"stage {n}" for n in STAGES), "why")
    return table(head, map(row, drawn.pairs))


def families(drawn: Mixture) -> str:
    """List the kinds of pairs by construction."""
    by_stage = [drawn.families.get(f"stage{stage}", {}) for stage in STAGES]
    names = dict.fromkeys(name for counts in by_stage for name in counts)
    rows = [[name, *(counts.get(name, "") for counts in by_stage)] for name in names]
    return table(("kind", *(f"stage {n}" for n in STAGES)), rows)


def stages(out: Path) -> str:
    """Tell how far each stage of a run went, from the last line of its log."""
    rows = []
    for stage in STAGES:
        log = out / f"stage{stage}" / "run" / "log.jsonl"
        if log.exists():
            last = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
            numbers = (last["steps"], last["passes"], last["tokens"], last["loss"])
            rows.append([stage, *(f"{number:,}" for number in numbers)])
        else:
            rows.append([stage, "made before this run, by this recipe or one like it", "", "", ""])
    return table(("stage", "steps", "whole passes", "tokens with padding", "last loss"), rows)


def weighing(package: Path) -> str:
    """Tell how a premise's support follows from its score."""
    found = weighing_of(package)
    if found is None:
        return "Support is P(entailment) of the best premise: the folder has no aggregation.json."
    weights = ", ".join(f"{name} {weight:.3f}" for name, weight in found.weights.items())
    return (
        f"Support is a rising curve over a weighed sum, bias {found.bias:.3f}: {weights} "
        "(aggregation.json; docs/evaluation.md says what each measure is)."
    )


def thresholds(package: Path) -> str:
    """Tell the thresholds and on what they were chosen."""
    path = package / "calibration.json"
    if not path.exists():
        return "It has no thresholds yet: `gatekeeper calibrate`, or `make model` with BENCH."
    found = read_calibration(path)
    text = (
        f"Thresholds: support {found.support_threshold:g}, contradiction "
        f"{found.contradiction_threshold:g}. {found.note} Balanced accuracy there:\n\n"
    )
    columns = ("rows", "unsupported", "balanced_accuracy")
    sets = json.loads(json.dumps(dict(found.sets)))
    rows = [[name, *map(entry.get, columns)] for name, entry in sets.items()]
    return text + table(("set", "answers", "unsupported", "balanced accuracy"), rows)


def accuracy(session: Session, data: Path, most: int = ROWS) -> str:
    """Measure the model on the evaluation sets."""
    groups = by_source(read_pairs(data / mixture.EVALUATION)).values()
    pairs = [pair for group in groups for pair in sample(group, most)]
    logits = all_logits(session, encode(session, pairs))
    found = accuracies(pairs, logits, session.manifest.labels)
    rows = [
        [name, one["rows"], f"{one['three_way']:.3f}" if "three_way" in one else "",
         f"{one['two_way']:.3f}"]
        for name, one in found.items()
    ]  # fmt: skip
    return table(("set", "pairs", "three-way", "entailment or not"), rows)


def probes(session: Session) -> str:
    """Ask the model about what models of its size get wrong."""
    rows = []
    for pair in tomllib.loads(PROBES.read_text(encoding="utf-8"))["probe"]:
        encoded = session.encode(pair["premise"], pair["hypothesis"])
        if encoded is None:
            raise ValueError(f"probe too long: {pair['hypothesis']!r}")
        score = session.score([encoded])[0]
        rows.append(
            [pair["premise"], pair["hypothesis"], pair["label"],
             f"{score.entailment:.2f}", f"{score.contradiction:.2f}"]
        )  # fmt: skip
    head = ("premise", "hypothesis", "right", "P(entailment)", "P(contradiction)")
    return table(head, rows)


def parity(path: Path) -> str:
    """Tell what rounding to int8 changes."""
    if not path.exists():
        return "int8 was not compared with float32: `python -m benchmarks.parity`."
    found = json.loads(path.read_text(encoding="utf-8"))
    return (
        f"int8 against float32 on {sum(found['pairs'].values()):,} pairs: the same class for "
        f"{found['argmax_agreement']:.1%}, mean difference of P(entailment) "
        f"{found['mean_dp_entailment']:.4f}, largest {found['max_dp_entailment']:.2f}."
    )


def unstated(path: Path) -> str:
    """Tell what sources without a stated licence give, from two trials that differ in them."""
    trials = json.loads(path.read_text(encoding="utf-8"))["variants"]
    rows = []
    for name in (WITH, WITHOUT):
        sets, gate = trials[name]["sentences"], trials[name]["maximum"]["balanced_accuracy"]
        told = (f"{sets[one]['three_way']:.3f}" for one in TOLD)
        rows.append([trials[name]["change"], *told, f"{gate['value']:.3f}"])
    return table(("trial", *TOLD, "mean balanced accuracy of the gate"), rows)


def temperature(path: Path, shipped: float) -> str:
    """Tell what the temperature is and does."""
    if not path.exists():
        return f"{shipped:g}"
    found = Fitted(**json.loads(path.read_text(encoding="utf-8")))
    return (
        f"{shipped:g}, fitted on {found.pairs:,} pairs of MNLI dev matched; on its other half the "
        f"negative log-likelihood goes from {found.before:.4f} to {found.after:.4f}"
    )


def card(out: Path, data: Path, drawn: Mixture, *, kept: float, rows: int = ROWS) -> str:
    """Return the card of OUT/package."""
    package = out / "package"
    manifest, session = read_manifest(package), load(package)
    first = (out / "stage1").exists()
    facts: Mapping[str, object] = {
        "name": manifest.name,
        "labels": ", ".join(f"{n} {name}" for n, name in enumerate(manifest.labels)),
        "template": manifest.template,
        "max_tokens": manifest.max_tokens,
        "window": manifest.window,
        "temperature": temperature(out / TEMPERATURE, manifest.temperature),
        "megabytes": f"{(package / MODEL).stat().st_size / 1e6:.1f}",
        "licence": manifest.licence,
        "origin": "all-MiniLM-L6-v2" if first else "a checkpoint of stage 1",
        "kept": f"{kept:.0%}",
        "stages": stages(out),
        "sources": sources(drawn),
        "unstated": unstated(ABLATIONS),
        "texts": ", ".join(
            f"{one.name} ({one.licence}; {one.documents} texts)" for one in drawn.texts
        ),
        "families": families(drawn),
        "weighing": weighing(package),
        "thresholds": thresholds(package),
        "rows": f"{rows:,}",
        "accuracy": accuracy(session, data, rows),
        "probes": probes(session),
        "parity": parity(out / PARITY),
    }
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(facts)


def main() -> None:
    """Write the card."""
    from models.recipe import KEPT  # noqa: PLC0415  # it writes cards too

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="OUT of models/recipe.py")
    parser.add_argument("data", type=Path)
    parser.add_argument("--stated-only", action="store_true", help="as the recipe was run")
    given = parser.parse_args()
    drawn = mixture.read_mixture(mixture.MIXTURE, stated_only=given.stated_only)
    to = given.out / "package" / CARD
    to.write_text(card(given.out, given.data, drawn, kept=KEPT), encoding="utf-8")
    print(to)


if __name__ == "__main__":
    main()
