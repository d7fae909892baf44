"""The metrics page: one text, whichever worker is asked."""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from gatekeeper.observe.folder import VARIABLE, MetricsMode
from gatekeeper.observe.slots import forget_dead_slots

_LIVE_GAUGES = re.compile(r"gauge_live[a-z]+_(\d+)\.db")


class InfoStates(Collector):
    """What the running configuration says at scrape: which model, which policy.

    Args:
        model: Gives the scorer fingerprint; empty while there is none.
        policy: Gives the hash of the policy in force.
    """

    def __init__(self, *, model: Callable[[], str], policy: Callable[[], str]) -> None:
        self._model = model
        self._policy = policy

    def collect(self) -> Iterable[Metric]:
        """Yield one sample of 1 for each."""
        for name, label, ask in (
            ("gatekeeper_model_info", "fingerprint", self._model),
            ("gatekeeper_policy_info", "policy_hash", self._policy),
        ):
            family = GaugeMetricFamily(
                name, f"Always 1; {label}: what is in force.", labels=[label]
            )
            if ask():
                family.add_metric([ask()], 1)
            yield family


def scraped(
    mode: MetricsMode, registry: CollectorRegistry, states: Iterable[Collector] = ()
) -> CollectorRegistry:
    """Return a registry that holds what one scrape shows; blocking when it reads files.

    With a shared folder that is what all workers, also dead ones, have written there; the live
    gauges of workers that died are taken out first.
    """
    shown = CollectorRegistry()
    if mode is MetricsMode.MULTIPROCESS:
        forget_dead(Path(os.environ[VARIABLE]))
        MultiProcessCollector(shown)
    else:
        shown.register(_Whole(registry))
    for collector in states:
        shown.register(collector)
    return shown


def render(
    mode: MetricsMode, registry: CollectorRegistry, states: Iterable[Collector] = ()
) -> bytes:
    """Return the page as Prometheus reads it; blocking when it reads files."""
    return generate_latest(scraped(mode, registry, states))


def find_sample(
    mode: MetricsMode, registry: CollectorRegistry, name: str, labels: Mapping[str, str]
) -> float | None:
    """Return the value of a sample as a scrape shows it, None if it is not there."""
    return scraped(mode, registry).get_sample_value(name, dict(labels))


def live_sum(mode: MetricsMode, gauge: Gauge) -> float:
    """Return the sum of a gauge over the workers that live, as the page that is made shows it.

    Blocking when it reads files. The dead ones' must have been forgotten.
    """
    families: Iterable[Metric] = gauge.collect()
    [name] = {family.name for family in families}
    if mode is MetricsMode.MULTIPROCESS:
        files = Path(os.environ[VARIABLE]).glob("gauge_livesum_*.db")
        families = MultiProcessCollector.merge([str(file) for file in files])
    return sum(
        sample.value for family in families for sample in family.samples if sample.name == name
    )


Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


def metrics_app(
    mode: MetricsMode, registry: CollectorRegistry, states: Iterable[Collector] = ()
) -> Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]:
    """Return an ASGI app that answers any request with the page, made in a thread."""
    collectors = tuple(states)

    async def app(scope: MutableMapping[str, Any], _receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        body = await asyncio.to_thread(render, mode, registry, collectors)
        headers = [
            (b"content-type", CONTENT_TYPE_LATEST.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app


class _Whole(Collector):
    """A registry as a collector of another one."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterable[Metric]:
        return self._registry.collect()


def forget_dead(folder: Path) -> None:
    """Take out the live gauges of workers that are gone; their counters stay, or they'd fall."""
    for path in folder.glob("gauge_live*.db"):
        found = _LIVE_GAUGES.fullmatch(path.name)
        if found and not _is_alive(int(found[1])):
            mark_process_dead(int(found[1]), str(folder))
    forget_dead_slots(folder)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
