"""Counts for the estimates, from the store: decisions by stratum, and labels that count.

A label counts if the decision was kept and no kept decision with a smaller random number, there to
be seen at the time, is without a label. Otherwise somebody chose what to label, and no weight makes
a random sample of it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, case, func, select

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.estimate import Stratum
from gatekeeper.outcomes.labels import settled
from gatekeeper.outcomes.schema import DECISIONS, DROPS, LABELS
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.words import DAY_MS, Band, Truth
from gatekeeper.policy import Mode
from gatekeeper.verdict import Outcome, UnresolvedReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A route and a time: from ``start_ms`` on, up to ``end_ms``."""

    route: str
    start_ms: int
    end_ms: int


class Rollout(NamedTuple):
    """A mode and the enforced share."""

    mode: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What estimates are made from; see ``estimate_rates``.

    ``delivered`` is of the last ``rollout``, None without decisions. ``elsewhere`` counts decisions
    of other scorers, which are left out. ``out_of_order`` counts labels that don't count.
    """

    fingerprint: str
    strata: Sequence[Stratum] = ()
    delivered: Sequence[Stratum] | None = None
    rollout: Rollout | None = None
    elsewhere: int = 0
    out_of_order: int = 0


class _Cell(NamedTuple):
    """What decisions are told apart by."""

    fingerprint: str
    week: int
    side: str
    band: str
    mode: str
    share: float
    delivered: bool

    @property
    def stratum(self) -> tuple[int, str, str]:
        """What labels are drawn from."""
        return self.week, self.side, self.band


class _Labelled(NamedTuple):
    cell: _Cell
    kept: bool
    u: float
    seen_ms: int
    truths: list[Truth]


# Why a shadow check comes to nothing for want of time, memory or a model.
_GIVEN_UP = tuple(
    str(reason)
    for reason in UnresolvedReason
    if reason not in (UnresolvedReason.CLAIM_TOO_LONG, UnresolvedReason.RESOLVER_ERROR)
)

_CELL = tuple(DECISIONS.c[name] for name in _Cell._fields)


def count(store: Store, span: Span, *, fingerprint: str | None = None) -> Counts:
    """Return the counts of a span, for one scorer; None takes that of its last decision."""
    where = (
        DECISIONS.c.route == span.route,
        DECISIONS.c.at_ms >= span.start_ms,
        DECISIONS.c.at_ms < span.end_ms,
    )
    with store.transaction() as connection:
        rows = connection.execute(
            select(*_CELL, func.count(), func.max(DECISIONS.c.at_ms)).where(*where).group_by(*_CELL)
        ).all()
        sizes = {_Cell(*row[:-2]): int(row[-2]) for row in rows}
        last = {_Cell(*row[:-2]): int(row[-1]) for row in rows}
        labelled = _labelled(connection, where)
        blockers = _blockers(connection, span.route, labelled)
    if fingerprint is None:
        fingerprint = max(last, key=lambda cell: last[cell]).fingerprint if last else ""
    ours = {cell: size for cell, size in sizes.items() if cell.fingerprint == fingerprint}
    known = [one for one in labelled if one.cell.fingerprint == fingerprint]
    valid = [one for one in known if _is_in_order(one, blockers)]
    truths: dict[_Cell, Counter[Truth]] = {}
    for one in valid:
        truths.setdefault(one.cell, Counter())[settled(one.truths)] += 1
    rollout = _last_rollout({cell: last[cell] for cell in ours})
    return Counts(
        fingerprint=fingerprint,
        strata=_strata(ours, truths),
        delivered=None if rollout is None else _strata(_delivered(ours, rollout), truths),
        rollout=rollout,
        elsewhere=sum(sizes.values()) - sum(ours.values()),
        out_of_order=len(known) - len(valid),
    )


def lost_checks(store: Store, span: Span) -> Mapping[int, tuple[int, int]]:
    """Return, a day, shadow checks that came to nothing or are not in the store, and how many ran.

    Days are counted since 1970, UTC.
    """
    day = DECISIONS.c.at_ms // DAY_MS
    gave_up = DECISIONS.c.verdict == str(Outcome.UNRESOLVED)
    gave_up &= DECISIONS.c.reason.in_(_GIVEN_UP)
    with store.transaction() as connection:
        seen = connection.execute(
            select(day, func.count(), func.sum(case((gave_up, 1), else_=0)))
            .where(
                DECISIONS.c.route == span.route,
                DECISIONS.c.mode == str(Mode.SHADOW),
                DECISIONS.c.at_ms >= span.start_ms,
                DECISIONS.c.at_ms < span.end_ms,
            )
            .group_by(day)
        ).all()
        absent = connection.execute(
            select(DROPS.c.day, func.sum(DROPS.c.count))
            .where(
                DROPS.c.route == span.route,
                DROPS.c.day >= span.start_ms // DAY_MS,
                DROPS.c.day <= (span.end_ms - 1) // DAY_MS,
            )
            .group_by(DROPS.c.day)
        ).all()
    lost: Counter[int] = Counter()
    all_: Counter[int] = Counter()
    for number, n, given_up in seen:
        lost[number] += int(given_up)
        all_[number] += int(n)
    for number, n in absent:
        lost[number] += int(n)
        all_[number] += int(n)
    return {number: (lost[number], all_[number]) for number in sorted(all_)}


def _labelled(connection: Connection, where: Iterable[ColumnElement[bool]]) -> list[_Labelled]:
    drawn = (DECISIONS.c.kept, DECISIONS.c.u, LABELS.c.seen_ms)
    query = (
        select(DECISIONS.c.id, *_CELL, *drawn, LABELS.c.truth)
        .join(LABELS, LABELS.c.decision_id == DECISIONS.c.id)
        .where(*where, LABELS.c.undone_ms.is_(None))
        .order_by(LABELS.c.seen_ms, LABELS.c.id)
    )
    found: dict[str, _Labelled] = {}
    for id_, *cell, kept, u, seen_ms, truth in connection.execute(query):
        one = found.setdefault(id_, _Labelled(_Cell(*cell), bool(kept), u, seen_ms, []))
        one.truths.append(Truth(truth))
    return list(found.values())


def _blockers(
    connection: Connection, route: str, labelled: Sequence[_Labelled]
) -> dict[tuple[int, str, str], list[tuple[float, int]]]:
    """Return random number and time of what was passed over, by stratum."""
    highest: dict[tuple[int, str, str], float] = {}
    for one in labelled:
        highest[one.cell.stratum] = max(highest.get(one.cell.stratum, 0.0), one.u)
    has_label = (
        select(LABELS.c.id)
        .where(LABELS.c.decision_id == DECISIONS.c.id, LABELS.c.undone_ms.is_(None))
        .exists()
    )
    found = {}
    for (week, side, band), u in highest.items():
        rows = connection.execute(
            select(DECISIONS.c.u, DECISIONS.c.at_ms).where(
                DECISIONS.c.route == route,
                DECISIONS.c.week == week,
                DECISIONS.c.side == side,
                DECISIONS.c.band == band,
                DECISIONS.c.kept,
                DECISIONS.c.u < u,
                ~has_label,
            )
        )
        found[week, side, band] = [(float(other), int(at_ms)) for other, at_ms in rows]
    return found


def _is_in_order(
    one: _Labelled, blockers: Mapping[tuple[int, str, str], Sequence[tuple[float, int]]]
) -> bool:
    passed = blockers[one.cell.stratum]
    return one.kept and not any(u < one.u and at_ms <= one.seen_ms for u, at_ms in passed)


def _last_rollout(last: Mapping[_Cell, int]) -> Rollout | None:
    if not last:
        return None
    cell = max(last, key=lambda cell: last[cell])
    return Rollout(cell.mode, cell.share)


def _delivered(sizes: Mapping[_Cell, int], rollout: Rollout) -> dict[_Cell, int]:
    return {
        cell: size
        for cell, size in sizes.items()
        if cell.delivered and Rollout(cell.mode, cell.share) == rollout
    }


def _strata(
    sizes: Mapping[_Cell, int], truths: Mapping[_Cell, Counter[Truth]]
) -> tuple[Stratum, ...]:
    nothing: Counter[Truth] = Counter()
    return tuple(
        Stratum(
            side=Side(cell.side),
            band=Band(cell.band),
            week=cell.week,
            decisions=size,
            wrong=truths.get(cell, nothing)[Truth.WRONG],
            correct=truths.get(cell, nothing)[Truth.CORRECT],
            cannot_tell=truths.get(cell, nothing)[Truth.CANNOT_TELL],
        )
        for cell, size in sorted(sizes.items())
    )
