"""Puts a gate in front of an app, as a policy file wants it.

Apart from ``build`` because it takes the web and metrics libraries, which checking a single answer
does not need.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import REGISTRY, CollectorRegistry

from gatekeeper.asgi.known import unmatched
from gatekeeper.asgi.middleware import GatekeeperMiddleware
from gatekeeper.asgi.paths import below
from gatekeeper.asgi.services import Services
from gatekeeper.config.review import free_path
from gatekeeper.config.scorer import load_with_scorer
from gatekeeper.config.words import shown
from gatekeeper.errors import ConfigurationError, Fault, ModelError
from gatekeeper.observe.page import metrics_app
from gatekeeper.observe.telemetry import Observers
from gatekeeper.parts import Parts, secret
from gatekeeper.policy import Policy
from gatekeeper.protocols import Telemetry

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


def gated(
    app: "ASGIApp",
    *,
    policy: Path | str,
    metrics: str | None = None,
    registry: CollectorRegistry = REGISTRY,
) -> "ASGIApp":
    """Return an app with a gate in front, as a policy file wants it.

    The model is loaded, tested and warmed when the server starts the app (lifespan), without
    lifespan at the first gated request; off the event loop. Nothing is read from the network.

    Args:
        app: The app whose answers are checked.
        policy: The policy file.
        metrics: Path under which the counters are served; None serves them nowhere.
        registry: Where the counters are kept; two gated apps of one process need one each.

    Raises:
        ConfigurationError: If the policy or the model it asks for has faults; it names them all.
        StoreError: If decisions are to be stored and there can be no such store here.
    """
    path = Path(policy)
    running, scorer = load_with_scorer(path)
    _refuse_shared(running, path, metrics)
    parts = Parts(path, running, scorer, registry)
    for unknown in unmatched(app, [route.path for route in running.routes]):
        parts.log.notice("route_unmatched", route=unknown)
    pages: dict[str, ASGIApp] = {f"{where}/": page for where, page in parts.reviews.items()}
    if metrics is not None:
        counters = parts.counters
        pages[metrics] = metrics_app(counters.mode, counters.registry, parts.collectors)
    return _with_pages(_in_front(app, parts), pages)


def _in_front(app: "ASGIApp", parts: Parts) -> GatekeeperMiddleware:
    async def start() -> None:
        parts.controls.start()
        try:
            await parts.scheduler.start()
        except (KeyboardInterrupt, SystemExit) as error:
            # Raised by code of the load, in its thread; from here it would end the server's loop.
            raise ModelError(f"loading ended with {type(error).__name__}") from error

    async def stop() -> None:
        for close in parts.closes:
            await asyncio.to_thread(close)

    observers: list[Telemetry] = [parts.counters, parts.log, *parts.recorders]
    return GatekeeperMiddleware(
        app,
        policy=lambda: parts.controls.policy,
        services=Services(
            gate=parts.gate(),
            gate_for=parts.gate,
            judge=parts.scheduler,
            controls=parts.controls,
            telemetry=Observers(observers, failed=parts.log.failed),
            failed=parts.log.failed,
            secret=secret(),
        ),
        startup=start,
        shutdown=stop,
    )


def _refuse_shared(policy: Policy, path: Path, metrics: str | None) -> None:
    """Refuse a review page that stands where the counters are."""
    if policy.review is not None and f"{metrics}/".startswith(f"{policy.review.path}/"):
        taken = policy.review.path
        found = f"{shown(taken)}, where the counters are at {shown(metrics)}"
        expected, advice = "one that is not theirs, nor above it", free_path(taken)
        fault = Fault(place="review.path", found=found, expected=expected, instead=advice)
        raise ConfigurationError(str(path), [fault])


def _with_pages(front: "ASGIApp", pages: "Mapping[str, ASGIApp]") -> "ASGIApp":
    """Serve pages beside an app, by path; one that ends in a slash has all below it too."""

    async def app(scope: "Scope", receive: "Receive", send: "Send") -> None:
        asked = front
        if scope["type"] == "http":
            path = below(scope.get("root_path", ""), scope["path"])
            for where, page in pages.items():
                if path == where.rstrip("/") or (where[-1] == "/" and path.startswith(where)):
                    asked = page
        await asked(scope, receive, send)

    return app if pages else front
