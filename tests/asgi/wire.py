"""Hand-made servers, apps and recorders for the tests of the ASGI layer."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gatekeeper.asgi.middleware import GatekeeperMiddleware
from gatekeeper.asgi.services import Checker, Services
from gatekeeper.policy import (
    Bounds,
    Mode,
    Policy,
    Reactions,
    ResponseSource,
    Route,
)
from gatekeeper.protocols import Control, Decision
from gatekeeper.testing import FakeGate, FakeJudge, FakeModel, write_verdict
from gatekeeper.verdict import Action, Evidence, Verdict

Message = dict[str, Any]
App = Callable[[Any, Any, Any], Awaitable[None]]

GOOD = "Refunds take 14 days."
BAD = "Refunds take 90 days."
FACT = "Refunds are paid within 14 days."

JSON = [(b"content-type", b"application/json")]
ALL_WITHHELD = Reactions(default=Action.WITHHOLD)


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


class Controlled:
    """Controls that say what a test says, else what the route says."""

    def __init__(self) -> None:
        self.set: dict[str, Control] = {}
        self.seen: list[bool] = []

    def now(self, route: Route) -> Control:
        """Return what holds for the route."""
        return self.set.get(route.path, Control(mode=route.mode, share=route.share))

    def blocked(self, route: Route, *, was_blocked: bool) -> None:
        """Note an enforced decision."""
        self.seen.append(was_blocked)


class Recorder:
    """Telemetry that keeps what it is told."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, Mode]] = []
        self.decisions: list[Decision] = []
        self.dropped: list[str] = []
        self.websockets = 0

    def began(self, route: str, mode: Mode) -> None:
        """Count a beginning."""
        self.begun.append((route, mode))

    def decided(self, decision: Decision) -> None:
        """Keep a decision."""
        self.decisions.append(decision)

    def shadow_dropped(self, route: str, reason: str) -> None:
        """Count a drop."""
        self.dropped.append(reason)

    def websocket(self) -> None:
        """Count a websocket."""
        self.websockets += 1

    @property
    def last(self) -> Decision:
        """The only decision so far; each test makes one request or counts by itself."""
        assert len(self.begun) == len(self.decisions)
        return self.decisions[-1]


def by_words(answer: str, evidence: Evidence) -> Verdict:
    """Flag each line with "90" in it, find no claim in greetings, support the rest."""
    if answer.startswith("Hello"):
        return write_verdict("  ")
    flagged = [line for line in answer.split("\n") if "90" in line]
    return write_verdict(answer, flagged=flagged)


def route(**changes: Any) -> Route:
    """Return an enforced route over ``{"answer", "contexts"}`` that withholds whatever it can."""
    plain = Route(
        path="/answer",
        answer="/answer",
        context=(ResponseSource(pointer="/contexts/*"),),
        mode=Mode.ENFORCE,
        on_flagged=Action.WITHHOLD,
        on_unresolved=ALL_WITHHELD,
        on_not_checked=ALL_WITHHELD,
        budget_s=5.0,
        bounds=Bounds(send_s=5.0),
    )
    return replace(plain, **changes)


@dataclass(kw_only=True)
class Desk:
    """A gate in front of an app, with everything it told its counters."""

    app: App
    gated: Route = field(default_factory=route)
    gate: Checker = field(default_factory=lambda: FakeGate(by_words))
    judge: FakeJudge = field(default_factory=lambda: FakeJudge(FakeModel()))
    controls: Controlled = field(default_factory=Controlled)
    telemetry: Recorder = field(default_factory=Recorder)
    options: Mapping[str, Any] = field(default_factory=dict)
    life: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.services = Services(
            gate=self.gate,
            judge=self.judge,
            controls=self.controls,
            telemetry=self.telemetry,
            **self.options,
        )
        self.middleware = GatekeeperMiddleware(
            self.app, policy=Policy(routes=(self.gated,)), services=self.services, **self.life
        )

    def get(self, **request: Any) -> "Sent":
        """Serve one request in a loop of its own, shadow checks included."""
        return asyncio.run(self.serve(**request))

    async def serve(self, **request: Any) -> "Sent":
        """Serve one request and let shadow checks end."""
        sent = await talk(self.middleware, **request)
        await self.services.shadows.drain(5.0)
        return sent


