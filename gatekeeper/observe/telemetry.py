"""Telemetry as the gate sees it: one call, every sink told, nothing raised."""

from collections.abc import Callable, Sequence

from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision, Telemetry


class Observers:
    """Tells several sinks; what one of them raises stays here and the others are told all the same.

    A counter that can't be written must never change or delay an answer.

    Args:
        sinks: Told in this order.
        failed: Takes the event name and what a sink raised, such as ``EventLog.failed``.
    """

    def __init__(
        self, sinks: Sequence[Telemetry], *, failed: Callable[[str, BaseException], None]
    ) -> None:
        self._sinks = tuple(sinks)
        self._failed = failed

    def began(self, route: str, mode: Mode) -> None:
        """Tell of a request at the beginning of its way."""
        self._tell(lambda sink: sink.began(route, mode))

    def decided(self, decision: Decision) -> None:
        """Tell of a decision."""
        self._tell(lambda sink: sink.decided(decision))

    def shadow_dropped(self, route: str, reason: str) -> None:
        """Tell of a shadow check that was given up."""
        self._tell(lambda sink: sink.shadow_dropped(route, reason))

    def websocket(self) -> None:
        """Tell of a forwarded websocket."""
        self._tell(lambda sink: sink.websocket())

    def _tell(self, what: Callable[[Telemetry], None]) -> None:
        for sink in self._sinks:
            try:
                what(sink)
            except Exception as error:  # noqa: BLE001 - telemetry never fails a request
                self._failed("telemetry_failed", error)
