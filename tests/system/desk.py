"""A streaming app behind a gate, for real servers and real clients.

The scenario is named by the last message of a chat, the input of a response, or ``?scenario=`` in
the URL: which sentence is false, or what else goes wrong. An app that plays ``stepwise`` waits
before each sentence but the first until ``/go`` is asked for, so that a client that has seen a
sentence saw it before the next was written. Run as ``tests.system.desk:app``.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import replace

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from gatekeeper.asgi.middleware import GatekeeperMiddleware
from gatekeeper.asgi.services import Services
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits
from gatekeeper.gate import Gate, Settings
from gatekeeper.policy import Mode, Policy, StreamMode
from gatekeeper.scheduler import Scheduler
from tests.asgi.wire import Controlled, Recorder
from tests.streams.sayings import PASSAGE, Knowing, Saying, claim
from tests.streams.stage import ANSWERS, MEDIA, route
from tests.streams.writing import WRITERS, Style
from tests.system.page import PAGE
from tests.system.serving import PATHS

SENTENCES = 3
FALSE = {"first": 0, "middle": 1, "last": 2}
MODES = {
    "": StreamMode.BY_SENTENCE,
    "/whole": StreamMode.WHOLE,
    "/early": StreamMode.RELEASE_THEN_STOP,
}
BARE = "/bare"

telemetry = Recorder()
reports: dict[str, asyncio.Queue[object]] = defaultdict(asyncio.Queue)
steps: dict[str, asyncio.Queue[None]] = defaultdict(asyncio.Queue)
left: list[str] = []


def sayings(scenario: str) -> list[Saying]:
    """Return the sentences of a scenario."""
    false = FALSE.get(scenario)
    return [claim(number, is_true=number != false) for number in range(SENTENCES)]


def text(scenario: str) -> str:
    """Return the whole answer of a scenario."""
    return " ".join(saying.text for saying in sayings(scenario))


def pieces(scenario: str) -> list[str]:
    """Return the answer as a language model would stream it: word by word."""
    words = text(scenario).split(" ")
    return [words[0], *(f" {word}" for word in words[1:])]


async def stream(kind: str, scenario: str, run: str) -> AsyncIterator[bytes]:
    """Yield the frames of a scenario."""
    name, _, manner = scenario.partition("-")
    said = ""
    ended = 0
    try:
        for frame in WRITERS[kind]([pieces(name)], Style()):
            yield frame.raw
            said += "".join(piece for _, piece in frame.deltas)
            # A sentence is over when the next one has begun, with two words.
            if said.count(". ") > ended and said.rpartition(". ")[2].count(" "):
                ended += 1
                if name == "dies" and ended == 2:
                    raise RuntimeError("the app dies")
                if manner == "stepwise":
                    await steps[run].get()
            await asyncio.sleep(0)
    finally:
        left.append(run)


async def answer(request: Request) -> Response:
    """Stream a scenario."""
    kind = next(kind for kind, path in PATHS.items() if request.url.path.endswith(path))
    body = json.loads(await request.body() or b"{}")
    scenario = request.query_params.get("scenario") or _asked(body)
    request.state.passages = [PASSAGE]
    frames = stream(kind, scenario, request.query_params.get("run", scenario))
    return StreamingResponse(frames, media_type=MEDIA[kind])


def _asked(body: dict[str, object]) -> str:
    messages = body.get("messages")
    if isinstance(messages, list):
        return str(messages[-1]["content"])
    return str(body.get("input"))


async def go(request: Request) -> Response:
    """Let a stepwise run go on."""
    steps[request.query_params["run"]].put_nowait(None)
    return Response()


async def report(request: Request) -> Response:
    """Keep what a page has seen."""
    reports[request.query_params["run"]].put_nowait(await request.json())
    return Response()


async def reported(request: Request) -> Response:
    """Tell what a page has seen, as soon as it has told."""
    return JSONResponse(await reports[request.query_params["run"]].get())


async def counts(request: Request) -> Response:
    """Tell what the gate has decided, and which runs have ended in the app."""
    decided = [
        {
            "route": decision.route,
            "verdict": decision.verdict.reason or str(decision.verdict.outcome),
            "action": decision.action,
            "pairs": decision.pairs,
        }
        for decision in telemetry.decisions
    ]
    return JSONResponse({"begun": len(telemetry.begun), "decided": decided, "left": left})


bare = Starlette(
    routes=[
        *(
            Route(prefix + path, answer, methods=["GET", "POST"])
            for prefix in (*MODES, BARE)
            for path in PATHS.values()
        ),
        Route("/page", lambda _: HTMLResponse(PAGE)),
        Route("/go", go, methods=["POST"]),
        Route("/report", report, methods=["POST"]),
        Route("/reported", reported),
        Route("/counts", counts),
    ]
)


def gated() -> GatekeeperMiddleware:
    """Put a gate in front, with a real scheduler below it."""
    routes = tuple(
        replace(
            route(kind),
            path=prefix + path,
            methods=("GET", "POST"),
            mode=Mode.ENFORCE,
            stream=mode,
            budget_s=20.0,
        )
        for prefix, mode in MODES.items()
        for kind, path in PATHS.items()
        if kind in ANSWERS
    )
    model = Knowing()
    judge = Scheduler(model)
    # Tokens of the fake model are characters.
    limits = Limits(pair_tokens=1_000_000, joint_tokens=200_000)
    settings = Settings(thresholds=Thresholds(support=0.5, contradiction=0.9), limits=limits)
    return GatekeeperMiddleware(
        bare,
        policy=Policy(routes=routes),
        services=Services(
            gate=Gate(model, judge, settings),
            judge=judge,
            controls=Controlled(),
            telemetry=telemetry,
        ),
        startup=judge.start,
    )


app = gated()
