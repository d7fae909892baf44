"""What work costs and whether it is let in."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.budget import CheckCost, CostModel, pause_s, refusal
from gatekeeper.verdict import UnresolvedReason


def learn(cost: CostModel, passes: Sequence[tuple[int, float]]) -> CostModel:
    """Learn from passes of (padded tokens, seconds) without padding."""
    for tokens, seconds in passes:
        cost = cost.after(padded_tokens=tokens, tokens=tokens, seconds=seconds)
    return cost


def test_line_is_found() -> None:
    """With passes of several sizes both parts of the cost are known, or plans would be wrong."""
    line = [(tokens, 0.002 + 5e-5 * tokens) for tokens in (64, 128, 256, 512)]

    cost = learn(CostModel(), line * 5)

    assert cost.fixed_s == pytest.approx(0.002, rel=1e-6)
    assert cost.token_s == pytest.approx(5e-5, rel=1e-6)
    assert cost.seconds(1000) == pytest.approx(0.052, rel=1e-6)


def test_one_size_gives_a_line_through_the_origin() -> None:
    """Passes of one size can't tell fixed cost from cost a token; the estimate must stay sane."""
    cost = learn(CostModel(), [(512, 0.03)] * 10)

    assert cost.fixed_s == 0.0
    assert cost.seconds(512) == pytest.approx(0.03)


def test_negative_parts_are_left_out() -> None:
    """A noisy fit may point below zero; a negative cost would let everything in."""
    falling = learn(CostModel(), [(100, 0.03), (200, 0.02)] * 5)
    steep = learn(CostModel(), [(100, 0.01), (200, 0.03)] * 5)

    for cost in (falling, steep):
        assert cost.fixed_s == 0.0
        assert cost.token_s > 0.0


def test_single_pause_is_not_believed() -> None:
    """A process stopped in the middle of a pass must not shut the gate for seconds."""
    cost = learn(CostModel(), [(256, 0.015), (512, 0.03)] * 20)

    paused = cost.after(padded_tokens=512, tokens=512, seconds=30.0)

    assert paused.seconds(512) < 1.5 * cost.seconds(512)


def test_lasting_change_is_believed() -> None:
    """When a neighbour takes half the machine, plans have to follow within a second of work."""
    cost = learn(CostModel(), [(256, 0.015), (512, 0.03)] * 20)

    slow = learn(cost, [(256, 0.03), (512, 0.06)] * 50)

    assert slow.seconds(512) == pytest.approx(0.06, rel=0.25)


def test_tokens_within_is_the_inverse() -> None:
    """The ceiling of a run is what the time has room for, and never below nothing."""
    cost = learn(CostModel(), [(100, 0.012), (200, 0.022)] * 5)

    assert cost.tokens_within(cost.seconds(300)) in (299, 300)
    assert cost.tokens_within(0.0) == 0


def test_backlog_counts_padding_and_passes() -> None:
    """Tokens in line cost more than their number: rows are padded and every pass has its price."""
    cost = CostModel(fixed_s=0.001, token_s=1e-4, padding=1.5)

    assert cost.backlog_s(400, pass_tokens=300) == pytest.approx(2 * 0.001 + 600 * 1e-4)
    assert cost.backlog_s(0, pass_tokens=300) == 0.0


def test_padding_is_learnt() -> None:
    """How much is padded depends on the traffic, so it is measured."""
    cost = CostModel()
    for _ in range(300):
        cost = cost.after(padded_tokens=200, tokens=100, seconds=0.01)

    assert cost.padding == pytest.approx(2.0, rel=0.01)


@settings(deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(1, 4096), st.floats(0.0, 100.0)), min_size=1, max_size=60))
def test_cost_model_stays_sane(passes: list[tuple[int, float]]) -> None:
    """Whatever was observed, more tokens never cost less and no estimate is negative or endless."""
    cost = learn(CostModel(), passes)

    assert cost.fixed_s >= 0.0
    assert cost.token_s > 0.0
    assert 0.0 < cost.seconds(1) <= cost.seconds(4096) < 1e9
    assert cost.tokens_within(0.03) >= 0


def test_check_cost_is_a_mean() -> None:
    """What a check costs and asks for is known once some have been seen."""
    cost = CheckCost()
    for _ in range(10):
        cost = cost.after_first().after_steps(0.001).after_steps(0.003).after_pairs(800)

    assert cost.steps_s == pytest.approx(0.004)
    assert cost.tokens == pytest.approx(800)


def test_check_cost_begins_at_nothing() -> None:
    """Before anything was seen nothing may be refused on a guess."""
    assert CheckCost().steps_s == 0.0
    assert CheckCost().after_pairs(800).tokens == 0.0
    assert CheckCost().after_steps(1.0).after_cut() == CheckCost()


def test_checks_cut_short_do_not_make_checks_look_cheap() -> None:
    """Under load most checks are given up; if that lowered the estimate ever more were let in."""
    cost = CheckCost()
    for _ in range(10):
        cost = cost.after_first().after_steps(0.004).after_pairs(800)
    before = cost.tokens
    for _ in range(50):
        cost = cost.after_first().after_steps(0.001).after_cut()
        cost = cost.after_first().after_steps(0.004).after_pairs(800)

    assert cost.tokens == pytest.approx(before, rel=0.1)


@pytest.mark.parametrize(
    ("left_s", "ahead_s", "own_s", "expected"),
    [
        (0.2, 0.0, 0.1, None),
        (0.2, 0.0, 5.0, None),
        (0.2, 0.1, 0.1, None),
        (0.2, 0.1, 0.15, UnresolvedReason.OVERLOAD),
        (0.2, 0.1, 0.25, UnresolvedReason.BUDGET),
        (0.0, 0.0, 0.0, UnresolvedReason.BUDGET),
        (-1.0, 0.0, 0.1, UnresolvedReason.BUDGET),
        (float("inf"), 100.0, 100.0, None),
    ],
)
def test_refusal(
    left_s: float, ahead_s: float, own_s: float, expected: UnresolvedReason | None
) -> None:
    """Load and budget are told apart, and an idle gate refuses nothing on an estimate."""
    assert refusal(left_s=left_s, ahead_s=ahead_s, own_s=own_s) is expected


def test_pauses_grow_to_a_bound() -> None:
    """A broken model must not keep a processor busy, and a repaired one is found in a minute."""
    pauses = [pause_s(n) for n in range(10)]

    assert pauses[:4] == [0.0, 0.5, 1.0, 2.0]
    assert pauses == sorted(pauses)
    assert pause_s(10_000) == 60.0
