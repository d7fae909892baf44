"""The demo behind its gate, with what a benchmark has to see from inside the server.

    python -m benchmarks.watched [--fake] [--port 0]

Prints its address, and answers there once the model is loaded. Beside the gated app it serves the
same app without a gate under ``/bare``, and under ``/watched`` what was seen since that was last
asked for.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from prometheus_client import CollectorRegistry

from gatekeeper import front, parts
from gatekeeper.demo.app import help_desk
from gatekeeper.demo.serve import listen
from gatekeeper.observe.telemetry import Observers
from gatekeeper.protocols import (
    Decision,
    EncodedPair,
    Model,
    PairScore,
    Priority,
    Steps,
    Usage,
)
from gatekeeper.scheduler import Scheduler
from gatekeeper.testing import FakeModel

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

POLICY = Path(__file__).with_name("load.toml")
BARE = "/bare"
WATCHED = "/watched"
TICK_S = 0.001

Deadlines = dict[int, tuple[EncodedPair, float]]


class SlowFake(FakeModel):
    """A fake model whose passes take time, as a real one's do, without the interpreter's lock."""

    def __init__(self, *, token_s: float = 6e-5) -> None:
        super().__init__()
        self._token_s = token_s

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode at some four characters a token, as a word-piece vocabulary does."""
        pair = super().encode(premise, hypothesis)
        if pair is None:
            return None
        return EncodedPair(ids=pair.ids[::4], type_ids=pair.type_ids[::4])

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Take the time, then say the same of every pair."""
        self.passes.append(len(pairs))
        time.sleep(self._token_s * len(pairs) * max(pair.tokens for pair in pairs))
        return [PairScore(entailment=0.9, contradiction=0.05)] * len(pairs)


class WatchedModel:
    """A model that notes by how much passes start after the deadline of a pair in them."""

    def __init__(self, model: Model, deadlines: Deadlines) -> None:
        self._model = model
        self._deadlines = deadlines
        self.fingerprint = model.fingerprint
        self.encode = model.encode
        self.unknown_words = model.unknown_words
        self.late_s: list[float] = []

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Look at the clock, then run the model."""
        began = time.monotonic()
        ends = (self._deadlines[id(pair)][1] for pair in pairs if id(pair) in self._deadlines)
        self.late_s += [began - end for end in ends if end <= began]
        return self._model.score(pairs)


class WatchedScheduler(Scheduler):
    """A scheduler that tells a watched model which pair has to run when."""

    def __init__(self, *, load: Callable[[], Model], **more: Any) -> None:
        self._deadlines: Deadlines = {}
        self.watched: list[WatchedModel] = []
        super().__init__(load=lambda: self._watch(load()), **more)

    def _watch(self, model: Model) -> Model:
        self.watched.append(WatchedModel(model, self._deadlines))
        return self.watched[-1]

    async def run(
        self,
        steps: Steps,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> None:
        """Note the deadline of each pair for as long as it is waited for."""
        noted = self._noted(steps, inf if deadline is None else deadline)
        await super().run(noted, deadline=deadline, priority=priority, usage=usage)

    def _noted(self, steps: Steps, deadline: float) -> Steps:
        for wanted in steps:
            pairs = () if wanted is None else wanted.pairs
            self._deadlines |= {id(pair): (pair, deadline) for pair in pairs}
            try:
                yield wanted
            finally:
                for pair in pairs:
                    self._deadlines.pop(id(pair), None)

    def late_starts(self) -> int:
        """Return how many pairs were in passes that started too late for them."""
        return sum(len(model.late_s) for model in self.watched)


class WatchedObservers(Observers):
    """Observers that also keep what was decided, and how long it took."""

    decisions: list[Decision]

    def decided(self, decision: Decision) -> None:
        """Keep the decision and pass it on."""
        self.decisions.append(decision)
        super().decided(decision)


class Ticker:
    """Ticks every millisecond in the running loop and keeps the longest gap between two ticks."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._loop = asyncio.get_running_loop()
        self._last_s = self._loop.time()
        self._tick()

    def take(self) -> float:
        """Return the longest gap since this was last called, in seconds."""
        longest, self.longest_s = self.longest_s, 0.0
        return longest

    def _tick(self) -> None:
        now = self._loop.time()
        self.longest_s = max(self.longest_s, now - self._last_s)
        self._last_s = now
        self._loop.call_later(TICK_S, self._tick)


class Watched:
    """The app: gated, bare, and a page about both.

    Args:
        model: Stands in for the model that the policy names.
        policy: The policy file.
    """

    def __init__(self, model: Callable[[], Model] | None = None, policy: Path = POLICY) -> None:
        self.decisions: list[Decision] = []
        self.schedulers: list[WatchedScheduler] = []
        self._bare = help_desk()
        self._ticker: Ticker | None = None
        self.gated = self._gated(model, policy)

    def _gated(self, model: Callable[[], Model] | None, policy: Path) -> "ASGIApp":
        """Build the gated demo as ``front.gated`` does, with watched parts in it."""
        decisions, schedulers = self.decisions, self.schedulers

        class TheseObservers(WatchedObservers):
            """Those of this app."""

        TheseObservers.decisions = decisions

        def scheduler(*, load: Callable[[], Model], **more: Any) -> WatchedScheduler:
            made = WatchedScheduler(load=model or load, **more)
            if "notice" in more:  # others are made to read a fingerprint, and never load
                schedulers.append(made)
            return made

        watched = ((parts, "Scheduler", scheduler), (front, "Observers", TheseObservers))
        replaced = [(module, name, getattr(module, name)) for module, name, _ in watched]
        for module, name, part in watched:
            setattr(module, name, part)
        try:
            return front.gated(
                help_desk(), policy=policy, metrics="/metrics", registry=CollectorRegistry()
            )
        finally:
            for module, name, part in replaced:
                setattr(module, name, part)

    @property
    def scheduler(self) -> WatchedScheduler:
        """The scheduler that serves the gate."""
        return self.schedulers[-1]

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Serve the page, the bare app or the gated one."""
        path = scope.get("path", "")
        if path == WATCHED:
            await _send(send, self.page())
        elif path.startswith(BARE):
            await self._bare({**scope, "path": path.removeprefix(BARE)}, receive, send)
        else:
            await self.gated(scope, receive, send)

    def page(self) -> dict[str, Any]:
        """Return what was seen since the last call, and the scheduler's counts since its start."""
        if self._ticker is None:
            self._ticker = Ticker()
        decisions = list(self.decisions)
        self.decisions.clear()
        return {
            "longest_gap_s": self._ticker.take(),
            "late_starts": self.scheduler.late_starts(),
            "statistics": asdict(self.scheduler.statistics()),
            "decisions": [
                [decision.verdict.reason or str(decision.verdict.outcome), decision.added_s]
                for decision in decisions
            ],
        }


async def _send(send: "Send", page: object) -> None:
    body = json.dumps(page).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fake", action="store_true", help="a model that only takes its time")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    app = Watched(SlowFake if options.fake else None)
    # Connections are kept for as long as a burst may take.
    config = uvicorn.Config(app, log_level="warning", lifespan="on", timeout_keep_alive=600)
    with listen("127.0.0.1", options.port) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
