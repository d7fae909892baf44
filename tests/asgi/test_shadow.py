"""Watched responses: untouched, at once, and checked afterwards within bounds."""

import asyncio
import json
from typing import Any

import pytest

from gatekeeper.core.decide import assigned
from gatekeeper.policy import Bounds, Mode, Reactions, ResolverSource, ShareKey, StateSource
from gatekeeper.protocols import Control, Priority
from gatekeeper.testing import FakeGate
from gatekeeper.verdict import Action, NotCheckedReason, Outcome, UnresolvedReason
from tests.asgi.wire import BAD, FACT, GOOD, Desk, Message, answering, reply, route, scope, talk

SHADOW = route(mode=Mode.SHADOW)
SECRET = b"secret"


def test_shadow_changes_nothing_and_says_what_it_would_do() -> None:
    """Every message is the app's own, and the counter shows what enforcing would bring."""
    app = answering(reply(BAD), pieces=4, headers=[("gatekeeper-id", "the app's")])
    desk = Desk(app=app, gated=SHADOW)

    sent = desk.get()

    assert sent.messages == asyncio.run(talk(app)).messages
    decision = desk.telemetry.last
    assert (decision.action, decision.would) == (Action.RELEASE, Action.WITHHOLD)
    assert not decision.enforced
    assert sent.scope["state"]["gatekeeper"] == decision.id
    assert desk.judge.priorities == [Priority.SHADOW]
    assert desk.controls.seen == []


def test_shadow_delays_no_message() -> None:
    """Each one is with the client before the app goes on, and no check has begun."""
    order: list[str] = []

    async def app(scope: Message, receive: Any, send: Any) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": []}
        start["headers"] = [(b"content-type", b"application/json")]
        for message in (
            start,
            {"type": "http.response.body", "body": json.dumps(reply()).encode()},
        ):
            await send(message)
            order.append("taken")

    async def send(message: Any) -> None:
        order.append("sent")

    desk = Desk(app=app, gated=SHADOW)
    asyncio.run(desk.middleware(scope(), talk, send))  # type: ignore[arg-type] # never called

    assert order == ["sent", "taken", "sent", "taken"]


def test_off_is_the_app_alone() -> None:
    """Counted, and nothing else: the scope is not even touched."""
    app = answering(reply(BAD))
    desk = Desk(app=app, gated=route(mode=Mode.OFF))

    sent = desk.get()

    assert sent.messages == asyncio.run(talk(app)).messages
    assert "state" not in sent.scope
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.OFF
    assert desk.telemetry.last.action is Action.RELEASE


def test_controls_change_the_mode_at_run_time() -> None:
    """A person or a trip turns a route down without a restart."""
    desk = Desk(app=answering(reply(BAD)))
    desk.controls.set["/answer"] = Control(mode=Mode.SHADOW, share=1.0, tripped=True)

    assert desk.get().json == reply(BAD)
    assert desk.telemetry.last.mode is Mode.SHADOW


def test_copy_past_its_bound_is_given_up() -> None:
    """The response goes on; the copy is not kept."""
    gated = route(mode=Mode.SHADOW, bounds=Bounds(held_bytes=50))
    desk = Desk(app=answering(reply(BAD), pieces=5), gated=gated)

    assert desk.get().json == reply(BAD)
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.SIZE
    assert desk.services.ledger.take(0, 0)


def test_copies_of_all_requests_are_bounded_and_drops_counted() -> None:
    """Shadow may cost memory up to a bound, and says when it went blind."""
    gated = route(mode=Mode.SHADOW, bounds=Bounds(process_bytes=50))
    desk = Desk(app=answering(reply(BAD), pieces=5), gated=gated)

    assert desk.get().json == reply(BAD)
    assert desk.telemetry.dropped == ["memory"]
    assert desk.telemetry.last.verdict.reason == "overload"
    assert desk.telemetry.last.action is Action.RELEASE


