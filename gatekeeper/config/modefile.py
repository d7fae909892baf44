"""The run-time file: mode and share of routes, and their trips, beside the policy.

One JSON file that every worker polls. It is replaced whole, so a reader sees the old one or the
new one; who changes it holds a lock, so two changes at once both count.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from gatekeeper.config.keys import MODES
from gatekeeper.config.reader import Faults, Table
from gatekeeper.config.words import shown
from gatekeeper.errors import ConfigurationError, InputError
from gatekeeper.evaluation.replacing import replace_file
from gatekeeper.policy import Mode

if sys.platform != "win32":  # pragma: no branch - the other branch is for Windows
    import fcntl

FORMAT = 1
MAX_BYTES = 1_000_000

_KEYS = ("format", "policy", "routes")
_ROUTE_KEYS = ("mode", "share", "trip", "resets")
_TRIP_KEYS = ("to", "blocked", "of", "at")
_TRIP_MODES = {word: MODES[word] for word in ("off", "shadow")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tripped:
    """A trip that happened: ``blocked`` of the last ``of`` decisions; ``at`` is a UTC time."""

    to: Mode
    blocked: int
    of: int
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """What the run-time file says of a route; None leaves it to the policy.

    ``resets`` counts how often a person ended a trip: a trip of before the last reset is over,
    whichever worker still remembers it.
    """

    mode: Mode | None = None
    share: float | None = None
    trip: Tripped | None = None
    resets: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeFile:
    """The run-time file as a value; ``policy`` is the hash of the policy it was written for."""

    policy: str = ""
    routes: Mapping[str, Override] = field(default_factory=lambda: MappingProxyType({}))

    def override(self, path: str) -> Override:
        """Return what is said of a route."""
        return self.routes.get(path, _NOTHING)

    def with_override(self, path: str, override: Override) -> "ModeFile":
        """Return the file with one route changed; a route about which nothing is said is left out.

        The hash of the policy stays.
        """
        changed = {**self.routes, path: override}
        kept = {name: said for name, said in changed.items() if said != _NOTHING}
        return ModeFile(policy=self.policy, routes=MappingProxyType(kept))


_NOTHING = Override()
EMPTY = ModeFile()

Change = Callable[[ModeFile], ModeFile]


def mode_path(policy: Path) -> Path:
    """Return where the run-time file of a policy stands: ``gatekeeper.mode.json`` beside it."""
    return policy.with_suffix(".mode.json")


def parse_mode_file(data: bytes) -> ModeFile:
    """Turn the bytes of a run-time file into its value.

    Raises:
        ConfigurationError: With every fault, if it is not a whole and valid one.
    """
    faults = Faults()
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError) as error:
        faults.note("file", f"no JSON: {error}", "JSON")
        raw = None
    if not faults.all and not isinstance(raw, dict):
        faults.note("file", shown(raw), "an object")
    parsed = _file(Table(raw, "", faults)) if isinstance(raw, dict) else EMPTY
    if faults.all:
        raise ConfigurationError("run-time file", faults.all)
    return parsed


def read_mode_file(path: Path) -> ModeFile:
    """Read a run-time file; one that does not exist says nothing.

    Raises:
        ConfigurationError: If it is not a whole and valid one.
        InputError: If it can't be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return EMPTY
    except OSError as error:
        raise InputError(str(path), _reason(error), "a readable file") from error
    return parse_mode_file(data[:MAX_BYTES])


def change_mode_file(path: Path, change: Change) -> ModeFile:
    """Read, change and replace a run-time file, one writer at a time. Blocking.

    Raises:
        ConfigurationError: If what stands there is not a valid one.
        InputError: If it can't be read or written.
    """
    try:
        with _locked(path):
            changed = change(read_mode_file(path))
            replace_file(path, _record(changed))
    except OSError as error:
        raise InputError(str(path), _reason(error), "a folder that can be written") from error
    return changed


def _file(table: Table) -> ModeFile:
    table.refuse_unknown(_KEYS)
    if table.raw.get("format") != FORMAT:
        table.faults.note("format", shown(table.raw.get("format", "nothing")), str(FORMAT))
    routes = table.table("routes", "{}")
    named = {} if routes is None else {path: routes.table(path, "{}") for path in routes.raw}
    return ModeFile(
        policy=table.text("policy") or "",
        routes=MappingProxyType(
            {path: _override(entry) for path, entry in named.items() if entry is not None}
        ),
    )


def _override(entry: Table) -> Override:
    entry.refuse_unknown(_ROUTE_KEYS)
    return Override(
        mode=entry.choice("mode", MODES, None),
        share=_share(entry),
        trip=_trip(entry),
        resets=entry.integer("resets", 0),
    )


def _trip(entry: Table) -> Tripped | None:
    table = entry.table("trip", "{}")
    if table is None:
        return None
    table.refuse_unknown(_TRIP_KEYS)
    return Tripped(
        to=table.choice("to", _TRIP_MODES, Mode.SHADOW),
        blocked=table.integer("blocked", 0),
        of=table.integer("of", 0),
        at=table.text("at") or "",
    )


def _share(entry: Table) -> float | None:
    if entry.raw.get("share") is None:
        return None
    value = float(entry.number("share", 1.0))
    if not 0 <= value <= 1:
        entry.faults.note(entry.at("share"), shown(value), "a number from 0 to 1")
    return value


def _record(file: ModeFile) -> bytes:
    routes = {path: _said(override) for path, override in file.routes.items()}
    record = {"format": FORMAT, "policy": file.policy, "routes": routes}
    return (json.dumps(record, indent=2) + "\n").encode()


def _said(override: Override) -> dict[str, object]:
    names = ("mode", "share", "resets")
    said = {name: getattr(override, name) for name in names}
    trip = override.trip
    said["trip"] = None if trip is None else {name: getattr(trip, name) for name in _TRIP_KEYS}
    return {key: value for key, value in said.items() if value is not None}


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock on the folder: the file itself gets replaced, and another would be left over.

    Windows has no such lock; two writers within a few milliseconds may lose one change there.
    """
    if sys.platform == "win32":  # pragma: no cover - Windows only
        yield
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _reason(error: OSError) -> str:
    return (error.strerror or "an error").lower()
