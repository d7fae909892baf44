"""Which route a request falls under: by the path the app routes by, with no way round.

Frameworks differ in what they take for the same path: Starlette's route patterns let a line feed
at the end pass, others squeeze slashes, drop the last one or ignore case, and an app that passes
requests on may decode once more, resolve dots or cut off a query. All of these fall under the
policy, for a request gated in vain (the app answers 404 or redirects) costs nothing.
"""

import re
from collections.abc import Iterable
from posixpath import normpath
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import unquote

if TYPE_CHECKING:
    from starlette.types import Scope

T = TypeVar("T")

_SLASHES = re.compile("/+")
_QUERY = re.compile("[?#]")
_DECODINGS = 3


class Paths(Generic[T]):
    """Finds what belongs to a path; the first one given for it wins."""

    def __init__(self, routes: Iterable[tuple[str, T]]) -> None:
        self._routes: dict[str, T] = {}
        for path, route in routes:
            self._routes.setdefault(_fold(path), route)

    def find(self, scope: "Scope", root: str | None = None) -> T | None:
        """Return what belongs to the path of an ``http`` scope, None if it is not gated.

        Args:
            scope: Its ``path`` and ``root_path`` are looked at.
            root: The mount prefix, if not the one in the scope.
        """
        path: str = scope["path"]
        if root is None:
            root = scope.get("root_path", "")
        if root:
            path = below(root, path)
        if "%" in path or "?" in path or "#" in path or "/." in path:
            path = _spelled_out(path)
        # As ``_fold``, in place: every request passes here, gated or not.
        return self._routes.get(_SLASHES.sub("/", path.strip()).rstrip("/").casefold())


def below(root: str, path: str) -> str:
    """Return a path without its mount prefix: the rule of ASGI as Starlette applies it."""
    if path.startswith(root) and path[len(root) : len(root) + 1] in ("", "/"):
        return path[len(root) :]
    return path


def _spelled_out(path: str) -> str:
    """Return the path an app may come to that decodes again, resolves dots or cuts a query off."""
    for _ in range(_DECODINGS):
        path = unquote(path)
    return normpath(_QUERY.split(path, maxsplit=1)[0])


def _fold(path: str) -> str:
    """Return the spelling that all spellings of a path share."""
    return _SLASHES.sub("/", path.strip()).rstrip("/").casefold()
