"""The README's numbers: from result files, with interval and link, and never typed."""

import json
from pathlib import Path

import pytest

from benchmarks.front_page import BEGIN, END, main, numbers, replaced

MACHINE = {"cpu": "Some CPU", "cores": 4}
FIGURE = {"value": 0.7, "low": 0.65, "high": 0.75}
RESULTS = {
    "accuracy": {
        "half": "test",
        "sets": {
            "qa": {
                "n": 1200,
                "gate": {"balanced_accuracy": FIGURE},
                "overlap": {"balanced_accuracy": {"value": 0.55, "low": None, "high": None}},
            },
            "one": {
                "n": 3,
                "gate": {"balanced_accuracy": {"value": None, "low": None, "high": None}},
                "overlap": {"balanced_accuracy": {"value": 0.5, "low": None, "high": None}},
            },
        },
    },
    "cases": {"cases": {"n": 71, "right": 60}},
    "invariance": {
        "pairs": 500,
        "machine": MACHINE,
        "ways": {"alone": {"largest_difference": 0.0}, "padded": {"largest_difference": 2e-7}},
    },
    "throughput": {
        "machine": MACHINE,
        "1 threads": {"real pairs": {"median": 8000}},
        "2 threads": {"real pairs": {"median": 15000}},
    },
    "load": {
        "machine": MACHINE,
        "small": {
            "budget_ms": 200.0,
            "three times the capacity": {
                "checks": 10000,
                "lateness_in_passes": {"share_above_2": 0.0004},
            },
        },
    },
    "outcomes": {
        "machine": MACHINE,
        "months": 2000,
        "all told": {
            "few wrong": {
                "7d": {"sensitivity": {"covered": 0.95}, "false_block": {"covered": 0.97}},
                "28d": {"sensitivity": {"covered": 0.933}},
            },
        },
    },
}


def test_every_kind_of_result_has_its_line(tmp_path: Path) -> None:
    """Figure, interval, data, machine and link: without one of them a number says nothing."""
    for name, result in RESULTS.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(result))

    lines = numbers(tmp_path).splitlines()

    assert lines[2:] == [
        (
            "| balanced accuracy | qa, test half, n = 1,200 | 0.700 [0.650, 0.750],"
            " word overlap 0.550 | [accuracy](benchmarks/results/accuracy.json) |"
        ),
        (
            "| balanced accuracy | one, test half, n = 3 | undefined, word overlap 0.500"
            " | [accuracy](benchmarks/results/accuracy.json) |"
        ),
        (
            "| right verdicts | hand-written cases | 60 of 71"
            " | [cases](benchmarks/results/cases.json) |"
        ),
        (
            "| largest shift of a probability | 500 pairs alone, batched, padded; Some CPU, 4 cores"
            " | 2e-07 | [invariance](benchmarks/results/invariance.json) |"
        ),
        (
            "| model, tokens a second | 1 thread, 2 threads; Some CPU, 4 cores | 8,000 and 15,000"
            " | [throughput](benchmarks/results/throughput.json) |"
        ),
        (
            "| told more than two passes after the deadline | 10,000 checks at three times the"
            " capacity, budget 200 ms, small; Some CPU, 4 cores | 0.04% |"
            " [load](benchmarks/results/load.json) |"
        ),
        (
            "| live rates: 95 % intervals that cover the truth | 3 rates and windows, 2,000"
            " simulated months each | 93.3% to 97.0%"
            " | [outcomes](benchmarks/results/outcomes.json) |"
        ),
    ]


def test_missing_results_give_no_numbers(tmp_path: Path) -> None:
    """No file, no number: not even an old one."""
    assert numbers(tmp_path) == "No result files yet.\n"


def test_only_what_lies_between_the_marks_changes() -> None:
    """The rest of the page belongs to people."""
    page = f"before\n{BEGIN}old\n{END}\nafter\n"

    assert replaced(page, "new\n") == f"before\n{BEGIN}new\n{END}\nafter\n"


@pytest.mark.parametrize("page", ["", BEGIN, END])
def test_page_without_marks_is_refused(page: str) -> None:
    """Writing nothing without a word would leave old numbers in place."""
    with pytest.raises(ValueError, match="README"):
        replaced(page, "new\n")


def test_readme_says_what_the_result_files_say() -> None:
    """After a new measurement: python -m benchmarks.front_page."""
    assert main(["--check"]) == 0


def test_written_page_passes_its_check(tmp_path: Path) -> None:
    """Whoever follows the advice of the test above must get it to pass."""
    readme = tmp_path / "README.md"
    readme.write_text(f"{BEGIN}{END}\n")
    (tmp_path / "cases.json").write_text(json.dumps(RESULTS["cases"]))
    where = ["--readme", str(readme), "--results", str(tmp_path)]
    assert main([*where, "--check"]) == 1

    assert main(where) == 0

    assert main([*where, "--check"]) == 0
    assert "60 of 71" in readme.read_text()
