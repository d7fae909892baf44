"""What a decision takes along for the outcome store."""

import asyncio
from dataclasses import replace

import pytest

from gatekeeper.policy import Mode, ShareKey
from gatekeeper.protocols import Control, Priority, Usage
from gatekeeper.testing import FakeGate
from gatekeeper.verdict import Evidence, NotCheckedReason, Verdict
from tests.asgi.wire import BAD, FACT, GOOD, Desk, answering, reply, route


@pytest.mark.parametrize("mode", [Mode.SHADOW, Mode.ENFORCE])
def test_decision_has_what_was_checked(mode: Mode) -> None:
    """A stored hash must be that of the answer and passages the verdict is about."""
    desk = Desk(app=answering(reply(BAD)), gated=route(mode=mode))

    desk.get()

    found = desk.telemetry.last
    assert found.answers == (BAD,)
    assert found.evidence is not None
    assert [passage.text for passage in found.evidence.passages] == [FACT]


def test_decision_without_a_check_has_nothing() -> None:
    """What was never read can't be stored."""
    desk = Desk(app=answering("{", content_type="application/json"))

    desk.get()

    found = desk.telemetry.last
    assert found.verdict.not_checked is NotCheckedReason.SHAPE
    assert (found.answers, found.evidence) == ((), None)


def test_decision_names_the_share_that_held() -> None:
    """The error of what users got belongs to one rollout."""
    desk = Desk(app=answering(reply()), gated=route(share_key=ShareKey(header="x-user")))
    desk.controls.set[desk.gated.path] = Control(mode=Mode.ENFORCE, share=0.25)

    desk.get()

    assert desk.telemetry.last.share == 0.25


@pytest.mark.parametrize(("took_s", "is_late"), [(0.001, False), (9.0, True)])
def test_shadow_check_past_its_budget_is_late(took_s: float, is_late: bool) -> None:
    """Enforced it would have no verdict, so it lies on another side than its verdict says."""

    class Slow(FakeGate):
        """A gate that says it took its time."""

        async def check(
            self,
            answer: str,
            evidence: Evidence,
            *,
            deadline: float | None = None,
            priority: Priority = Priority.ENFORCE,
            usage: Usage | None = None,
        ) -> Verdict:
            """Return a verdict with a cost."""
            assert usage is not None
            usage.service_s += took_s
            return await Desk(app=answering("")).gate.check(answer, evidence)

    gated = replace(route(mode=Mode.SHADOW), budget_s=1.0)
    desk = Desk(app=answering(reply(GOOD)), gated=gated, gate=Slow({}))

    asyncio.run(desk.serve())

    assert desk.telemetry.last.late is is_late
