"""Counts for the estimates, from the store: decisions by stratum, and labels that count.

A label counts if the decision was kept and no kept decision with a smaller random number, there to
be seen at the time, is without a label. Otherwise somebody chose what to label, and no weight makes
a random sample of it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, case, func, literal_column, select

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.estimate import Stratum
from gatekeeper.outcomes.labels import in_force_within, settled, settled_harm
from gatekeeper.outcomes.schema import DECISIONS, DROPS, LABELS
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.words import DAY_MS, Band, Harm, Truth
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


class Cell(NamedTuple):
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


class Labelled(NamedTuple):
    """A decision with labels in force: what each says, and on harm where it says so."""

    decision: str
    cell: Cell
    at_ms: int
    kept: bool
    u: float
    seen_ms: int
    truths: list[Truth]
    harms: list[Harm | None]

    @property
    def truth(self) -> Truth:
        """What the labels come to."""
        return settled(self.truths)

    @property
    def harm(self) -> Harm | None:
        """What the words on harm come to, None unless the answer is wrong."""
        return settled_harm(self.harms) if self.truth is Truth.WRONG else None


class Size(NamedTuple):
    """How many decisions there are, and when the last one was made."""

    decisions: int
    last_ms: int


# Random number and time of kept decisions that were passed over, by stratum.
Blockers = Mapping[tuple[int, str, str], Sequence[tuple[float, int]]]


# A decision is stored some time after it was made: whoever was handed another one may not have had
# a younger one to pass over.
LATE_MS = 30_000

# Why a shadow check comes to nothing for want of time, memory or a model.
_GIVEN_UP = tuple(
    str(reason)
    for reason in UnresolvedReason
    if reason not in (UnresolvedReason.CLAIM_TOO_LONG, UnresolvedReason.RESOLVER_ERROR)
)

_CELL = tuple(DECISIONS.c[name] for name in Cell._fields)


def count(store: Store, span: Span, *, fingerprint: str | None = None) -> Counts:
    """Return the counts of a span, for one scorer; None takes that of its last decision."""
    where = within(span)
    with store.transaction() as connection:
        sizes = {cell: size for _, cell, size in read_sizes(connection, where)}
        labelled = read_labelled(connection, span)
        blockers = read_blockers(connection, span.route, labelled)
    if fingerprint is None:
        last = max(sizes, key=lambda cell: sizes[cell].last_ms, default=None)
        fingerprint = "" if last is None else last.fingerprint
    return tally(sizes, labelled, blockers, fingerprint=fingerprint)


def tally(
    sizes: Mapping[Cell, Size],
    labelled: Iterable[Labelled],
    blockers: Blockers,
    *,
    fingerprint: str,
) -> Counts:
    """Return the counts for one scorer, from what a store holds. Pure."""
    ours = {cell: size for cell, size in sizes.items() if cell.fingerprint == fingerprint}
    known = [one for one in labelled if one.cell.fingerprint == fingerprint]
    valid = [one for one in known if is_in_order(one, blockers)]
    labels: dict[Cell, Counter[Truth | Harm]] = {}
    for one in valid:
        said = labels.setdefault(one.cell, Counter())
        said[one.truth] += 1
        if one.harm in {Harm.HARMFUL, Harm.HARMLESS}:  # the third word is one of Truth's as well
            said[one.harm] += 1
    rollout = _last_rollout(ours)
    everything = sum(size.decisions for size in sizes.values())
    return Counts(
        fingerprint=fingerprint,
        strata=_strata(ours, labels),
        delivered=None if rollout is None else _strata(_delivered(ours, rollout), labels),
        rollout=rollout,
        elsewhere=everything - sum(size.decisions for size in ours.values()),
        out_of_order=len(known) - len(valid),
    )


def scorers(store: Store, span: Span) -> dict[str, int]:
    """Return the decisions of each scorer, by fingerprint, the last one first."""
    with store.transaction() as connection:
        sizes = [(cell, size) for _, cell, size in read_sizes(connection, within(span))]
    found: dict[str, int] = {}
    for cell, size in sorted(sizes, key=lambda one: one[1].last_ms, reverse=True):
        found[cell.fingerprint] = found.get(cell.fingerprint, 0) + size.decisions
    return found


def within(span: Span) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on a decision of a span."""
    return (
        DECISIONS.c.route == span.route,
        DECISIONS.c.at_ms >= span.start_ms,
        DECISIONS.c.at_ms < span.end_ms,
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


def read_sizes(
    connection: Connection, where: Iterable[ColumnElement[bool]], *, every_ms: int | None = None
) -> list[tuple[int, Cell, Size]]:
    """Return sizes by time and cell; times count in ``every_ms`` since 1970, None: all in one."""
    time = literal_column("0") if every_ms is None else DECISIONS.c.at_ms // every_ms
    groups = _CELL if every_ms is None else (time, *_CELL)
    query = select(time, *_CELL, func.count(), func.max(DECISIONS.c.at_ms))
    rows = connection.execute(query.where(*where).group_by(*groups))
    return [(int(at), Cell(*cell), Size(int(n), int(last))) for at, *cell, n, last in rows]


def read_labelled(connection: Connection, span: Span) -> list[Labelled]:
    """Return the decisions of a span with a label in force."""
    return read_all_labelled(connection, [span.route], span.start_ms, span.end_ms)[span.route]


def read_all_labelled(
    connection: Connection, routes: Sequence[str], start_ms: int, end_ms: int
) -> Mapping[str, list[Labelled]]:
    """Return the same for several routes, of one time and by one query."""
    drawn = (DECISIONS.c.at_ms, DECISIONS.c.kept, DECISIONS.c.u, LABELS.c.seen_ms)
    query = (
        select(DECISIONS.c.route, DECISIONS.c.id, *_CELL, *drawn, LABELS.c.truth, LABELS.c.harm)
        .join(LABELS, LABELS.c.decision_id == DECISIONS.c.id)
        .where(*in_force_within(routes, start_ms, end_ms))
        .order_by(LABELS.c.seen_ms, LABELS.c.id)
    )
    found: dict[str, dict[str, Labelled]] = {route: {} for route in routes}
    for route, id_, *cell, at_ms, kept, u, seen_ms, truth, harm in connection.execute(query):
        new = Labelled(id_, Cell(*cell), at_ms, bool(kept), u, seen_ms, [], [])
        one = found[route].setdefault(id_, new)
        one.truths.append(Truth(truth))
        one.harms.append(None if harm is None else Harm(harm))
    return {route: list(of_it.values()) for route, of_it in found.items()}


def read_blockers(connection: Connection, route: str, labelled: Sequence[Labelled]) -> Blockers:
    """Return what was passed over: kept, without a label, with a number below a labelled one's."""
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


def is_in_order(one: Labelled, blockers: Blockers) -> bool:
    """Tell whether a decision was labelled in its turn."""
    passed, there_ms = blockers[one.cell.stratum], one.seen_ms - LATE_MS
    return one.kept and not any(u < one.u and at_ms <= there_ms for u, at_ms in passed)


def _last_rollout(sizes: Mapping[Cell, Size]) -> Rollout | None:
    if not sizes:
        return None
    cell = max(sizes, key=lambda cell: sizes[cell].last_ms)
    return Rollout(cell.mode, cell.share)


def _delivered(sizes: Mapping[Cell, Size], rollout: Rollout) -> dict[Cell, Size]:
    return {
        cell: size
        for cell, size in sizes.items()
        if cell.delivered and Rollout(cell.mode, cell.share) == rollout
    }


def _strata(
    sizes: Mapping[Cell, Size], labels: Mapping[Cell, Counter[Truth | Harm]]
) -> tuple[Stratum, ...]:
    nothing: Counter[Truth | Harm] = Counter()
    return tuple(
        Stratum(
            side=Side(cell.side),
            band=Band(cell.band),
            week=cell.week,
            decisions=size.decisions,
            wrong=labels.get(cell, nothing)[Truth.WRONG],
            correct=labels.get(cell, nothing)[Truth.CORRECT],
            cannot_tell=labels.get(cell, nothing)[Truth.CANNOT_TELL],
            harmful=labels.get(cell, nothing)[Harm.HARMFUL],
            harmless=labels.get(cell, nothing)[Harm.HARMLESS],
        )
        for cell, size in sorted(sizes.items())
    )
