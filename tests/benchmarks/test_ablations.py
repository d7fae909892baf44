"""Ablations: the same sample for all, one threshold that never saw the answer, whole tables."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.ablations import unknown
from benchmarks.ablations_figures import CALM, GUARDED, MAXIMUM, auc_draws, differences, figures
from benchmarks.ablations_plans import clauses
from benchmarks.ablations_scores import STEP, NumberingModel, few, read_numbered, scored
from benchmarks.ablations_table import BEGIN, END, main, tables
from gatekeeper.evaluation.metrics import Judged, gate_metrics, roc_auc
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.protocols import EncodedPair
from gatekeeper.runtime.manifest import model_folder
from gatekeeper.runtime.session import load
from gatekeeper.testing import FakeModel
from gatekeeper.verdict import Evidence, Passage
from models.pairs import Pair
from tests.benchmarks.gates import by_checksum
from tests.benchmarks.rows import claim, drawn, premise, row


def labelled(number: int, group: str, label: Label) -> Row:
    """Make a row of a context."""
    evidence = Evidence(passages=(Passage(id="a", text="Text."),))
    return Row(
        line=number, id=str(number), evidence=evidence, answer="A.", label=label, group=group
    )


def pair(*ids: int) -> EncodedPair:
    """Make a pair."""
    return EncodedPair(ids=ids, type_ids=tuple(0 for _ in ids))


def test_few_rows_are_of_as_many_contexts_as_there_are() -> None:
    """Ten answers about one text tell less than ten about ten."""
    rows = [
        labelled(n, f"{n % 7}", Label.SUPPORTED if n % 2 else Label.UNSUPPORTED) for n in range(70)
    ]

    chosen = few(rows, 7)

    assert [row.label for row in chosen].count(Label.SUPPORTED) == 7
    for label in Label:
        assert len({row.group for row in chosen if row.label is label}) == 7
    assert chosen == few(rows, 7)
    assert len(few(rows)) == 70


def test_numbers_of_pairs_outlive_the_process(tmp_path: Path) -> None:
    """A plan that was stopped would else put one pair's score in the place of another's."""
    path = tmp_path / "pairs"
    first = NumberingModel(FakeModel(by_checksum), path)
    before = first.score([pair(1, 2), pair(3)])

    second = NumberingModel(FakeModel(by_checksum), path)
    after = second.score([pair(4), pair(3), pair(1, 2)])

    assert [score.entailment for score in before] == [0.0, STEP]
    assert [score.entailment for score in after] == [2 * STEP, STEP, 0.0]
    assert read_numbered(path) == [pair(1, 2), pair(3), pair(4)]


def test_scores_take_the_place_of_numbers_and_copies_keep_theirs() -> None:
    """A copy was never put to a model: it has no number."""
    rows = [row(claim(premise(STEP), premise(0.0), premise(1.0, verbatim=True)))]

    found = scored({"one": rows}, np.array([[0.1, 0.2], [0.3, 0.4]]))["one"][0].claims[0].premises

    assert [(p.entailment, p.contradiction) for p in found] == [(0.3, 0.4), (0.1, 0.2), (1.0, 0.0)]


def test_a_threshold_is_chosen_without_the_answers_it_judges() -> None:
    """An answer turned round changes no mark of its own fold, and may change all others."""
    rows = drawn(120)
    before = figures({"one": rows})
    for place in (0, 7):
        turned = [
            replace(one, wrong=not one.wrong) if n == place else one for n, one in enumerate(rows)
        ]
        after = figures({"one": turned})
        name = rows[place].id
        assert after.sides["one"][name].blocked == before.sides["one"][name].blocked


def test_figures_are_those_of_the_gate_s_own_metrics() -> None:
    """Balanced accuracy and ROC-AUC are computed once more here, over draws of contexts."""
    sets = {"one": drawn(150, seed=1), "two": drawn(90, seed=2, claims=2)}

    found = figures(sets)

    for name, rows in sets.items():
        metrics = gate_metrics(list(found.sides[name].values()), draws=2)
        assert found.sets[name]["balanced_accuracy"] == pytest.approx(
            metrics.balanced_accuracy.value
        )
        judged = MAXIMUM.scores(rows)
        expected = roc_auc([one.score or 0.0 for one in judged], [one.wrong for one in judged])
        assert found.sets[name]["roc_auc"] == pytest.approx(expected)
    means = [one["balanced_accuracy"] for one in found.sets.values()]
    assert found.balanced_accuracy.value == pytest.approx(sum(means) / 2)
    low, high = found.balanced_accuracy.low, found.balanced_accuracy.high
    assert low is not None
    assert high is not None
    assert low < sum(means) / 2 < high


def test_a_model_differs_from_itself_by_nothing_and_from_a_worse_one_by_much() -> None:
    """The interval is that of the difference, on the same draws."""
    rows = drawn(200, seed=3)
    noise = np.random.default_rng(0).random((200, 2))
    worse = [
        replace(
            one, claims=tuple(claim(*(premise(float(x)) for x in noise[n])) for _ in one.claims)
        )
        for n, one in enumerate(rows)
    ]
    good, bad = figures({"one": rows}), figures({"one": worse})

    assert differences(good, good)["balanced_accuracy"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert (differences(good, bad)["roc_auc"]["low"] or 0.0) > 0.1


def test_the_best_threshold_is_one_for_all_and_flatters() -> None:
    """No threshold chosen without an answer can do better than the one chosen with all."""
    sets = {"one": drawn(150, seed=1), "two": drawn(90, seed=2)}
    found = figures(sets)

    for judged in found.best_sides.values():
        for one in judged.values():
            assert one.blocked == ((one.score or 0.0) < found.best_threshold)
    assert (found.best.value or 0.0) >= (found.balanced_accuracy.value or 1.0)


def test_ties_count_half() -> None:
    """A model that says the same of everything ranks nothing."""
    same = [Judged(wrong=n % 2 == 0, blocked=False, score=0.5, group=str(n)) for n in range(10)]

    assert set(auc_draws(same)) == {0.5}


def test_the_guard_has_a_word_only_where_it_is_asked() -> None:
    """The table says what the guard adds to the same scores."""
    clash = row(claim(premise(0.9), fixed="CONTRADICTED"), wrong=True)

    assert CALM.support == 1.0
    assert [one.score for one in GUARDED.scores([clash])] == [0.0]
    assert [one.score for one in MAXIMUM.scores([clash])] == [0.9]


def test_only_constructed_pairs_that_are_known_are_left_out() -> None:
    """Found pairs stay whatever the model says, and so does what it gets wrong."""
    session = load(model_folder(SHIPPED_MODEL), threads=1)
    same = "The museum is open on Mondays."

    def of(claim: str, label: str, kind: str) -> Pair:
        return Pair(premise=same, hypothesis=claim, label=label, source="a", kind=kind)

    easy = of(same, "entailment", "copied")
    wrong = of(same, "neutral", "copied")
    found = of(f"{same} Yes.", "entailment", "")

    assert unknown([easy, found], session, 0.9) == [found]
    assert unknown([wrong, found], session, 0.9) == [wrong, found]


def test_clauses_become_sentences() -> None:
    """Only where words enough follow to be one."""
    assert clauses("Ann left at noon, and Tom stayed at home.") == (
        "Ann left at noon. Tom stayed at home."
    )
    assert clauses("Salt and pepper.") == "Salt and pepper."


FIGURE = {"value": 0.6, "low": 0.55, "high": 0.65}
MEASURED = {
    "balanced_accuracy": FIGURE,
    "roc_auc": FIGURE,
    "best": {"value": 0.62, "low": 0.57, "high": 0.66},
    "best_threshold": 0.48,
    "sets": {"qags": {"balanced_accuracy": 0.61, "roc_auc": 0.71}},
    "against_given": {
        "balanced_accuracy": {"value": 0.01, "low": -0.02, "high": 0.04},
        "best": {"value": 0.02, "low": -0.01, "high": 0.05},
        "roc_auc": FIGURE,
    },
}
RESULT = {
    "variants": {
        "given": {
            "change": "none",
            "how": {"pairs": 40000, "tokens": 2512345},
            "maximum": MEASURED,
            "maximum with value guard": MEASURED,
            "weighed": MEASURED,
            "sentences": {
                "mnli_dev_matched": {"three_way": 0.7},
                "breaking_nli": {"three_way": 0.8},
                "med": {"two_way": 0.5},
            },
        }
    },
    "plans": {"all": {**MEASURED, "pair_tokens": 460.2, "against_gate": MEASURED["against_given"]}},
}


def test_tables_hold_figure_interval_and_difference() -> None:
    """A figure without its interval, or what it is compared with, says nothing."""
    lines = tables(RESULT)

    assert lines[2] == (
        "| given | none | 40,000, 2.51 M | 0.600 [0.550, 0.650] | +0.010 [-0.020, +0.040] "
        "| 0.620 at 0.48 | +0.020 [-0.010, +0.050] | 0.600 [0.550, 0.650] "
        "| +0.600 [+0.550, +0.650] | 0.600 | 0.600, 0.620, 0.600 | 0.700 | 0.800 | 0.500 |"
    )
    assert lines[4:7] == ["| variant | qags |", "|---|---|", "| given | 0.610, 0.710 |"]
    assert lines[-1].startswith("| all | 460 | 0.600 [0.550, 0.650] | +0.010 [-0.020, +0.040] |")
    assert len({line.count("|") for line in lines[:3]}) == 1


def test_the_page_is_written_and_checked(tmp_path: Path) -> None:
    """Figures on the page that are not those of the file are found."""
    page, result = tmp_path / "page.md", tmp_path / "result.json"
    page.write_text(f"before\n{BEGIN}{END}\nafter\n")
    result.write_text(json.dumps(RESULT))
    arguments = ["--page", str(page), "--result", str(result)]

    assert main([*arguments, "--check"]) == 1
    assert main(arguments) == 0
    assert main([*arguments, "--check"]) == 0
    assert page.read_text().startswith(f"before\n{BEGIN}| variant |")
    assert page.read_text().endswith(f"{END}\nafter\n")


def test_the_project_s_own_page_is_up_to_date() -> None:
    """A figure that was typed, or a result file written without the page, is found here."""
    assert main(["--check"]) == 0
