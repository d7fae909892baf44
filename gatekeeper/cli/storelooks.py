"""What ``doctor`` looks at in the outcome store and the review page: would a server start?

Nothing is made or changed: a file that is not there yet stays so.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from gatekeeper.cli.probes import Finding, State
from gatekeeper.errors import StoreError
from gatekeeper.policy import Keep, Outcomes, Review, sqlite_file


def store_findings(
    outcomes: Outcomes | None, routes: Sequence[str], now_ms: int
) -> Iterator[Finding]:
    """Yield whether decisions can be stored, and shares to keep that don't hold yet.

    Raises:
        StoreError: If they can't.
    """
    if outcomes is None:
        return
    _part("gatekeeper.outcomes.store")
    file = store_file(outcomes)
    if file is not None and not file.exists():
        yield _to_be_made(file)
        return
    if file is not None and not os.access(file, os.R_OK | os.W_OK):
        fault = f"{file} can't be written"
        raise StoreError(fault, "give it to the user that the server runs as")
    words = import_module("gatekeeper.outcomes.words")
    week = words.week_of(now_ms)
    seen = _part("gatekeeper.outcomes.looking").look(outcomes.url, routes, week)
    text = "the server answers" if file is None else f"{file} can be written"
    if not seen.version:
        text += "; its tables are made at the first start"
    yield Finding(state=State.OK, name="store", text=text)
    begins = datetime.fromtimestamp(words.week_start_ms(week + 1) / 1000, tz=UTC).date()
    for route, keep in seen.keeps.items():
        if keep != outcomes.keep:
            text = f"{route}: {_differences(keep, outcomes.keep)} from {begins} on"
            yield Finding(state=State.WARN, name="keep", text=text)


def review_findings(review: Review | None) -> Iterator[Finding]:
    """Yield where the review page is; that its people are read, the policy's faults say.

    Raises:
        StoreError: If what it takes is not installed.
    """
    if review is not None:
        _part("gatekeeper.review.app")
        text = f"page at {review.path}, people in {review.tokens}"
        yield Finding(state=State.OK, name="review", text=text)


def store_file(outcomes: Outcomes) -> Path | None:
    """Return the file of a store, None for a server's."""
    url = outcomes.url
    path = sqlite_file(url)
    return None if path is None else Path(path)


def _to_be_made(file: Path) -> Finding:
    """Say whether a server could make the file."""
    folder = file.parent
    if not folder.is_dir():
        raise StoreError(f"{file}: no such folder", f"make {folder}, or name another in url")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreError(f"{file}: nothing can be made in the folder", "name another in url")
    text = f"{file} is not there yet; the first start makes it"
    return Finding(state=State.OK, name="store", text=text)


def _differences(now: Keep, wanted: Keep) -> str:
    """Return the shares of this week that are not the policy's."""
    there, asked = asdict(now), asdict(wanted)
    other = [name for name in there if there[name] != asked[name]]
    held = ", ".join(f"{name} {there[name]:g}" for name in other)
    waits = ", ".join(f"{name} {asked[name]:g}" for name in other)
    return f"this week keeps {held}; those of the policy, {waits}, hold"


def _part(name: str) -> Any:
    return import_module("gatekeeper.recording").optional_part(name)
