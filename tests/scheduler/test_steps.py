"""Work beside the model: in slices, in time, off the loop, and what it was for whom."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from gatekeeper.errors import UnavailableError
from gatekeeper.protocols import Model, Priority, Usage
from gatekeeper.scheduler import LineBounds, Pace, Scheduler
from gatekeeper.testing import FakeModel
from gatekeeper.verdict import UnresolvedReason
from tests.scheduler.stepped import (
    PATIENCE_S,
    ManualClock,
    SteppedModel,
    later,
    others_ran,
    pairs,
    played,
)


def test_steps_run_off_the_loop() -> None:
    """A parser in the event loop would stop every other request."""
    threads: set[str] = set()

    def steps() -> Iterator[None]:
        for _ in range(3):
            threads.add(threading.current_thread().name)
            yield

    scheduler = Scheduler(FakeModel(), clock=ManualClock())
    played(scheduler.run(steps()))
    scheduler.close()

    assert threads == {"gatekeeper"}


def test_error_in_steps_belongs_to_their_waiter() -> None:
    """A fault in one answer is raised where it was asked for, and others are served."""

    def steps() -> Iterator[None]:
        yield
        raise LookupError("odd answer")

    scheduler = Scheduler(FakeModel(), clock=ManualClock())

    async def main() -> None:
        with pytest.raises(LookupError, match="odd answer"):
            await scheduler.run(steps())
        await scheduler.run(iter([None]))

    played(main())
    scheduler.close()


def test_long_work_is_cut_into_slices() -> None:
    """A large document must let an urgent check pass by."""
    clock = ManualClock()
    order: list[str] = []
    begun, go = threading.Event(), threading.Semaphore(0)

    def large() -> Iterator[None]:
        for n in range(4):
            order.append(f"large {n}")
            clock.now_s += 0.01
            begun.set()
            assert go.acquire(timeout=PATIENCE_S)
            yield

    def small() -> Iterator[None]:
        order.append("small")
        yield

    scheduler = Scheduler(FakeModel(), clock=clock)

    async def main() -> None:
        slow = later(scheduler.run(large()))
        assert await asyncio.to_thread(begun.wait, PATIENCE_S)
        quick = later(scheduler.run(small(), deadline=clock.now_s + 100.0))
        await others_ran()
        go.release(4)
        await asyncio.gather(slow, quick)

    played(main())
    scheduler.close()

    assert order == ["large 0", "small", "large 1", "large 2", "large 3"]
    assert scheduler.statistics().longest_slice_s == pytest.approx(0.01)


def test_steps_stop_at_their_deadline() -> None:
    """Work that is too late to matter takes nobody else's time."""
    clock = ManualClock()
    taken: list[int] = []

    def steps() -> Iterator[None]:
        for n in range(10):
            taken.append(n)
            clock.now_s += 0.06
            yield

    scheduler = Scheduler(FakeModel(), clock=clock)
    with pytest.raises(UnavailableError, match="budget"):
        played(scheduler.run(steps(), deadline=clock.now_s + 0.2))
    scheduler.close()

    assert len(taken) == 4


def test_burst_is_refused_at_its_beginning() -> None:
    """Of a thousand checks that come at once those that can't be done are told before any work.

    Their pairs are not known yet; what checks before them led to stands in for it.
    """
    clock = ManualClock()
    model = SteppedModel(clock, token_s=0.001)
    scheduler = Scheduler(model, clock=clock)

    def steps(held: threading.Semaphore | None = None) -> Iterator[None]:
        clock.now_s += 0.01
        if held is not None:
            assert held.acquire(timeout=PATIENCE_S)
        yield

    async def main() -> list[object]:
        for _ in range(20):
            usage = Usage()
            await scheduler.run(steps(), usage=usage)
            await scheduler.run(steps(), usage=usage)
            await scheduler.score(pairs(4), deadline=None, usage=usage)
        held = threading.Semaphore(0)
        blocker = later(scheduler.run(steps(held), priority=Priority.REPLY))
        await others_ran()
        deadline = clock.now_s + 0.2
        burst = [later(scheduler.run(steps(), deadline=deadline)) for _ in range(1000)]
        await others_ran()
        held.release()
        await blocker
        return list(await asyncio.gather(*burst, return_exceptions=True))

    found = played(main())
    scheduler.close()

    admitted = [outcome for outcome in found if outcome is None]
    assert 2 <= len(admitted) <= 4
    assert all(
        outcome is None
        or (isinstance(outcome, UnavailableError) and outcome.reason is UnresolvedReason.OVERLOAD)
        for outcome in found
    )


def test_replies_go_first_and_need_no_model() -> None:
    """A verdict that is in must reach its client, whatever state the model is in."""
    may_load = threading.Semaphore(0)

    def load() -> Model:
        assert may_load.acquire(timeout=PATIENCE_S)
        return FakeModel()

    scheduler = Scheduler(load=load, pace=Pace(bounds=LineBounds(calls=1)), clock=ManualClock())

    async def main() -> None:
        with pytest.raises(UnavailableError):
            await scheduler.run(iter([None]))
        replies = [scheduler.run(iter([None]), priority=Priority.REPLY) for _ in range(5)]
        await asyncio.gather(*replies)
        may_load.release()
        await scheduler.start()

    played(main())
    scheduler.close()


def test_usage_is_what_was_done_for_the_check() -> None:
    """A shadow check is held against its own work, not against the queue before it."""
    clock = ManualClock()
    model = SteppedModel(clock, token_s=0.001)
    scheduler = Scheduler(model, clock=clock)
    usage = Usage()

    def steps() -> Iterator[None]:
        for _ in range(3):
            clock.now_s += 0.004
            yield

    async def main() -> None:
        await scheduler.run(steps(), usage=usage)
        await scheduler.score(pairs(5), deadline=None, usage=usage)

    played(main())
    scheduler.close()

    assert usage.service_s == pytest.approx(0.012 + 0.05)
    assert (usage.pairs, usage.pair_tokens) == (5, 50)


def test_steps_cancelled_in_a_step_go_no_further() -> None:
    """A client that left in the middle of a slice costs that slice and no more."""
    clock = ManualClock()
    begun, go = threading.Event(), threading.Semaphore(0)
    taken: list[int] = []

    def steps() -> Iterator[None]:
        for n in range(3):
            taken.append(n)
            clock.now_s += 1.0
            begun.set()
            assert go.acquire(timeout=PATIENCE_S)
            yield

    scheduler = Scheduler(FakeModel(), clock=clock)

    async def main() -> None:
        gone = later(scheduler.run(steps()))
        assert await asyncio.to_thread(begun.wait, PATIENCE_S)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        go.release(3)
        await scheduler.run(iter([None]))

    played(main())
    scheduler.close()
    assert taken == [0]
