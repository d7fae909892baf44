"""Run-time changes as one worker sees them: both files watched by a thread, trips counted.

``now`` and ``blocked`` touch memory only and may be called from the event loop. All else, files
and loading, happens in ``poll``, which a thread calls each half second. A file that is broken,
half written or not valid leaves what runs as it is.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from gatekeeper.config.combinations import SECRET_VARIABLE
from gatekeeper.config.modefile import (
    EMPTY,
    Change,
    ModeFile,
    Tripped,
    change_mode_file,
    read_mode_file,
)
from gatekeeper.config.standing import Standing, Surroundings, Window, can_share, stand
from gatekeeper.config.words import shown
from gatekeeper.errors import GatekeeperError
from gatekeeper.policy import Policy, Route, Trip
from gatekeeper.protocols import Control

POLL_S = 0.5

# File identity: a replaced file has another inode, a rewritten one another time or size.
Stamp = tuple[int, int, int] | None


class Watched(Protocol):
    """Who is told of run-time changes. Never raises and never blocks; called from any thread."""

    def reloaded(self, what: str, outcome: str, reason: str) -> None:
        """Hear of a changed file.

        Args:
            what: "policy" or "mode_file".
            outcome: "applied", "invalid" or "unwritable" (a trip that can't be saved).
            reason: For people: what is wrong, or what was applied only in part.
        """
        ...

    def tripped(self, route: str, trip: Tripped) -> None:
        """Hear of a trip that happened in this process."""
        ...

    def stands(self, route: str, standing: Standing) -> None:
        """Hear of what holds for a route, at the start and after each change."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """What is watched: the run-time file, and the policy file with how it is loaded."""

    mode_file: Path
    policy_file: Path
    load: Callable[[], Policy]


class LiveControls:
    """Implements ``Controls`` for one process. ``poll`` is for its own thread, or for a test.

    Args:
        policy: The policy as loaded.
        around: Gives what holds for all routes of a policy: environment, secret, calibration.
        watched: Is told of changes.
        files: What is watched; None for a policy made in Python, whose trips end with the process.
        utc_now: The time that a trip is marked with.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        around: Callable[[Policy], Surroundings],
        watched: Watched,
        files: Files | None = None,
        utc_now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._around_of = around
        self._watched = watched
        self._files = files
        self._utc_now = utc_now
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._file = EMPTY
        self._windows: dict[str, Window] = {}
        # Trips of this process, each with the count of resets it came after.
        self._trips: dict[str, tuple[Tripped, int]] = {}
        self._unsaved: set[str] = set()
        self._standings: Mapping[str, Standing] = {}
        self._policy_stamp = None if files is None else _stamp(files.policy_file)
        self._mode_stamp: Stamp = None
        self._policy, self._around = policy, around(policy)
        self._settle()
        if files is not None:
            self._poll_mode_file(files)

    @property
    def policy(self) -> Policy:
        """The policy that runs: the last valid one."""
        return self._policy

    def now(self, route: Route) -> Control:
        """Return what holds for the route at this moment."""
        standing = self._standings.get(route.path)
        if standing is None:  # a request under way on a route that a reload took out
            standing = stand(route, EMPTY.override(route.path), self._around)
        return standing.control

    def blocked(self, route: Route, *, was_blocked: bool) -> None:
        """Count an enforced decision towards the route's trip."""
        with self._lock:
            window = self._windows.get(route.path)
            trip = None if window is None else window.add(was_blocked=was_blocked)
            if trip is None or route.path in self._trips:
                return
            trip = replace(trip, at=self._utc_now().isoformat(timespec="seconds"))
            self._trips[route.path] = (trip, self._file.override(route.path).resets)
        self._watched.tripped(route.path, trip)
        self._settle()
        self._wake.set()

    def renew(self) -> None:
        """Ask again what holds for all routes, after it changed."""
        with self._lock:
            self._around = self._around_of(self._policy)
        self._settle()

    def start(self) -> None:
        """Begin to watch in a thread; a thread that was lost to a fork is replaced."""
        if self._files is None or (self._thread is not None and self._thread.is_alive()):
            return
        self._closed = False
        self._thread = threading.Thread(target=self._watch, name="gatekeeper-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; blocking until a poll under way is done."""
        self._closed = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def poll(self) -> None:
        """Look at both files and save the trips of this process. Blocking."""
        if self._files is not None:
            self._poll_policy(self._files)
            self._poll_mode_file(self._files)
            self._save_trips(self._files)

    def _watch(self) -> None:
        while not self._closed:
            self._wake.wait(POLL_S)
            self._wake.clear()
            self.poll()

    def _poll_policy(self, files: Files) -> None:
        stamp = _stamp(files.policy_file)
        if stamp == self._policy_stamp:
            return
        self._policy_stamp = stamp
        try:
            policy = files.load()
            with self._lock:
                self._around, self._policy = self._around_of(policy), policy
        except GatekeeperError as error:
            self._watched.reloaded("policy", "invalid", str(error))
            return
        self._settle()
        self._watched.reloaded("policy", "applied", "")

    def _poll_mode_file(self, files: Files) -> None:
        stamp = _stamp(files.mode_file)
        if stamp == self._mode_stamp:
            return
        self._mode_stamp = stamp
        try:
            file = read_mode_file(files.mode_file)
        except GatekeeperError as error:
            self._watched.reloaded("mode_file", "invalid", str(error))
            return
        with self._lock:
            self._end_trips(file)
            self._file = file
        self._settle()
        remarks = remarks_on(file, self._policy, self._around)
        self._watched.reloaded("mode_file", "applied", "; ".join(remarks))

    def _end_trips(self, file: ModeFile) -> None:
        """Forget the trips that a person has reset, and the decisions that led to them."""
        for path in [*self._windows]:
            resets = file.override(path).resets
            if resets > self._file.override(path).resets:
                del self._windows[path]
            if path in self._trips and resets > self._trips[path][1]:
                del self._trips[path]
                self._unsaved.discard(path)

    def _save_trips(self, files: Files) -> None:
        """Write the trips that the file doesn't have; one that can't be written is tried again."""
        for path, (trip, resets) in [*self._trips.items()]:
            if self._file.override(path).trip is not None:
                continue
            try:
                change_mode_file(files.mode_file, with_trip(path, trip, resets))
            except GatekeeperError as error:
                if path not in self._unsaved:
                    self._unsaved.add(path)
                    self._watched.reloaded("mode_file", "unwritable", str(error))

    def _settle(self) -> None:
        """Work out what holds now and tell of what changed."""
        with self._lock:
            before = self._standings
            self._standings = {route.path: self._stand(route) for route in self._policy.routes}
            self._windows = {
                route.path: self._window(route.path, route.trip)
                for route in self._policy.routes
                if route.trip is not None
            }
        for path, standing in self._standings.items():
            if before.get(path) != standing:
                self._watched.stands(path, standing)

    def _stand(self, route: Route) -> Standing:
        trip, _ = self._trips.get(route.path, (None, 0))
        return stand(route, self._file.override(route.path), self._around, trip=trip)

    def _window(self, path: str, trip: Trip) -> Window:
        """Return a route's window, a new one if its trip was set otherwise."""
        window = self._windows.get(path)
        return window if window is not None and window.trip == trip else Window(trip)


def with_trip(path: str, trip: Tripped, resets: int) -> Change:
    """Return the change that notes a trip, unless a person has reset the route since."""

    def change(file: ModeFile) -> ModeFile:
        said = file.override(path)
        if said.resets > resets or said.trip is not None:
            return file
        return file.with_override(path, replace(said, trip=trip, resets=resets))

    return change


def remarks_on(file: ModeFile, policy: Policy, around: Surroundings) -> list[str]:
    """Return what of a run-time file that is valid by itself can't be kept."""
    remarks = []
    routes = {route.path: route for route in policy.routes}
    for path, said in file.routes.items():
        if path not in routes:
            remarks.append(f"{shown(path)} is no route of the policy")
            continue
        partial = said.share is not None and said.share < 1
        if partial and not can_share(routes[path], has_secret=around.has_secret):
            remarks.append(f"the share of {shown(path)} needs share_key and {SECRET_VARIABLE}")
    return remarks


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
