"""The sums that alerts rest on, in the real counters: whatever a client or a server does."""

import asyncio
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision
from gatekeeper.testing import FakeGate
from tests.asgi.rounds import ROUNDS
from tests.asgi.wire import BAD, Desk, Recorder, answering, by_words, reply, route, talk


class Counting(Recorder):
    """Telemetry that counts as a worker does."""

    def __init__(self) -> None:
        super().__init__()
        self.registry = CollectorRegistry()
        self._metrics = WorkerMetrics(["/answer"], registry=self.registry, strict=True)

    def began(self, route: str, mode: Mode) -> None:
        """Count a beginning."""
        super().began(route, mode)
        self._metrics.began(route, mode)

    def decided(self, decision: Decision) -> None:
        """Count a decision."""
        super().decided(decision)
        self._metrics.decided(decision)

    def totals(self) -> tuple[float, float, float, float]:
        """Return requests, checks, actions and what is unfinished."""
        names = ("requests_total", "checks_total", "actions_total", "unfinished")
        samples = [one for family in self.registry.collect() for one in family.samples]
        requests, checks, actions, unfinished = (
            sum(one.value for one in samples if one.name == f"gatekeeper_{name}") for name in names
        )
        assert requests == checks + unfinished
        assert checks == actions
        return requests, checks, actions, unfinished


@pytest.mark.parametrize("mode", list(Mode))
def test_sums_agree_in_every_mode(mode: Mode) -> None:
    """Whatever is sent is begun once and decided once, and nothing is left open."""
    telemetry = Counting()

    for number, row in enumerate(ROUNDS, start=1):
        gated = route(**{**row.route, "mode": mode})
        desk = Desk(app=row.app, gated=gated, gate=FakeGate(by_words), telemetry=telemetry)
        desk.judge.refuses = row.refused
        desk.get(**row.sent)

        assert telemetry.totals() == (number, number, number, 0)


@pytest.mark.parametrize("mode", list(Mode))
def test_sums_agree_while_an_app_works(mode: Mode) -> None:
    """What is under way is open, or already decided where nothing is gated; never neither."""
    telemetry = Counting()
    seen: list[float] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.extend(telemetry.totals())
        await answering(reply(BAD))(scope, receive, send)

    Desk(app=app, gated=route(mode=mode), telemetry=telemetry).get()

    assert seen == ([1, 1, 1, 0] if mode is Mode.OFF else [1, 0, 0, 1])
    assert telemetry.totals() == (1, 1, 1, 0)


@pytest.mark.parametrize("mode", [Mode.SHADOW, Mode.ENFORCE])
def test_sums_agree_wherever_a_server_gives_up(mode: Mode) -> None:
    """A request that is cancelled at any await is decided all the same, once."""
    telemetry = Counting()

    async def run(steps: int) -> None:
        desk = Desk(
            app=answering(reply(BAD), pieces=2), gated=route(mode=mode), telemetry=telemetry
        )
        task = asyncio.ensure_future(talk(desk.middleware))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        await desk.services.shadows.drain(5.0)

    for steps in range(12):
        asyncio.run(run(steps))
        assert telemetry.totals()[3] == 0

    assert telemetry.totals()[0] >= 11
