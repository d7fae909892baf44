"""The gate on labelled sets: ``python -m benchmarks.accuracy BENCH_DIR --scores FILE``.

From scores that ``benchmarks.features`` saved, on the test half of each set: the gate's rates at
the shipped thresholds with intervals over groups, by kind of error where the set knows it; beside
them a baseline that knows word overlap only, the gate without each of its parts, how far claim
scores can be read as frequencies, and, with --baseline, the difference to another model's plain
maximum. Thresholds of whatever is compared come from the calibration halves of the same sets. The
result file holds numbers only.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean

from benchmarks.kinds import kinds_of
from benchmarks.machine import describe
from benchmarks.paired import paired_difference
from benchmarks.reliability import LEAST, Single, diagram, reliability
from benchmarks.replay import ReplayedRow, Rules, replay
from benchmarks.scoring import SavedScores, ScoredRow, pairs_key
from benchmarks.sets import CALIBRATION, FITTED, OTHERS, TEST, load_half
from benchmarks.table import markdown
from benchmarks.variants import variants
from benchmarks.words import Baseline, fit_baseline
from gatekeeper.core.versions import scorer_fingerprint
from gatekeeper.errors import GatekeeperError, InputError
from gatekeeper.evaluation.metrics import Judged, gate_metrics, released
from gatekeeper.evaluation.report import metrics_record
from gatekeeper.evaluation.rows import Row
from gatekeeper.evaluation.versions import package_versions
from gatekeeper.marks import SHIPPED_MODEL, thresholds_of
from gatekeeper.runtime.aggregation import weighing_of
from gatekeeper.runtime.manifest import model_folder, read_manifest

RESULT = Path(__file__).parent / "results" / "accuracy.json"

ScoredSets = Mapping[str, Sequence[ScoredRow]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A model's saved scores, both halves by set, and how the gate would judge with it."""

    rules: Rules
    calibration: ScoredSets
    test: ScoredSets


def load_scored(folder: Path, path: Path, names: Sequence[str]) -> Scored:
    """Load what was saved of a model.

    Raises:
        InputError: If a set was not scored with it.
        ModelError: If the folder is not what it should be.
    """
    saved, key = SavedScores(path), pairs_key(folder)
    halves = {
        half: {name: saved.of(name, key, half) for name in names} for half in (CALIBRATION, TEST)
    }
    for half, found in halves.items():
        for name, rows in found.items():
            if not rows:
                wanted = f"scores of {folder} for the {half} half; run benchmarks.features first"
                raise InputError(f"{path}: {name}", "none", wanted)
    rules = Rules(thresholds=thresholds_of(folder), weighing=weighing_of(folder))
    return Scored(rules=rules, calibration=halves[CALIBRATION], test=halves[TEST])


def sides(rows: Sequence[ReplayedRow]) -> list[Judged]:
    """Return every answer with its side; one the gate took no side on is let through."""
    return [
        one.judged or released(Judged(wrong=one.row.wrong, blocked=False, group=one.row.group))
        for one in rows
    ]


def set_record(
    rows: Sequence[Row], scored: Sequence[ScoredRow], rules: Rules, baseline: Baseline
) -> dict[str, object]:
    """Return the figures of one set."""
    found = replay(scored, rules)
    decided = [one.judged for one in found if one.judged is not None]
    n = len(scored)
    return {
        "n": n,
        "unsupported": sum(row.wrong for row in scored) / n,
        "undecided": n - len(decided),
        "unchecked": dict(Counter(row.unchecked for row in scored if row.unchecked)),
        "gate": metrics_record(gate_metrics(decided)),
        "worst_case": metrics_record(gate_metrics(sides(found))),
        "overlap": metrics_record(baseline.metrics(rows)),
        "by_kind": by_kind(found),
        "statuses": dict(Counter(str(claim.status) for one in found for claim in one.claims)),
        "claims_per_answer": sum(len(row.claims) for row in scored) / n,
        "pair_tokens_per_answer": sum(one.tokens for one in found) / n,
    }


