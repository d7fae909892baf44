"""Writes the tables of models/README.md from ``results/ablations.json``; they are never typed.

    python -m benchmarks.ablations_table [--check]

``--check`` writes nothing and ends in code 1 when the page says something else than the file.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import marked

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "models" / "README.md"
RESULT = Path(__file__).parent / "results" / "ablations.json"
BEGIN = "<!-- ablations: python -m benchmarks.ablations_table -->\n"
END = "<!-- end of ablations -->"

MAXIMUM, GUARDED, WEIGHED = "maximum", "maximum with value guard", "weighed"
SHORT = {"aggrefact_cliff_goyal21": "aggrefact", "attributionbench_dev": "attribution"}

Record = Mapping[str, Any]


def page(found: str, result: Record) -> str:
    """Return the page with other tables between its marks.

    Raises:
        ValueError: If a mark is missing.
    """
    block = "".join(f"{line}\n" for line in tables(result))
    return marked.replaced(found, BEGIN, block, END, name="the page")


def tables(result: Record) -> list[str]:
    """Return the tables as lines of Markdown: training, its sets, and what needs no training."""
    lines = [*trainings(result["variants"]), "", *by_set(result["variants"])]
    if "plans" in result:
        lines += ["", *plans(result["plans"])]
    return lines


def trainings(variants: Record) -> Iterator[str]:
    """Yield a line a variant: how it was made, its means, and how they differ from the given."""
    yield (
        "| variant | change | pairs, tokens | balanced accuracy | against given "
        "| at its best threshold | against given | ROC-AUC | against given | with value guard "
        "| weighed: balanced accuracy, at its best, ROC-AUC | MNLI | breaking NLI | MED |"
    )
    yield "|---" * 14 + "|"
    for name, record in variants.items():
        plain, guarded = record[MAXIMUM], record[GUARDED]
        against, sentences = plain["against_given"], record["sentences"]
        cells = (
            name,
            record["change"],
            _size(record["how"]),
            _interval(plain["balanced_accuracy"]),
            _signed(against["balanced_accuracy"]),
            _best(plain),
            _signed(against["best"]),
            _interval(plain["roc_auc"]),
            _signed(against["roc_auc"]),
            _decimal(guarded["balanced_accuracy"]["value"]),
            _three(record[WEIGHED]),
            _decimal(sentences["mnli_dev_matched"]["three_way"]),
            _decimal(sentences["breaking_nli"]["three_way"]),
            _decimal(sentences["med"]["two_way"]),
        )
        yield _row(cells)


def by_set(variants: Record) -> Iterator[str]:
    """Yield a line a variant: balanced accuracy and ROC-AUC of each set."""
    sets = list(next(iter(variants.values()))[MAXIMUM]["sets"])
    yield _row(("variant", *(SHORT.get(name, name) for name in sets)))
    yield "|---" * (len(sets) + 1) + "|"
    for name, record in variants.items():
        found = record[MAXIMUM]["sets"]
        yield _row((name, *(_of_set(found[of]) for of in sets)))


def plans(found: Record) -> Iterator[str]:
    """Yield a line a way to ask: what it costs and gives, and how it differs from the gate's."""
    yield (
        "| way to ask | pair tokens | balanced accuracy | against gate | at its best threshold "
        "| against gate | ROC-AUC | against gate |"
    )
    yield "|---" * 8 + "|"
    for name, record in found.items():
        against = record["against_gate"]
        cells = (
            name,
            f"{record['pair_tokens']:.0f}",
            _interval(record["balanced_accuracy"]),
            _signed(against["balanced_accuracy"]),
            _best(record),
            _signed(against["best"]),
            _interval(record["roc_auc"]),
            _signed(against["roc_auc"]),
        )
        yield _row(cells)


def main(arguments: list[str] | None = None) -> int:
    """Write or check the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--result", type=Path, default=RESULT)
    given = parser.parse_args(arguments)
    found = given.page.read_text(encoding="utf-8")
    wanted = page(found, json.loads(given.result.read_text(encoding="utf-8")))
    if given.check:
        return int(found != wanted)
    given.page.write_text(wanted, encoding="utf-8")
    return 0


def _size(how: Record) -> str:
    return f"{how['pairs']:,}, {how['tokens'] / 1e6:.2f} M" if "pairs" in how else ""


def _of_set(found: Record) -> str:
    return f"{_decimal(found['balanced_accuracy'])}, {_decimal(found['roc_auc'])}"


def _interval(found: Record) -> str:
    return f"{found['value']:.3f} [{found['low']:.3f}, {found['high']:.3f}]"


def _best(record: Record) -> str:
    return f"{record['best']['value']:.3f} at {record['best_threshold']:.2f}"


def _three(found: Record) -> str:
    names = ("balanced_accuracy", "best", "roc_auc")
    return ", ".join(_decimal(found[name]["value"]) for name in names)


def _signed(found: Record) -> str:
    return f"{found['value']:+.3f} [{found['low']:+.3f}, {found['high']:+.3f}]"


def _decimal(value: float) -> str:
    return f"{value:.3f}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
