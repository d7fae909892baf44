"""Enforced responses: held until they are decided, within bounds, and what the app sees of it."""

import asyncio
import json
from typing import Any

import pytest

from gatekeeper.policy import Bounds, Mode, Reactions
from gatekeeper.testing import FakeGate
from gatekeeper.verdict import Action, NotCheckedReason
from tests.asgi.wire import (
    BAD,
    FACT,
    GOOD,
    JSON,
    Desk,
    Message,
    SilentGate,
    answering,
    by_words,
    reply,
    route,
    scope,
    silent,
    silent_after_request,
)


def test_nothing_is_sent_before_the_decision() -> None:
    """A status line that is out can't be taken back."""
    order: list[str] = []

    async def app(scope: Message, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": JSON})
        order.append("start taken")
        await send({"type": "http.response.body", "body": b'{"answer":"', "more_body": True})
        order.append("body taken")
        await send({"type": "http.response.body", "body": b'x","contexts":["y"]}'})
        order.append("end taken")

    async def send(message: Any) -> None:
        order.append(message["type"])

    asyncio.run(Desk(app=app).middleware(scope(), silent, send))

    start, body = "http.response.start", "http.response.body"
    assert order == ["start taken", "body taken", start, body, body, "end taken"]


def test_background_work_holds_nothing_up() -> None:
    """The client has the whole answer while the app is still at work."""
    sent: list[Message] = []

    async def app(scope: Message, receive: Any, send: Any) -> None:
        await answering(reply())(scope, receive, send)
        assert [m["type"] for m in sent] == ["http.response.start", "http.response.body"]
        raise RuntimeError("background task failed")

    async def send(message: Any) -> None:
        sent.append(message)

    desk = Desk(app=app)
    with pytest.raises(RuntimeError, match="background"):
        asyncio.run(desk.middleware(scope(), silent_after_request(), send))

    assert desk.telemetry.last.action is Action.RELEASE


@pytest.mark.parametrize("action", [Action.RELEASE, Action.WITHHOLD])
def test_body_past_its_bound_is_not_kept(action: Action) -> None:
    """Memory is never the app's or the client's to choose; released means passed on."""
    reactions = Reactions(default=Action.BLOCK, by_reason={"size": action})
    gated = route(on_not_checked=reactions, bounds=Bounds(held_bytes=50))
    body = json.dumps(reply())

    desk = Desk(app=answering(body, pieces=5), gated=gated)
    sent = desk.get()

    assert (sent.body.decode() == body) == (action is Action.RELEASE)
    assert sent.is_ended
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.SIZE


def test_memory_of_all_requests_together_is_bounded() -> None:
    """Past it new answers are overload, not a bigger process."""
    gated = route(bounds=Bounds(process_bytes=50))
    desk = Desk(app=answering(reply()), gated=gated)

    sent = desk.get()

    assert sent.status == 422
    assert sent.json["gatekeeper"]["reason"] == "overload"
    assert desk.services.ledger.take(50, 50)


def test_one_client_cannot_use_up_the_gate() -> None:
    """The third check of the same address is refused while two are under way."""
    gate = SilentGate()
    gated = route(max_in_flight_per_key=2, budget_s=0.05)
    desk = Desk(app=answering(reply()), gate=gate, gated=gated)

    async def run() -> list[str]:
        same = await asyncio.gather(*(desk.serve() for _ in range(3)))
        other = await desk.serve(client=None)
        return [sent.json["gatekeeper"]["reason"] for sent in (*same, other)]

    assert asyncio.run(run()) == ["budget", "budget", "overload", "budget"]


def test_enforced_decisions_count_towards_the_trip() -> None:
    """Controls must see what was blocked, and what was not."""
    desk = Desk(app=answering(reply(GOOD)))
    desk.get()
    blocked = Desk(app=answering(reply(BAD)))
    blocked.get()

    assert (desk.controls.seen, blocked.controls.seen) == ([False], [True])


def test_replaced_answer_swallows_what_the_app_sends_later() -> None:
    """Trailers and late bodies have no place behind an answer of ours."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": JSON, "trailers": True}
        await send(start)
        await send({"type": "http.response.body", "body": json.dumps(reply(answers[0])).encode()})
        await send({"type": "http.response.trailers", "headers": [(b"x-sum", b"1")]})

    answers = [BAD]
    withheld = Desk(app=app).get()
    answers[0] = GOOD
    released = Desk(app=app).get()

    assert [m["type"] for m in withheld.messages] == ["http.response.start", "http.response.body"]
    assert "trailers" not in withheld.messages[0]
    assert released.messages[0]["trailers"]
    assert released.messages[-1]["type"] == "http.response.trailers"


@pytest.mark.parametrize("mode", [Mode.ENFORCE, Mode.SHADOW])
def test_what_the_app_uses_again_is_copied(mode: Mode) -> None:
    """Headers from a generator and one buffer for all pieces are within the letter of ASGI."""
    body = json.dumps(reply()).encode()

    async def app(scope: Message, receive: Any, send: Any) -> None:
        headers = (item for item in JSON)
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        buffer = bytearray()
        for n in range(0, len(body), 8):
            buffer[:] = body[n : n + 8]
            await send({"type": "http.response.body", "body": buffer, "more_body": True})
        buffer.clear()
        await send({"type": "http.response.body"})

    seen: list[bytes] = []

    async def send(message: Any) -> None:
        seen.append(bytes(message.get("body", b"")))
        assert message.get("headers", JSON)[:1] == JSON

    gate = FakeGate(by_words)
    desk = Desk(app=app, gate=gate, gated=route(mode=mode))

    async def run() -> None:
        await desk.middleware(scope(), silent_after_request(), send)
        await desk.services.shadows.drain(5.0)

    asyncio.run(run())

    assert b"".join(seen) == body
    assert gate.asked[0].answer == GOOD


def test_hints_pass_at_once() -> None:
    """Early hints hold no part of the answer and are worth nothing late."""
    hint = {"type": "http.response.early_hint", "links": [b"</a.css>"]}

    async def app(scope: Message, receive: Any, send: Any) -> None:
        await send(hint)
        await send({"type": "http.response.start", "status": 103, "headers": []})
        await answering(reply(BAD))(scope, receive, send)

    desk = Desk(app=app)
    sent = desk.get()

    assert sent.messages[0] == hint
    assert [m.get("status") for m in sent.messages] == [None, 103, 200, None]
    assert desk.telemetry.last.action is Action.WITHHOLD


def test_app_asks_for_no_range_and_no_coding_the_gate_cannot_read() -> None:
    """Stripped from a copy of the scope; what the app adds to it is still seen outside."""
    seen: list[Message] = []

    async def app(scope: Message, receive: Any, send: Any) -> None:
        seen.append(dict(scope))
        scope["endpoint"] = "mine"
        scope["state"]["user"] = "u"
        await answering(reply())(scope, receive, send)

    headers = [
        ("accept-encoding", "br, gzip;q=0.5, zstd, identity"),
        ("range", "bytes=0-10"),
        ("if-range", "x"),
        ("x-other", "y"),
    ]
    extensions: dict[str, Any] = {
        "http.response.pathsend": {},
        "http.response.zerocopysend": {},
        "http.response.trailers": {},
    }
    sent = Desk(app=app).get(headers=headers, extensions=extensions)

    assert seen[0]["headers"] == [
        (b"accept-encoding", b"gzip;q=0.5, identity"),
        (b"x-other", b"y"),
    ]
    assert list(seen[0]["extensions"]) == ["http.response.trailers"]
    assert len(sent.scope["headers"]) == 4
    assert sent.scope["endpoint"] == "mine"
    assert sent.scope["state"]["user"] == "u"


def test_coding_that_leaves_nothing_is_identity() -> None:
    """``Accept-Encoding: br`` alone must not become an empty header, which means anything."""
    seen: list[Message] = []

    async def app(scope: Message, receive: Any, send: Any) -> None:
        seen.append(scope)
        await answering(reply())(scope, receive, send)

    Desk(app=app).get(headers=[("accept-encoding", "br, *;q=0.1")])

    assert seen[0]["headers"] == [(b"accept-encoding", b"identity")]


def test_decision_tells_what_it_took() -> None:
    """Added time and evidence are what an operator sizes budgets by."""
    ticks = iter(range(100))
    desk = Desk(app=answering(reply()), options={"clock": lambda: float(next(ticks))})

    desk.get()

    decision = desk.telemetry.last
    assert decision.added_s == 2.0
    assert decision.evidence_words == len(FACT.split())
    assert decision.enforced