def test_refused_shadow_check_is_unresolved() -> None:
    """What was not checked is not counted as checked."""
    desk = Desk(app=answering(reply(BAD)), gated=SHADOW)
    desk.judge.refuses = UnresolvedReason.OVERLOAD

    assert desk.get().json == reply(BAD)
    assert desk.telemetry.last.verdict.outcome is Outcome.UNRESOLVED


class Slow(FakeGate):
    """A gate that notes more work than any budget, or never ends."""

    ends = True

    async def check(self, answer: str, *_: Any, usage: Any = None, **__: Any) -> Any:
        """Use a minute."""
        usage.service_s += 60.0
        if not self.ends:
            await asyncio.Event().wait()
        return self._verdicts[answer]  # type: ignore[index] # a table


def test_shadow_check_over_budget_says_what_the_budget_would_have_done() -> None:
    """Enforced, this answer would have been unresolved, whatever the verdict is."""
    desk = Desk(app=answering(reply(GOOD)), gated=SHADOW, gate=Slow({GOOD: verdict_of(GOOD)}))

    desk.get()

    assert desk.telemetry.last.verdict.outcome is Outcome.SUPPORTED
    assert desk.telemetry.last.would is Action.WITHHOLD


def verdict_of(answer: str) -> Any:
    """Return the verdict of the test gate."""
    return Desk(app=answering("")).gate._verdicts(answer, None)  # type: ignore[attr-defined]


@pytest.mark.parametrize("begun", [True, False])
def test_shadow_check_that_the_process_outruns_is_counted(begun: bool) -> None:
    """At shutdown, even before its first step, a request keeps its one decision."""
    gate = Slow({GOOD: verdict_of(GOOD)})
    gate.ends = False
    desk = Desk(app=answering(reply(GOOD)), gated=SHADOW, gate=gate)

    async def run() -> None:
        await talk(desk.middleware)
        for _ in range(20 * begun):
            await asyncio.sleep(0)
        await desk.services.shadows.drain(0.0)

    asyncio.run(run())

    assert desk.telemetry.last.verdict.reason == "shutdown"
    assert desk.services.ledger.take(0, 0)


