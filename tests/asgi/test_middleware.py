"""The middleware among others: what it passes, what it costs, how it starts and ends."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware  # noqa: TID251 - what is tested against
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from gatekeeper.asgi.middleware import GatekeeperMiddleware
from gatekeeper.errors import SelfTestError
from gatekeeper.policy import FileSource, Mode, Policy, StateSource
from gatekeeper.testing import FakeGate, write_verdict
from gatekeeper.verdict import NotCheckedReason
from tests.asgi.rounds import ROUNDS
from tests.asgi.wire import BAD, FACT, GOOD, Desk, Message, answering, reply, route, scope, talk

POLICY = Policy(routes=(route(),))


def endpoint(request: Request) -> Response:
    """Answer wrongly, saying where the evidence came from."""
    request.state.chunks = [FACT]
    return JSONResponse(reply(BAD))


def behind(*middleware: Middleware, gated: Any = None) -> Desk:
    """Return a gate in front of a Starlette app with middleware of its own."""
    app = Starlette(
        routes=[Route("/answer", endpoint, methods=["POST"])], middleware=list(middleware)
    )
    return Desk(app=app, gated=gated or route())


async def untouched(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Any:
    """Pass a request on, as a BaseHTTPMiddleware does."""
    response = await call_next(request)
    response.headers["x-base"] = request.state.gatekeeper
    return response


BASE = Middleware(BaseHTTPMiddleware, dispatch=untouched)


@pytest.mark.parametrize("mode", [Mode.SHADOW, Mode.ENFORCE])
def test_gate_works_in_front_of_a_base_http_middleware(mode: Mode) -> None:
    """Users have one somewhere; it streams, cancels and polls in its own way."""
    desk = behind(BASE, gated=route(mode=mode, context=(StateSource(name="chunks"),)))

    sent = desk.get()

    assert (sent.json == reply(BAD)) == (mode is Mode.SHADOW)
    assert sent.headers["x-base"] == desk.telemetry.last.id
    assert desk.telemetry.last.verdict.outcome == "FLAGGED"


@pytest.mark.parametrize("mode", [Mode.SHADOW, Mode.ENFORCE])
def test_gate_works_behind_a_base_http_middleware(mode: Mode) -> None:
    """The id reaches it by the scope, for context variables do not."""
    desk = Desk(app=answering(reply(BAD)), gated=route(mode=mode))
    outer = BaseHTTPMiddleware(desk.middleware, dispatch=untouched)

    async def run() -> Any:
        sent = await talk(outer)
        await desk.services.shadows.drain(5.0)
        return sent

    sent = asyncio.run(run())

    assert (sent.json == reply(BAD)) == (mode is Mode.SHADOW)
    assert sent.headers["x-base"] == desk.telemetry.last.id


@pytest.mark.parametrize(
    ("path", "is_gated"),
    [("/api/answer", True), ("/api//answer", False), ("/api/answer\n", False), ("/api", False)],
)
def test_gate_inside_a_mount_agrees_with_the_router(path: str, is_gated: bool) -> None:
    """The policy names the path as the mounted app routes it."""
    inner = Starlette(routes=[Route("/answer", endpoint, methods=["POST"])])
    desk = Desk(app=inner)
    outer = Starlette(routes=[Mount("/api", app=desk.middleware)])

    sent = asyncio.run(talk(outer, path=path))

    assert BAD.encode() not in sent.body
    assert (sent.status == 200) == is_gated


@pytest.mark.parametrize("path", ["/answer", "/answer\n", "//answer", "/answer/", "/ANSWER"])
def test_whatever_starlette_routes_is_gated(path: str) -> None:
    """No spelling gets the endpoint to answer past the gate."""
    sent = behind().get(path=path)

    assert BAD.encode() not in sent.body


@pytest.mark.parametrize("path", ["/answer", "/api/answer", "/api/answer/"])
def test_prefix_that_fastapi_adds_behind_the_gate_is_no_way_round(path: str) -> None:
    """``FastAPI(root_path=...)`` routes both paths, and the scope shows it only inside."""
    app = FastAPI()
    app.root_path = "/api"  # as a parameter it is deprecated, and widely used
    app.add_api_route("/answer", lambda: reply(BAD), methods=["POST"])
    for inner in (app, GZipMiddleware(app)):
        sent = Desk(app=inner).get(path=path)

        assert BAD.encode() not in sent.body
        assert (sent.status == 200) == (not path.endswith("/"))


def test_route_without_a_policy_costs_next_to_nothing() -> None:
    """At most six Python calls are added to a request nobody wanted gated."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        return

    def calls(of: Any) -> int:
        seen: list[str] = []

        def note(frame: FrameType, event: str, _: object) -> None:
            if event == "call":
                seen.append(frame.f_code.co_name)

        one = of(scope("/other", root_path="/api"), None, None)
        sys.setprofile(note)
        try:
            one.send(None)
        except StopIteration:
            pass
        finally:
            sys.setprofile(None)
        return len(seen)

    class Running:
        policy = property(lambda _: POLICY)

    desk = Desk(app=app)
    running = Running()
    live = GatekeeperMiddleware(app, policy=lambda: running.policy, services=desk.services)

    assert calls(desk.middleware) - calls(app) <= 6
    assert calls(live) - calls(app) <= 6


