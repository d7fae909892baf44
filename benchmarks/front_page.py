"""Writes the numbers of the README from the result files; they are never typed.

    python -m benchmarks.front_page [--check]

A result file that isn't there gives no line. ``--check`` writes nothing and ends in code 1 when
the README says something else than the files.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import marked

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
RESULTS = ROOT / "benchmarks" / "results"
BEGIN = "<!-- numbers: python -m benchmarks.front_page -->\n"
END = "<!-- end of numbers -->"

Result = Mapping[str, Any]


def numbers(results: Path) -> str:
    """Return the lines between the marks, from the files of a folder."""
    lines = [
        line for name, render in RENDERERS.items() for line in _rendered(results, name, render)
    ]
    if not lines:
        return "No result files yet.\n"
    return "\n".join(["| What | Data | Figure | Result |", "|---|---|---|---|", *lines, ""])


def replaced(readme: str, block: str) -> str:
    """Return the README with another block between its marks.

    Raises:
        ValueError: If a mark is missing.
    """
    return marked.replaced(readme, BEGIN, block, END, name="README.md")


def machine(result: Result) -> str:
    """Return the machine a figure was measured on, in a few words."""
    facts = result["machine"]
    return f"{facts['cpu']}, {facts['cores']} cores"


def accuracy(result: Result) -> Iterator[str]:
    """Yield a line a data set: the gate, its interval, and the word overlap beside it."""
    for name, found in result["sets"].items():
        overlap = found["overlap"]["balanced_accuracy"]["value"]
        yield _row(
            "balanced accuracy",
            f"{name}, {result['half']} half, n = {found['n']:,}",
            f"{_interval(found['gate']['balanced_accuracy'])}, word overlap {_decimal(overlap)}",
            "accuracy",
        )


def cases(result: Result) -> Iterator[str]:
    """Yield how many of the hand-written cases come out right."""
    found = result["cases"]
    yield _row("right verdicts", "hand-written cases", f"{found['right']} of {found['n']}", "cases")


def invariance(result: Result) -> Iterator[str]:
    """Yield how far a score moves with batch mates, padding and threads."""
    shift = max(way["largest_difference"] for way in result["ways"].values())
    data = f"{result['pairs']:,} pairs alone, batched, padded; {machine(result)}"
    yield _row("largest shift of a probability", data, f"{shift:.1g}", "invariance")


def throughput(result: Result) -> Iterator[str]:
    """Yield the tokens a second of real pairs, by threads."""
    one, two = (result[f"{n} threads"]["real pairs"]["median"] for n in (1, 2))
    data = f"1 thread, 2 threads; {machine(result)}"
    yield _row("model, tokens a second", data, f"{one:,} and {two:,}", "throughput")


def load(result: Result) -> Iterator[str]:
    """Yield, for each model under too much load, how many callers heard later than they may."""
    models = {name: found for name, found in result.items() if "three times the capacity" in found}
    for name, found in models.items():
        steady = found["three times the capacity"]
        share = steady["lateness_in_passes"]["share_above_2"]
        yield _row(
            "told more than two passes after the deadline",
            f"{steady['checks']:,} checks at three times the capacity, budget "
            f"{found['budget_ms']:g} ms, {name}; {machine(result)}",
            f"{share:.2%}",
            "load",
        )


def outcomes(result: Result) -> Iterator[str]:
    """Yield how many of the intervals of live rates cover what was true."""
    covered = [
        rate["covered"]
        for worlds in result.values()
        if isinstance(worlds, dict)
        for world in worlds.values()
        if isinstance(world, dict)
        for window in world.values()
        for rate in window.values()
    ]
    yield _row(
        "live rates: 95 % intervals that cover the truth",
        f"{len(covered)} rates and windows, {result['months']:,} simulated months each",
        f"{min(covered):.1%} to {max(covered):.1%}",
        "outcomes",
    )


RENDERERS: Mapping[str, Callable[[Result], Iterator[str]]] = {
    "accuracy": accuracy,
    "cases": cases,
    "invariance": invariance,
    "throughput": throughput,
    "load": load,
    "outcomes": outcomes,
}


def main(arguments: list[str] | None = None) -> int:
    """Write or check the README."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--readme", type=Path, default=README)
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    found = given.readme.read_text(encoding="utf-8")
    wanted = replaced(found, numbers(given.results))
    if given.check:
        return int(found != wanted)
    given.readme.write_text(wanted, encoding="utf-8")
    return 0


def _rendered(results: Path, name: str, render: Callable[[Result], Iterator[str]]) -> list[str]:
    path = results / f"{name}.json"
    if not path.exists():
        return []
    return list(render(json.loads(path.read_text(encoding="utf-8"))))


def _row(what: str, data: str, figure: str, file: str) -> str:
    return f"| {what} | {data} | {figure} | [{file}](benchmarks/results/{file}.json) |"


def _interval(figure: Mapping[str, float | None]) -> str:
    """Return a figure with its 95 % interval."""
    if figure["low"] is None or figure["high"] is None:
        return _decimal(figure["value"])
    return f"{_decimal(figure['value'])} [{figure['low']:.3f}, {figure['high']:.3f}]"


def _decimal(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    sys.exit(main())