@pytest.mark.parametrize("started", [True, False])
def test_app_that_breaks_in_shadow_is_its_own(started: bool) -> None:
    """Nothing is added to a crash; it is counted."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        if started:
            headers = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
        raise RuntimeError("the app broke")

    desk = Desk(app=app, gated=SHADOW)
    sent = desk.get()

    assert len(sent.messages) == int(started)
    assert str(sent.raised) == "the app broke"
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.APP_ERROR
    assert desk.telemetry.last.action is (Action.RELEASE if started else None)


@pytest.mark.parametrize("mode", [Mode.SHADOW, Mode.ENFORCE])
@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("POST", 204), ("POST", 304)])
def test_response_without_a_body_would_not_be_held_back(
    mode: Mode, method: str, status: int
) -> None:
    """Whatever the policy says of its status: what enforcing brings is not to be overstated."""
    blocking = Reactions(default=Action.BLOCK, by_reason={"status": Action.BLOCK})
    gated = route(mode=mode, on_not_checked=blocking)
    desk = Desk(app=answering(b"", status=status), gated=gated)

    desk.get(method=method)

    assert (desk.telemetry.last.action, desk.telemetry.last.would) == (Action.RELEASE,) * 2


def test_client_that_goes_in_shadow_is_counted() -> None:
    """The server raises on send; the app hears of it as without the gate."""

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            raise OSError("gone")

    async def receive() -> Message:
        return {"type": "http.request"}

    desk = Desk(app=answering(reply()), gated=SHADOW)
    with pytest.raises(OSError, match="gone"):
        asyncio.run(desk.middleware(scope(), receive, send))

    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.CLIENT_GONE
    assert desk.telemetry.last.action is None
    assert desk.telemetry.last.would is Action.RELEASE


def test_state_is_read_when_the_last_message_comes() -> None:
    """What the app changes afterwards is not what the answer came from."""
    seen: list[Any] = []

    def note(answer: str, evidence: Any) -> Any:
        seen.append(evidence.passages)
        return verdict_of(answer)

    async def app(scope: Message, receive: Any, send: Any) -> None:
        scope["state"]["chunks"] = [FACT]
        await answering({"answer": GOOD})(scope, receive, send)
        scope["state"]["chunks"].append("later")
        scope["state"]["chunks"] = ["later"]

    for mode in (Mode.SHADOW, Mode.ENFORCE):
        gated = route(mode=mode, context=(StateSource(name="chunks"),))
        Desk(app=app, gated=gated, gate=FakeGate(note)).get()

    assert [[p.text for p in passages] for passages in seen] == [[FACT], [FACT]]


@pytest.mark.parametrize(
    ("key", "request_of"),
    [
        (ShareKey(header="X-User"), lambda user: {"headers": [("x-user", user)]}),
        (ShareKey(request="/user"), lambda user: {"body": json.dumps({"user": user}).encode()}),
        (ShareKey(state="user"), lambda user: {"state": {"user": user}}),
    ],
)
def test_share_sticks_to_its_key(key: ShareKey, request_of: Any) -> None:
    """A user is on one side of a rollout, wherever the key comes from."""
    gated = route(share=0.5, share_key=key)
    sides = {}
    for user in map(str, range(12)):
        desk = Desk(app=answering(reply(BAD)), gated=gated, options={"secret": SECRET})
        sent = desk.get(**request_of(user))
        sides[user] = desk.telemetry.last.enforced
        assert sides[user] == assigned(SECRET, "/answer", user, 0.5)
        assert ("gatekeeper-id" in sent.headers) == sides[user]
        assert (sent.json == reply(BAD)) != sides[user]

    assert set(sides.values()) == {True, False}


@pytest.mark.parametrize(
    ("key", "sent"),
    [
        (ShareKey(header="x-user"), {}),
        (ShareKey(header="x-user"), {"headers": [("x-user", "a"), ("x-user", "b")]}),
        (ShareKey(request="/user"), {"body": b"not json"}),
        (ShareKey(request="/user"), {"body": b"{}"}),
        (ShareKey(state="user"), {}),
    ],
)
def test_request_without_its_key_is_enforced(key: ShareKey, sent: Any) -> None:
    """Leaving the key out must not be a way round."""
    desk = Desk(
        app=answering(reply(BAD)),
        gated=route(share=1e-9, share_key=key),
        options={"secret": SECRET},
    )

    assert "withheld" in desk.get(**sent).json["answer"]


def test_share_of_nothing_enforces_nothing() -> None:
    """``share = 0`` watches everybody."""
    gated = route(share=0.0, share_key=ShareKey(header="x-user"))
    desk = Desk(app=answering(reply(BAD)), gated=gated)

    assert desk.get().json == reply(BAD)
    assert not desk.telemetry.last.enforced


def test_number_as_a_key_counts_by_its_text() -> None:
    """User ids are often numbers."""
    gated = route(share=0.5, share_key=ShareKey(request="/user"))
    desk = Desk(app=answering(reply(BAD)), gated=gated, options={"secret": SECRET})

    desk.get(body=b'{"user":7}')

    assert desk.telemetry.last.enforced == assigned(SECRET, "/answer", "7", 0.5)


def test_unknown_message_in_shadow_passes() -> None:
    """A file sent by path is the server's business and is counted."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.pathsend", "path": "/x"})

    async def odd(scope: Message, receive: Any, send: Any) -> None:
        await send({"type": "http.response.something"})
        await app(scope, receive, send)

    for either in (app, odd):
        desk = Desk(app=either, gated=SHADOW)

        assert desk.get().messages == asyncio.run(talk(either)).messages
        assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.MESSAGE_TYPE


def test_resolver_in_shadow_reads_what_the_app_has_read() -> None:
    """The gate never reads ahead where nothing is held."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(reply()).encode()})

    gated = route(mode=Mode.SHADOW, context=(ResolverSource(target="json:loads"),))
    desk = Desk(app=app, gated=gated)
    desk.get(body=b"unread")

    assert desk.telemetry.last.verdict.reason == "resolver_error"