def test_other_scopes_pass() -> None:
    """Websockets are counted; what the gate does not know is none of its business."""
    seen: list[str] = []

    async def app(scope: Message, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    desk = Desk(app=app)
    for kind in ("websocket", "webtransport"):
        asyncio.run(desk.middleware({"type": kind}, None, None))  # type: ignore[arg-type] # unused

    assert seen == ["websocket", "webtransport"]
    assert desk.telemetry.websockets == 1


@asynccontextmanager
async def life(app: Any) -> Any:
    """Leave a state, as apps do."""
    yield {"born": "here"}


def live(desk: Desk) -> tuple[list[Message], dict[str, Any]]:
    """Serve one lifespan; returns what the server was told, and the state."""
    told: list[Message] = []
    incoming = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    state: dict[str, Any] = {}

    async def receive() -> Message:
        return incoming.pop(0)

    async def send(message: Any) -> None:
        told.append(message)

    async def serve() -> None:
        try:
            await desk.middleware({"type": "lifespan", "state": state}, receive, send)
        except (SelfTestError, ZeroDivisionError):
            assert told[-1]["type"] == "lifespan.startup.failed"

    asyncio.run(serve())
    return told, state


def test_gate_is_ready_before_the_app_and_closed_after_it() -> None:
    """The app's own state comes through."""
    order: list[str] = []

    @asynccontextmanager
    async def own(app: Any) -> Any:
        order.append("app starts")
        yield {"born": "here"}
        order.append("app ends")

    async def startup() -> None:
        order.append("gate loads")

    async def shutdown() -> None:
        order.append("gate closes")

    desk = Desk(app=Starlette(lifespan=own), life={"startup": startup, "shutdown": shutdown})
    told, state = live(desk)

    assert order == ["gate loads", "app starts", "app ends", "gate closes"]
    assert [m["type"] for m in told] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
    assert state == {"born": "here"}


def test_lifespan_needs_neither_startup_nor_shutdown() -> None:
    """A gate that is ready as it is has nothing to do."""
    told, _ = live(Desk(app=Starlette(lifespan=life)))

    assert [m["type"] for m in told][-1] == "lifespan.shutdown.complete"


async def failing() -> None:
    """Fail the self-test."""
    raise SelfTestError("bad pairs pass", "take another model")


async def crashing() -> None:
    """Fail in a way nobody has thought of."""
    raise ZeroDivisionError


@pytest.mark.parametrize("startup", [failing, crashing])
def test_enforcing_gate_that_cannot_start_fails_the_server(startup: Any) -> None:
    """A gate that does not work must not go unnoticed until somebody reads the counters."""
    order: list[str] = []

    async def app(scope: Message, receive: Any, send: Any) -> None:
        order.append("app")

    async def shutdown() -> None:
        order.append("gate closes")

    told, _ = live(Desk(app=app, life={"startup": startup, "shutdown": shutdown}))

    assert [m["type"] for m in told] == ["lifespan.startup.failed"]
    assert told[0]["message"].startswith("gatekeeper can't enforce: ")
    assert order == ["gate closes"]


def test_app_that_cannot_start_ends_the_gate() -> None:
    """A server that gives up sends no shutdown; threads left behind would keep it alive."""
    order: list[str] = []

    async def app(scope: Message, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})

    async def shutdown() -> None:
        order.append("gate closes")

    told, _ = live(Desk(app=app, life={"shutdown": shutdown}))

    assert [m["type"] for m in told] == ["lifespan.startup.failed"]
    assert order == ["gate closes"]


def test_watching_gate_that_cannot_start_lets_the_app_start() -> None:
    """Shadow never takes an app down."""
    desk = Desk(
        app=Starlette(lifespan=life), gated=route(mode=Mode.SHADOW), life={"startup": failing}
    )

    told, _ = live(desk)

    assert told[0]["type"] == "lifespan.startup.complete"


