"""The worker and its model through loading, failing, dying, forking and closing."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Sequence

import pytest

from gatekeeper.errors import ModelError, UnavailableError
from gatekeeper.protocols import EncodedPair, Model, PairScore, Priority
from gatekeeper.scheduler import Scheduler
from gatekeeper.scheduler.loading import NICENESS
from gatekeeper.testing import FakeModel
from gatekeeper.verdict import UnresolvedReason
from tests.scheduler.stepped import (
    PATIENCE_S,
    ManualClock,
    SteppedModel,
    entered,
    later,
    others_ran,
    pairs,
    played,
    reasons,
)


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
