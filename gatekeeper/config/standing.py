"""What holds for a route now. Pure: environment, trip, run-time file and policy in, one answer out.

The mode of GATEKEEPER_MODE wins, then that of a trip, then that of the run-time file, then the
policy's. Whoever wins, a route without a calibration it may enforce with is not enforced.
"""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from gatekeeper.config.modefile import Override, Tripped
from gatekeeper.policy import Mode, Route, Trip
from gatekeeper.protocols import Control


class Says(StrEnum):
    """Who set the mode of a route."""

    ENVIRONMENT = "environment"
    TRIP = "trip"
    FILE = "file"
    POLICY = "policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What holds for a route and why. ``degraded``: it was to be enforced and may not be."""

    control: Control
    says: Says
    degraded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is the same for all routes: environment, secret, and who may not be enforced."""

    forced: Mode | None = None
    has_secret: bool = False
    uncalibrated: frozenset[str] = frozenset()


def stand(
    route: Route, override: Override, around: Surroundings, *, trip: Tripped | None = None
) -> Standing:
    """Return what holds for a route.

    Args:
        route: The route as its policy has it.
        override: What the run-time file says of it.
        around: What holds for all routes.
        trip: A trip that the file doesn't know yet.
    """
    happened = override.trip or trip
    mode, says = _mode(route, override, around.forced, happened)
    degraded = mode is Mode.ENFORCE and route.path in around.uncalibrated
    control = Control(
        mode=Mode.SHADOW if degraded else mode,
        share=_share(route, override, has_secret=around.has_secret),
        tripped=says is Says.TRIP,
    )
    return Standing(control=control, says=says, degraded=degraded)


def _mode(
    route: Route, override: Override, forced: Mode | None, trip: Tripped | None
) -> tuple[Mode, Says]:
    if forced is not None:
        return forced, Says.ENVIRONMENT
    if trip is not None:
        return trip.to, Says.TRIP
    if override.mode is not None:
        return override.mode, Says.FILE
    return route.mode, Says.POLICY


def _share(route: Route, override: Override, *, has_secret: bool) -> float:
    """Return the enforced share; one from the file counts only where it can be sticky."""
    share = override.share
    if share is None or (share < 1 and not can_share(route, has_secret=has_secret)):
        return route.share
    return share


def can_share(route: Route, *, has_secret: bool) -> bool:
    """Tell whether a route can be enforced for a part of its users."""
    return route.share_key is not None and has_secret


class Window:
    """The last enforced decisions of a route in this process."""

    def __init__(self, trip: Trip) -> None:
        self.trip = trip
        self._last: deque[bool] = deque(maxlen=trip.of_last)
        self._blocked = 0

    def add(self, *, was_blocked: bool) -> Tripped | None:
        """Count a decision; returns the trip once the window is full and holds too many blocks."""
        full = len(self._last) == self.trip.of_last
        self._blocked += was_blocked - (self._last[0] if full else 0)
        self._last.append(was_blocked)
        n = len(self._last)
        if n < self.trip.of_last or self._blocked <= self.trip.blocked_share * n:
            return None
        return Tripped(to=self.trip.to, blocked=self._blocked, of=n)
