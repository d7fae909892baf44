"""Passes: who shares one, who goes first, who is refused, and what a failed one leaves."""

import asyncio
import threading
from collections.abc import Iterator, Sequence

import pytest

from gatekeeper.errors import InferenceError
from gatekeeper.protocols import EncodedPair, PairScore, Priority
from gatekeeper.scheduler import LineBounds, Pace, Scheduler
from gatekeeper.testing import FakeModel
from gatekeeper.verdict import UnresolvedReason
from tests.scheduler.stepped import (
    PATIENCE_S,
    ManualClock,
    PausedClock,
    SteppedModel,
    entered,
    later,
    others_ran,
    pairs,
    played,
    reasons,
)


def test_scores_come_in_the_order_of_the_pairs() -> None:
    """Passes are sorted by length; the caller must not notice."""
    model = FakeModel()
    texts = [("the cat sat", "cat"), ("no", "a dog ran away"), ("a long story of a cat", "cat")]
    asked = [pair for text in texts if (pair := model.encode(*text)) is not None]
    scheduler = Scheduler(model, clock=ManualClock())

    scores = played(scheduler.score(asked, deadline=None))

    scheduler.close()
    assert [isinstance(s, PairScore) and s.entailment > 0.5 for s in scores] == [True, False, True]


def test_no_pairs_no_wait() -> None:
    """An answer that needs no model gets its scores even while there is none."""
    scheduler = Scheduler(load=FakeModel, clock=ManualClock())

    assert played(scheduler.score([], deadline=None)) == []


def test_pairs_of_many_requests_share_a_pass() -> None:
    """One pass for ten callers costs little more than one for one of them."""
    model = SteppedModel().hold()
    scheduler = Scheduler(model, clock=ManualClock())

    async def main() -> None:
        first = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        others = [later(scheduler.score(pairs(3), deadline=None)) for _ in range(10)]
        await others_ran()
        model.let_all_pass()
        for scores in await asyncio.gather(first, *others):
            assert reasons(scores) == {None}

    played(main())
    scheduler.close()

    assert [len(batch) for batch in model.began] == [1, 30]


def test_passes_can_be_kept_apart() -> None:
    """A model whose scores depend on their neighbours runs one request at a time."""
    model = SteppedModel().hold()
    scheduler = Scheduler(model, pace=Pace(mixed=False), clock=ManualClock())

    async def main() -> None:
        first = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        others = [later(scheduler.score(pairs(2), deadline=None)) for _ in range(3)]
        await others_ran()
        model.let_all_pass()
        await asyncio.gather(first, *others)

    played(main())
    scheduler.close()

    assert [len(batch) for batch in model.began] == [1, 2, 2, 2]


def test_pass_keeps_its_ceiling() -> None:
    """The length of a pass bounds how late anyone can be."""
    model = SteppedModel()
    scheduler = Scheduler(model, pace=Pace(padded_tokens=100), clock=ManualClock())

    played(scheduler.score(pairs(35), deadline=None))
    scheduler.close()

    assert [len(batch) for batch in model.began] == [10, 10, 10, 5]


def test_time_that_ran_out_is_budget() -> None:
    """Pairs whose deadline passes while they wait are answered, and no pass starts for them."""
    clock = ManualClock()
    model = SteppedModel(clock).hold()
    scheduler = Scheduler(model, clock=clock)

    async def main() -> None:
        first = later(scheduler.score(pairs(1), deadline=clock.now_s + 0.2))
        await entered(model)
        second = later(scheduler.score(pairs(2), deadline=clock.now_s + 0.2))
        await others_ran()
        clock.now_s += 0.2
        model.let_all_pass()
        assert reasons(await first) == {None}
        assert reasons(await second) == {UnresolvedReason.BUDGET}

    played(main())
    scheduler.close()

    statistics = scheduler.statistics()
    assert len(model.began) == 1
    assert (statistics.expired_calls, statistics.expired_pairs) == (1, 2)


@pytest.mark.parametrize("readings", [1, 2, 3, 4])
def test_no_pass_starts_late_whenever_the_system_pauses(readings: int) -> None:
    """A pause between admission, plan and pass must not turn into a pass for nobody."""
    clock = PausedClock(readings=readings, jump_s=0.3)
    deadline = clock.now_s + 0.2
    model = SteppedModel()
    scheduler = Scheduler(model, clock=clock)

    async def main() -> None:
        scores = await scheduler.score(pairs(3), deadline=deadline)
        assert reasons(scores) == {UnresolvedReason.BUDGET}
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {None}

    played(main())
    scheduler.close()

    assert [len(batch) for batch in model.began] == [1]
    assert scheduler.statistics().queue_pairs == 0


