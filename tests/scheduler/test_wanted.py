"""Pairs that steps want scored: in one call, and whatever goes wrong, told to the steps' waiter."""

import asyncio

import pytest

from gatekeeper.errors import UnavailableError
from gatekeeper.protocols import PairScore, Priority, Steps, Usage, Wanted
from gatekeeper.scheduler import LineBounds, Pace, Scheduler
from gatekeeper.verdict import UnresolvedReason
from tests.scheduler.stepped import (
    ManualClock,
    SteppedModel,
    entered,
    later,
    pairs,
    played,
    reasons,
)


class Asking:
    """Steps that want pairs twice; ``rounds`` holds what they were told."""

    def __init__(self, count: int = 2) -> None:
        self.wanted = [Wanted(pairs=pairs(count)), Wanted(pairs=pairs(count))]
        self.rounds: list[set[UnresolvedReason | None]] = []
        self.is_done = False

    def steps(self) -> Steps:
        """Want pairs, and look at their scores only in the next step."""
        for wanted in self.wanted:
            yield None
            yield wanted
            self.rounds.append(reasons(wanted.scores))
        self.is_done = True


def test_steps_and_their_pairs_are_one_call() -> None:
    """A check under load waits for the loop once, not once a round."""
    asking, usage, model = Asking(3), Usage(), SteppedModel()
    scheduler = Scheduler(model, clock=ManualClock())

    played(scheduler.run(asking.steps(), usage=usage))
    statistics = scheduler.statistics()
    scheduler.close()

    assert asking.rounds == [{None}, {None}]
    assert asking.is_done
    assert (usage.pairs, usage.pair_tokens) == (6, 60)
    assert [len(passed) for passed in model.began] == [3, 3]
    assert (statistics.queue_calls, statistics.queue_pairs) == (0, 0)


def test_wanting_nothing_is_a_step_like_any_other() -> None:
    """An answer without open pairs must not wait for a pass that never comes."""
    scheduler = Scheduler(SteppedModel(), clock=ManualClock())

    played(scheduler.run(iter([Wanted(pairs=()), None])))
    scheduler.close()


def test_pairs_of_many_steps_share_a_pass() -> None:
    """Batches mix requests, also when the pairs are asked for in the worker."""
    model = SteppedModel().hold()
    scheduler = Scheduler(model, clock=ManualClock())

    async def main() -> None:
        blocker = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        runs = [later(scheduler.run(iter([Wanted(pairs=pairs(2))]))) for _ in range(3)]
        await asyncio.sleep(0)
        model.let_all_pass()
        await asyncio.gather(blocker, *runs)

    played(main())
    scheduler.close()

    assert sum(map(len, model.began)) == 7
    assert len(model.began) <= 4


def test_failed_pass_is_told_to_the_steps() -> None:
    """The steps go on with a reason in the place of each score, and the next round may work."""
    asking, model = Asking(), SteppedModel()
    model.raises = ValueError("inference")
    scheduler = Scheduler(model, clock=ManualClock())

    played(scheduler.run(asking.steps()))
    scheduler.close()

    assert asking.rounds == [{UnresolvedReason.MODEL_ERROR}, {None}]


def test_pairs_past_their_deadline_end_the_steps() -> None:
    """What was scored in time is kept for whoever puts the verdict together."""
    clock = ManualClock()
    asking, model = Asking(), SteppedModel(clock, token_s=1.0)
    scheduler = Scheduler(model, clock=clock)

    async def main() -> None:
        with pytest.raises(UnavailableError) as raised:
            await scheduler.run(asking.steps(), deadline=clock.now_s + 5.0)
        assert raised.value.reason is UnresolvedReason.BUDGET

    played(main())
    scheduler.close()

    assert reasons(asking.wanted[0].scores) == {None}
    assert all(isinstance(score, PairScore) for score in asking.wanted[0].scores)
    assert not asking.is_done


def test_pairs_that_find_no_room_end_the_steps() -> None:
    """The bound on the line holds for pairs that are asked for in the worker as well."""
    asking = Asking(9)
    scheduler = Scheduler(
        SteppedModel(), clock=ManualClock(), pace=Pace(bounds=LineBounds(pairs=8))
    )

    async def main() -> None:
        with pytest.raises(UnavailableError) as raised:
            await scheduler.run(asking.steps())
        assert raised.value.reason is UnresolvedReason.OVERLOAD

    played(main())
    statistics = scheduler.statistics()
    scheduler.close()

    assert reasons(asking.wanted[0].scores) == {UnresolvedReason.OVERLOAD}
    assert (statistics.most_queue_pairs, statistics.refused_calls) == (0, 1)


def test_steps_given_up_while_their_pairs_wait_leave_nothing_behind() -> None:
    """A client that goes takes its pairs out of the line."""
    model = SteppedModel().hold()
    scheduler = Scheduler(model, clock=ManualClock())
    asking = Asking()

    async def main() -> None:
        blocker = later(scheduler.score(pairs(1), deadline=None))
        await entered(model)
        gone = later(scheduler.run(asking.steps()))
        model.go.release()
        await blocker
        await entered(model)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        assert scheduler.statistics().queue_calls == 0
        model.let_all_pass()
        await scheduler.run(iter([None]))

    played(main())
    scheduler.close()

    assert asking.rounds == []


def test_worker_that_dies_answers_steps_that_wait_for_pairs() -> None:
    """Killing the thread in a pass leaves no check without an answer."""
    model = SteppedModel()
    model.raises = SystemExit()
    scheduler = Scheduler(model, clock=ManualClock())
    asking = Asking()

    async def main() -> None:
        with pytest.raises(UnavailableError) as raised:
            await scheduler.run(asking.steps())
        assert raised.value.reason is UnresolvedReason.MODEL_ERROR

    played(main())
    scheduler.close()

    assert reasons(asking.wanted[0].scores) == {UnresolvedReason.MODEL_ERROR}


def test_refusal_is_said_without_a_call() -> None:
    """A burst is refused where it arrives; each refusal is counted, none is let in."""
    clock = ManualClock()
    scheduler = Scheduler(SteppedModel(), clock=clock)

    async def main() -> None:
        assert scheduler.refusal(deadline=None) is None
        assert scheduler.refusal(deadline=clock.now_s) is UnresolvedReason.BUDGET
        assert scheduler.queue_pairs == 0
        scheduler.close()
        assert scheduler.refusal(deadline=None) is UnresolvedReason.SHUTDOWN
        assert scheduler.refusal(deadline=None, priority=Priority.SHADOW) is not None

    played(main())

    statistics = scheduler.statistics()
    assert (statistics.refused_calls, statistics.shadow_refused) == (3, 1)
    assert statistics.queue_calls == 0


def test_refusal_of_a_cold_gate_begins_to_load() -> None:
    """Without lifespan the first request must bring the model up, though it is refused."""
    scheduler = Scheduler(load=SteppedModel, clock=ManualClock())

    async def main() -> None:
        assert scheduler.refusal(deadline=None) is UnresolvedReason.WARMING
        await scheduler.start()
        assert scheduler.refusal(deadline=None) is None

    played(main())
    scheduler.close()

    assert scheduler.statistics().loads == 1
