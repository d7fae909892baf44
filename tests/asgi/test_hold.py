"""Enforced responses: held, decided, let go as they came or replaced as the policy says."""

import asyncio
import gzip
import json
import zlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.errors import UnavailableError
from gatekeeper.policy import Bounds, Expose, Mode, Reactions, Shape
from gatekeeper.protocols import Priority
from gatekeeper.testing import FakeGate, write_verdict
from gatekeeper.verdict import Action, NotCheckedReason, Outcome, UnresolvedReason, Verdict
from tests.asgi.wire import (
    BAD,
    FACT,
    GOOD,
    Desk,
    Message,
    answering,
    by_words,
    reply,
    route,
    scope,
    talk,
)

RELEASED = Reactions(
    default=Action.RELEASE,
    by_reason={str(reason): Action.RELEASE for reason in (*NotCheckedReason, *UnresolvedReason)},
)


def test_supported_answer_comes_as_the_app_sent_it() -> None:
    """Users of a gated route get the same bytes, message by message, and one header more."""
    bare = asyncio.run(talk(answering(reply(), pieces=5)))
    desk = Desk(app=answering(reply(), pieces=5))

    sent = desk.get()

    assert sent.messages[1:] == bare.messages[1:]
    assert sent.headers.pop("gatekeeper-id") == desk.telemetry.last.id
    assert list(sent.headers.items())[:-1] == list(bare.headers.items())
    assert desk.telemetry.last.action is Action.RELEASE


def test_flagged_answer_is_withheld_in_its_own_shape() -> None:
    """A client reads status and members as ever and finds the fixed text."""
    desk = Desk(app=answering(reply(BAD), status=201))

    sent = desk.get()

    said = sent.json.pop("gatekeeper")
    assert sent.status == 201
    assert sent.json["answer"] == desk.gated.withheld_text
    assert sent.json["contexts"] == [FACT]
    assert said == {
        "id": desk.telemetry.last.id,
        "verdict": "FLAGGED",
        "reason": "flagged",
        "counts": {"UNSUPPORTED": 1},
    }
    assert BAD.encode() not in sent.body
    assert sent.headers["gatekeeper-counts"] == "UNSUPPORTED=1"


def test_blocked_answer_is_a_problem_report() -> None:
    """RFC 9457, and not a word of the app's body in it."""
    desk = Desk(app=answering(reply(BAD)), gated=route(on_flagged=Action.BLOCK, block_status=503))

    sent = desk.get()

    assert sent.status == sent.json["status"] == 503
    assert sent.headers["content-type"] == "application/problem+json"
    assert sent.json["title"] == "Service Unavailable"
    assert sent.json["gatekeeper"]["id"] == desk.telemetry.last.id
    assert FACT.encode() not in sent.body


def test_status_without_a_name_can_block() -> None:
    """A private status code must not turn a block into a crash."""
    desk = Desk(app=answering(reply(BAD)), gated=route(on_flagged=Action.BLOCK, block_status=599))

    assert desk.get().json["title"] == "Blocked"


def test_flagged_claims_are_cut_out() -> None:
    """What was found supported still reaches the user, its blanks included."""
    answer = f"{GOOD}\n{BAD} \nIt is free."
    gate = FakeGate({answer: write_verdict(answer, flagged=[BAD + " "])})
    desk = Desk(app=answering(reply(answer)), gated=route(on_flagged=Action.REDACT), gate=gate)

    sent = desk.get()

    assert sent.json["answer"] == f"{GOOD}\n[removed: not supported] \nIt is free."
    assert desk.telemetry.last.action is Action.REDACT


@pytest.mark.parametrize("expose", list(Expose))
def test_annotated_answer_is_untouched(expose: Expose) -> None:
    """The badge is beside the answer, as much of it as the policy exposes."""
    gated = route(on_flagged=Action.ANNOTATE, expose=expose)
    desk = Desk(app=answering(reply(BAD)), gated=gated)

    sent = desk.get()

    body = sent.json
    said = body.pop("gatekeeper", {})
    assert body == reply(BAD)
    expected = {Expose.ID: ["id"], Expose.NONE: []}
    assert list(said) == expected.get(expose, ["id", "verdict", "reason", "counts"])
    assert [name for name in sent.headers if name.startswith("gatekeeper-")] == [
        f"gatekeeper-{name}" for name in said
    ]
    assert desk.telemetry.last.action is Action.ANNOTATE


@pytest.mark.parametrize("expose", list(Expose))
@pytest.mark.parametrize("action", [Action.WITHHOLD, Action.BLOCK, Action.REDACT])
def test_exposing_nothing_says_nothing(action: Action, expose: Expose) -> None:
    """Some operators want no trace of a gate; everybody else learns why and which."""
    gated = route(on_flagged=action, expose=expose)
    sent = Desk(app=answering(reply(BAD)), gated=gated).get()

    assert ("gatekeeper" in sent.json) == (expose is not Expose.NONE)
    assert ("gatekeeper-id" in sent.headers) == (expose is not Expose.NONE)


def test_released_answer_says_its_verdict_on_request() -> None:
    """``expose = "verdict"`` is for clients that show it."""
    sent = Desk(app=answering(reply()), gated=route(expose=Expose.VERDICT)).get()

    assert sent.headers["gatekeeper-verdict"] == "SUPPORTED"
    assert sent.json == reply()


