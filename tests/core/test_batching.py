"""Which pairs share a pass."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.batching import Plan, Waiting, plan_batch

LINES = st.lists(
    st.builds(Waiting, tokens=st.integers(1, 512), deadline=st.floats(0.0, 10.0)), max_size=40
)


def in_time(*tokens: int) -> list[Waiting]:
    """Return a line of pairs that are all in time."""
    return [Waiting(tokens=n, deadline=1.0) for n in tokens]


def test_nothing_waits() -> None:
    """An empty line is no error."""
    assert plan_batch([], now_s=0.0, max_padded_tokens=100) == Plan(run=(), late=())


def test_pass_is_padded_to_the_most_urgent_pair() -> None:
    """A long pair of another request must not make an urgent short one wait for its padding."""
    plan = plan_batch(in_time(20, 100, 18, 19), now_s=0.0, max_padded_tokens=1000)

    assert plan.run == (0, 3, 2)


def test_much_shorter_pairs_wait_for_their_own_pass() -> None:
    """A row of ten tokens padded to a hundred would cost ten rows."""
    plan = plan_batch(in_time(100, 10, 60, 50), now_s=0.0, max_padded_tokens=1000)

    assert plan.run == (0, 2, 3)


def test_ceiling_binds() -> None:
    """The length of a pass is what deadlines are kept with."""
    plan = plan_batch(in_time(100, 90, 80, 70), now_s=0.0, max_padded_tokens=250)

    assert plan.run == (0, 1)


def test_late_pairs_are_named() -> None:
    """A pair at its deadline is too late: a pass that starts then ends after it."""
    line = [Waiting(tokens=5, deadline=1.0), Waiting(tokens=5, deadline=1.1)]

    assert plan_batch(line, now_s=1.0, max_padded_tokens=50) == Plan(run=(1,), late=(0,))


@settings(deadline=None, derandomize=True)
@given(LINES, st.floats(0.0, 10.0), st.integers(1, 4096))
def test_plan_keeps_its_promises(line: list[Waiting], now_s: float, ceiling: int) -> None:
    """Each pair at most once, none late, under the ceiling, and the most urgent one runs."""
    plan = plan_batch(line, now_s=now_s, max_padded_tokens=ceiling)

    named = (*plan.run, *plan.late)
    assert len(set(named)) == len(named)
    assert all(line[n].deadline > now_s for n in plan.run)
    assert all(line[n].deadline <= now_s for n in plan.late)
    waiting = [n for n, pair in enumerate(line) if pair.deadline > now_s]
    assert plan.run[:1] == tuple(waiting[:1])
    padded = len(plan.run) * max((line[n].tokens for n in plan.run), default=0)
    assert padded <= ceiling or len(plan.run) == 1


@settings(deadline=None, derandomize=True)
@given(st.lists(st.integers(1, 200), max_size=30), st.integers(1, 1024))
def test_every_pair_gets_its_turn(tokens: list[int], ceiling: int) -> None:
    """Without deadlines the line empties, and each pair runs exactly once: none starves."""
    line = in_time(*tokens)
    left = list(range(len(line)))
    ran = []
    while left:
        plan = plan_batch([line[n] for n in left], now_s=0.0, max_padded_tokens=ceiling)
        assert plan.run
        done = [left[n] for n in plan.run]
        ran.extend(done)
        left = [n for n in left if n not in done]

    assert sorted(ran) == list(range(len(line)))
