"""Run-time changes as counters and events."""

from gatekeeper.config.modefile import Tripped
from gatekeeper.config.standing import Standing
from gatekeeper.observe.logs import EventLog
from gatekeeper.observe.metrics import ReloadOutcome, WorkerMetrics


class Reports:
    """Tells metrics and log of run-time changes; see ``controls.Watched``."""

    def __init__(self, metrics: WorkerMetrics, log: EventLog) -> None:
        self._metrics = metrics
        self._log = log

    def reloaded(self, what: str, outcome: str, reason: str) -> None:
        """Count a changed file and log how it went; the log takes words, not sentences."""
        known = outcome in tuple(ReloadOutcome)
        self._metrics.policy_reloaded(ReloadOutcome(outcome) if known else ReloadOutcome.INVALID)
        event = "reload_done" if outcome == ReloadOutcome.APPLIED else "reload_refused"
        self._log.notice(event, file=what, outcome=outcome, faults=_faults_of(reason))

    def tripped(self, route: str, trip: Tripped) -> None:
        """Count and log a trip."""
        self._metrics.tripped(route)
        self._log.notice("route_tripped", route=route, blocked=trip.blocked, of_last=trip.of)

    def stands(self, route: str, standing: Standing) -> None:
        """Say what now holds, and whether a route only watches for want of a calibration."""
        self._metrics.degraded(route, is_degraded=standing.degraded)
        event = "enforcement_degraded" if standing.degraded else "route_set"
        control = standing.control
        self._log.notice(event, route=route, mode=str(control.mode), share=control.share)


def _faults_of(reason: str) -> int:
    """Count faults: in a list of them each has a line, below one that says where they are."""
    lines = reason.splitlines()
    return max(len(lines) - 1, 1) if lines else 0
