"""Known answers through a worker's own gate, all day: does it still judge, and rightly?

A probe takes the way of every check, at the priority of shadow, so it yields to users' work and is
refused or given up by the same rules; then it is UNRESOLVED, like any check. It is no decision: it
is counted in ``gatekeeper_probes_total`` and nowhere else.
"""

import asyncio
import contextlib
import os
import random
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, islice

from gatekeeper.asgi.services import Checker
from gatekeeper.errors import GatekeeperError
from gatekeeper.observe.declared import Expected
from gatekeeper.observe.logs import EventLog
from gatekeeper.protocols import Priority
from gatekeeper.runtime.manifest import ENTAILMENT, Manifest, SelfTestPair
from gatekeeper.verdict import Evidence, Outcome, Passage

_MINUTE_S = 60.0
# How long a probe waits behind other work; the next one is due then at the usual pace.
_PATIENCE_S = 5.0
# However long until the next one, the policy is asked again after as long.
_LOOK_S = 5.0
# Shorter rests are those of rounding.
_TICK_S = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """An answer, what it is held against, and what that has to come to."""

    passage: str
    answer: str
    expected: Expected


def known_answers(manifest: Manifest) -> tuple[Probe, ...]:
    """Return the clearer half of a model's self-test as probes, good and bad ones in turn.

    The self-test holds pairs near to what a model tells apart; with a threshold of one's own these
    may come out otherwise, and nothing would be wrong.
    """
    by_entailment = sorted(manifest.self_test, key=lambda pair: pair.entailment)
    bad = _clearer([pair for pair in by_entailment if pair.label != ENTAILMENT])
    good = _clearer([pair for pair in reversed(by_entailment) if pair.label == ENTAILMENT])
    turns = islice(zip(cycle(good), cycle(bad), strict=False), max(len(good), len(bad)))
    return tuple(
        Probe(
            passage=pair.premise,
            answer=pair.hypothesis,
            expected=Expected.SUPPORTED if pair.label == ENTAILMENT else Expected.FLAGGED,
        )
        for pair in chain.from_iterable(turns)
    )


def _clearer(pairs: Sequence[SelfTestPair]) -> Sequence[SelfTestPair]:
    return pairs[: (len(pairs) + 1) // 2]


class Prober:
    """Checks known answers in a thread of its own, which keeps no process alive.

    Args:
        gate: The gate whose answers are known.
        probes: Checked in turn.
        per_minute: Gives how many are wanted now; 0 for none.
        counted: Counts what a probe should have come to and what it came to.
        ready: Waits until the gate can judge, or raises because it can't.
        log: Is told of a wrong verdict and of an error, once until it is right again.
    """

    def __init__(
        self,
        gate: Checker,
        probes: Sequence[Probe],
        *,
        per_minute: Callable[[], float],
        counted: Callable[[Expected, Outcome], None],
        ready: Callable[[], Awaitable[None]],
        log: EventLog,
    ) -> None:
        self._gate = gate
        self._probes = tuple(probes)
        self._per_minute = per_minute
        self._counted = counted
        self._ready = ready
        self._log = log
        self._pid = os.getpid()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._wrong: set[Probe] = set()
        self._is_failing = False

    def start(self) -> None:
        """Begin, in this process, unless it was closed; a thread lost to a fork is replaced."""
        if self._pid != os.getpid():
            # The parent's may have been forked within a change.
            self._pid, self._closed = os.getpid(), threading.Event()
        is_running = self._thread is not None and self._thread.is_alive()
        if not self._probes or is_running or self._closed.is_set():
            return
        self._thread = threading.Thread(target=self._run, name="gatekeeper-probes", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End for good; blocking until a probe under way has its verdict, within its time."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join(_PATIENCE_S)

    # What follows runs in the thread.

    def pause(self, seconds: float) -> bool:
        """Wait; True if it was closed meanwhile. A test need not wait for the clock."""
        return self._closed.wait(seconds)

    def _run(self) -> None:
        # Workers that start together would all probe at the same moments.
        phase = random.SystemRandom().random()
        with asyncio.Runner() as runner:
            runner.run(self._begin())
            waited_s = phase * self._period_s()
            for probe in cycle(self._probes):
                while (rest_s := self._period_s() - waited_s) > _TICK_S:
                    step_s = min(rest_s, _LOOK_S)
                    if self.pause(step_s):
                        return
                    waited_s += step_s
                waited_s = 0.0
                if self._per_minute() > 0:
                    runner.run(self._check(probe))

    async def _begin(self) -> None:
        # Of a gate that can't be loaded the probes tell by having no verdict.
        with contextlib.suppress(GatekeeperError):
            await self._ready()

    def _period_s(self) -> float:
        per_minute = self._per_minute()
        return _MINUTE_S / per_minute if per_minute > 0 else _LOOK_S

    async def _check(self, probe: Probe) -> None:
        """Check and count; a fault of the gate or of a counter ends nothing."""
        try:
            outcome = await self._ask(probe)
            self._judge(probe, outcome)
        except Exception as error:  # noqa: BLE001 - as said
            self._failed(error)
        else:
            self._is_failing = False

    async def _ask(self, probe: Probe) -> Outcome:
        evidence = Evidence(passages=(Passage(id="0", text=probe.passage),))
        deadline = time.monotonic() + _PATIENCE_S
        try:
            verdict = await self._gate.check(
                probe.answer, evidence, deadline=deadline, priority=Priority.SHADOW
            )
        except Exception:  # whatever it was, there is no verdict; it is told of further up
            self._counted(probe.expected, Outcome.UNRESOLVED)
            raise
        return verdict.outcome

    def _failed(self, error: Exception) -> None:
        if not self._is_failing:
            self._is_failing = True
            self._log.failed("probe_failed", error)

    def _judge(self, probe: Probe, outcome: Outcome) -> None:
        """Count a verdict, and tell of a wrong one; an open one is neither right nor wrong."""
        self._counted(probe.expected, outcome)
        if outcome is Outcome.UNRESOLVED:
            return
        if outcome == probe.expected.upper():
            self._wrong.discard(probe)
        elif probe not in self._wrong:
            self._wrong.add(probe)
            self._log.notice("probe_judged_wrong", expected=probe.expected, verdict=outcome)
