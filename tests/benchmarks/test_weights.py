"""Fitting a weighing: what counts, what it finds, and that it only climbs."""

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.weights import RIDGE, Problem, even_weights, fit, is_weighed, pose, theta_of
from gatekeeper.core.support import MEASURES
from tests.benchmarks.rows import claim, drawn, premise, row


def test_worst_claim_and_its_best_premise_decide() -> None:
    """The likelihood has to be that of the gate's own rule, not of an average."""
    rows = [row(claim(premise(0.2), premise(0.9)), claim(premise(0.4), premise(0.6)))]

    problem = pose({"one": rows}, ["entailment"])

    assert list(problem.deciding(np.array([1.0, 0.0]))) == [3]


def test_answers_with_a_fixed_score_are_left_out() -> None:
    """The weights change nothing about them; a copy beside an open claim is no reason."""
    copy = claim(premise(1.0, verbatim=True))
    kinds = {
        "clash": row(claim(premise(0.5), fixed="CONTRADICTED")),
        "absent": row(claim(premise(0.5), absent=True)),
        "nothing": row(claim()),
        "copy": row(copy),
        "copy and more": row(copy, claim(premise(0.5))),
        "plain": row(claim(premise(0.5))),
    }

    assert [name for name, one in kinds.items() if is_weighed(one)] == ["copy and more", "plain"]
    assert len(pose({"one": [kinds["copy and more"]]}).x) == 1


def test_sets_and_labels_weigh_the_same() -> None:
    """A large set, or a common label, would choose the weights alone."""
    weights = even_weights(["a", "a", "a", "b", "b"], [True, True, False, True, False])

    assert list(weights) == pytest.approx([0.125, 0.125, 0.25, 0.25, 0.25])


def test_fit_finds_what_tells_right_from_wrong() -> None:
    """Noise gets next to no weight; what the labels were drawn from gets some."""
    rows = {"one": drawn(400), "two": drawn(300, seed=1, claims=3)}
    problem = pose(rows)

    found = fit(problem)

    assert found.weights["entailment"] > 0.1
    assert found.weights["known"] > 0.5
    assert found.weights.get("calm", 0.0) < 0.1
    assert _plain(problem, theta_of(found, MEASURES)) < 0.35


def test_fit_is_no_worse_than_any_nearby_weighing() -> None:
    """The end of the descent is a bottom, at least of its own valley."""
    names = ("entailment", "known")
    given = pose({"one": drawn(300)}, names)
    x = (given.x - given.x.mean(axis=0)) / given.x.std(axis=0)
    problem = Problem(**{**vars(given), "x": x})
    theta = theta_of(fit(problem), names)

    source = np.random.default_rng(0)
    nearby = [theta + source.normal(0, 0.2, 3) for _ in range(50)]

    assert min(problem.loss(other) for other in nearby) > problem.loss(theta) - 1e-3


def _plain(problem: Problem, theta: NDArray[np.float64]) -> float:
    """Return the loss without the ridge, which the fit puts on standardised measures."""
    return problem.loss(theta) - RIDGE * float(theta[:-1] @ theta[:-1])