def test_what_was_scored_in_time_is_kept() -> None:
    """A claim that was found wrong before time ran out is still wrong."""
    clock = ManualClock()
    model = SteppedModel(clock, token_s=0.001)
    scheduler = Scheduler(model, clock=clock, pace=Pace(padded_tokens=50))

    scores = played(scheduler.score(pairs(15), deadline=clock.now_s + 0.09))

    scheduler.close()
    assert [len(batch) for batch in model.began] == [5, 3, 1]
    assert [isinstance(score, PairScore) for score in scores].count(True) == 9
    assert reasons(scores) == {None, UnresolvedReason.BUDGET}


def test_what_can_not_be_done_in_time_is_refused_at_once() -> None:
    """A caller that would wait in vain is told so while the pass before it still runs."""
    clock = ManualClock()
    model = SteppedModel(clock, token_s=0.001)
    scheduler = Scheduler(model, clock=clock)

    async def main() -> None:
        await scheduler.score(pairs(3), deadline=None)
        model.hold()
        await entered(model)
        first = later(scheduler.score(pairs(15), deadline=clock.now_s + 0.2))
        await entered(model)

        refused = await scheduler.score(pairs(10), deadline=clock.now_s + 0.2)
        too_much = await scheduler.score(pairs(30), deadline=clock.now_s + 0.2)

        assert reasons(refused) == {UnresolvedReason.OVERLOAD}
        assert reasons(too_much) == {UnresolvedReason.BUDGET}
        model.let_all_pass()
        assert reasons(await first) == {None}

    played(main())
    scheduler.close()
    assert scheduler.statistics().refused_calls == 2


def test_estimate_that_is_too_high_does_not_shut_an_idle_gate() -> None:
    """After a stall the next check must be tried, or no pass could ever correct the estimate."""
    clock = ManualClock()
    model = SteppedModel(clock, token_s=10.0)
    scheduler = Scheduler(model, clock=clock)

    async def main() -> None:
        await scheduler.score(pairs(1), deadline=None)
        model.token_s = 0.0
        for _ in range(2):
            scores = await scheduler.score(pairs(1), deadline=clock.now_s + 0.2)
            assert reasons(scores) == {None}

    played(main())
    scheduler.close()


def test_deadline_in_the_past_is_budget() -> None:
    """Nothing may start for a caller that is late already."""
    clock = ManualClock()
    model = SteppedModel(clock)
    scheduler = Scheduler(model, clock=clock)

    assert reasons(played(scheduler.score(pairs(2), deadline=clock.now_s))) == {
        UnresolvedReason.BUDGET
    }
    scheduler.close()
    assert model.began == []


def test_most_urgent_goes_first() -> None:
    """The route with the short budget must not wait behind the one with the long."""
    clock = ManualClock()
    model = SteppedModel(clock).hold()
    scheduler = Scheduler(model, clock=clock)

    async def main() -> None:
        waits = [later(scheduler.score(pairs(1), deadline=None))]
        await entered(model)
        for tokens, left_s in ((100, 9.0), (10, 1.0), (40, 5.0)):
            deadline = clock.now_s + left_s
            waits.append(later(scheduler.score(pairs(1, tokens), deadline=deadline)))
        await others_ran()
        model.let_all_pass()
        await asyncio.gather(*waits)

    played(main())
    scheduler.close()

    assert model.began[1:] == [[10], [40], [100]]


def test_shadow_yields() -> None:
    """A check that nobody waits for goes behind every one that somebody waits for."""
    model = SteppedModel().hold()
    scheduler = Scheduler(model, clock=ManualClock())

    async def main() -> None:
        waits = [later(scheduler.score(pairs(1), deadline=None))]
        await entered(model)
        for tokens, priority in ((20, Priority.SHADOW), (21, Priority.ENFORCE)):
            work = scheduler.score(pairs(1, tokens), deadline=None, priority=priority)
            waits.append(later(work))
        await others_ran()
        model.let_all_pass()
        await asyncio.gather(*waits)

    played(main())
    scheduler.close()

    assert model.began[1:] == [[21], [20]]


@pytest.mark.parametrize(
    ("bounds", "fits"),
    [
        (LineBounds(pairs=5), 2),
        (LineBounds(tokens=50), 2),
        (LineBounds(calls=3), 2),
    ],
)
def test_bounds_are_kept(bounds: LineBounds, fits: int) -> None:
    """Memory must not be the callers' to choose: past a bound a call is refused."""
    model = SteppedModel().hold()
    scheduler = Scheduler(model, pace=Pace(bounds=bounds), clock=ManualClock())

    async def main() -> list[set[UnresolvedReason | None]]:
        first = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        others = [later(scheduler.score(pairs(2), deadline=None)) for _ in range(10)]
        await others_ran()
        waiting = scheduler.statistics()
        assert waiting.queue_pairs == waiting.most_queue_pairs == 2 * fits
        assert waiting.queue_tokens == waiting.most_queue_tokens == 20 * fits
        model.let_all_pass()
        await first
        return [reasons(scores) for scores in await asyncio.gather(*others)]

    found = played(main())
    scheduler.close()

    assert found == [{None}] * fits + [{UnresolvedReason.OVERLOAD}] * (10 - fits)
    assert scheduler.statistics().queue_pairs == 0


