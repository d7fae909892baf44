"""The scheduler: what many waiters get from one worker, in every state of it.

No test waits for time to pass: clocks are moved by hand, and a model that stops in its pass until
it is told to go on makes the order of things certain.
"""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, TypeVar

import pytest

from gatekeeper.errors import InferenceError, ModelError, UnavailableError
from gatekeeper.protocols import EncodedPair, Model, PairScore, Priority, Usage
from gatekeeper.scheduler import LineBounds, Pace, Scheduler
from gatekeeper.scheduler.loading import NICENESS
from gatekeeper.testing import FakeModel
from gatekeeper.verdict import UnresolvedReason

T = TypeVar("T")
PATIENCE_S = 20.0


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        """Read the clock."""
        return self.now_s


class SteppedModel(FakeModel):
    """A model whose passes wait for ``go`` when held, and may move a clock or raise.

    ``began`` holds the lengths of the pairs of each pass.
    """

    def __init__(self, clock: ManualClock | None = None, *, token_s: float = 0.0) -> None:
        super().__init__()
        self.clock = clock
        self.token_s = token_s
        self.entered = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.held = False
        self.raises: BaseException | None = None
        self.began: list[list[int]] = []

    def hold(self) -> "SteppedModel":
        """Stop the next passes until they are told to go."""
        self.held = True
        return self

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Wait if held, take the time it takes, raise if told to."""
        self.began.append([pair.tokens for pair in pairs])
        self.entered.release()
        if self.held:
            assert self.go.acquire(timeout=PATIENCE_S)
        if self.clock is not None:
            self.clock.now_s += self.token_s * len(pairs) * max(pair.tokens for pair in pairs)
        if self.raises is not None:
            error, self.raises = self.raises, None
            raise error
        return super().score(pairs)

    def let_all_pass(self) -> None:
        """Hold no pass any more."""
        self.held = False
        self.go.release(1000)


def pairs(count: int, tokens: int = 10) -> list[EncodedPair]:
    """Return pairs that the fake model entails."""
    ids = (*map(ord, "a" * (tokens - 2)), -1, ord("a"))
    return [EncodedPair(ids=ids, type_ids=(0,) * tokens)] * count


def played(main: Coroutine[Any, Any, T]) -> T:
    """Run a test's coroutine; one that hangs fails."""
    return asyncio.run(asyncio.wait_for(main, PATIENCE_S))


async def others_ran() -> None:
    """Let every task that was created before this call come to its first wait."""

    async def nothing() -> None:
        """Be last in line."""

    await asyncio.create_task(nothing())


async def entered(model: SteppedModel) -> None:
    """Wait until the model is in a pass."""
    assert await asyncio.to_thread(model.entered.acquire, timeout=PATIENCE_S)


