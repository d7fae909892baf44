"""An app with every kind of response there is, bare and behind gates, for real servers.

The header ``x-variant`` chooses who serves a request. Run as ``tests.asgi.matrix:app``.
"""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket

from gatekeeper.asgi.middleware import GatekeeperMiddleware
from gatekeeper.asgi.services import Services
from gatekeeper.policy import Mode, Policy
from gatekeeper.testing import FakeGate, FakeJudge, FakeModel
from gatekeeper.verdict import NotCheckedReason
from tests.asgi.wire import BAD, GOOD, Controlled, Message, Recorder, by_words, reply, route

ran: list[str] = []
telemetry = Recorder()


async def pieces() -> AsyncIterator[bytes]:
    """Yield JSON in pieces."""
    for piece in (b'{"answer":', b'"Refunds take 90 days.",', b'"contexts":["a"]}'):
        yield piece


async def broken() -> AsyncIterator[bytes]:
    """Yield one piece and break."""
    yield b'{"answer":'
    raise RuntimeError("after the start")


def fail(request: Request) -> Response:
    """Break before the start."""
    raise RuntimeError("before the start")


def packed(request: Request) -> Response:
    """Answer in gzip."""
    body = gzip.compress(json.dumps(reply(BAD)).encode(), mtime=0)
    headers = {"content-encoding": "gzip"}
    return Response(body, media_type="application/json", headers=headers)


async def echo(request: Request) -> Response:
    """Answer with what was sent."""
    return JSONResponse(reply(BAD) | {"sent": len(await request.body())})


def later(request: Request) -> Response:
    """Answer, then work on."""
    return JSONResponse(reply(BAD), background=BackgroundTask(ran.append, "x"))


async def trailing(scope: Any, receive: Any, send: Any) -> None:
    """Send trailers where the server has them."""
    has = "http.response.trailers" in (scope.get("extensions") or {})
    headers = [(b"content-type", b"application/json"), (b"trailer", b"x-sum")]
    await send({"type": "http.response.start", "status": 200, "headers": headers, "trailers": has})
    await send({"type": "http.response.body", "body": json.dumps(reply(BAD)).encode()})
    if has:
        await send({"type": "http.response.trailers", "headers": [(b"x-sum", b"1")]})


async def socket(websocket: WebSocket) -> None:
    """Echo one message."""
    await websocket.accept()
    await websocket.send_text("echo " + await websocket.receive_text())
    await websocket.close()


RESPONSES: dict[str, Callable[[Request], Any]] = {
    "/json": lambda _: JSONResponse(reply(BAD), headers={"etag": '"1"', "x-a": "b"}),
    "/good": lambda _: JSONResponse(reply(GOOD)),
    "/html": lambda _: HTMLResponse("<p>Refunds take 90 days."),
    "/plain": lambda _: PlainTextResponse("Refunds take 90 days."),
    "/file": lambda _: FileResponse(__file__),
    "/stream": lambda _: StreamingResponse(pieces(), media_type="application/json"),
    "/events": lambda _: StreamingResponse(pieces(), media_type="text/event-stream"),
    "/redirect": lambda _: RedirectResponse("/json"),
    "/204": lambda _: Response(status_code=204),
    "/304": lambda _: Response(status_code=304, headers={"etag": '"1"'}),
    "/404": lambda _: JSONResponse({"detail": "no"}, status_code=404),
    "/packed": packed,
    "/echo": echo,
    "/later": later,
    "/fails": fail,
    "/breaks": lambda _: StreamingResponse(broken(), media_type="application/json"),
    "/state": lambda request: JSONResponse({"born": request.state.born}),
}

fast = FastAPI()


@fast.get("/answer")
def answer() -> dict[str, object]:
    """Answer as a FastAPI endpoint does."""
    return reply(BAD)


@fast.get("/items/{item}")
def item(item: int) -> dict[str, int]:
    """Answer with a parameter; what is no number is refused by FastAPI itself."""
    return {"item": item}


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[dict[str, str]]:
    """Leave a state."""
    yield {"born": "here"}


bare = Starlette(
    lifespan=lifespan,
    routes=[
        *(Route(path, respond, methods=["GET", "POST"]) for path, respond in RESPONSES.items()),
        Mount("/trailers", app=trailing),
        Mount("/fast", app=fast),
        WebSocketRoute("/ws", socket),
    ],
)
PATHS = [*RESPONSES, "/trailers/", "/fast/answer", "/fast/items/7", "/fast/items/x"]


class SilentGate(FakeGate):
    """A gate that never answers."""

    async def check(self, *_: Any, **__: Any) -> Any:
        """Wait for ever."""
        await asyncio.Event().wait()


def gated(app: Any, mode: Mode, *, silent: bool = False) -> GatekeeperMiddleware:
    """Put a gate in front, all paths gated."""
    routes = tuple(
        route(path=path, mode=mode, methods=("GET", "POST"), budget_s=30.0) for path in PATHS
    )
    return GatekeeperMiddleware(
        app,
        policy=Policy(routes=routes),
        services=replace(services, gate=SilentGate({})) if silent else services,
    )


async def counts(scope: Message, receive: Any, send: Any) -> None:
    """Answer with what was counted, once shadow checks have ended."""
    await services.shadows.drain(5.0)
    seen = {
        "begun": len(telemetry.begun),
        "decided": len(telemetry.decisions),
        "websockets": telemetry.websockets,
        "ran": len(ran),
        "gone": sum(
            decision.verdict.not_checked is NotCheckedReason.CLIENT_GONE
            for decision in telemetry.decisions
        ),
    }
    await JSONResponse(seen)(scope, receive, send)


services = Services(
    gate=FakeGate(by_words),
    judge=FakeJudge(FakeModel()),
    controls=Controlled(),
    telemetry=telemetry,
)
VARIANTS: dict[bytes, Any] = {
    b"bare": bare,
    b"off": gated(bare, Mode.OFF),
    b"shadow": gated(bare, Mode.SHADOW),
    b"enforce": gated(bare, Mode.ENFORCE),
    b"bare in gzip": GZipMiddleware(bare, minimum_size=0),
    b"shadow in gzip": GZipMiddleware(gated(bare, Mode.SHADOW), minimum_size=0),
    b"bare over gzip": GZipMiddleware(bare, minimum_size=0),
    b"shadow over gzip": gated(GZipMiddleware(bare, minimum_size=0), Mode.SHADOW),
    b"silent": gated(bare, Mode.ENFORCE, silent=True),
    b"counts": counts,
}


async def app(scope: Message, receive: Any, send: Any) -> None:
    """Hand on to a variant; the lifespan runs through a gate."""
    headers = dict(scope.get("headers", ()))
    await VARIANTS[headers.get(b"x-variant", b"shadow")](scope, receive, send)