def test_shadow_has_bounds_of_its_own() -> None:
    """Shadow work that piles up is dropped and counted, and takes no place of enforced work."""
    model = SteppedModel().hold()
    bounds = LineBounds(shadow_pairs=4)
    scheduler = Scheduler(model, pace=Pace(bounds=bounds), clock=ManualClock())

    async def main() -> None:
        first = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        shadow = [
            later(scheduler.score(pairs(2), deadline=None, priority=Priority.SHADOW))
            for _ in range(5)
        ]
        await others_ran()
        enforced = later(scheduler.score(pairs(2), deadline=None))
        model.let_all_pass()
        found = [reasons(scores) for scores in await asyncio.gather(*shadow)]
        assert found == [{None}] * 2 + [{UnresolvedReason.OVERLOAD}] * 3
        assert reasons(await enforced) == {None}
        await first

    played(main())
    scheduler.close()
    assert scheduler.statistics().shadow_refused == 3


@pytest.mark.parametrize("error", [InferenceError("a"), ValueError("b"), MemoryError()])
def test_failed_pass_answers_every_waiter(error: Exception) -> None:
    """No caller may wait for ever because of a neighbour's batch, and the next one is served."""
    events: list[tuple[str, dict[str, str | float]]] = []
    model = SteppedModel().hold()
    scheduler = Scheduler(
        model, notice=lambda event, **facts: events.append((event, facts)), clock=ManualClock()
    )

    async def main() -> None:
        first = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        others = [later(scheduler.score(pairs(2), deadline=None)) for _ in range(3)]
        await others_ran()
        model.go.release()
        await first
        await entered(model)
        model.raises = error
        model.let_all_pass()
        for scores in await asyncio.gather(*others):
            assert reasons(scores) == {UnresolvedReason.MODEL_ERROR}
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {None}

    played(main())
    scheduler.close()

    assert events == [("batch_failed", {"pairs": 6, "error": type(error).__name__})]
    assert scheduler.statistics().failed_passes == 1


def test_wrong_number_of_scores_is_a_failed_pass() -> None:
    """Scores that can't be told apart belong to nobody."""

    class ShortModel(FakeModel):
        def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
            """Lose one."""
            return super().score(pairs)[1:]

    scheduler = Scheduler(ShortModel(), clock=ManualClock())

    assert reasons(played(scheduler.score(pairs(2), deadline=None))) == {
        UnresolvedReason.MODEL_ERROR
    }
    scheduler.close()


def test_cancelled_waiter_takes_its_pairs_along() -> None:
    """A client that left must not cost a pass; what it left behind is counted."""
    model = SteppedModel().hold()
    scheduler = Scheduler(model, clock=ManualClock())

    async def main() -> None:
        first = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        gone = later(scheduler.score(pairs(7), deadline=None))
        await others_ran()
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        assert scheduler.statistics().queue_pairs == 0
        model.let_all_pass()
        await first

    played(main())
    scheduler.close()

    assert len(model.began) == 1
    assert scheduler.statistics().dropped_cancelled == 7


def test_waiter_cancelled_in_its_pass_is_forgotten() -> None:
    """A pass can't be stopped; its scores then have nowhere to go and that harms nobody."""
    model = SteppedModel().hold()
    scheduler = Scheduler(model, clock=ManualClock())

    async def main() -> None:
        gone = later(scheduler.score(pairs(2), deadline=None))
        await entered(model)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        model.let_all_pass()
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {None}

    played(main())
    scheduler.close()
    assert scheduler.statistics().dropped_cancelled == 0


def test_last_step_of_a_cancelled_call_is_forgotten() -> None:
    """An outcome that nobody waits for any more is no error."""
    begun, go = threading.Event(), threading.Semaphore(0)

    def steps() -> Iterator[None]:
        begun.set()
        assert go.acquire(timeout=PATIENCE_S)
        yield

    scheduler = Scheduler(FakeModel(), clock=ManualClock())

    async def main() -> None:
        gone = later(scheduler.run(steps()))
        assert await asyncio.to_thread(begun.wait, PATIENCE_S)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        go.release()
        await scheduler.run(iter([None]))

    played(main())
    scheduler.close()


def test_long_line_is_served_to_its_end() -> None:
    """A pass is planned from the head of a long line; the tail gets its turn."""
    model = SteppedModel().hold()
    scheduler = Scheduler(model, clock=ManualClock())

    async def main() -> None:
        first = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        others = [later(scheduler.score(pairs(100), deadline=None)) for _ in range(5)]
        await others_ran()
        model.let_all_pass()
        for scores in await asyncio.gather(first, *others):
            assert reasons(scores) == {None}

    played(main())
    scheduler.close()

    assert sum(len(batch) for batch in model.began) == 501
