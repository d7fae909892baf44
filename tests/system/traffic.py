"""What the observed app is asked for, how it is served, and how its answers are labelled."""

import itertools
import os
import random
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import httpx

from gatekeeper.outcomes.counts import Span, count
from gatekeeper.outcomes.labels import Label, Labels
from gatekeeper.outcomes.review import Item, Queue
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.words import Truth, milliseconds
from tests.system.observed import HOLD, POLICY, ROUTES, WORKER
from tests.system.prometheus import logged, wait_for
from tests.system.serving import ROOT

WORKERS = 4
CLIENTS = 4

# Answers that are under way when a worker is killed, and for how long if it isn't.
_HELD, _HELD_S = 8, 6.0

# Passage, an answer that follows from it, one that does not.
_FACTS = (
    (
        "Parcels to Norway take five working days and cost 19 euros.",
        "A parcel to Norway takes five working days.",
        "A parcel to Norway takes two working days.",
    ),
    (
        "The L3 sensor runs for three years on one battery.",
        "The L3 sensor runs for three years on one battery.",
        "The L3 sensor runs for eight years on one battery.",
    ),
    (
        "Refunds are paid within ten days of the return.",
        "Refunds are paid within ten days of the return.",
        "Refunds are paid on the day of the return.",
    ),
    (
        "The hub works with up to 60 devices.",
        "The hub works with up to 60 devices.",
        "The hub works with up to 250 devices.",
    ),
)
_WRONG = frozenset(wrong for _, _, wrong in _FACTS)
_NO_CLAIM = {"answer": "Thank you for your question!", "contexts": ["The hub has 60 ports."]}
_NO_ANSWER = {"contexts": ["The hub works with up to 60 devices."]}

# Of uvicorn.
_SERVING = re.compile(r"running on (http://[\d.]+:\d+)")

# A reviewer errs now and then: rates of exactly 0 and 1 would hide a mix-up.
_ERRS = 0.1
_REVIEWER = "ann"


def bodies() -> Iterator[Mapping[str, object]]:
    """Yield responses for ever: six right ones to two wrong ones, one without an answer."""
    for number in itertools.count():
        passage, right, wrong = _FACTS[number // 10 % len(_FACTS)]
        for says in (right, right, wrong, right, right, wrong, right, right):
            yield {"answer": says, "contexts": [passage]}
        yield _NO_ANSWER
        yield _NO_CLAIM


class Load:
    """Clients that ask one after the other until they are stopped; what broke off is counted."""

    def __init__(self, origin: str) -> None:
        self.answered: Counter[str] = Counter()
        self.broken = 0
        self._origin = origin
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._bodies = bodies()
        self._threads = [threading.Thread(target=self._run, args=[n]) for n in range(CLIENTS)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Let each client end what it is at."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self, number: int) -> None:
        # A connection a request: the system then gives them to all workers.
        limits = httpx.Limits(max_keepalive_connections=0)
        route = ROUTES[number % len(ROUTES)]
        with httpx.Client(timeout=60.0, limits=limits) as client:
            # A little time between requests leaves the processors to the workers.
            while not self._stop.wait(0.05):
                with self._lock:
                    body = next(self._bodies)
                self._ask(client, route, body)

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Ask for answers that take long, of all workers as far as the system has its way."""
        body = {**next(bodies()), HOLD: _HELD_S}
        limits = httpx.Limits(max_keepalive_connections=0)
        with httpx.Client(timeout=60.0, limits=limits) as client, ThreadPoolExecutor(_HELD) as pool:
            for number in range(_HELD):
                pool.submit(self._ask, client, ROUTES[number % len(ROUTES)], body)
            yield

    def _ask(self, client: httpx.Client, route: str, body: Mapping[str, object]) -> None:
        try:
            client.post(self._origin + route, json=body)
        except httpx.TransportError:  # the worker was killed
            with self._lock:
                self.broken += 1
            return
        with self._lock:
            self.answered[route] += 1


class Workers:
    """The workers of a server, as far as they have answered: the system chooses who does."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.seen: set[int] = set()
        self.killed: list[int] = []
        self._last = 0

    def wait_for_all(self) -> None:
        """Ask until each has answered, those in place of killed ones too."""

        def have_answered() -> bool:
            self._ask()
            return len(self.seen) >= WORKERS + len(self.killed)

        wait_for(have_answered, "an answer of each worker", within_s=120.0, pause_s=0.02)

    def kill_one(self) -> None:
        """End one that is at several answers where it stands."""
        wait_for(lambda: self._ask() > 1, "a worker that is busy", pause_s=0.0)
        os.kill(self._last, signal.SIGKILL)
        self.killed.append(self._last)

    def _ask(self) -> int:
        """Return how many answers some worker is at; 0 if there is none that answers."""
        try:
            process, writing = httpx.get(self.origin + WORKER, timeout=60.0).text.split()
        except httpx.TransportError:
            return 0
        self._last = int(process)
        self.seen.add(self._last)
        return int(writing)


@contextmanager
def observed(folder: Path) -> Iterator[Workers]:
    """Serve the observed app with four workers."""
    policy = folder / "gatekeeper.toml"
    policy.write_text(POLICY, encoding="utf-8")
    environment = {
        **os.environ,
        "OBSERVED_POLICY": str(policy),
        "GATEKEEPER_SECRET": "0123456789abcdef0123456789abcdef",
        "PROMETHEUS_MULTIPROC_DIR": str(folder / "counts"),
        "OMP_NUM_THREADS": "1",
    }
    environment.pop("GATEKEEPER_MODE", None)
    command = [
        sys.executable, "-m", "uvicorn", "tests.system.observed:app",
        "--workers", str(WORKERS), "--port", "0",
        "--timeout-worker-healthcheck", "10", "--no-access-log",
    ]  # fmt: skip
    log = folder / "server.log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=stream, stderr=stream, text=True
        )
        try:
            workers = Workers(logged(log, _SERVING, process))
            workers.wait_for_all()
            yield workers
        finally:
            process.terminate()
            process.wait(60.0)


class Reviewer:
    """Labels what waits in the store, by what the texts say, in the order of the queue."""

    def __init__(self, folder: Path) -> None:
        self._store = Store.open(f"sqlite:///{folder / 'outcomes.db'}")
        self.labelled = 0

    def label(self, most: int) -> None:
        """Label the next decisions of each route."""
        now_ms = milliseconds(datetime.now(UTC))
        for route in ROUTES:
            for item in Queue(self._store).take(_REVIEWER, [route], now_ms=now_ms, count=most):
                label = Label(
                    decision=item.decision,
                    reviewer=_REVIEWER,
                    truth=_truth(item),
                    seen_ms=item.seen_ms,
                )
                self.labelled += Labels(self._store).add(label, at_ms=now_ms)

    def in_force(self) -> int:
        """Return how many labels count.

        A decision that was on its way to the store when the reviewer took later ones holds theirs
        back until it has a label itself.
        """
        now_ms = milliseconds(datetime.now(UTC))
        spans = [Span(route=route, start_ms=0, end_ms=now_ms) for route in ROUTES]
        counts = [count(self._store, span) for span in spans]
        return sum(stratum.labelled for one in counts for stratum in one.strata)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()


def _truth(item: Item) -> Truth:
    says = () if item.texts is None else item.texts.answers
    is_wrong = any(text in _WRONG for text in says)
    if random.Random(item.decision).random() < _ERRS:  # noqa: S311 - no secret
        is_wrong = not is_wrong
    return Truth.WRONG if is_wrong else Truth.CORRECT
