"""A gate in front of an app that streams, in a loop without time: what a client gets, and when."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gatekeeper.asgi.middleware import GatekeeperMiddleware
from gatekeeper.asgi.services import Services
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits
from gatekeeper.gate import Gate, Settings
from gatekeeper.policy import (
    Mode,
    Policy,
    Reactions,
    Route,
    Shape,
    StateSource,
    StreamMode,
)
from gatekeeper.protocols import Decision
from gatekeeper.testing import FakeJudge
from gatekeeper.verdict import Action
from tests.asgi.wire import Controlled, Message, Recorder, scope
from tests.streams.sayings import PASSAGE, Knowing, Noting

# Tokens of the fake model are characters.
SETTINGS = Settings(
    thresholds=Thresholds(support=0.5, contradiction=0.9),
    limits=Limits(pair_tokens=1_000_000, joint_tokens=200_000),
)
WITHHELD = "Withheld."

MEDIA = {
    "chat": "text/event-stream",
    "responses": "text/event-stream",
    "events": "text/event-stream",
    "said": "text/event-stream",
    "lines": "application/x-ndjson",
    "plain": "text/plain",
}
ANSWERS: dict[str, str | Shape] = {
    "chat": Shape.OPENAI_CHAT,
    "responses": Shape.OPENAI_RESPONSES,
    "events": "/delta/text",
    "said": Shape.PLAIN,
    "lines": "/delta/text",
    "plain": Shape.PLAIN,
}

# One step of an app: bytes it sends, seconds it takes, or what it raises.
Step = bytes | float | Exception


def route(kind: str, **changes: Any) -> Route:
    """Return an enforced route for a kind of stream that withholds whatever it can."""
    held = Reactions(default=Action.WITHHOLD)
    plain = Route(
        path=f"/{kind}/0",
        answer=ANSWERS[kind],
        context=(StateSource(name="passages"),),
        mode=Mode.ENFORCE,
        on_flagged=Action.WITHHOLD,
        on_unresolved=held,
        on_not_checked=held,
        withheld_text=WITHHELD,
        budget_s=5.0,
        stream=StreamMode.BY_SENTENCE,
    )
    return replace(plain, **changes)


@dataclass(slots=True, kw_only=True)
class Seen:
    """What a client got.

    ``sends`` holds each message, how many marks the model had scored by then, and when it came,
    in seconds.
    """

    sends: list[tuple[Message, int, float]] = field(default_factory=list)
    raised: BaseException | None = None
    is_gone: bool = False

    @property
    def bodies(self) -> list[bytes]:
        """The body of each message that has one."""
        return [
            bytes(message.get("body", b"")) for message, _, _ in self.sends if "body" in message
        ]

    @property
    def body(self) -> bytes:
        """All body bytes."""
        return b"".join(self.bodies)

    @property
    def start(self) -> Message:
        """The message that began the response."""
        (start,) = (m for m, _, _ in self.sends if m["type"] == "http.response.start")
        return start

    @property
    def status(self) -> int:
        """The status of the response."""
        return int(self.start["status"])

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the response, names in lower case."""
        return {k.decode().lower(): v.decode() for k, v in self.start["headers"]}

    @property
    def is_ended(self) -> bool:
        """True if the last message is the last of a body, and no other is."""
        kinds = [m.get("more_body", False) for m, _, _ in self.sends if "body" in m]
        return bool(kinds) and not kinds[-1] and all(kinds[:-1])


@dataclass(kw_only=True)
class Stage:
    """One middleware over routes, with everything it told its counters."""

    routes: Sequence[Route]
    model: Noting = field(default_factory=Knowing)
    telemetry: Recorder = field(default_factory=Recorder)
    passages: Sequence[str] = (PASSAGE,)

    def __post_init__(self) -> None:
        self.judge = FakeJudge(self.model)
        self.services = Services(
            gate=Gate(self.model, self.judge, SETTINGS),
            judge=self.judge,
            controls=Controlled(),
            telemetry=self.telemetry,
            clock=lambda: asyncio.get_running_loop().time(),
            new_id=lambda: "decision",
        )
        self.middleware = GatekeeperMiddleware(
            self._app, policy=Policy(routes=tuple(self.routes)), services=self.services
        )

    async def play(
        self,
        kind: str,
        steps: Sequence[Step],
        *,
        lane: int = 0,
        leaves_after: int | None = None,
        headers: Sequence[tuple[str, str]] = (),
        status: int = 200,
    ) -> Seen:
        """Serve one stream.

        Args:
            kind: The path, and by it the route and the content type.
            steps: What the app does.
            lane: The rest of the path, for streams of one kind beside each other.
            leaves_after: The client goes when it has got so many messages.
            headers: Headers beside, or in place of, the content type.
            status: The app's status.
        """
        seen = Seen()
        gone = asyncio.Event()
        incoming: list[Message] = [{"type": "http.request", "body": b"{}", "more_body": False}]
        asked = scope(f"/{kind}/{lane}", headers=[("content-type", "application/json")])
        asked["test"] = (steps, headers or [("content-type", MEDIA[kind])], status)

        async def receive() -> Message:
            if incoming:
                return incoming.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if seen.is_gone:
                raise OSError("the client has gone")
            now = asyncio.get_running_loop().time()
            seen.sends.append((message, len(self.model.scored), now))
            if leaves_after is not None and len(seen.sends) >= leaves_after:
                seen.is_gone = True
                gone.set()

        try:
            await self.middleware(asked, receive, send)
        except Exception as error:  # noqa: BLE001 - whatever the app or the gate raises is looked at
            seen.raised = error
        await self.services.shadows.drain(60.0)
        return seen

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        """Stream what a request brought along."""
        steps, headers, status = scope["test"]
        scope.setdefault("state", {})["passages"] = list(self.passages)
        while (await receive()).get("more_body"):
            pass
        listed = [(name.encode(), value.encode()) for name, value in headers]
        await send({"type": "http.response.start", "status": status, "headers": listed})
        for step in steps:
            if isinstance(step, bytes):
                await send({"type": "http.response.body", "body": step, "more_body": True})
            elif isinstance(step, float):
                await asyncio.sleep(step)
            else:
                raise step
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    @property
    def last(self) -> Decision:
        """The decision on the last stream; none is left open."""
        assert len(self.telemetry.begun) == len(self.telemetry.decisions)
        return self.telemetry.decisions[-1]
