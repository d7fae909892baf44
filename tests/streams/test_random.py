"""Random streams: good and broken, two at a time; see ``examining`` for what must hold."""

import asyncio
from dataclasses import replace

import pytest

from benchmarks.streams import examined
from gatekeeper.verdict import Outcome
from tests.streams.drawing import Damage, draw
from tests.streams.examining import examine, play, stage
from tests.streams.expecting import expect
from tests.streams.instant import HungError, run
from tests.streams.reading import READERS
from tests.streams.stage import Seen

STREAMS = 5_000


def test_random_streams_keep_every_promise() -> None:
    """No crash, no hang, nothing shown before it was scored; in processes that nothing slows."""
    found = examined(first=0, count=STREAMS)

    assert found.total() == STREAMS
    assert found[Outcome.SUPPORTED] > STREAMS // 5
    assert found[Outcome.FLAGGED] > STREAMS // 5


@pytest.mark.parametrize("first", [7_820, 12_200, 54_268, 56_522, 64_998, 71_756])
def test_streams_that_broke_a_promise_once(first: int) -> None:
    """7,820: the app ends within an event, and the ending was glued to what there was of it.

    12,201: so short an event that the ending begins like it, which is no release. 54,269 and
    56,523: of an item only a delta was seen, and the ending told it again under another id.
    64,999: an event that names no item's place gave its id to the first item.
    71,757: twice the same event makes another word of a mark.
    """
    assert examined(first=first, count=2).total() == 2


def test_random_streams_are_of_every_kind() -> None:
    """What is never drawn is never examined."""
    drawn = [draw(seed) for seed in range(600)]

    kinds = {(one.kind, one.damage) for one in drawn}
    assert kinds == {(kind, damage) for kind in READERS for damage in Damage}
    assert {len(one.sayings) for one in drawn} == {1, 2, 3}
    assert any(b"\r\n" in one.raw for one in drawn)
    assert any(b"\r" in one.raw and b"\n" not in one.raw for one in drawn)
    assert any(b"\ndata:" in one.raw and one.kind == "chat" for one in drawn)


@pytest.mark.parametrize("seed", [seed for seed in range(40) if draw(seed).is_good])
def test_drawn_streams_say_what_they_should(seed: int) -> None:
    """The streams and the clients' readers agree, so that a fault found is the gate's."""
    drawn = draw(seed)
    read = READERS[drawn.kind](drawn.raw)

    assert tuple(read.text(choice) for choice in range(len(drawn.texts))) == drawn.texts
    expected = expect(drawn.kind, drawn.raw, dict(enumerate(drawn.sayings)))
    assert expected.is_whole is drawn.is_true


def test_gate_that_lets_all_pass_is_found_out() -> None:
    """The examination can fail: a client that got all of a stream got what is false."""
    seed = next(n for n in range(99) if draw(n).is_good and not draw(n).is_true)
    (played, _) = run(play(stage(), (seed, seed + 1)))
    drawn = played.drawn
    shown = [({"type": "http.response.body", "body": drawn.raw, "more_body": False}, 99, 0.0)]

    with pytest.raises(AssertionError, match="is false, and was shown"):
        examine(replace(played, seen=Seen(sends=shown)))


def test_stream_that_hangs_is_found_out() -> None:
    """A loop in which nothing can happen any more is an error, and no test that never ends."""

    async def hang() -> None:
        await asyncio.Event().wait()

    with pytest.raises(HungError):
        run(hang())