def by_kind(rows: Sequence[ReplayedRow]) -> dict[str, dict[str, float]]:
    """Return, for each kind of error the set names, how many answers have it and the share caught.

    An answer with several kinds counts in each.
    """
    caught: dict[str, list[bool]] = {}
    for one in rows:
        if one.row.wrong and one.judged is not None:
            for kind in kinds_of(one.row):
                caught.setdefault(kind, []).append(one.judged.blocked)
    return {
        kind: {"n": len(found), "caught": fmean(found)} for kind, found in sorted(caught.items())
    }


def singles(rows: Sequence[ReplayedRow]) -> list[Single]:
    """Return the answers of exactly one claim that has a score."""
    return [
        Single(score=one.claims[0].score, right=not one.row.wrong, group=one.row.group)
        for one in rows
        if len(one.claims) == 1 and one.claims[0].score is not None
    ]


def reliability_record(scored: ScoredSets, rules: Rules) -> tuple[dict[str, object], str]:
    """Return how far claim scores are frequencies, pooled and by set, and a diagram."""
    everything = {name: replay(rows, rules) for name, rows in scored.items()}
    found = {name: singles(rows) for name, rows in everything.items()}
    enough = {name: kept for name, kept in found.items() if len(kept) >= LEAST}
    if not enough:
        return {}, ""
    pools = {"all sets": reliability(enough)}
    pools |= {name: reliability({name: kept}) for name, kept in enough.items()}
    return {name: asdict(pool) for name, pool in pools.items()}, diagram(pools)


def variant_record(scored: Scored) -> dict[str, object]:
    """Return each variant's figures on the test halves, at its own best threshold."""
    record: dict[str, object] = {}
    for name, variant in variants(scored.rules).items():
        mark = variant.choose(scored.calibration).threshold
        metrics = {
            of: gate_metrics(variant.judge(rows, mark), draws=2) for of, rows in scored.test.items()
        }
        record[name] = {
            "threshold": mark,
            "balanced_accuracy": {of: one.balanced_accuracy.value for of, one in metrics.items()},
            "roc_auc": {of: one.roc_auc.value for of, one in metrics.items()},
        }
    return record


def guard_record(scored: Scored) -> dict[str, object]:
    """Compare the gate with the same model without guard and with raw scores, at its own best."""
    plain = variants(scored.rules)["maximum alone, worst claim"]
    rules = replace(
        plain.rules,
        thresholds=replace(
            plain.rules.thresholds, support=plain.choose(scored.calibration).threshold
        ),
    )
    return difference(scored.test, scored.rules, scored.test, rules)


def difference(
    new: ScoredSets, new_rules: Rules, old: ScoredSets, old_rules: Rules
) -> dict[str, object]:
    """Return balanced accuracy, new minus old, on the answers both have; with intervals."""
    paired = {}
    for name, rows in new.items():
        before = {row.id: row for row in old[name]}
        common = [row for row in rows if row.id in before]
        now = sides(replay(common, new_rules))
        then = sides(replay([before[row.id] for row in common], old_rules))
        paired[name] = [
            (row.wrong, a.blocked, b.blocked, row.group)
            for row, a, b in zip(common, now, then, strict=True)
        ]
    mean, by_set = paired_difference(paired)
    return {"mean": asdict(mean), "sets": {name: asdict(one) for name, one in by_set.items()}}


def baseline_record(scored: Scored, other: Scored) -> dict[str, object]:
    """Compare with another model and the plain maximum: as a gate of its own, and alone."""
    record: dict[str, object] = {}
    for name in ("gate", "maximum alone, worst claim"):
        variant = variants(replace(other.rules, weighing=None))[name]
        mark = variant.choose(other.calibration).threshold
        marks = replace(variant.rules.thresholds, support=mark)
        rules = replace(variant.rules, thresholds=marks)
        record[name] = {
            "threshold": mark,
            "difference": difference(scored.test, scored.rules, other.test, rules),
        }
    return record


