"""The gated routes of the policy that runs, made ready once for each policy."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gatekeeper.asgi.evidence import Sources, prepare
from gatekeeper.asgi.paths import Paths
from gatekeeper.asgi.services import Checker, Services
from gatekeeper.errors import InputError
from gatekeeper.policy import Policy, Route

if TYPE_CHECKING:
    from starlette.types import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Gated:
    """A route, its sources and its gate, ready for use."""

    route: Route
    sources: Sources
    gate: Checker

    @property
    def request_limit(self) -> int | None:
        """How much of the request body has to be kept; None for none of it."""
        route = self.route
        by_request = route.share_key is not None and route.share_key.request is not None
        is_read = self.sources.read_request or self.sources.resolvers or route.question
        return route.bounds.request_bytes if is_read or by_request else None


class Routes:
    """Finds the route of a request in the policy that runs now.

    Args:
        running: Returns that policy; another object is another policy.
        services: Gives a route its gate.
        prefix: A mount prefix that the app puts into the scope by itself, behind the gate.

    Raises:
        InputError: If a file or function that the first policy names can't be had. A later policy
            that fails so is not taken up.
    """

    def __init__(self, running: Callable[[], Policy], services: Services, prefix: str = "") -> None:
        self._running = running
        self._services = services
        self._prefix = prefix
        self._seen = running()
        self._paths = self._ready(self._seen)

    def find(self, scope: "Scope") -> Gated | None:
        """Return the route of an ``http`` scope, None if it is not gated."""
        policy = self._running()
        if policy is not self._seen:
            self._take_up(policy)
        found = self._paths.find(scope)
        if found is None and self._prefix:
            return self._paths.find(scope, self._prefix)
        return found

    def _take_up(self, policy: Policy) -> None:
        self._seen = policy
        try:
            self._paths = self._ready(policy)
        except InputError:
            # Whoever reloads has checked it; a file lost since then leaves what ran.
            return

    def _ready(self, policy: Policy) -> Paths[Gated]:
        gate_for = self._services.gate_for
        return Paths(
            (
                route.path,
                Gated(
                    route=route,
                    sources=prepare(route),
                    gate=self._services.gate if gate_for is None else gate_for(route),
                ),
            )
            for route in policy.routes
        )
