"""The help desk with its gate."""

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry

from gatekeeper.demo.app import help_desk
from gatekeeper.front import gated

if TYPE_CHECKING:
    from starlette.types import ASGIApp

METRICS = "/metrics"


def gated_help_desk() -> "ASGIApp":
    """Return the help desk behind its gate, with counters of its own under /metrics."""
    counters = CollectorRegistry()
    with as_file(files("gatekeeper.demo") / "gatekeeper.toml") as policy:
        return gated(help_desk(), policy=policy, metrics=METRICS, registry=counters)
