"""What every gated request of a process shares: the gate, the counters, the bounds over all."""

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from gatekeeper.asgi.turns import Turns
from gatekeeper.policy import Route
from gatekeeper.protocols import Controls, Judge, Priority, Steps, Telemetry, Usage
from gatekeeper.verdict import Evidence, UnresolvedReason, Verdict

# A resolver that hangs keeps its thread; when all hang, further ones fail in their time.
_RESOLVERS = 8


class Following(Protocol):
    """The check of one answer that is still being written; ``gatekeeper.gate.Check`` is one."""

    async def follow(
        self, text: str, *, deadline: float | None = None, ends: bool = False
    ) -> Verdict:
        """Take the next piece; return the verdict on what is complete."""
        ...

    @property
    def so_far(self) -> Verdict:
        """The verdict on what was complete before the end: it stays as it is."""
        ...


class Checker(Protocol):
    """What the layer asks of a gate; ``gatekeeper.gate.Gate`` and ``FakeGate`` are ones."""

    def open(
        self,
        evidence: Evidence,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> Following:
        """Begin the check of an answer that comes in pieces."""
        ...

    async def check(
        self,
        answer: str,
        evidence: Evidence,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> Verdict:
        """Return the verdict on a whole answer.

        Raises:
            UnavailableError: If the work was refused or given up.
        """
        ...


class Walk(Protocol):
    """One check whose steps somebody else hands to the judge; ``gatekeeper.gate.Check`` is one."""

    def steps(self, answer: str) -> Steps:
        """Return all work on a whole answer."""
        ...

    def give_up(self, reason: UnresolvedReason) -> None:
        """Note that the judge left the steps where they stand."""
        ...

    def conclude(self) -> Verdict:
        """Give the verdict on what the steps have come to."""
        ...


@runtime_checkable
class Walker(Protocol):
    """A gate whose steps can follow others in one call of the judge.

    Under load each call waits for all other requests. What is only a ``Checker`` is asked in a
    call of its own.
    """

    def begin(self, evidence: Evidence) -> Walk:
        """Begin the check of one answer."""
        ...


class Failed(Protocol):
    """Takes what broke off a check; ``EventLog.failed`` is one."""

    def __call__(self, event: str, error: BaseException, **facts: str) -> None:
        """Tell of an error by its type and place, never by its text, which may quote an answer."""
        ...


def _unheard(event: str, error: BaseException, **facts: str) -> None:
    """Tell nobody."""


class Ledger:
    """Counts what is bounded over all requests: bytes held, checks under way for a key."""

    def __init__(self) -> None:
        self._bytes = 0
        self._checks: Counter[str] = Counter()

    def take(self, size: int, bound: int) -> bool:
        """Take bytes unless that would pass the bound."""
        if self._bytes + size > bound:
            return False
        self._bytes += size
        return True

    def give(self, size: int) -> None:
        """Give bytes back."""
        self._bytes -= size

    def enter(self, key: str, bound: int) -> bool:
        """Begin a check for a key unless it has as many as it may."""
        if self._checks[key] >= bound:
            return False
        self._checks[key] += 1
        return True

    def leave(self, key: str) -> None:
        """End a check for a key."""
        self._checks[key] -= 1
        if not self._checks[key]:
            del self._checks[key]


class Shadows:
    """Keeps tasks that outlive their request, and ends them with the process."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[None, None, None], done: Callable[[], None]) -> None:
        """Run a coroutine in a task of its own; ``done`` is called however it ends.

        A task cancelled before its first step never reaches a ``finally`` of its own.
        """
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(lambda _: done())
        task.add_done_callback(self._tasks.discard)

    async def drain(self, patience_s: float) -> None:
        """Wait for the tasks, then cancel what is left of them."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=patience_s)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What a request is served with. ``clock`` is monotonic, seconds; ``secret`` keys shares.

    ``gate_for`` gives the gate of a route where routes differ (boilerplate); else ``gate`` is it.
    ``failed`` takes ``resolver_failed`` and ``check_failed``, which end unresolved.
    """

    gate: Checker
    judge: Judge
    controls: Controls
    telemetry: Telemetry
    failed: Failed = _unheard
    gate_for: Callable[[Route], Checker] | None = None
    secret: bytes = b""
    clock: Callable[[], float] = time.monotonic
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex
    ledger: Ledger = field(default_factory=Ledger)
    shadows: Shadows = field(default_factory=Shadows)
    turns: Turns = field(default_factory=Turns)
    executor: Executor = field(
        default_factory=lambda: ThreadPoolExecutor(_RESOLVERS, "gatekeeper-resolver")
    )
