"""The tour of the demo: one request for each thing a gate does, and what comes back.

Printer and tests use this one table, so what is printed is what happens.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One request and its response.

    ``shows`` are pieces of the response body, letter by letter, in the order they stand there.
    ``body`` is None for GET. ``note`` says in a sentence why the response is what it is.
    """

    title: str
    path: str
    body: Mapping[str, object] | None
    status: int
    shows: tuple[str, ...]
    note: str

    def curl(self, base: str) -> str:
        """Return the command line that makes the request."""
        if self.body is None:
            return f"curl -s {base}{self.path}"
        data = shlex.quote(json.dumps(self.body))
        return f"curl -s {base}{self.path} -H 'content-type: application/json' -d {data}"


TOUR: tuple[Stop, ...] = ()


def lines(base: str) -> Iterator[str]:
    """Yield the tour as text: the command and below it what it will say."""
    for number, stop in enumerate(TOUR, 1):
        yield f"{number}. {stop.title}"
        yield f"   {stop.curl(base)}"
        yield f"   -> {stop.status} {' ... '.join(stop.shows)}"
        yield f"   {stop.note}"
        yield ""
