"""The line: whatever comes and goes, its counts are right and its bounds are kept."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.protocols import EncodedPair, Priority, Usage
from gatekeeper.scheduler.line import Call, Line, LineBounds, PairsCall, StepsCall

BOUNDS = LineBounds(calls=4, pairs=12, tokens=60, shadow_calls=2, shadow_pairs=6, shadow_tokens=30)

ARRIVALS = st.tuples(
    st.sampled_from(Priority),
    st.sampled_from([1.0, 2.0, float("inf")]),
    st.lists(st.integers(1, 20), max_size=6),
)
# What happens: a call arrives, the n-th call leaves, or the first pair of the n-th call runs.
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("arrives"), ARRIVALS),
        st.tuples(st.just("leaves"), st.integers(0, 9)),
        st.tuples(st.just("runs"), st.integers(0, 9)),
        st.tuples(st.just("comes back"), st.integers(0, 9)),
    ),
    max_size=40,
)


def call(priority: Priority, deadline: float, lengths: Sequence[int]) -> Call:
    """Return a call for pairs of some lengths; one for steps if there are none."""
    if not lengths:
        return StepsCall(iter([]), deadline=deadline, priority=priority, usage=Usage())
    pairs = [EncodedPair(ids=(1,) * tokens, type_ids=(0,) * tokens) for tokens in lengths]
    return PairsCall(pairs, deadline=deadline, priority=priority, usage=Usage())


def counted(line: Line, lane: Priority) -> tuple[int, int, int]:
    """Count what waits at a priority, one by one."""
    calls = [other for other in line.all() if other.priority is lane]
    waiting = [
        other.pairs[n].tokens
        for other in calls
        if isinstance(other, PairsCall)
        for n in other.waiting
    ]
    return len(calls), len(waiting), sum(waiting)


def change(line: Line, what: str, subject: PairsCall) -> None:
    """Have a pair of a call run, or come back without having run."""
    if what == "runs" and subject.waiting:
        line.take(subject, {subject.waiting[0]})
    elif what == "comes back":
        missing = sorted(set(range(len(subject.pairs))) - set(subject.waiting))
        for position in missing[:1]:
            line.give_back(subject, position)


def play(events: Sequence[tuple[str, object]]) -> None:
    """Let things happen to a line; after each of them what it says must hold."""
    line = Line(BOUNDS)
    for what, how in events:
        if what == "arrives":
            newcomer = call(*how)  # type: ignore[misc]  # a tuple as ARRIVALS makes them
            if line.has_room(newcomer):
                line.enter(newcomer)
        elif isinstance(how, int) and how < len(line.all()):
            subject = line.all()[how]
            if what == "leaves":
                assert line.leave(subject)
                assert not line.leave(subject)
            elif isinstance(subject, PairsCall):
                change(line, what, subject)
        check(line)


def check(line: Line) -> None:
    """Hold the counts against the calls, the calls against bounds and order."""
    for lane in Priority:
        found = (line.calls[lane], line.pairs[lane], line.tokens[lane])
        assert found == counted(line, lane)
    assert line.calls[Priority.SHADOW] <= BOUNDS.shadow_calls
    assert line.pairs[Priority.ENFORCE] <= BOUNDS.pairs
    assert line.tokens[Priority.SHADOW] <= BOUNDS.shadow_tokens
    calls = line.all()
    assert all(one.key < other.key for one, other in pairwise(calls))
    for waiting in (other for other in calls if isinstance(other, PairsCall)):
        lengths = [waiting.pairs[n].tokens for n in waiting.waiting]
        assert lengths == sorted(lengths, reverse=True)


@settings(deadline=None, derandomize=True)
@given(EVENTS)
def test_counts_and_bounds(events: list[tuple[str, object]]) -> None:
    """A count that drifts would shut the gate, or open it to any amount of memory."""

    async def main() -> None:
        play(events)

    asyncio.run(main())


def test_pairs_of_a_call_that_left_do_not_come_back() -> None:
    """A client that left during a plan must not be found in line again."""

    async def main() -> None:
        line = Line(BOUNDS)
        gone = call(Priority.ENFORCE, 1.0, [3, 4])
        assert isinstance(gone, PairsCall)
        line.enter(gone)
        line.take(gone, {0})
        line.leave(gone)

        line.give_back(gone, 0)

        assert line.pairs[Priority.ENFORCE] == 0

    asyncio.run(main())
