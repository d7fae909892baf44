"""The middleware: what is not gated passes, what is gets a call and a responder of its own.

Pure ASGI. The instance is configuration; nothing on it is written after it was made. Belongs
inside compressing middleware (or that compresses what the gate then has to undo) and outside
nothing in particular: it passes on every kind of scope it does not know.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gatekeeper.asgi.call import Call, Wire, record_off
from gatekeeper.asgi.lifespan import Lifespan, Step
from gatekeeper.asgi.responder import Responder
from gatekeeper.asgi.routes import Gated, Routes
from gatekeeper.asgi.services import Services
from gatekeeper.policy import Mode, Policy

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

# Shadow checks get this long to end at shutdown; what is left then is counted as unresolved.
_DRAIN_S = 5.0


class GatekeeperMiddleware:
    """A gate in front of an ASGI app.

    Args:
        app: The app whose answers are checked.
        policy: Which of them, and what happens then; a function of none is asked for the policy
            that runs, at each request.
        services: The gate, its judge, the run-time controls and the counters.
        startup: Loads, warms and tests the gate, at ``lifespan.startup``; if it raises and a
            route is enforced, startup fails. Without lifespan the judge has to load by itself.
        shutdown: Closes the gate, at ``lifespan.shutdown``, after the app.

    Raises:
        InputError: If a file or function that the policy names can't be had.
    """

    def __init__(
        self,
        app: "ASGIApp",
        *,
        policy: Policy | Callable[[], Policy],
        services: Services,
        startup: Step | None = None,
        shutdown: Step | None = None,
    ) -> None:
        self.app = app
        self._services = services
        self._shutdown = shutdown
        running = policy if callable(policy) else lambda: policy
        self._routes = Routes(running, services, _prefix(app))
        self._lifespan = Lifespan(
            startup or _nothing,
            self._close,
            must_start=lambda: any(
                services.controls.now(route).mode is Mode.ENFORCE for route in running().routes
            ),
        )

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass through what is not gated; answer for what is."""
        kind = scope["type"]
        if kind == "http":
            gated = self._routes.find(scope)
            if gated is not None:
                await self._gate(gated, Wire(scope, receive, send))
                return
        elif kind == "lifespan":
            await self._lifespan.run(self.app, scope, receive, send)
            return
        elif kind == "websocket":
            self._services.telemetry.websocket()
        await self.app(scope, receive, send)

    async def _gate(self, gated: Gated, wire: Wire) -> None:
        """Serve a request on a gated route in the mode that holds now."""
        control = self._services.controls.now(gated.route)
        if control.mode is Mode.OFF:
            record_off(gated.route, self._services)
            await self.app(*wire)
        else:
            await Responder(Call(gated, self._services, wire, control)).run(self.app)

    async def _close(self) -> None:
        """Let shadow checks end, then close the gate."""
        await self._services.shadows.drain(_DRAIN_S)
        if self._shutdown is not None:
            await self._shutdown()


def _prefix(app: object) -> str:
    """Return the ``root_path`` that a FastAPI app, perhaps inside others, gives its requests.

    With it the app also routes paths that begin with it, which the scope does not show here.
    """
    while app is not None:
        prefix = getattr(app, "root_path", "")
        if isinstance(prefix, str) and prefix:
            return prefix
        app = getattr(app, "app", None)
    return ""


async def _nothing() -> None:
    """Be ready as it is."""
