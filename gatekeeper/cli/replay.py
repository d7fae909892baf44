"""Saved traffic through the real middleware, with someone listening at each seam.

There is no second reading of a response here: what ``explain`` tells is what the gate in front of
the app did with these bytes, enforced, with time enough to finish.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gatekeeper.asgi.middleware import GatekeeperMiddleware
from gatekeeper.asgi.services import Services
from gatekeeper.gate import Gate
from gatekeeper.policy import Mode, Policy, Route, StreamMode
from gatekeeper.protocols import (
    Control,
    Decision,
    EncodedPair,
    Judge,
    Model,
    PairScore,
    Priority,
    Steps,
    Usage,
)
from gatekeeper.verdict import Evidence, UnresolvedReason, Verdict

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# A laptop may be slower than the machine the budget is for; whether it would do is told in words.
PATIENCE_S = 60.0

Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """One exchange as it was saved: bodies, and what of the heads matters to the gate."""

    path: str
    method: str
    request: bytes
    status: int
    headers: Headers
    response: bytes
    state: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A pair as the model was asked, and its score or the reason there is none."""

    premise: str
    hypothesis: str
    score: PairScore | UnresolvedReason


@dataclass(slots=True, kw_only=True)
class Heard:
    """What was heard on the way."""

    evidence: Evidence | None = None
    answers: list[str] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    sent: list[Message] = field(default_factory=list)

    @property
    def decision(self) -> Decision:
        """The one decision."""
        return self.decisions[0]

    @property
    def body(self) -> bytes:
        """The body that went out."""
        return b"".join(message.get("body", b"") for message in self.sent)


async def replay(route: Route, gate: Gate, saved: Saved) -> Heard:
    """Send an exchange through the gate, enforced.

    Raises:
        InputError: If a file or function that the route names can't be had.
    """
    heard = Heard()
    texts: dict[EncodedPair, tuple[str, str]] = {}
    judge = _Judge(gate.judge, texts, heard)
    settings = replace(gate.settings, boilerplate=route.boilerplate)
    # A stream is all there: held whole it has the verdict that it has sentence by sentence.
    enforced = replace(route, mode=Mode.ENFORCE, budget_s=PATIENCE_S, stream=StreamMode.WHOLE)
    services = Services(
        gate=_Gate(Gate(_Model(gate.model, texts), judge, settings), heard),
        judge=judge,
        controls=_Enforced(),
        telemetry=_Telemetry(heard),
    )
    middleware = GatekeeperMiddleware(
        _App(saved), policy=Policy(routes=(enforced,)), services=services
    )
    try:
        await middleware(_scope(saved), _Client(saved.request), _Sink(heard))
    finally:
        services.executor.shutdown(wait=False)
    return heard


def _scope(saved: Saved) -> Message:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": saved.method,
        "path": saved.path,
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
    }


class _App:
    """Stands in for the app: reads the request, leaves its state, answers what was saved."""

    def __init__(self, saved: Saved) -> None:
        self._saved = saved

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        await receive()
        scope["state"].update(self._saved.state)
        headers = list(self._saved.headers)
        await send(
            {"type": "http.response.start", "status": self._saved.status, "headers": headers}
        )
        await send({"type": "http.response.body", "body": self._saved.response})


class _Client:
    """Sends the request in one message and stays."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body

    async def __call__(self) -> Message:
        if self._body is None:
            await asyncio.Event().wait()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body or b""}


class _Sink:
    def __init__(self, heard: Heard) -> None:
        self._heard = heard

    async def __call__(self, message: Message) -> None:
        self._heard.sent.append(message)


class _Enforced:
    """Run-time controls of a route that is enforced for everybody."""

    def now(self, _route: Route, /) -> Control:
        return Control(mode=Mode.ENFORCE, share=1.0)

    def blocked(self, _route: Route, /, *, was_blocked: bool) -> None:
        """Count nothing."""


class _Telemetry:
    def __init__(self, heard: Heard) -> None:
        self._heard = heard

    def began(self, route: str, mode: Mode) -> None:
        """Wait for the decision."""

    def decided(self, decision: Decision) -> None:
        self._heard.decisions.append(decision)

    def shadow_dropped(self, route: str, reason: str) -> None:
        """Never called: nothing is in shadow."""

    def websocket(self) -> None:
        """Never called: nothing but one request."""


class _Gate:
    """Notes what is asked of the gate."""

    def __init__(self, gate: Gate, heard: Heard) -> None:
        self._gate = gate
        self._heard = heard
        self.open = gate.open

    async def check(
        self,
        answer: str,
        evidence: Evidence,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> Verdict:
        self._heard.evidence = evidence
        self._heard.answers.append(answer)
        return await self._gate.check(
            answer, evidence, deadline=deadline, priority=priority, usage=usage
        )


class _Model:
    """Notes the texts of the pairs it encodes."""

    def __init__(self, model: Model, texts: dict[EncodedPair, tuple[str, str]]) -> None:
        self._model = model
        self._texts = texts
        self.fingerprint = model.fingerprint
        self.unknown_words = model.unknown_words
        self.score = model.score

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        pair = self._model.encode(premise, hypothesis)
        if pair is not None:
            self._texts[pair] = (premise, hypothesis)
        return pair


class _Judge:
    """Notes the scores of pairs."""

    def __init__(
        self, judge: Judge, texts: Mapping[EncodedPair, tuple[str, str]], heard: Heard
    ) -> None:
        self._judge = judge
        self._texts = texts
        self._heard = heard
        self.refusal = judge.refusal
        self.close = judge.close

    async def score(
        self,
        pairs: Sequence[EncodedPair],
        *,
        deadline: float | None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> list[PairScore | UnresolvedReason]:
        scores = await self._judge.score(pairs, deadline=deadline, priority=priority, usage=usage)
        self._note(pairs, scores)
        return scores

    async def run(
        self,
        steps: Steps,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> None:
        heard = self._hear(steps)
        await self._judge.run(heard, deadline=deadline, priority=priority, usage=usage)

    def _hear(self, steps: Steps) -> Steps:
        for wanted in steps:
            yield wanted
            if wanted is not None:
                self._note(wanted.pairs, wanted.scores)

    def _note(
        self, pairs: Sequence[EncodedPair], scores: Sequence[PairScore | UnresolvedReason]
    ) -> None:
        for pair, score in zip(pairs, scores, strict=True):
            premise, hypothesis = self._texts[pair]
            self._heard.pairs.append(Pair(premise=premise, hypothesis=hypothesis, score=score))
