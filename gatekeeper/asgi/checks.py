"""From a held response to verdicts: decode, find the answer, gather evidence, ask the gate.

All of it but the resolver runs where the judge runs it, in steps; on the loop only bytes are
handed over. Whatever goes wrong becomes a verdict with a reason, never an exception.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from gatekeeper.asgi import evidence
from gatekeeper.asgi.coding import decode
from gatekeeper.asgi.jsontext import UncheckableError, parse
from gatekeeper.asgi.payload import Payload, read
from gatekeeper.asgi.services import Checker, Services, Walk, Walker
from gatekeeper.asgi.streams import kinds, whole
from gatekeeper.errors import UnavailableError
from gatekeeper.policy import Route
from gatekeeper.protocols import Priority, Steps, Usage
from gatekeeper.verdict import (
    Evidence,
    NotCheckedReason,
    UnresolvedReason,
    Verdict,
    unresolved,
)


def unchecked(reason: NotCheckedReason) -> Verdict:
    """Return the verdict on an answer that was not checked."""
    return Verdict(not_checked=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What one check works on: bytes as they came, and what the app left in the state.

    ``request`` gives the body of the request, or raises as ``Receiver.body`` does.
    """

    route: Route
    sources: evidence.Sources
    request: Callable[[], bytes]
    response: bytes
    coding: str
    media: str
    charset: str
    state: Mapping[str, object]
    exchange: Callable[[bytes, tuple[str, ...]], evidence.Exchange]


