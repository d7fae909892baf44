"""Turns: a burst is served in pieces, in order, and nobody is left waiting."""

import asyncio

from gatekeeper.asgi.turns import Turns


async def turn() -> None:
    """Let one turn of the loop go by."""
    await asyncio.sleep(0)


def test_burst_begins_in_pieces_and_in_order() -> None:
    """What ends while a burst begins is heard after a few requests, not after thousands."""
    begun: list[int] = []
    after_each_turn: list[int] = []

    async def one(turns: Turns, number: int) -> None:
        await turns.take()
        begun.append(number)

    async def main() -> None:
        turns = Turns(3)
        tasks = [asyncio.ensure_future(one(turns, number)) for number in range(8)]
        while not all(task.done() for task in tasks):
            await turn()
            after_each_turn.append(len(begun))

    asyncio.run(main())

    assert begun == list(range(8))
    begun_a_turn = [b - a for a, b in zip([0, *after_each_turn], after_each_turn, strict=False)]
    assert max(begun_a_turn) == 3


def test_few_requests_wait_for_nothing() -> None:
    """Without a burst a request goes straight to the app, however many there were before."""

    async def main() -> None:
        turns = Turns(2)
        for _ in range(5):
            taking = turns.take()
            try:
                taking.send(None)
            except StopIteration:
                pass
            else:
                raise AssertionError("had to wait")
            await turn()
            await turn()

    asyncio.run(main())


def test_client_that_goes_while_waiting_holds_up_nobody() -> None:
    """A cancelled request gives its place to the next one."""

    async def main() -> None:
        turns = Turns(1)
        first, gone, last = (asyncio.ensure_future(turns.take()) for _ in range(3))
        await turn()
        assert (first.done(), gone.done()) == (True, False)
        gone.cancel()
        await asyncio.wait_for(last, 5.0)
        assert gone.cancelled()

    asyncio.run(main())


def test_another_loop_begins_anew() -> None:
    """A loop that ended in the middle of a burst leaves nothing behind for the next one."""
    turns = Turns(1)

    async def main() -> None:
        await turns.take()

    asyncio.run(main())
    asyncio.run(asyncio.wait_for(main(), 5.0))
