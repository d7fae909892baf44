"""Enforced responses that never come to a verdict: apps, gates and clients that break or go."""

import asyncio
from typing import Any

import pytest

from gatekeeper.errors import UnavailableError
from gatekeeper.policy import Bounds, Reactions
from gatekeeper.protocols import Priority
from gatekeeper.testing import FakeGate
from gatekeeper.verdict import Action, NotCheckedReason, Outcome, UnresolvedReason, Verdict
from tests.asgi.wire import (
    BAD,
    FACT,
    GOOD,
    JSON,
    Desk,
    Message,
    SilentGate,
    answering,
    reply,
    route,
    scope,
    silent,
    silent_after_request,
    talk,
)

RELEASED = Reactions(
    default=Action.RELEASE,
    by_reason={str(reason): Action.RELEASE for reason in (*NotCheckedReason, *UnresolvedReason)},
)


def failing(*, started: bool) -> Any:
    """Return an app that breaks before its start, or after half a body."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        if started:
            await send({"type": "http.response.start", "status": 200, "headers": JSON})
            await send({"type": "http.response.body", "body": b'{"answer', "more_body": True})
        raise RuntimeError("the app broke")

    return app


def test_app_that_breaks_before_its_start_is_the_servers() -> None:
    """The gate adds no answer of its own to a crash."""
    desk = Desk(app=failing(started=False))

    sent = desk.get()

    assert sent.messages == []
    assert str(sent.raised) == "the app broke"
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.APP_ERROR
    assert desk.telemetry.last.action is None


def test_half_an_answer_is_withheld_and_the_crash_passed_on() -> None:
    """The client gets a proper end, the server its traceback."""
    desk = Desk(app=failing(started=True))

    sent = desk.get()

    assert sent.status == 422
    assert sent.is_ended
    assert b'answer"' not in sent.body.replace(b"This answer", b"")
    assert str(sent.raised) == "the app broke"
    assert desk.telemetry.last.action is Action.BLOCK


def test_half_an_answer_is_released_where_the_policy_says_so() -> None:
    """Released means: as without the gate."""
    desk = Desk(app=failing(started=True), gated=route(on_not_checked=RELEASED))

    sent = desk.get()

    assert sent.messages == asyncio.run(talk(failing(started=True))).messages
    assert desk.telemetry.last.action is Action.RELEASE


def test_app_that_returns_without_an_end_is_broken() -> None:
    """An app that forgets its last message must not leave the client waiting for ever."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": JSON})

    desk = Desk(app=app)

    assert desk.get().is_ended
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.APP_ERROR


@pytest.mark.parametrize("reason", list(UnresolvedReason))
def test_refused_work_follows_the_policy(reason: UnresolvedReason) -> None:
    """The text is put in place although the check never began: a reply is never refused."""
    desk = Desk(app=answering(reply(BAD, FACT * 1_000)))
    desk.judge.refuses = reason

    sent = desk.get()

    assert sent.json["answer"] == desk.gated.withheld_text
    assert sent.json["gatekeeper"]["reason"] == reason
    assert desk.telemetry.last.verdict.outcome is Outcome.UNRESOLVED
    assert desk.judge.priorities[-1] is Priority.REPLY


def test_refused_work_releases_where_the_policy_says_so() -> None:
    """Fail open is a choice, by reason."""
    desk = Desk(app=answering(reply(BAD)), gated=route(on_unresolved=RELEASED))
    desk.judge.refuses = UnresolvedReason.OVERLOAD

    assert desk.get().json == reply(BAD)
    assert desk.telemetry.last.action is Action.RELEASE


def test_body_that_cannot_be_read_has_no_place_for_a_text() -> None:
    """Withholding an unresolved answer in broken JSON is blocking it."""
    desk = Desk(app=answering("not json"))
    desk.judge.refuses = UnresolvedReason.WARMING

    sent = desk.get()

    assert sent.status == 422
    assert desk.telemetry.last.action is Action.BLOCK


class BrokenGate(FakeGate):
    """A gate with a fault nobody has thought of."""

    async def check(self, *_: Any, **__: Any) -> Any:
        """Raise."""
        raise ZeroDivisionError


def test_gate_that_breaks_is_a_check_without_a_verdict() -> None:
    """A bug in a guard must neither open the gate nor take the app down."""
    desk = Desk(app=answering(reply(GOOD)), gate=BrokenGate({}))

    assert desk.get().json["gatekeeper"]["reason"] == "model_error"


@pytest.mark.parametrize("reason", list(UnresolvedReason))
def test_work_refused_half_way_is_unresolved(reason: UnresolvedReason) -> None:
    """The judge may say no to the check itself, when the answer is known already."""

    def refuse(answer: str, evidence: object) -> Verdict:
        raise UnavailableError(reason)

    desk = Desk(app=answering(reply(GOOD)), gate=FakeGate(refuse))

    assert desk.get().json["gatekeeper"]["reason"] == reason
    assert desk.telemetry.last.verdict.claims[0].text == GOOD


def test_gate_that_never_answers_is_given_up() -> None:
    """A budget is a promise to the client, whatever the judge does."""
    gate = SilentGate()
    desk = Desk(app=answering(reply(GOOD)), gate=gate, gated=route(budget_s=0.01))

    assert desk.get().json["gatekeeper"]["reason"] == "budget"
    assert gate.is_cancelled


def test_client_that_goes_while_its_answer_is_held_is_counted() -> None:
    """Nothing is sent, the check is dropped, and the app goes on undisturbed."""
    gate = SilentGate()
    desk = Desk(app=answering(reply()), gate=gate)
    sent: list[Message] = []
    incoming = [{"type": "http.request"}, {"type": "http.disconnect"}]

    async def receive() -> Message:
        return incoming.pop(0) if incoming else await silent()

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(desk.middleware(scope(), receive, send))

    assert sent == []
    assert gate.is_cancelled
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.CLIENT_GONE
    assert desk.telemetry.last.action is None


def test_cancelled_request_drops_its_check_and_is_counted() -> None:
    """A server that cancels the app cancels the gate; the cancellation is let through."""
    gate = SilentGate()
    desk = Desk(app=answering(reply()), gate=gate)

    async def run() -> None:
        task = asyncio.ensure_future(desk.serve())
        await gate.asked_at.wait()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    asyncio.run(run())

    assert gate.is_cancelled
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.CLIENT_GONE
    assert desk.services.ledger.take(0, 0)


def test_cancelled_after_its_answer_a_request_stays_decided() -> None:
    """A server may cancel an app that still works in the background."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        await answering(reply())(scope, receive, send)
        raise asyncio.CancelledError

    desk = Desk(app=app)
    with pytest.raises(asyncio.CancelledError):
        desk.get()

    assert [decision.action for decision in desk.telemetry.decisions] == [Action.RELEASE]


def test_client_that_takes_nothing_is_given_up() -> None:
    """A send that never ends would keep the answer in memory for ever."""
    gated = route(bounds=Bounds(send_s=0.01))
    desk = Desk(app=answering(reply()), gated=gated)

    async def send(message: Any) -> None:
        await asyncio.Event().wait()

    with pytest.raises(OSError):  # noqa: PT011 - as servers raise it
        asyncio.run(desk.middleware(scope(), silent_after_request(), send))

    assert desk.telemetry.last.action is Action.RELEASE
    assert desk.services.ledger.take(0, 0)