@dataclass(kw_only=True)
class Sent:
    """What a server was given to send, and what the app raised."""

    messages: list[Message] = field(default_factory=list)
    raised: BaseException | None = None
    scope: Message = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The status of the response."""
        return int(next(m for m in self.messages if m["type"] == "http.response.start")["status"])

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the response, names in lower case."""
        start = next(m for m in self.messages if m["type"] == "http.response.start")
        return {k.decode().lower(): v.decode() for k, v in start["headers"]}

    @property
    def body(self) -> bytes:
        """All body bytes."""
        return b"".join(m.get("body", b"") for m in self.messages if "body" in m)

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def is_ended(self) -> bool:
        """True if the last body message was sent."""
        bodies = [m for m in self.messages if m["type"] == "http.response.body"]
        return bool(bodies) and not bodies[-1].get("more_body", False)


def scope(
    path: str = "/answer",
    *,
    method: str = "POST",
    headers: Sequence[tuple[str, str]] = (),
    root_path: str = "",
    **more: Any,
) -> Message:
    """Return an ``http`` scope as a server makes it."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode("utf-8", "surrogatepass"),
        "query_string": b"",
        "root_path": root_path,
        "headers": [(k.lower().encode(), v.encode()) for k, v in headers],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 80),
        **more,
    }


async def talk(app: App, *, body: bytes = b"", **request: Any) -> Sent:
    """Send one request and collect the messages; the client stays until the app is done."""
    sent = Sent(scope=scope(**request))
    incoming = [{"type": "http.request", "body": body, "more_body": False}]
    silent = asyncio.Event()

    async def receive() -> Message:
        if incoming:
            return incoming.pop(0)
        await silent.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.messages.append(message)

    try:
        await app(sent.scope, receive, send)
    except (RuntimeError, OSError) as error:
        sent.raised = error
    return sent


def answering(
    body: bytes | str | Mapping[str, Any],
    *,
    status: int = 200,
    content_type: str | None = "application/json",
    headers: Sequence[tuple[str, str]] = (),
    pieces: int = 1,
) -> App:
    """Return an app that reads its request and answers with one response."""
    if isinstance(body, Mapping):
        body = json.dumps(body)
    data = body.encode() if isinstance(body, str) else body
    listed = [(k.encode(), v.encode()) for k, v in headers]
    if content_type is not None:
        listed.append((b"content-type", content_type.encode()))
    listed.append((b"content-length", str(len(data)).encode()))

    async def app(scope: Message, receive: Any, send: Any) -> None:
        message = await receive()
        while message.get("more_body"):
            message = await receive()
        await send({"type": "http.response.start", "status": status, "headers": listed})
        size = max(1, -(-len(data) // pieces))
        parts = [data[n : n + size] for n in range(0, len(data), size)] or [b""]
        for n, part in enumerate(parts, 1):
            await send({"type": "http.response.body", "body": part, "more_body": n < len(parts)})

    return app


def reply(answer: object = GOOD, *contexts: object) -> dict[str, object]:
    """Return the JSON of a retrieval endpoint."""
    return {"answer": answer, "contexts": list(contexts or (FACT,)), "took": 12}


async def silent() -> Message:
    """Receive nothing, ever."""
    await asyncio.Event().wait()
    return {}


def silent_after_request() -> Any:
    """Return a receive with one empty request in it."""
    incoming = [{"type": "http.request"}]

    async def receive() -> Message:
        return incoming.pop() if incoming else await silent()

    return receive