@dataclass(slots=True, kw_only=True)
class Findings:
    """What a check comes upon beside its verdicts: the payload, to change it, and what it cost.

    ``texts`` are the answers where there is no payload: those of a stream. ``released_early``:
    text of it went out before there was a verdict.
    """

    payload: Payload | None = None
    texts: tuple[str | None, ...] = ()
    released_early: bool = False
    evidence: Evidence | None = None
    evidence_words: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """One check under way.

    Args:
        gate: The gate of the route.
        services: The judge, and the threads of resolvers: one that takes too long stays on its
            thread and is not waited for.
        deadline: Monotonic clock reading in seconds.
        priority: ENFORCE or SHADOW.
        findings: Is filled as the check goes; what it holds when cancelled is true so far.
    """

    gate: Checker
    services: Services
    material: Material
    deadline: float
    priority: Priority
    findings: Findings

    async def run(self) -> tuple[Verdict, ...]:
        """Return one verdict a choice, or one for them all when it never came to that."""
        try:
            return await self._verdicts()
        except UncheckableError as error:
            return (unchecked(error.reason),)
        except UnavailableError as error:
            return (unresolved(error.reason),)

    async def gathered(self, documents: Sequence[object], answers: tuple[str, ...]) -> Evidence:
        """Gather the evidence for answers that are still being written.

        Args:
            documents: What of the response was read so far.
            answers: What there is of them.

        Raises:
            UncheckableError: If a source can't be read.
            UnavailableError: If the work was refused, or a resolver failed.
        """
        resolved: dict[str, list[evidence.Found]] = {}
        if self.material.sources.resolvers and not await self._resolve([], answers, resolved):
            raise UnavailableError(UnresolvedReason.RESOLVER_ERROR)
        found: list[Evidence] = []
        await self._work(self._gather(resolved, found, documents))
        return found[0]

    async def _verdicts(self) -> tuple[Verdict, ...]:
        bodies: list[bytes] = []
        reading: Steps = open_payload(self.material, self.findings, bodies)
        resolved: dict[str, list[evidence.Found]] = {}
        if self.material.sources.resolvers:
            await self._work(reading)
            reading = iter(())
            if not await self._resolve(bodies, tuple(t or "" for t in self._texts), resolved):
                reason = UnresolvedReason.RESOLVER_ERROR
                return tuple(unresolved(reason, text or "") for text in self._texts)
        gathered: list[Evidence] = []
        return await self._judged(chain(reading, self._gather(resolved, gathered)), gathered)

    async def _judged(self, reading: Steps, gathered: list[Evidence]) -> tuple[Verdict, ...]:
        """Read, then have the answers checked against what was gathered.

        One way to the worker and back if it can be: under load each waits for all other requests.
        """
        walks: list[Walk] = []
        steps = chain(reading, self._walk(gathered, walks))
        try:
            await self._work(steps)
        except UnavailableError as error:
            if not walks:
                raise
            walks[0].give_up(error.reason)
        if walks:
            return (walks[0].conclude(),)
        texts = self._texts
        if len(texts) == 1:  # no task of its own for the one that nearly all have
            return (await self._check(texts[0], gathered[0]),)
        return tuple(await asyncio.gather(*(self._check(text, gathered[0]) for text in texts)))

    def _walk(self, gathered: list[Evidence], walks: list[Walk]) -> Steps:
        """Check the answer right behind the reading, if there is one and the gate has steps."""
        text = self._texts[0] if len(self._texts) == 1 else None
        if text and text.strip() and isinstance(self.gate, Walker):
            walks.append(self.gate.begin(gathered[0]))
            yield from walks[0].steps(text)

    async def _work(self, steps: Steps) -> None:
        await self.services.judge.run(
            steps, deadline=self.deadline, priority=self.priority, usage=self.findings.usage
        )

    @property
    def _texts(self) -> tuple[str | None, ...]:
        """The answers, once they are found."""
        return () if self.findings.payload is None else self.findings.payload.texts

    async def _resolve(
        self,
        bodies: list[bytes],
        texts: tuple[str, ...],
        resolved: dict[str, list[evidence.Found]],
    ) -> bool:
        """Ask the resolvers, each within its time; False if one fails in whatever way."""
        loop = asyncio.get_running_loop()
        for target, resolver in self.material.sources.resolvers.items():
            exchange = self.material.exchange(b"".join(bodies), texts)
            future = loop.run_in_executor(self.services.executor, evidence.call, resolver, exchange)
            await asyncio.wait({future}, timeout=self.material.route.bounds.resolver_s)
            # The user's code may raise anything; here that is an answer like any other.
            error = future.exception() if future.done() else TimeoutError()
            if error is not None:
                future.cancel()
                route = self.material.route.path
                self.services.failed("resolver_failed", error, route=route, resolver=target)
                return False
            resolved[target] = future.result()
        return True

    def _gather(
        self,
        resolved: Mapping[str, list[evidence.Found]],
        gathered: list[Evidence],
        documents: Sequence[object] = (),
    ) -> Iterator[None]:
        """Join the passages of all sources and count their words."""
        route, payload = self.material.route, self.findings.payload
        request: object = None
        if self.material.sources.read_request or route.question:
            request = parse(self.material.request(), depth=route.bounds.json_depth)
            yield
        found: list[evidence.Found] = []
        for passages in evidence.gather(
            self.material.sources,
            request=request,
            responses=documents if payload is None else payload.documents,
            state=self.material.state,
            resolved=resolved,
        ):
            found += passages
            yield
        joined = evidence.join(found, route.bounds)
        asked = evidence.asked(request, route.question)
        self.findings.evidence = Evidence(passages=joined, question=asked)
        gathered.append(self.findings.evidence)
        self.findings.evidence_words = sum(len(passage.text.split()) for passage in joined)

    async def _check(self, text: str | None, of: Evidence) -> Verdict:
        """Have the gate check one choice."""
        if text is None or not text.strip():
            return unchecked(NotCheckedReason.NO_TEXT)
        try:
            return await self.gate.check(
                text,
                of,
                deadline=self.deadline,
                priority=self.priority,
                usage=self.findings.usage,
            )
        except UnavailableError as error:
            return unresolved(error.reason, text)


def open_payload(material: Material, findings: Findings, bodies: list[bytes]) -> Iterator[None]:
    """Decode the response and find its answers, in steps.

    Raises:
        UncheckableError: If there is no way to.
    """
    for piece in decode(material.response, material.coding, material.route.bounds):
        bodies.append(piece)
        yield
    body = b"".join(bodies)
    if kinds.is_framed(material.media):
        findings.payload = yield from whole.read(material.route, body, material.media)
    else:
        findings.payload = read(material.route, body, material.charset)
