"""Which gated paths the app behind the gate knows: a mistyped one would gate nothing, silently."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from starlette.routing import BaseRoute, Host, Match

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def unmatched(app: "ASGIApp", paths: Iterable[str]) -> list[str]:
    """Return the paths that no route of the app answers, by any method.

    Empty for an app that doesn't say its routes, as Starlette's and FastAPI's do in ``routes``;
    they are found through the ``app`` of middleware around it.
    """
    routes = _routes(app)
    return [] if routes is None else [path for path in paths if not _is_known(path, routes)]


def _routes(app: object) -> Sequence[BaseRoute] | None:
    """Return the routes of an app, perhaps inside others; None if it doesn't say them."""
    while app is not None:
        routes = getattr(app, "routes", None)
        if isinstance(routes, list) and all(isinstance(route, BaseRoute) for route in routes):
            return routes
        app = getattr(app, "app", None)
    return None


def _is_known(path: str, routes: Sequence[BaseRoute]) -> bool:
    """Tell whether a path leads somewhere, with or without a slash at the end: both are gated."""
    bare = path.rstrip("/")
    return any(_leads(_scope(spelling), routes) for spelling in (path, bare, f"{bare}/"))


def _leads(scope: dict[str, Any], routes: Sequence[BaseRoute]) -> bool:
    for route in routes:
        if isinstance(route, Host):  # which names lead here is not known
            return True
        match, child = route.matches(scope)
        inner = _routes(getattr(route, "app", None))
        if match is not Match.NONE and (not inner or _leads({**scope, **child}, inner)):
            return True
    return False


def _scope(path: str) -> dict[str, Any]:
    """Return a scope as a server makes it: routes of one's own may look at any of it."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [],
        "client": None,
        "server": None,
    }
