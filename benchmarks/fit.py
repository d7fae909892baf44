"""Fit a model's weighing: ``python -m benchmarks.fit --model DIR --scores FILE``.

On the calibration halves of the sets, from scores that ``benchmarks.features`` saved. First the
weights, by balanced accuracy at one threshold with every set weighing the same; then scale, bias
and a rising line are set so that the support of a claim is a frequency, on answers of one claim,
again with every set weighing the same. With --weights they are given and only the rest is set:
fitted ones follow the sets they were fitted on, and gate worse on a set they never saw. Written
are DIR/aggregation.json and its hash in the manifest, and a result file with what it gives on
answers it was not fitted on: by cross-validation over contexts, and on each set when fitted on
the others.
"""

import argparse
import hashlib
import json
import re
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.replay import Rules, replay
from benchmarks.rising import rising_curve
from benchmarks.scoring import OPEN, SavedScores, ScoredRow, pairs_key
from benchmarks.sets import CALIBRATION, FITTED
from benchmarks.weights import Floats, fit, is_weighed, pose, theta_of
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.support import MEASURES, Weighing
from gatekeeper.errors import GatekeeperError, InputError
from gatekeeper.evaluation.calibration import Saved, ThresholdChoice, choose_threshold
from gatekeeper.evaluation.metrics import gate_metrics
from gatekeeper.runtime.aggregation import AGGREGATION, write_weighing
from gatekeeper.runtime.manifest import MANIFEST

RESULT = Path(__file__).parent / "results" / "aggregation.json"

# A set with fewer answers of one claim than this has no say in the scale of support.
LEAST_SINGLE = 100
FOLDS = 5

Rows = Mapping[str, Sequence[ScoredRow]]


def load_rows(path: Path, folder: Path, half: str = CALIBRATION) -> dict[str, list[ScoredRow]]:
    """Return the saved rows of a half, by set.

    Raises:
        InputError: If a set was not scored with this model.
    """
    saved, key = SavedScores(path), pairs_key(folder)
    rows = {name: saved.of(name, key, half) for name in FITTED}
    missing = [name for name, found in rows.items() if not found]
    if missing:
        advice = f"scores of {folder} for {missing[0]}; run benchmarks.features first"
        raise InputError(str(path), "none", advice)
    return rows


def fitted(rows: Rows, measures: Sequence[str] = MEASURES) -> Weighing:
    """Return the weighing for some rows, its support calibrated on them."""
    return calibrated(
        fit(pose({name: list(found) for name, found in rows.items()}, measures)), rows
    )


def calibrated(weighing: Weighing, rows: Rows) -> Weighing:
    """Bend a weighing so that support is how often such a claim is supported.

    Scale and shift first (Platt, 1999), then a rising line (``benchmarks.rising``). Over answers of
    one claim; every set with enough of them weighs the same. The order of claims stays as it is.
    """
    single = singles(rows)
    if not single:
        return weighing
    z: list[float] = []
    right: list[bool] = []
    weights: list[float] = []
    for found in single.values():
        problem = pose({"": found})
        z.extend(problem.totals(theta_of(weighing, MEASURES)))
        right.extend(problem.right)
        weights.extend([1.0 / len(found) / len(single)] * len(found))
    labels, shares = np.array(right), np.array(weights)
    scale, shift = platt(np.array(z), labels, shares)
    scaled = 1.0 / (1.0 + np.exp(-(scale * np.array(z) + shift)))
    return Weighing(
        weights={name: scale * weight for name, weight in weighing.weights.items()},
        bias=scale * weighing.bias + shift,
        curve=rising_curve(scaled, labels.astype(np.float64), shares),
    )


def singles(rows: Rows) -> dict[str, list[ScoredRow]]:
    """Return the weighed answers of one claim, of each set that has enough of them."""
    found = {
        name: [row for row in of_set if len(row.claims) == 1 and is_weighed(row)]
        for name, of_set in rows.items()
    }
    return {name: kept for name, kept in found.items() if len(kept) >= LEAST_SINGLE}


def platt(z: Floats, right: Floats, weights: Floats) -> tuple[float, float]:
    """Return the scale, above 0, and the shift of the largest likelihood, by Newton steps."""
    theta = np.array([1.0, 0.0])
    full = np.column_stack([z, np.ones(len(z))])
    for _ in range(100):
        p = 1.0 / (1.0 + np.exp(-np.clip(full @ theta, -30.0, 30.0)))
        slope = full.T @ (weights * (p - right))
        curvature = (full * (weights * p * (1.0 - p))[:, None]).T @ full + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, slope)
        theta = theta - step
        if np.abs(step).max() < 1e-9:
            break
    return max(float(theta[0]), 1e-3), float(theta[1])


def scores_of(rows: Sequence[ScoredRow], weighing: Weighing | None) -> list[Saved]:
    """Return the score of each answer that has one; the guard has its word, contradiction none."""
    judged = [one.judged for one in replay(rows, Rules(thresholds=OPEN, weighing=weighing))]
    return [
        Saved(score=one.score, wrong=one.wrong)
        for one in judged
        if one is not None and one.score is not None
    ]


