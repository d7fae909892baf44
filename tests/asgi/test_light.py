"""Refused answers that are dealt with on the spot: the loop waits for nothing, nor do they."""

import gzip
import json

import pytest

from gatekeeper.protocols import Priority
from gatekeeper.verdict import UnresolvedReason
from tests.asgi.wire import BAD, FACT, Desk, answering, reply

CODED = [("content-encoding", "gzip")]
LIGHT = reply(BAD)
LONG = reply(BAD, FACT * 1_000)
MANY_VALUES = reply(BAD, *["."] * 600)


@pytest.mark.parametrize("body", [LIGHT, LONG, MANY_VALUES])
def test_refused_light_answer_does_not_wait_for_the_worker(body: dict[str, object]) -> None:
    """In a burst thousands are refused: each way to the worker would be longer than a budget.

    What could keep the loop for more than a millisecond is written off it all the same.
    """
    desk = Desk(app=answering(body))
    desk.judge.refuses = UnresolvedReason.OVERLOAD

    assert desk.get().json["answer"] == desk.gated.withheld_text
    assert desk.judge.priorities == ([] if body is LIGHT else [Priority.REPLY])
    assert desk.telemetry.last.verdict.reason == "overload"


def test_coded_answer_is_not_light() -> None:
    """A few bytes of gzip can hold a great many values."""
    plain = json.dumps(reply(BAD)).encode()
    desk = Desk(app=answering(gzip.compress(plain), headers=CODED))
    desk.judge.refuses = UnresolvedReason.OVERLOAD

    assert desk.get().json["answer"] == desk.gated.withheld_text
    assert desk.judge.priorities == [Priority.REPLY]