def later(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Begin work that is awaited later."""
    return asyncio.ensure_future(work)


def reasons(scores: Sequence[PairScore | UnresolvedReason]) -> set[UnresolvedReason | None]:
    """Return why pairs have no score; None for those that have one."""
    return {score if isinstance(score, UnresolvedReason) else None for score in scores}


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


class PausedClock(ManualClock):
    """A clock that jumps once, as when the system lets others run, at a reading to be chosen."""

    def __init__(self, *, readings: int, jump_s: float) -> None:
        super().__init__()
        self._readings = readings
        self._jump_s = jump_s

    def __call__(self) -> float:
        """Read the clock, and jump if it is the reading for it."""
        self._readings -= 1
        if self._readings == 0:
            self.now_s += self._jump_s
        return self.now_s


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


def test_killed_worker_answers_everyone_and_loads_again() -> None:
    """A thread that dies in the middle of a pass must leave no caller behind, nor a dead gate."""
    clock = ManualClock()
    models: list[SteppedModel] = []

    def load() -> Model:
        models.append(SteppedModel())
        return models[-1]

    scheduler = Scheduler(load=load, clock=clock)

    async def main() -> None:
        await scheduler.start()
        models[0].hold()
        models[0].entered = threading.Semaphore(0)
        first = later(scheduler.score(pairs(1), deadline=None))
        await entered(models[0])
        second = later(scheduler.score(pairs(4), deadline=None))
        steps = later(scheduler.run(iter([None])))
        await others_ran()
        models[0].raises = SystemExit(1)
        models[0].let_all_pass()
        for scores in (await first, await second):
            assert reasons(scores) == {UnresolvedReason.MODEL_ERROR}
        with pytest.raises(UnavailableError, match="model_error"):
            await steps
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {
            UnresolvedReason.MODEL_ERROR
        }
        clock.now_s += 0.5
        await scheduler.start()
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {None}

    played(main())
    scheduler.close()

    assert len(models) == 2
    assert scheduler.statistics().deaths == 1
    assert scheduler.statistics().loads == 2


def test_model_that_keeps_killing_is_loaded_ever_later() -> None:
    """A model that ends its thread at each pass must not load all day; a good pass forgives it."""
    clock = ManualClock()
    models: list[SteppedModel] = []
    loaded_s: list[float] = []

    def load() -> Model:
        models.append(SteppedModel())
        loaded_s.append(clock.now_s)
        return models[-1]

    scheduler = Scheduler(load=load, clock=clock)

    async def die() -> None:
        models[-1].raises = SystemExit(1)
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {
            UnresolvedReason.MODEL_ERROR
        }

    async def main() -> None:
        await scheduler.start()
        for pause_s in (0.5, 1.0):
            await die()
            clock.now_s += pause_s
            await scheduler.start()
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {None}
        await die()
        clock.now_s += 0.5
        await scheduler.start()

    played(main())
    scheduler.close()

    assert loaded_s == [100.0, 100.5, 101.5, 102.0]


def test_killed_worker_over_a_given_model_works_on() -> None:
    """Without a loader there is only the one model, and a new thread for it."""
    model = SteppedModel()
    model.raises = KeyboardInterrupt()
    scheduler = Scheduler(model, clock=ManualClock())

    async def main() -> None:
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {
            UnresolvedReason.MODEL_ERROR
        }
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {None}

    played(main())
    scheduler.close()


def test_loading_is_warming() -> None:
    """Nobody waits for a model to load: a check is unresolved with that as its reason."""
    model, may_load = FakeModel(), threading.Semaphore(0)

    def load() -> Model:
        assert may_load.acquire(timeout=PATIENCE_S)
        return model

    scheduler = Scheduler(load=load, clock=ManualClock())

    async def main() -> None:
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {UnresolvedReason.WARMING}
        with pytest.raises(UnavailableError, match="warming"):
            await scheduler.run(iter([None]))
        with pytest.raises(UnavailableError, match="warming"):
            _ = scheduler.model
        may_load.release()
        await scheduler.start()
        await scheduler.start()
        assert scheduler.model is model
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {None}

    played(main())
    scheduler.close()


def test_warm_up_teaches_the_cost() -> None:
    """The first checks after a start are admitted on what this machine takes, not on a guess."""
    clock = ManualClock()
    model = SteppedModel(clock, token_s=0.01)
    scheduler = Scheduler(load=lambda: model, clock=clock)

    async def main() -> None:
        await scheduler.start()
        model.hold()
        while model.entered.acquire(blocking=False):
            pass
        first = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        refused = await scheduler.score(pairs(1), deadline=clock.now_s + 0.15)
        assert reasons(refused) == {UnresolvedReason.OVERLOAD}
        model.let_all_pass()
        await first

    played(main())
    scheduler.close()


def test_failed_loads_are_tried_again_with_growing_pauses() -> None:
    """A model file that is repaired is found without a restart, one that isn't costs little."""
    clock = ManualClock()
    events: list[tuple[str, dict[str, str | float]]] = []
    broken = 3

    def load() -> Model:
        if len(events) < broken:
            raise ModelError("no such file")
        return FakeModel()

    scheduler = Scheduler(
        load=load, clock=clock, notice=lambda event, **facts: events.append((event, facts))
    )

    async def main() -> None:
        for pause_s in (0.5, 1.0, 2.0):
            with pytest.raises(ModelError):
                await scheduler.start()
            assert reasons(await scheduler.score(pairs(1), deadline=None)) == {
                UnresolvedReason.MODEL_ERROR
            }
            clock.now_s += pause_s
        await scheduler.start()
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {None}

    played(main())
    scheduler.close()

    assert [facts.get("retry_in_s") for _, facts in events] == [0.5, 1.0, 2.0, None]
    assert events[0] == ("load_failed", {"error": "ModelError", "retry_in_s": 0.5})
    assert events[-1] == ("model_loaded", {"seconds": 0.0})
    assert scheduler.statistics().failed_loads == broken


def test_close_answers_who_waits() -> None:
    """At the end enforced checks are finished, shadow ones given up, and newcomers told."""
    model = SteppedModel().hold()
    scheduler = Scheduler(model, clock=ManualClock())

    async def main() -> None:
        first = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        enforced = later(scheduler.score(pairs(2), deadline=None))
        shadow = later(scheduler.score(pairs(2), deadline=None, priority=Priority.SHADOW))
        await others_ran()
        closing = later(asyncio.to_thread(scheduler.close))
        assert reasons(await shadow) == {UnresolvedReason.SHUTDOWN}
        model.let_all_pass()
        await closing
        assert reasons(await first) == reasons(await enforced) == {None}
        assert reasons(await scheduler.score(pairs(1), deadline=None)) == {
            UnresolvedReason.SHUTDOWN
        }
        with pytest.raises(UnavailableError, match="shutdown"):
            await scheduler.run(iter([None]), priority=Priority.REPLY)
        with pytest.raises(UnavailableError, match="shutdown"):
            await scheduler.start()

    played(main())
    scheduler.close()


def test_close_ends_a_load() -> None:
    """A process that is told to stop stops, though its model never came up."""
    entered_load = threading.Event()

    def load() -> Model:
        entered_load.set()
        raise ModelError("broken")

    scheduler = Scheduler(load=load, clock=ManualClock())

    async def main() -> None:
        with pytest.raises(ModelError):
            await scheduler.start()
        second = later(scheduler.start())
        await others_ran()
        await asyncio.to_thread(scheduler.close)
        with pytest.raises(UnavailableError, match="shutdown"):
            await second

    played(main())
    assert entered_load.is_set()


def test_close_during_a_load_leaves_no_model() -> None:
    """What comes up after the end is not used."""
    may_load, loading = threading.Semaphore(0), threading.Event()

    def load() -> Model:
        loading.set()
        assert may_load.acquire(timeout=PATIENCE_S)
        return FakeModel()

    scheduler = Scheduler(load=load, clock=ManualClock())

    async def main() -> None:
        waits = later(scheduler.start())
        assert await asyncio.to_thread(loading.wait, PATIENCE_S)
        closing = later(asyncio.to_thread(scheduler.close))
        with pytest.raises(UnavailableError, match="shutdown"):
            await waits
        may_load.release()
        await closing
        with pytest.raises(UnavailableError, match="shutdown"):
            _ = scheduler.model

    played(main())


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


def test_loop_that_closed_meanwhile_harms_nobody() -> None:
    """A loop may end with calls open; the worker goes on for those that live."""
    model = SteppedModel().hold()
    scheduler = Scheduler(model, clock=ManualClock())
    loop = asyncio.new_event_loop()

    async def leave() -> asyncio.Task[list[PairScore | UnresolvedReason]]:
        task = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        return task

    task = loop.run_until_complete(leave())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
    model.let_all_pass()

    assert reasons(played(scheduler.score(pairs(1), deadline=None))) == {None}
    scheduler.close()
    # The task can't end any more: asyncio would complain about it when it is collected.
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # asyncio's own switch
    task.get_coro().close()


def test_many_loops_share_a_scheduler() -> None:
    """Each waiter is answered in its own loop, from whichever thread."""
    scheduler = Scheduler(FakeModel(), clock=ManualClock())
    found: list[set[UnresolvedReason | None]] = []

    def use() -> None:
        found.append(reasons(played(scheduler.score(pairs(3), deadline=None))))

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    scheduler.close()

    assert found == [{None}] * 4


def test_model_or_loader() -> None:
    """With both or neither it would be unclear what a fork or a failure leads to."""
    with pytest.raises(ValueError, match="either a model or a way to load one"):
        Scheduler()
    with pytest.raises(ValueError, match="either a model or a way to load one"):
        Scheduler(FakeModel(), load=FakeModel)


FORKED = """
import asyncio, os, sys
from gatekeeper.scheduler import Scheduler
from gatekeeper.testing import FakeModel

loads = []
def load():
    loads.append(os.getpid())
    return FakeModel()

model = FakeModel()
pair = model.encode("a", "a")
loading, ready = Scheduler(load=load), Scheduler(model)

async def use():
    await loading.start()
    first = await loading.score([pair], deadline=None)
    second = await ready.score([pair], deadline=None)
    return [type(first[0]).__name__, str(second[0])]

asyncio.run(use())
child = os.fork()
if child == 0:
    found = asyncio.run(use())
    ok = found == ["PairScore", "model_error"] and loads == [os.getppid(), os.getpid()]
    loading.close()
    os._exit(0 if ok else 1)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_child_loads_again() -> None:
    """A session does not survive a fork: the child makes its own or says model_error."""
    command = [sys.executable, "-W", "ignore", "-c", FORKED]

    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a priority a thread")
def test_worker_steps_behind_the_server() -> None:
    """The server's own thread accepts requests while the model computes."""
    found: list[int] = []

    class NiceModel(FakeModel):
        def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
            """Look at the priority of the thread."""
            found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
            return super().score(pairs)

    here = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    scheduler = Scheduler(NiceModel(), clock=ManualClock())
    played(scheduler.score(pairs(1), deadline=None))
    scheduler.close()

    assert found == [min(here + NICENESS, 19)]
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == here


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


def test_priority_that_may_not_be_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox that forbids it, or another system, still gets its checks."""

    def forbid(_which: int, _who: int, _priority: int) -> None:
        raise PermissionError

    for name, value in (("os.setpriority", forbid), ("sys.platform", "elsewhere")):
        monkeypatch.setattr(name, value)
        scheduler = Scheduler(FakeModel(), clock=ManualClock())
        assert reasons(played(scheduler.score(pairs(1), deadline=None))) == {None}
        scheduler.close()


def test_model_too_small_to_warm_up() -> None:
    """A model with next to no room learns its cost from the first checks instead."""
    scheduler = Scheduler(load=lambda: FakeModel(max_tokens=8), clock=ManualClock())

    played(scheduler.start())
    scheduler.close()

    assert scheduler.statistics().loads == 1


def test_close_during_a_load_that_fails() -> None:
    """A load that fails after the end is not tried again."""
    may_fail, loading = threading.Semaphore(0), threading.Event()

    def load() -> Model:
        loading.set()
        assert may_fail.acquire(timeout=PATIENCE_S)
        raise ModelError("broken")

    scheduler = Scheduler(load=load, clock=ManualClock())

    async def main() -> None:
        waits = later(scheduler.start())
        assert await asyncio.to_thread(loading.wait, PATIENCE_S)
        closing = later(asyncio.to_thread(scheduler.close))
        with pytest.raises(UnavailableError, match="shutdown"):
            await waits
        may_fail.release()
        await closing

    played(main())
    assert scheduler.statistics().failed_loads == 1


def test_new_process_id_means_a_new_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a forked child does, seen from inside: nothing of the parent's is used."""
    loads: list[int] = []

    def load() -> Model:
        loads.append(os.getpid())
        return FakeModel()

    scheduler = Scheduler(load=load, clock=ManualClock())
    played(scheduler.start())
    parent = os.getpid()
    scheduler.close()
    monkeypatch.setattr("os.getpid", lambda: parent + 1)

    played(scheduler.start())
    assert reasons(played(scheduler.score(pairs(1), deadline=None))) == {None}
    scheduler.close()

    assert loads == [parent, parent + 1]


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


def test_thread_that_can_not_be_started_is_started_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process short of memory must not keep a call in line that nobody will ever take."""

    class NoThread(threading.Thread):
        def start(self) -> None:
            """Fail as the interpreter does."""
            raise RuntimeError("can't start new thread")

    scheduler = Scheduler(FakeModel(), clock=ManualClock())
    with monkeypatch.context() as short:
        short.setattr("threading.Thread", NoThread)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            played(scheduler.score(pairs(1), deadline=None))

    assert scheduler.statistics().queue_calls == 0
    assert reasons(played(scheduler.score(pairs(1), deadline=None))) == {None}
    scheduler.close()