def choice(rows: Rows, weighing: Weighing | None) -> ThresholdChoice:
    """Choose one threshold for all sets."""
    return choose_threshold({name: scores_of(found, weighing) for name, found in rows.items()})


Maker = Callable[[Rows], Weighing | None]


def unseen_sets(rows: Rows, make: Maker) -> dict[str, dict[str, float | None]]:
    """Fit weighing and threshold on all sets but one, and judge that one."""
    found = {}
    for name in rows:
        others = {other: of_set for other, of_set in rows.items() if other != name}
        weighing = make(others)
        mark = choice(others, weighing).threshold
        found[name] = _figures({name: rows[name]}, weighing, mark)[name]
    return found


def unseen_contexts(rows: Rows, make: Maker) -> dict[str, dict[str, float | None]]:
    """Fit on four fifths of the contexts and judge the rest; means over the five."""
    parts: list[dict[str, dict[str, float | None]]] = []
    for fold in range(FOLDS):
        inside = {name: [row for row in of if _fold(row) != fold] for name, of in rows.items()}
        outside = {name: [row for row in of if _fold(row) == fold] for name, of in rows.items()}
        weighing = make(inside)
        parts.append(_figures(outside, weighing, choice(inside, weighing).threshold))
    return {
        name: {
            figure: fmean([v for part in parts if (v := part[name][figure]) is not None])
            for figure in parts[0][name]
        }
        for name in rows
    }


def name_in_manifest(folder: Path, name: str) -> None:
    """Put a file's hash into the manifest, in place of an older one if there is one."""
    digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    path = folder / MANIFEST
    text = path.read_text(encoding="utf-8")
    entry = f'"{name}" = "{digest}"'
    known = re.compile(rf'^"{re.escape(name)}" = .*$', re.MULTILINE)
    if known.search(text):
        text = known.sub(entry, text)
    else:
        text = text.replace("[files]\n", f"[files]\n{entry}\n", 1)
    path.write_text(text, encoding="utf-8")


def main() -> int:
    """Fit, write and say what it gives; 2 if a file can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model folder; it is written to")
    parser.add_argument("--scores", type=Path, required=True)
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=list(MEASURES))
    parser.add_argument(
        "--weights", nargs="+", type=_weight, help="NAME=NUMBER each; their ratios stay"
    )
    parser.add_argument("-o", "--output", type=Path, default=RESULT)
    arguments = parser.parse_args()
    try:
        make = maker(arguments.measures, arguments.weights)
        rows = load_rows(arguments.scores, arguments.model)
    except (GatekeeperError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    weighing = make(rows)
    counts = {name: len(found) for name, found in rows.items()}
    about = {"fitted_on": {"half": CALIBRATION, "rows": counts}}
    write_weighing(arguments.model / AGGREGATION, weighing, about)
    name_in_manifest(arguments.model, AGGREGATION)
    result = report(rows, weighing, make)
    arguments.output.parent.mkdir(exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(weighing.weights), f"bias {weighing.bias:.3f}")
    return 0


def report(
    rows: Rows, weighing: Weighing, make_weighing: Callable[[Rows], Weighing]
) -> dict[str, object]:
    """Return what the weighing and the plain maximum give, on unseen contexts and unseen sets."""
    result: dict[str, object] = {
        "benchmark": "aggregation",
        "weights": dict(weighing.weights),
        "bias": weighing.bias,
    }
    makers: dict[str, Maker] = {
        "maximum": lambda _: None,
        "weighing": make_weighing,
    }
    for name, make in makers.items():
        for way, judge in (("contexts", unseen_contexts), ("sets", unseen_sets)):
            found = judge(rows, make)
            mean = {
                figure: fmean([v for one in found.values() if (v := one[figure]) is not None])
                for figure in ("balanced_accuracy", "roc_auc")
            }
            result[f"{name}_on_unseen_{way}"] = {"sets": found, "mean": mean}
            print(f"{name:9} on unseen {way:9}", _text(mean), flush=True)
    return result


def maker(
    measures: Sequence[str], weights: Sequence[tuple[str, float]] | None
) -> Callable[[Rows], Weighing]:
    """Return how a weighing follows from rows.

    Raises:
        ValueError: If a weight is unknown or negative.
    """
    if not weights:
        return lambda rows: fitted(rows, measures)
    fixed = Weighing(weights=dict(weights))
    return lambda rows: calibrated(fixed, rows)


def _weight(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    return name, float(number)


def _figures(
    rows: Rows, weighing: Weighing | None, mark: float
) -> dict[str, dict[str, float | None]]:
    rules = Rules(thresholds=Thresholds(support=mark, contradiction=1.0), weighing=weighing)
    found = {}
    for name, of_set in rows.items():
        judged = [side for one in replay(of_set, rules) if (side := one.judged) is not None]
        metrics = gate_metrics(judged, draws=2)
        found[name] = {
            "balanced_accuracy": metrics.balanced_accuracy.value,
            "roc_auc": metrics.roc_auc.value,
        }
    return found


def _fold(row: ScoredRow) -> int:
    return zlib.crc32(row.group.encode()) % FOLDS


def _text(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in figures.items())


if __name__ == "__main__":
    sys.exit(main())