def overlap_record(
    texts: Mapping[str, Sequence[Row]], scored: Scored, baseline: Baseline
) -> dict[str, object]:
    """Compare with word overlap."""
    paired = {}
    for name, rows in scored.test.items():
        blocked = {row.id: baseline.blocks(row) for row in texts[name]}
        now = sides(replay(rows, scored.rules))
        paired[name] = [
            (row.wrong, side.blocked, blocked[row.id], row.group)
            for row, side in zip(rows, now, strict=True)
        ]
    mean, by_set = paired_difference(paired)
    return {"mean": asdict(mean), "sets": {name: asdict(one) for name, one in by_set.items()}}


def run(arguments: argparse.Namespace) -> tuple[dict[str, object], str]:
    """Put the result together; also returns the reliability diagram."""
    folder = arguments.model or model_folder(SHIPPED_MODEL)
    names = list(FITTED)
    scored = load_scored(folder, arguments.scores, names)
    baseline = fit_baseline({name: load_half(arguments.bench, name, CALIBRATION) for name in names})
    texts = {name: load_half(arguments.bench, name, TEST) for name in names}
    reliable, picture = reliability_record(scored.test, scored.rules)
    marks = scored.rules.thresholds
    result: dict[str, object] = {
        "benchmark": "accuracy",
        "half": TEST,
        "machine": describe(),
        "versions": package_versions(),
        "scorer": scorer_fingerprint(read_manifest(folder).fingerprint, marks),
        "thresholds": {"support": marks.support, "contradiction": marks.contradiction},
        "baseline": {"form": baseline.form, "threshold": baseline.choice.threshold},
        "sets": {
            name: set_record(texts[name], scored.test[name], scored.rules, baseline)
            for name in names
        },
        "variants": variant_record(scored),
        "against_overlap": overlap_record(texts, scored, baseline),
        "against_raw_without_guard": guard_record(scored),
        "reliability": reliable,
    }
    if arguments.baseline is not None:
        other = load_scored(arguments.baseline, arguments.baseline_scores, names)
        result["against_baseline"] = baseline_record(scored, other)
    result["others"] = _others(arguments, folder, scored.rules, baseline)
    return result, picture


def main() -> int:
    """Run the benchmark; 0 whatever the figures, 2 if a file can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=Path, help="folder of NAME.jsonl.gz")
    parser.add_argument("--scores", type=Path, required=True, help="from benchmarks.features")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--baseline", type=Path, help="folder of another model to compare with")
    parser.add_argument("--baseline-scores", type=Path, help="its scores")
    parser.add_argument("-o", "--output", type=Path, default=RESULT)
    arguments = parser.parse_args()
    if (arguments.baseline is None) != (arguments.baseline_scores is None):
        parser.error("--baseline and --baseline-scores go together")
    try:
        result, picture = run(arguments)
    except GatekeeperError as error:
        print(error, file=sys.stderr)
        return 2
    arguments.output.parent.mkdir(exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    if picture:
        arguments.output.with_name("reliability.svg").write_text(picture, encoding="utf-8")
    print("\n".join(markdown(result)))
    return 0


def _others(
    arguments: argparse.Namespace, folder: Path, rules: Rules, baseline: Baseline
) -> dict[str, object]:
    """Return the figures of the sets nothing is fitted on, as far as they were scored."""
    saved, key = SavedScores(arguments.scores), pairs_key(folder)
    scored = {name: rows for name in OTHERS if (rows := saved.of(name, key, TEST))}
    return {
        name: set_record(load_half(arguments.bench, name, TEST), rows, rules, baseline)
        for name, rows in scored.items()
    }


if __name__ == "__main__":
    sys.exit(main())
