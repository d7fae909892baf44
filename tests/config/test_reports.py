"""Run-time changes show in counters and log, and no sentence of theirs does."""

import json
import logging

import pytest
from prometheus_client import CollectorRegistry

from gatekeeper.config.modefile import Tripped
from gatekeeper.config.reports import Reports
from gatekeeper.config.standing import Says, Standing
from gatekeeper.observe.logs import EventLog
from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.policy import Mode
from gatekeeper.protocols import Control


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> CollectorRegistry:
    """Give each test counters of its own."""
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)
    return CollectorRegistry()


def test_each_change_is_counted_and_logged(
    registry: CollectorRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    """An order that was refused, a trip and a lost calibration must be seen from outside."""
    caplog.set_level(logging.INFO, "gatekeeper")
    reports = Reports(WorkerMetrics(["/a"], registry=registry, strict=True), EventLog())
    shadow = Control(mode=Mode.SHADOW, share=0.5)

    reports.reloaded("policy", "applied", "")
    reports.reloaded("mode_file", "invalid", "file: 2 faults\n  the passage said so\n  again")
    reports.reloaded("mode_file", "unwritable", "read-only file system")
    reports.tripped("/a", Tripped(to=Mode.SHADOW, blocked=130, of=200))
    reports.stands("/a", Standing(control=shadow, says=Says.POLICY, degraded=True))

    def count(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(name, labels)

    assert count("gatekeeper_policy_reloads_total", outcome="applied") == 1
    assert count("gatekeeper_policy_reloads_total", outcome="invalid") == 2
    assert count("gatekeeper_trips_total", route="/a") == 1
    assert count("gatekeeper_enforcement_degraded", route="/a") == 1
    events = [json.loads(record.getMessage()) for record in caplog.records]
    assert [event["event"] for event in events] == [
        "reload_done",
        "reload_refused",
        "reload_refused",
        "route_tripped",
        "enforcement_degraded",
    ]
    assert [event.get("faults") for event in events[:3]] == [0, 2, 1]
    assert "passage" not in caplog.text

    reports.stands("/a", Standing(control=shadow, says=Says.POLICY))
    assert count("gatekeeper_enforcement_degraded", route="/a") == 0
