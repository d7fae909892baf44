"""Hands decisions to reviewers: sides mixed, each stratum in the order of its random numbers."""

import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.records import Texts
from gatekeeper.outcomes.sampling import MIX
from gatekeeper.outcomes.schema import DECISIONS, LABELS, TEXTS
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.words import Band, week_of

# The longest window of the rates; what is older changes none of them.
WEEKS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A decision to label, without anything that the gate thought of it.

    ``texts`` is None where none were stored: the reviewer finds them elsewhere, by the id.
    """

    decision: str
    route: str
    at_ms: int
    seen_ms: int
    texts: Texts | None


class Progress(NamedTuple):
    """Kept decisions of a stratum: with a label, and waiting for this reviewer."""

    route: str
    week: int
    side: Side
    band: Band
    labelled: int
    waiting: int


_KEY = (DECISIONS.c.route, DECISIONS.c.week, DECISIONS.c.side, DECISIONS.c.band)

_in_force = and_(LABELS.c.decision_id == DECISIONS.c.id, LABELS.c.undone_ms.is_(None))
_labels = select(func.count()).select_from(LABELS).where(_in_force).scalar_subquery()
_views = select(func.count(LABELS.c.truth.distinct())).where(_in_force).scalar_subquery()


class Queue:
    """What waits for review.

    Args:
        store: The store.
        draw: Random numbers in [0, 1): which side comes next must not be known from what came.
    """

    def __init__(self, store: Store, *, draw: Callable[[], float] | None = None) -> None:
        self._store = store
        self._draw = draw or random.SystemRandom().random

    def progress(self, reviewer: str, routes: Sequence[str], *, now_ms: int) -> list[Progress]:
        """Return the strata of the last weeks that have kept decisions."""
        with self._store.transaction() as connection:
            return _progress(connection, reviewer, routes, week_of(now_ms))

    def take(
        self, reviewer: str, routes: Sequence[str], *, now_ms: int, count: int = 1
    ) -> list[Item]:
        """Return the next decisions for a reviewer, in the order to label them in.

        Those that one person labelled and two are to, and those that two people differ on, come
        back for the next one.
        """
        return [*self.walk(reviewer, routes, now_ms=now_ms, count=count)]

    def walk(
        self, reviewer: str, routes: Sequence[str], *, now_ms: int, count: int
    ) -> Generator[Item]:
        """Yield what ``take`` returns, each read when it is asked for; close it before its end."""
        with self._store.transaction() as connection:
            strata = _progress(connection, reviewer, routes, week_of(now_ms))
            pools = {
                stratum: _waiting(connection, reviewer, stratum, count)
                for stratum in strata
                if stratum.waiting
            }
            chosen = self._choose(pools, count)
            for decision in chosen:
                yield _item(connection, decision, now_ms)

    def _choose(self, pools: dict[Progress, list[str]], count: int) -> list[str]:
        """Pick by the mix of sides, then from the week with the fewest labels, the last one."""
        taken = dict.fromkeys(pools, 0)
        chosen: list[str] = []
        while len(chosen) < count:
            open_ = [stratum for stratum, pool in pools.items() if pool]
            if not open_:
                break
            cells = sorted({(stratum.side, stratum.band) for stratum in open_})
            point = self._draw() * sum(MIX[cell] for cell in cells)
            for cell in cells:
                point -= MIX[cell]
                if point < 0:
                    break
            stratum = min(
                (one for one in open_ if (one.side, one.band) == cell),
                key=lambda one: (one.labelled + taken[one], -one.week, one.route),
            )
            taken[stratum] += 1
            chosen.append(pools[stratum].pop(0))
        return chosen


def _progress(
    connection: Connection, reviewer: str, routes: Sequence[str], week: int
) -> list[Progress]:
    labelled = func.sum(case((_labels > 0, 1), else_=0))
    waiting = func.sum(case((_is_open(reviewer), 1), else_=0))
    rows = connection.execute(
        select(*_KEY, labelled, waiting)
        .where(DECISIONS.c.route.in_(routes), DECISIONS.c.week > week - WEEKS - 1, DECISIONS.c.kept)
        .group_by(*_KEY)
        .order_by(*_KEY)
    )
    return [
        Progress(route, week_, Side(side), Band(band), int(done), int(open_))
        for route, week_, side, band, done, open_ in rows
    ]


def _is_open(reviewer: str) -> ColumnElement[bool]:
    own = select(LABELS.c.id).where(_in_force, LABELS.c.reviewer == reviewer).exists()
    differ = and_(_labels == 2, _views == 2)
    return and_(~own, or_(_labels == 0, and_(DECISIONS.c.second, _labels == 1), differ))


def _waiting(connection: Connection, reviewer: str, stratum: Progress, count: int) -> list[str]:
    query = (
        select(DECISIONS.c.id)
        .where(
            DECISIONS.c.route == stratum.route,
            DECISIONS.c.week == stratum.week,
            DECISIONS.c.side == str(stratum.side),
            DECISIONS.c.band == str(stratum.band),
            DECISIONS.c.kept,
            _is_open(reviewer),
        )
        .order_by(DECISIONS.c.u)
        .limit(count)
    )
    return [str(id_) for id_ in connection.scalars(query)]


def _item(connection: Connection, decision: str, now_ms: int) -> Item:
    found = select(DECISIONS.c.route, DECISIONS.c.at_ms).where(DECISIONS.c.id == decision)
    route, at_ms = connection.execute(found).one()
    words = select(TEXTS).where(TEXTS.c.decision_id == decision)
    rows = connection.execute(words).mappings().all()
    texts = Texts.of_row(dict(rows[0])) if rows else None
    return Item(decision=decision, route=route, at_ms=at_ms, seen_ms=now_ms, texts=texts)
