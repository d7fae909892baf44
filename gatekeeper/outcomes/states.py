"""What the metrics page says of the store, for all workers alike: rates, labels, what waits.

The same store gives the same numbers, whichever worker is asked: draws are seeded, windows begin on
a full hour and end with the last decision. Decisions of hours that are over are counted once a
worker; each time their number is held against the store's, so that one written late is found.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, func, select

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.counts import (
    Cell,
    Counts,
    Labelled,
    Size,
    read_all_labelled,
    read_blockers,
    read_sizes,
    tally,
)
from gatekeeper.outcomes.estimate import Estimates, estimate_rates
from gatekeeper.outcomes.review import WEEKS
from gatekeeper.outcomes.schema import DECISIONS
from gatekeeper.outcomes.standing import StandingStore
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.words import DAY_MS, Band, week_of, week_start_ms

WINDOWS = {"7d": 7, "28d": 28}
BOUNDS = ("point", "low", "high", "low999", "high999")

_HOUR_MS = 3_600_000
_LONGEST = max(WINDOWS, key=lambda window: WINDOWS[window])

# Of the last decision the time is that of another machine, and may be ahead of this one's.
_END_OF_TIME_MS = 1 << 62

Sizes = dict[Cell, Size]


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteStates:
    """What the store says of a route.

    ``rates`` are by name, bound and window; what is not known is not in there. ``labels`` are the
    labelled decisions, by side, that the rates of the longest window count, ``waiting`` the kept
    ones without a label.
    """

    rates: Mapping[tuple[str, str, str], float]
    labels: Mapping[Side, int]
    waiting: Mapping[Side, int]


class States:
    """Reads the states of a store, which it opens when first asked; for one thread at a time.

    Args:
        open_store: Opens the store.
        fingerprint: Of the running scorer.
        file: The database, if it is a file, which is not made by looking into it.
    """

    def __init__(
        self, open_store: Callable[[], Store], *, fingerprint: str, file: Path | None = None
    ) -> None:
        self._fingerprint = fingerprint
        self._hours: dict[str, Hours] = {}
        self._standing = StandingStore(open_store, file=file, replaced=self._hours.clear)
        self._rates: dict[tuple[str, str], tuple[object, Estimates]] = {}

    def read(
        self, routes: Sequence[str], now_ms: int, *, answered: Callable[[], None] = lambda: None
    ) -> Mapping[str, RouteStates]:
        """Return the states of routes.

        Args:
            routes: Their paths.
            now_ms: The time.
            answered: Called when the store has answered anything.

        Raises:
            StoreError: If the store can't be read.
        """
        with self._standing.get().transaction() as connection:
            connection.execute(select(DECISIONS.c.id).limit(1))
            answered()
            begin_ms = min(_first_hour(now_ms) * _HOUR_MS, week_start_ms(week_of(now_ms) - WEEKS))
            labelled = read_all_labelled(connection, routes, begin_ms, _END_OF_TIME_MS)
            return {
                route: self._route(connection, route, now_ms, of_it)
                for route, of_it in labelled.items()
            }

    def close(self) -> None:
        """Close the store; what was counted is kept."""
        self._standing.close()

    def _route(
        self, connection: Connection, route: str, now_ms: int, labelled: Sequence[Labelled]
    ) -> RouteStates:
        hour = now_ms // _HOUR_MS
        starts = {window: hour - days * DAY_MS // _HOUR_MS for window, days in WINDOWS.items()}
        hours = self._hours.setdefault(route, Hours(route))
        hours.read(connection, starts[_LONGEST], hour)
        blockers = read_blockers(connection, route, labelled)
        counts = {
            window: tally(
                hours.since(start),
                [one for one in labelled if one.at_ms >= start * _HOUR_MS],
                blockers,
                fingerprint=self._fingerprint,
            )
            for window, start in starts.items()
        }
        found = {
            (str(rate), bound, window): value
            for window, count in counts.items()
            for rate, estimate in self._estimates(route, window, count).items()
            for bound in BOUNDS
            if (value := getattr(estimate, bound)) is not None
        }
        return RouteStates(
            rates=found,
            labels=_by_side((s.side, s.labelled) for s in counts[_LONGEST].strata),
            waiting=_waiting(connection, route, week_of(now_ms) - WEEKS, labelled),
        )

    def _estimates(self, route: str, window: str, counts: Counts) -> Estimates:
        """Return the rates, drawn again only if a count has changed."""
        of = (counts.strata, counts.delivered)
        known = self._rates.get((route, window))
        if known is None or known[0] != of:
            known = self._rates[route, window] = (of, estimate_rates(*of))
        return known[1]


class Hours:
    """The decisions of a route by hour (since 1970) and cell; those of past hours are kept."""

    def __init__(self, route: str) -> None:
        self._route = route
        self._past: dict[int, Sizes] = {}
        self._until = 0
        self._now: Sizes = {}

    def read(self, connection: Connection, first: int, now: int) -> None:
        """Read the hours from ``first`` on that are not known; ``now`` is not over yet."""
        self._past = {hour: sizes for hour, sizes in self._past.items() if first <= hour < now}
        begin = min(max(first, self._until), now)
        known = sum(size.decisions for sizes in self._past.values() for size in sizes.values())
        if known != self._count(connection, first, begin):
            self._past, begin = {}, first
        self._now = {}
        since = (DECISIONS.c.route == self._route, DECISIONS.c.at_ms >= begin * _HOUR_MS)
        for hour, cell, size in read_sizes(connection, since, every_ms=_HOUR_MS):
            if hour < now:
                self._past.setdefault(hour, {})[cell] = size
            else:
                self._now[cell] = _sum(self._now.get(cell), size)
        self._until = now

    def since(self, first: int) -> Sizes:
        """Return the sizes from an hour on."""
        found = dict(self._now)
        for hour, sizes in self._past.items():
            if hour >= first:
                for cell, size in sizes.items():
                    found[cell] = _sum(found.get(cell), size)
        return found

    def _count(self, connection: Connection, first: int, end: int) -> int:
        query = select(func.count()).where(
            DECISIONS.c.route == self._route,
            DECISIONS.c.at_ms >= first * _HOUR_MS,
            DECISIONS.c.at_ms < end * _HOUR_MS,
        )
        return connection.execute(query.select_from(DECISIONS)).scalar_one()


def _first_hour(now_ms: int) -> int:
    return now_ms // _HOUR_MS - WINDOWS[_LONGEST] * DAY_MS // _HOUR_MS


def _sum(one: Size | None, other: Size) -> Size:
    if one is None:
        return other
    return Size(one.decisions + other.decisions, max(one.last_ms, other.last_ms))


def _waiting(
    connection: Connection, route: str, oldest: int, labelled: Sequence[Labelled]
) -> Mapping[Side, int]:
    """Return, by side, the decisions in the queue, whose first week is ``oldest``, unlabelled."""
    # All values of what the index begins with, so that only kept decisions are looked at.
    rows = connection.execute(
        select(DECISIONS.c.side, func.count())
        .where(
            DECISIONS.c.route == route,
            DECISIONS.c.week.in_(range(oldest, oldest + WEEKS + 2)),
            DECISIONS.c.side.in_([str(side) for side in Side]),
            DECISIONS.c.band.in_([str(band) for band in Band]),
            DECISIONS.c.kept,
        )
        .group_by(DECISIONS.c.side)
    )
    kept = [(Side(side), int(n)) for side, n in rows]
    done = [Side(one.cell.side) for one in labelled if one.kept and one.cell.week >= oldest]
    return _by_side([*kept, *((side, -1) for side in done)])


def _by_side(parts: Iterable[tuple[Side, int]]) -> Mapping[Side, int]:
    found: Counter[Side] = Counter()
    for side, n in parts:
        found[side] += n
    return {side: found[side] for side in Side}
