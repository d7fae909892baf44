"""A trained aggregation is judged on what it never saw, and finds what there is to find."""

import json

import numpy as np
import pytest

from benchmarks.aggregations import RESULT, gather, histogram, judge, judge_apart, train
from gatekeeper.core.support import Weighing
from tests.benchmarks.rows import claim, drawn, premise, row

ROWS = {name: drawn(120, seed=n, dataset=name) for n, name in enumerate(("one", "two"))}


def test_histogram_is_of_the_worst_claim() -> None:
    """Shares of its premises by score, and the best of them last."""
    found = histogram(row(claim(premise(0.95)), claim(premise(0.05), premise(0.3))))

    assert found == [0.5, 0.0, 0.5, 0.0, 0.0, 0.0, 0.3]


def test_training_finds_the_feature_that_tells() -> None:
    """The other one is noise; scores rise with the first."""
    source = np.random.default_rng(0)
    features = source.normal(size=(400, 2))
    right = features[:, 0] + 0.5 * source.normal(size=400) > 0

    give = train(features, right, np.ones(400))

    high, low = give(np.array([[2.0, 0.0]])), give(np.array([[-2.0, 0.0]]))
    assert high[0] > 0.8
    assert low[0] < 0.2


def test_what_tells_nothing_gains_nothing_on_unseen_contexts() -> None:
    """Labels drawn by lot: whatever was learnt outside a fold is worth a half in it."""
    lot = np.random.default_rng(1)
    rows = {
        name: [row(*one.claims, wrong=bool(lot.integers(2)), name=one.id, dataset=name)
               for one in found]
        for name, found in ROWS.items()
    }  # fmt: skip
    answers = gather(rows, None)

    found = judge(answers, "all of the answer", answers.folds)

    assert found["balanced_accuracy"]["mean"] == pytest.approx(0.5, abs=0.12)


def test_every_way_ranks_better_than_chance() -> None:
    """On sets where entailment tells right from wrong, also the set that was left out."""
    answers = gather(ROWS, Weighing(weights={"entailment": 1.0}))

    for way in [*answers.scores, *answers.features]:
        assert judge(answers, way, answers.sets)["roc_auc"]["mean"] > 0.6
        assert judge_apart(answers, way)["balanced_accuracy"]["mean"] > 0.55


def test_result_says_why_no_aggregation_is_trained() -> None:
    """What ships gates a set that nothing was fitted on better than any trained one."""
    ways = json.loads(RESULT.read_text(encoding="utf-8"))["ways"]
    unseen = {way: found["unseen sets"]["balanced_accuracy"]["mean"] for way, found in ways.items()}

    assert max(unseen, key=lambda way: unseen[way]) == "weighing"