def test_policy_that_runs_is_asked_for_at_each_request() -> None:
    """A reload takes effect at once; one whose files are gone leaves what ran."""
    desk = Desk(app=answering(reply(BAD)))
    running = [Policy(routes=())]
    middleware = GatekeeperMiddleware(desk.app, policy=lambda: running[0], services=desk.services)
    assert asyncio.run(talk(middleware)).json == reply(BAD)

    running[0] = Policy(routes=(route(),))
    assert "withheld" in asyncio.run(talk(middleware)).json["answer"]

    running[0] = Policy(routes=(route(path="/other", context=(FileSource(path="/none"),)),))
    assert "withheld" in asyncio.run(talk(middleware)).json["answer"]


def test_routes_may_differ_in_their_gate() -> None:
    """Each has its own boilerplate."""
    other = FakeGate({BAD: write_verdict(BAD)})
    desk = Desk(app=answering(reply(BAD)), options={"gate_for": lambda _: other})

    assert desk.get().json == reply(BAD)


def test_gate_is_added_as_starlette_adds_middleware() -> None:
    """``Middleware(GatekeeperMiddleware, ...)``: behind the error pages, lifespan included."""
    loaded: list[str] = []

    async def startup() -> None:
        loaded.append("gate")

    desk = Desk(app=answering(reply()))
    app = Starlette(
        routes=[Route("/answer", endpoint, methods=["POST"])],
        middleware=[
            Middleware(GatekeeperMiddleware, policy=POLICY, services=desk.services, startup=startup)
        ],
    )

    with TestClient(app, root_path="/api") as client:
        sent = client.post("/answer")

    assert "withheld" in sent.json()["answer"]
    assert loaded == ["gate"]


def test_first_route_of_a_path_wins() -> None:
    """As in the policy."""
    desk = Desk(app=answering(reply(BAD)))
    both = Policy(routes=(route(mode=Mode.OFF), route()))
    middleware = GatekeeperMiddleware(desk.app, policy=both, services=desk.services)

    assert asyncio.run(talk(middleware)).json == reply(BAD)


@pytest.mark.parametrize("mode", list(Mode))
def test_requests_are_checks_are_actions(mode: Mode) -> None:
    """Whatever a client tries in whatever mode, it is counted once, and once decided."""
    for row in ROUNDS:
        desk = Desk(app=row.app, gated=route(**{**row.route, "mode": mode}), gate=FakeGate(flag))
        desk.judge.refuses = row.refused

        desk.get(**row.sent)

        assert len(desk.telemetry.begun) == len(desk.telemetry.decisions) == 1
        decision = desk.telemetry.last
        assert decision.mode is mode
        assert decision.action is not None
        assert decision.enforced == (mode is Mode.ENFORCE)
        assert desk.services.ledger.take(0, 0)


def flag(answer: str, evidence: Any) -> Any:
    """Give the verdict of the other tests."""
    return Desk(app=answering(GOOD)).gate._verdicts(answer, evidence)  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", [Mode.SHADOW, Mode.ENFORCE])
@pytest.mark.parametrize("steps", range(12))
def test_cancelled_anywhere_a_request_is_decided_once(mode: Mode, steps: int) -> None:
    """A server may give up at any await; nothing is lost, nothing counted twice."""
    desk = Desk(app=answering(reply(BAD), pieces=2), gated=route(mode=mode))

    async def run() -> None:
        task = asyncio.ensure_future(talk(desk.middleware))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        await desk.services.shadows.drain(5.0)

    asyncio.run(run())

    assert len(desk.telemetry.begun) == len(desk.telemetry.decisions) <= 1
    assert desk.services.ledger.take(0, 0)


def test_many_requests_at_once_keep_apart() -> None:
    """No request sees another one's answer, id or bytes."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        message = await receive()

        async def again() -> Message:
            return dict(message)

        answer = f"{message['body'].decode()}."
        await answering(reply(answer), pieces=3)(scope, again, send)

    desk = Desk(app=app)

    async def run() -> list[Any]:
        return await asyncio.gather(*(desk.serve(body=str(n).encode()) for n in range(100)))

    everyone = asyncio.run(run())

    for n, sent in enumerate(everyone):
        assert sent.json["answer"] == (f"{n}." if "90" not in str(n) else desk.gated.withheld_text)
    assert len({decision.id for decision in desk.telemetry.decisions}) == 100
    assert json.loads(everyone[90].body)["gatekeeper"]["verdict"] == "FLAGGED"


def test_gone_client_before_any_answer_is_counted() -> None:
    """The app ends by itself when it hears of it; nothing was left to deliver."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    incoming = [{"type": "http.request"}, {"type": "http.disconnect"}]

    async def receive() -> Message:
        return incoming.pop(0)

    async def send(message: Any) -> None:
        raise AssertionError("nothing is left to deliver")

    desk = Desk(app=app)
    asyncio.run(desk.middleware(scope(), receive, send))

    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.CLIENT_GONE
    assert desk.telemetry.last.action is None