def test_header_of_the_app_that_looks_like_ours_is_not_ours() -> None:
    """An upstream can't speak for the gate."""
    forged = [("Gatekeeper-Verdict", "SUPPORTED"), ("gatekeeper-id", "x")]

    for answer in (GOOD, BAD):
        desk = Desk(app=answering(reply(answer), headers=forged))
        sent = desk.get()

        assert sent.headers["gatekeeper-id"] == desk.telemetry.last.id
        assert sent.headers.get("gatekeeper-verdict") in (None, "FLAGGED")


def test_headers_that_described_the_old_body_go() -> None:
    """A cache or a client that trusts them would cut, reject or keep the new body."""
    old = {
        "ETag": '"1"',
        "Content-MD5": "x",
        "Digest": "x",
        "Content-Digest": "x",
        "Repr-Digest": "x",
        "Accept-Ranges": "bytes",
        "Last-Modified": "x",
        "Expires": "x",
        "Cache-Control": "max-age=60",
        "Signature": "x",
    }
    desk = Desk(app=answering(reply(BAD), headers=[*old.items(), ("X-Trace", "7")]))

    sent = desk.get()

    assert sent.headers["cache-control"] == "no-store"
    assert sent.headers["x-trace"] == "7"
    assert not (set(map(str.lower, old)) - {"cache-control"}) & set(sent.headers)
    assert int(sent.headers["content-length"]) == len(sent.body)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_coded_answers_are_read_and_released_as_coded(coding: str) -> None:
    """A compressing app is checked like any other; a changed body is sent plain."""
    for answer in (GOOD, BAD):
        plain = json.dumps(reply(answer)).encode()
        body = gzip.compress(plain) if coding == "gzip" else zlib.compress(plain)
        sent = Desk(app=answering(body, headers=[("content-encoding", coding)])).get()

        assert ("content-encoding" in sent.headers) == (answer == GOOD)
        assert (sent.body == body) == (answer == GOOD)
        if answer == BAD:
            assert "withheld" in sent.json["answer"]


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    st.sampled_from([GOOD, BAD, "Hello", "", None, 7, f"{GOOD}\n{BAD}", "\ud83d 90"]),
    st.sampled_from(list(Action)),
    st.sampled_from([*Shape, "/answer"]),
    st.sampled_from(list(Expose)),
    st.sampled_from([1, 3]),
)
def test_declared_length_is_what_is_sent(
    answer: object, action: Action, shape: str, expose: Expose, pieces: int
) -> None:
    """Too few bytes hang a client, too many end up in its next response."""
    document = {"choices": [{"message": {"content": answer}}], "answer": answer, "contexts": [FACT]}
    body = json.dumps(document)
    media = "text/plain" if shape is Shape.PLAIN else "application/json"
    reactions = Reactions(default=action)
    gated = route(
        answer=shape,
        on_flagged=action,
        on_no_claims=action,
        on_not_checked=reactions,
        expose=expose,
    )

    desk = Desk(app=answering(body, content_type=media, pieces=pieces), gated=gated)
    sent = desk.get()

    assert int(sent.headers["content-length"]) == len(sent.body)
    assert sent.is_ended
    assert desk.telemetry.last.action is not None
    if sent.headers["content-type"].endswith("json"):
        json.loads(sent.body)


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


JSON = [(b"content-type", b"application/json")]


async def silent() -> Message:
    """Receive nothing, ever."""
    await asyncio.Event().wait()
    return {}


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
    desk = Desk(app=answering(reply(BAD)))
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


class SilentGate(FakeGate):
    """A gate that never answers; ``is_cancelled`` tells that it was let go."""

    def __init__(self) -> None:
        super().__init__({})
        self.is_cancelled = False
        self.asked_at = asyncio.Event()

    async def check(self, *_: Any, **__: Any) -> Any:
        """Wait for ever."""
        self.asked_at.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise


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


def silent_after_request() -> Any:
    """Return a receive with one empty request in it."""
    incoming = [{"type": "http.request"}]

    async def receive() -> Message:
        return incoming.pop() if incoming else await silent()

    return receive


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


def test_plain_text_is_replaced_in_utf_8() -> None:
    """The fixed text may hold what the old encoding can't; the header says so."""
    gated = route(answer=Shape.PLAIN, context=(), withheld_text="Zurückgehalten – leider.")
    gate = FakeGate({"90 é": write_verdict("90 é", flagged=["90 é"])})
    latin = "text/plain; charset=ISO-8859-1"
    app = answering("90 é".encode("latin-1"), content_type=latin)

    sent = Desk(app=app, gated=gated, gate=gate).get()

    assert sent.body.decode() == "Zurückgehalten – leider."
    assert sent.headers["content-type"] == "text/plain; charset=utf-8"
    assert sent.headers["gatekeeper-reason"] == "flagged"


def test_top_level_that_is_no_object_takes_no_member() -> None:
    """A list stays a list; the facts are in the headers."""
    gated = replace(route(), answer="/0")
    for action in (Action.WITHHOLD, Action.ANNOTATE):
        desk = Desk(app=answering(json.dumps([BAD, 1])), gated=replace(gated, on_flagged=action))
        sent = desk.get()

        assert sent.json[1:] == [1]
        assert sent.headers["gatekeeper-id"] == desk.telemetry.last.id
