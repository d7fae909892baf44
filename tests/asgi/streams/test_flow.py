"""What can happen to a stream on its way: silence, leaving, breaking, bounds, load."""

import asyncio
import gzip
import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from gatekeeper.policy import (
    Bounds,
    Mode,
    Reactions,
    RequestSource,
    ResolverSource,
    ResponseSource,
    StateSource,
    StreamMode,
)
from gatekeeper.protocols import Priority, Steps, Usage
from gatekeeper.testing import FakeJudge, FakeModel
from gatekeeper.verdict import Action, Outcome, UnresolvedReason
from tests.asgi.streams.staging import (
    DONE,
    EVENTS,
    FACTS,
    FALSE,
    LINES,
    TRUE,
    WITHHELD,
    chat,
    chunk,
    content,
    desk,
    finishes,
    lines,
    play,
    said,
    streaming,
    words,
)
from tests.asgi.wire import App, Desk, Message, Sent, scope

POINTED: dict[str, Any] = {"answer": "/answer", "stream_answer": "/delta"}
KEEP_ALIVE = b": keep-alive\n\n"


def released(**reasons: Action) -> Reactions:
    """Return reactions that withhold by default."""
    return Reactions(default=Action.WITHHOLD, by_reason=reasons)


class Waiting:
    """An app that sends one part, waits to be told, and sends the rest."""

    def __init__(self, *parts: bytes, media: str = EVENTS) -> None:
        self._parts = parts
        self._media = media
        self.go = asyncio.Event()
        self.raised: BaseException | None = None

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        """Serve one request."""
        await receive()
        scope["state"]["passages"] = [FACTS]
        headers = [(b"content-type", self._media.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        try:
            await send(body(self._parts[0], more=True))
            await self.go.wait()
            for part in self._parts[1:]:
                await send(body(part, more=True))
            await send(body(b""))
        except OSError as error:
            self.raised = error


class Silent:
    """An app whose empty pieces are not even sent."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        """Serve one request."""

        async def speak(message: Message) -> None:
            if message.get("body") != b"" or not message["more_body"]:
                await send(message)

        await self._app(scope, receive, speak)


def body(data: bytes, *, more: bool = False) -> Message:
    """Return a message with a piece of a body."""
    return {"type": "http.response.body", "body": data, "more_body": more}


class Client:
    """A client by hand: what it got, and how it leaves."""

    def __init__(self, at: Desk, *, spec: str = "2.4", refuses: bool = False) -> None:
        self.sent = Sent()
        self.leaves = asyncio.Event()
        self._refuses = refuses
        self._has_asked = False
        self._scope = scope(asgi={"version": "3.0", "spec_version": spec})
        self._arrived = asyncio.Condition()
        self.task = asyncio.create_task(self._talk(at))

    async def _talk(self, at: Desk) -> None:
        app: App = at.middleware
        await app(self._scope, self._receive, self._send)

    async def _receive(self) -> Message:
        if not self._has_asked:
            self._has_asked = True
            return {"type": "http.request", "body": b"{}"}
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if self._refuses:
            raise ConnectionResetError
        async with self._arrived:
            self.sent.messages.append(message)
            self._arrived.notify_all()

    async def until(self, has_come: Callable[[Sent], bool]) -> None:
        """Wait for something to arrive."""
        async with asyncio.timeout(10), self._arrived:
            await self._arrived.wait_for(lambda: has_come(self.sent))


class SilentJudge(FakeJudge):
    """A judge that answers replies only; ``is_cancelled`` tells that a check was let go."""

    is_cancelled = False

    async def run(
        self,
        steps: Steps,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> None:
        """Wait for ever behind the first call, which gathers the evidence."""
        if priority is Priority.REPLY or not self.priorities:
            await super().run(steps, deadline=deadline, priority=priority, usage=usage)
            return
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise


class RefusingJudge(FakeJudge):
    """A judge that refuses all checks behind a number of calls."""

    def __init__(self, calls: int, reason: UnresolvedReason) -> None:
        super().__init__(FakeModel())
        self._calls = calls
        self._reason = reason

    def refusal(
        self, *, deadline: float | None, priority: Priority = Priority.ENFORCE
    ) -> UnresolvedReason | None:
        """Refuse once there were enough."""
        if priority is not Priority.REPLY and len(self.priorities) > self._calls:
            self.refuses = self._reason
        return super().refusal(deadline=deadline, priority=priority)


def test_silence_is_filled_between_events() -> None:
    """Proxies and clients give up on a silent connection; a comment is no event."""

    async def wait() -> tuple[Desk, Sent, Waiting]:
        app = Waiting(chunk("Refunds take"), *chat(" 14 days. It is tall.")[1:])
        at = desk(app, keep_alive_s=0.01)
        client = Client(at)
        await client.until(lambda sent: sent.body.count(KEEP_ALIVE) == 2)
        app.go.set()
        await client.task
        return at, client.sent, app

    at, sent, _ = asyncio.run(wait())

    assert sent.body.startswith(KEEP_ALIVE * 2)
    assert content(sent.body) == f"Refunds take 14 days.\n\n{WITHHELD}"
    assert finishes(sent.body) == ["content_filter"]
    assert at.telemetry.last.action is Action.WITHHOLD


def test_silence_before_the_first_event_is_filled() -> None:
    """A model may think longer than an idle timer runs."""

    async def wait() -> Sent:
        app = Waiting(b"", *chat(TRUE))
        at = desk(Silent(app), keep_alive_s=0.01)
        client = Client(at)
        await client.until(lambda sent: sent.body.endswith(KEEP_ALIVE * 2))
        app.go.set()
        await client.task
        return client.sent

    sent = asyncio.run(wait())

    assert sent.body.replace(KEEP_ALIVE, b"") == b"".join(chat(TRUE))


def test_client_that_leaves_before_the_first_event_is_gone() -> None:
    """Nobody waits for what the app has not begun to say."""

    async def leave() -> tuple[Desk, Waiting]:
        app = Waiting(b"", *chat(TRUE))
        at = desk(Silent(app))
        client = Client(at)
        client.leaves.set()
        for _ in range(50):
            await asyncio.sleep(0)
        assert at.telemetry.last.verdict.reason == "client_gone"
        app.go.set()
        await client.task
        return at, app

    at, app = asyncio.run(leave())

    assert isinstance(app.raised, OSError)
    assert at.services.ledger.take(0, 0)


def test_behind_a_comment_a_block_is_an_ending() -> None:
    """The start went out with the comment."""

    async def wait() -> Sent:
        app = Waiting(chunk("The gate"), *chat(" is tall. So it is.")[1:])
        client = Client(desk(app, keep_alive_s=0.01, on_flagged=Action.BLOCK))
        await client.until(lambda sent: KEEP_ALIVE in sent.body)
        app.go.set()
        await client.task
        return client.sent

    sent = asyncio.run(wait())

    assert sent.status == 200
    assert finishes(sent.body) == ["content_filter"]


def test_frames_nobody_knows_wait_behind_a_comment() -> None:
    """A comment opens the way for what is known, not for a stream of another kind."""

    async def wait() -> Sent:
        app = Waiting("data: 90\n\n".encode("utf-16"), b"data: 90\n\n")
        client = Client(desk(app, keep_alive_s=0.01))
        await client.until(lambda sent: KEEP_ALIVE in sent.body)
        app.go.set()
        await client.task
        return client.sent

    sent = asyncio.run(wait())

    assert b"9\x00" not in sent.body
    assert b"90" not in sent.body
    assert finishes(sent.body) == ["content_filter"]


@pytest.mark.parametrize(
    ("media", "changes"), [(LINES, {"keep_alive_s": 0.01}), (EVENTS, {"keep_alive_s": 0.0})]
)
def test_no_comments_where_there_is_no_place_or_no_wish(
    media: str, changes: dict[str, Any]
) -> None:
    """A comment among lines of JSON would be a line that is none."""

    async def wait() -> Sent:
        parts = lines(TRUE) if media == LINES else said(TRUE)
        app = Waiting(*parts, media=media)
        client = Client(desk(app, **POINTED, **changes))
        # Longer than three intervals, in steps of the loop's own clock.
        await asyncio.sleep(0.05)
        app.go.set()
        await client.task
        return client.sent

    sent = asyncio.run(wait())

    assert b": keep-alive" not in sent.body
    assert sent.is_ended


def test_stream_held_whole_is_not_held_for_ever() -> None:
    """Then it has a name of its own, and the rest of it no place."""

    async def wait() -> tuple[Desk, Sent]:
        app = Waiting(chunk("Refunds take"), *chat(" 14 days.")[1:])
        at = desk(app, stream=StreamMode.WHOLE, max_hold_s=0.01)
        client = Client(at)
        await client.until(lambda sent: sent.is_ended)
        app.go.set()
        await client.task
        return at, client.sent

    at, sent = asyncio.run(wait())

    assert at.telemetry.last.verdict.reason == "stream"
    assert sent.status == 422
    assert sent.is_ended


@pytest.mark.parametrize("spec", ["2.3", "2.4"])
def test_client_that_leaves_ends_the_work(spec: str) -> None:
    """Nobody waits for the check; the app hears of it as its server would tell it."""

    async def leave() -> tuple[Desk, SilentJudge, Client, Waiting]:
        judge = SilentJudge(FakeModel())
        app = Waiting(b"".join(chat(TRUE)[:-2]), DONE)
        at = desk(app, judge=judge)
        client = Client(at, spec=spec)
        for _ in range(50):
            await asyncio.sleep(0)
        client.leaves.set()
        for _ in range(50):
            await asyncio.sleep(0)
        app.go.set()
        await client.task
        return at, judge, client, app

    at, judge, client, app = asyncio.run(leave())

    assert judge.is_cancelled
    assert at.telemetry.last.verdict.reason == "client_gone"
    assert at.telemetry.last.action is None
    assert client.sent.messages == []
    assert isinstance(app.raised, OSError) == (spec == "2.4")
    assert at.services.ledger.take(0, 0)


def test_client_that_takes_nothing_more_is_gone() -> None:
    """The server says so by raising from ``send``."""

    async def refuse() -> Desk:
        app = Waiting(b"".join(chat(TRUE)))
        app.go.set()
        at = desk(app)
        client = Client(at, refuses=True)
        await client.task
        assert isinstance(app.raised, OSError)
        return at

    at = asyncio.run(refuse())

    assert len(at.telemetry.decisions) == 1
    assert at.services.ledger.take(0, 0)


@pytest.mark.parametrize("spec", ["2.3", "2.4"])
@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_send_that_breaks_in_its_own_way_is_counted(spec: str, most: int) -> None:
    """Middleware outside the gate raises errors of its own; the app hears of them."""
    got: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"{}"}

    async def send(message: Any) -> None:
        if len(got) >= most:
            raise RuntimeError("the outer middleware broke")
        got.append(message)

    async def serve() -> Desk:
        at = desk(streaming(chat(TRUE)))
        with pytest.raises(RuntimeError, match="outer"):
            await at.middleware(scope(asgi={"spec_version": spec}), receive, send)
        return at

    at = asyncio.run(serve())

    assert at.telemetry.last.verdict.reason == "client_gone"
    assert at.telemetry.last.action is None
    assert at.services.ledger.take(0, 0)


def test_app_that_breaks_is_ended_in_its_place() -> None:
    """The client gets an end it knows, the server's log the error."""
    at = desk(streaming(chat("Refunds take 14 days. The gate")[:-2], dies=True))

    sent = at.get()

    assert isinstance(sent.raised, RuntimeError)
    assert at.telemetry.last.verdict.reason == "app_error"
    assert content(sent.body) == f"Refunds take 14 days.\n\n{WITHHELD}"
    assert sent.body.endswith(DONE)
    assert sent.is_ended


def test_app_that_breaks_may_be_let_go() -> None:
    """Where the policy says so the client gets what there is, and no end, as without a gate."""
    parts = chat("Refunds take 14 days. The gate")[:-2]
    named = released(app_error=Action.RELEASE)
    at = desk(streaming(parts, dies=True), on_not_checked=named)

    sent = at.get()

    assert isinstance(sent.raised, RuntimeError)
    assert sent.body.startswith(b"".join(parts))


BROKEN_OFF = chunk(" The gate is tall.")[:-30]


@pytest.mark.parametrize("mode", [StreamMode.BY_SENTENCE, StreamMode.WHOLE])
@pytest.mark.parametrize("text", ["Refunds take 9 days.", "Refunds take 14 days. The gate is low."])
def test_event_that_nothing_ends_stays_behind_an_ending(mode: StreamMode, text: str) -> None:
    """What is broken off would swallow the ending, and holds text that nobody could read."""
    parts = [chunk("", role="assistant"), *[chunk(word) for word in words(text)], BROKEN_OFF]

    _, sent = play(parts, stream=mode)

    assert b"tall" not in sent.body
    assert content(sent.body).endswith(WITHHELD)


@pytest.mark.parametrize("mode", [StreamMode.BY_SENTENCE, StreamMode.WHOLE])
def test_event_that_nothing_ends_is_let_go_with_the_rest(mode: StreamMode) -> None:
    """A true answer comes to the byte, what is broken off included."""
    parts = [*[chunk(word) for word in words("Refunds take 14 days.")], BROKEN_OFF]

    _, sent = play(parts, stream=mode)

    assert sent.body == b"".join(parts)


BIG = chunk("x" * 3_000)


@pytest.mark.parametrize(
    ("parts", "bounds", "reason"),
    [
        ([BIG], Bounds(held_bytes=1_000), "size"),
        ([BIG[:2_000]], Bounds(event_bytes=1_000), "size"),
        ([BIG], Bounds(event_bytes=1_000), "size"),
        ([chunk("a"), *[b": c\n\n"] * 20], Bounds(held_events=10), "size"),
        ([BIG], Bounds(process_bytes=1_000), "overload"),
    ],
    ids=["held bytes", "part of an event", "event", "events", "process"],
)
def test_what_is_held_is_bounded(parts: list[bytes], bounds: Bounds, reason: str) -> None:
    """Memory is not the app's, nor its clients', to choose."""
    at, sent = play(parts, bounds=bounds)

    assert at.telemetry.last.verdict.reason == reason
    assert b"xxx" not in sent.body
    assert sent.is_ended


@pytest.mark.parametrize("action", [Action.RELEASE, Action.BLOCK])
def test_flood_of_events_in_one_piece_is_not_cut_up(action: Action) -> None:
    """Each event that is held takes many times its bytes."""
    parts = [chunk(TRUE), b"\n" * 300_000, DONE]
    at = desk(streaming(parts), on_not_checked=released(size=action))

    tracemalloc.start()
    sent = at.get()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert at.telemetry.last.verdict.reason == "size"
    assert (sent.body == b"".join(parts)) == (action is Action.RELEASE)
    assert peak < 20_000_000


def test_events_without_passages_are_not_kept() -> None:
    """A stream of calls has no text with which its evidence would be gathered."""
    call = chunk(tool_calls=[{"index": 0, "function": {"arguments": "7" * 20}}])
    at = desk(streaming([call] * 4_000), on_not_checked=released(no_text=Action.RELEASE))

    tracemalloc.start()
    at.get()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert at.telemetry.last.verdict.reason == "no_text"
    assert peak < 5_000_000


def test_more_events_than_the_bound_may_come_at_once() -> None:
    """What is decided among them does not count: the cutting of a stream decides nothing."""
    whole = b"".join(chat(TRUE))
    at = desk(streaming([whole]), bounds=Bounds(held_events=7))

    assert at.get().body == whole


@pytest.mark.parametrize("mode", [Mode.SHADOW, Mode.ENFORCE])
def test_events_of_a_stream_held_whole_are_bounded(mode: Mode) -> None:
    """So is its copy in shadow."""
    many = Bounds(held_events=8)
    at = desk(streaming(chat(TRUE)), bounds=many, stream=StreamMode.WHOLE, mode=mode)

    at.get()

    assert at.telemetry.last.verdict.reason == "size"


def test_memory_is_given_back_as_it_goes_out() -> None:
    """A stream longer than the bound is no fault if it never holds as much."""
    parts = chat(" ".join([TRUE] * 20))
    at, sent = play(parts, bounds=Bounds(held_bytes=4_000))

    assert len(sent.body) > 4_000
    assert at.telemetry.last.action is Action.RELEASE
    assert at.services.ledger.take(0, 0)


def test_judge_that_never_answers_is_waited_for_twice_the_budget() -> None:
    """A stream must not hang on it; the sentence before stays out."""
    judge = SilentJudge(FakeModel())

    at, sent = play(chat(TRUE), judge=judge, budget_s=0.01)

    assert judge.is_cancelled
    assert at.telemetry.last.verdict.reason == "budget"
    assert content(sent.body) == WITHHELD


@pytest.mark.parametrize("reason", [UnresolvedReason.OVERLOAD, UnresolvedReason.MODEL_ERROR])
def test_sentence_that_is_refused_stops_the_stream(reason: UnresolvedReason) -> None:
    """What could not be checked is open, and the policy speaks about open claims."""
    at, sent = play(chat(TRUE), judge=RefusingJudge(4, reason))

    assert at.telemetry.last.verdict.outcome is Outcome.UNRESOLVED
    assert at.telemetry.last.verdict.reason == reason
    assert content(sent.body) == f"Refunds take 14 days.\n\n{WITHHELD}"


def test_sentence_that_is_refused_may_be_let_go() -> None:
    """The rest is open as well and passes with it, counted."""
    named = released(overload=Action.RELEASE)

    at, sent = play(
        chat(TRUE), judge=RefusingJudge(4, UnresolvedReason.OVERLOAD), on_unresolved=named
    )

    assert sent.body == b"".join(chat(TRUE))
    assert at.telemetry.last.verdict.reason == "overload"
    assert at.telemetry.last.action is Action.RELEASE


def test_refused_from_the_start_may_be_let_go() -> None:
    """Without evidence there is no check at all; the stream passes as it came."""
    named = released(overload=Action.RELEASE)

    at, sent = play(
        chat(TRUE), judge=RefusingJudge(0, UnresolvedReason.OVERLOAD), on_unresolved=named
    )

    assert sent.body == b"".join(chat(TRUE))
    assert sent.is_ended
    assert at.telemetry.last.verdict.reason == "overload"


PASSAGES = b"event: sources\ndata: " + json.dumps({"contexts": [FACTS]}).encode() + b"\n\n"
FROM_RESPONSE: dict[str, Any] = {"context": (ResponseSource(pointer="/contexts/*"),)}


@pytest.mark.parametrize(
    "parts", [[PASSAGES, *said(TRUE)], [*said(TRUE), PASSAGES]], ids=["before", "behind"]
)
def test_passages_may_come_in_the_stream(parts: list[bytes]) -> None:
    """Before the text they are read at once; behind it everything waits for them."""
    at = desk(streaming(parts, passages=""), **POINTED, **FROM_RESPONSE)

    sent = at.get()

    assert at.telemetry.last.verdict.outcome is Outcome.SUPPORTED
    assert sent.body == b"".join(parts)


def test_passages_that_never_come_are_no_context() -> None:
    """The app's last byte ends the waiting."""
    at = desk(streaming(said(TRUE)), **POINTED, **FROM_RESPONSE)

    at.get()

    assert at.telemetry.last.verdict.reason == "no_context"


def find(exchange: Any) -> list[str]:
    """Resolve what the answer begins with."""
    return [FACTS] if exchange.answers[0].startswith("Refunds") else []


def test_resolver_is_asked_once_with_what_there_is() -> None:
    """It gets the answer so far: the rest is still being written."""
    source = ResolverSource(target="tests.asgi.streams.test_flow:find")
    at = desk(streaming(chat(TRUE)), context=(source,))

    sent = at.get()

    assert at.telemetry.last.verdict.outcome is Outcome.SUPPORTED
    assert sent.body == b"".join(chat(TRUE))


def test_evidence_in_the_request_is_read_for_the_app() -> None:
    """An app that streams before it has read all must not make its answer uncheckable."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        headers = [(b"content-type", EVENTS.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for part in chat(TRUE):
            await send(body(part, more=True))
        await send(body(b""))

    at = desk(app, context=(RequestSource(pointer="/ticket"),))

    sent = at.get(body=json.dumps({"ticket": FACTS}).encode())

    assert at.telemetry.last.verdict.outcome is Outcome.SUPPORTED
    assert sent.body == b"".join(chat(TRUE))


def test_streams_of_one_client_are_counted() -> None:
    """Each holds its place until it has ended."""
    at = desk(streaming(chat(TRUE)), max_in_flight_per_key=1)

    async def twice() -> list[Sent]:
        return list(await asyncio.gather(at.serve(), at.serve()))

    asyncio.run(twice())
    again = at.get()

    outcomes = [decision.verdict.reason for decision in at.telemetry.decisions]
    assert sorted(map(str, outcomes)) == ["None", "None", "overload"]
    assert again.body == b"".join(chat(TRUE))


def test_streams_side_by_side_do_not_mix() -> None:
    """Everything of an answer belongs to its own stream."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        parts = chat(TRUE if scope["query_string"] == b"true" else FALSE)
        await streaming(parts)(scope, receive, send)

    at = desk(app)

    async def both() -> list[Sent]:
        asked = [at.serve(query_string=q) for q in (b"true", b"false") * 5]
        return list(await asyncio.gather(*asked))

    sent = asyncio.run(both())

    assert {s.body for s in sent[::2]} == {b"".join(chat(TRUE))}
    assert {content(s.body) for s in sent[1::2]} == {f"Refunds take 14 days.\n\n{WITHHELD}"}


def test_body_by_another_message_is_named() -> None:
    """A file behind the first events would pass beside the gate."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        scope["state"]["passages"] = [FACTS]
        headers = [(b"content-type", EVENTS.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send(body(chunk("Refunds"), more=True))
        await send({"type": "http.response.pathsend", "path": "/x"})

    at = desk(app)

    sent = at.get()

    assert at.telemetry.last.verdict.reason == "message_type"
    assert [m["type"] for m in sent.messages] == ["http.response.start", "http.response.body"]


@pytest.mark.parametrize("is_checked", [False, True])
def test_trailers_come_where_the_start_announces_them(is_checked: bool) -> None:
    """A server waits for what was announced; they can only speak of the app's own bytes."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        async def announce(message: Message) -> None:
            is_start = message["type"] == "http.response.start"
            await send({**message, "trailers": True} if is_start else message)

        odd = [] if is_checked else [chunk("Fine.", reasoning_content="It is tall.")]
        await streaming([*odd, *chat(TRUE)])(scope, receive, announce)
        await send({"type": "http.response.trailers", "headers": [], "more_trailers": False})

    messages = desk(app, on_not_checked=released(shape=Action.RELEASE)).get().messages

    assert messages[0].get("trailers", False) != is_checked
    assert (messages[-1]["type"] == "http.response.trailers") != is_checked


def test_coded_stream_is_an_encoding() -> None:
    """It was asked for plain; what comes packed all the same can't be read as it comes."""
    packed = gzip.compress(b"".join(chat(TRUE)))
    at = desk(streaming([packed], headers=[(b"content-encoding", b"gzip")]))

    sent = at.get()

    assert at.telemetry.last.verdict.reason == "encoding"
    assert sent.status == 422


@pytest.mark.parametrize("text", [TRUE, FALSE])
def test_shadow_passes_each_message_at_once(text: str) -> None:
    """A watched stream is the app's, byte by byte and message by message."""
    at = desk(streaming(chat(text)), mode=Mode.SHADOW)

    sent = at.get()

    bodies = [m["body"] for m in sent.messages if m["type"] == "http.response.body"]
    assert bodies == [*chat(text), b""]
    assert sent.headers == {"content-type": EVENTS}
    assert at.telemetry.last.verdict.outcome is (
        Outcome.SUPPORTED if text == TRUE else Outcome.FLAGGED
    )
    assert at.telemetry.last.would is (Action.RELEASE if text == TRUE else Action.WITHHOLD)


def test_each_pair_is_scored_once() -> None:
    """A growing answer is not checked again from its beginning."""
    loose = "Refunds take 14 days or so. The gate is red and old. The lamp is green and new."
    by_sentence = desk(streaming(chat(TRUE), passages=loose))
    whole = desk(streaming(chat(TRUE), passages=loose), stream=StreamMode.WHOLE)

    by_sentence.get()
    whole.get()

    assert by_sentence.telemetry.last.pairs == whole.telemetry.last.pairs > 0
    assert by_sentence.telemetry.last.verdict == whole.telemetry.last.verdict


def test_state_is_read_when_the_text_begins() -> None:
    """An app may find its passages after it has sent the first events."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        headers = [(b"content-type", EVENTS.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send(body(chunk("", role="assistant"), more=True))
        scope["state"]["found"] = FACTS
        for part in chat(TRUE)[1:]:
            await send(body(part, more=True))
        await send(body(b""))

    at = desk(app, context=(StateSource(name="found"),))

    at.get()

    assert at.telemetry.last.verdict.outcome is Outcome.SUPPORTED


class NotingJudge(FakeJudge):
    """A judge that notes how much time each check is given."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(FakeModel())
        self._clock = clock
        self.left_s: list[float] = []

    async def run(
        self,
        steps: Steps,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> None:
        """Note the time and work as ever."""
        assert deadline is not None
        self.left_s.append(deadline - self._clock())
        await super().run(steps, deadline=deadline, priority=priority, usage=usage)


def test_budget_of_a_sentence_begins_when_it_is_complete() -> None:
    """A model that writes slowly takes longer for a sentence than any budget."""
    seconds = iter(range(1_000_000))
    now = [0.0]

    async def app(scope: Message, receive: Any, send: Any) -> None:
        async def slowly(message: Message) -> None:
            now[0] = float(next(seconds))
            await send(message)

        await streaming(chat(TRUE))(scope, receive, slowly)

    judge = NotingJudge(lambda: now[0])
    at = desk(app, judge=judge, clock=lambda: now[0], budget_s=0.2)

    sent = at.get()

    assert sent.body == b"".join(chat(TRUE))
    assert judge.left_s == pytest.approx([0.2] * len(judge.left_s))
