"""Apps that stream, and a desk for them whose gate reads and scores by the words of one fact."""

import asyncio
import json
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits
from gatekeeper.gate import Gate, Settings
from gatekeeper.policy import Shape, StateSource
from gatekeeper.testing import FakeJudge, FakeModel
from tests.asgi.wire import App, Desk, Message, Sent, route

FACTS = "Refunds take 14 days. The gate is red. The lamp is green. The shop opens at nine."
TRUE = "Refunds take 14 days. The gate is red. The lamp is green."
FALSE = "Refunds take 14 days. The gate is tall. The lamp is green."
EVENTS = "text/event-stream"
LINES = "application/x-ndjson"
WITHHELD = "This answer was withheld because it could not be verified."

MARKS = Thresholds(support=0.5, contradiction=0.9)
WIDE = Limits(pair_tokens=100_000, joint_tokens=20_000)


def gate(judge: FakeJudge | None = None) -> Gate:
    """Return a gate over the fake model: what the fact has no words for is not supported."""
    model = FakeModel()
    return Gate(model, judge or FakeJudge(model), Settings(thresholds=MARKS, limits=WIDE))


def words(text: str) -> list[str]:
    """Cut a text into words as a model sends them, each with the blank before it."""
    return re.findall(r"\s*\S+", text)


def chunk(
    content: str | None = None, finish: str | None = None, *, index: int = 0, **delta: Any
) -> bytes:
    """Return one event of a chat completion."""
    if content is not None:
        delta["content"] = content
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return b"data: " + json.dumps({**head, "choices": [choice]}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def chat(text: str) -> list[bytes]:
    """Return the events of a chat completion."""
    deltas = [chunk(word) for word in words(text)]
    return [chunk("", role="assistant"), *deltas, chunk(finish="stop"), DONE]


def said(text: str, key: str = "delta") -> list[bytes]:
    """Return events with a piece of the answer under a key."""
    return [b"data: " + json.dumps({key: word}).encode() + b"\n\n" for word in words(text)]


def lines(text: str) -> list[bytes]:
    """Return lines of JSON with a piece of the answer in each."""
    return [json.dumps({"delta": word}).encode() + b"\n" for word in words(text)]


def streaming(
    parts: Sequence[bytes],
    *,
    media: str = EVENTS,
    headers: Sequence[tuple[bytes, bytes]] = (),
    dies: bool = False,
    passages: object = FACTS,
) -> App:
    """Return an app that sends a stream and lets other tasks run in between."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        await receive()
        scope["state"]["passages"] = [passages]
        listed = [(b"content-type", media.encode()), *headers]
        await send({"type": "http.response.start", "status": 200, "headers": listed})
        for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
            for _ in range(12):
                await asyncio.sleep(0)
        if dies:
            raise RuntimeError("the app broke")
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return app


def desk(
    app: App,
    *,
    judge: FakeJudge | None = None,
    clock: Callable[[], float] = time.monotonic,
    **changes: Any,
) -> Desk:
    """Return a desk for a stream; evidence lies in the state, ids are always the same."""
    judge = judge or FakeJudge(FakeModel())
    plain = {"answer": Shape.OPENAI_CHAT, "context": (StateSource(name="passages"),)}
    return Desk(
        app=app,
        gated=route(**{**plain, **changes}),
        gate=gate(judge),
        judge=judge,
        options={"new_id": lambda: "d1", "clock": clock},
    )


def play(parts: Sequence[bytes], **changes: Any) -> tuple[Desk, Sent]:
    """Play a stream of events through a gate."""
    at = desk(streaming(parts), **changes)
    return at, at.get()


def documents(body: bytes) -> list[Any]:
    """Return the JSON of all events of a body."""
    found = [line[6:] for line in body.split(b"\n") if line.startswith(b"data: ")]
    return [json.loads(data) for data in found if data != b"[DONE]"]


def content(body: bytes, index: int = 0) -> str:
    """Return the text a chat client shows for a choice."""
    return "".join(
        choice["delta"].get("content") or ""
        for document in documents(body)
        for choice in document.get("choices", ())
        if choice["index"] == index
    )


def finishes(body: bytes, index: int = 0) -> list[str]:
    """Return the reasons for which a choice ended."""
    return [
        choice["finish_reason"]
        for document in documents(body)
        for choice in document.get("choices", ())
        if choice["index"] == index and choice["finish_reason"]
    ]
