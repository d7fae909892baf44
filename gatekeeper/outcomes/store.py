"""Reads and writes decisions. Blocking: for the writer thread and the command line."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Select,
    Table,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from gatekeeper.core.decide import Side
from gatekeeper.errors import StoreError
from gatekeeper.outcomes.engine import (
    FileId,
    faults_named,
    file_id,
    file_of,
    logs_of,
    open_engine,
    remove_logs,
)
from gatekeeper.outcomes.records import Stored, Texts
from gatekeeper.outcomes.sampling import WeekPlan
from gatekeeper.outcomes.schema import (
    DECISIONS,
    DROPS,
    LABELS,
    TEXTS,
    WEEKS,
    migrate,
)
from gatekeeper.outcomes.words import DAY_MS, moment, week_of
from gatekeeper.policy import Keep

# Rows a purge deletes at once, so that no writer waits long.
_CHUNK = 1_000
# Columns of a label that hold JSON, or nothing.
_AS_JSON = ("note", "missed", "remarks")
_SHARES = ("blocked", "accepted_low", "accepted_high", "unchecked")


class Drop(NamedTuple):
    """Decisions that were not stored: the day (since 1970, UTC), the route and why."""

    day: int
    route: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What is written at once, all or nothing."""

    decisions: Sequence[Stored] = ()
    texts: Mapping[str, Texts] = field(default_factory=dict)
    drops: Mapping[Drop, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """All that is known of one decision. ``labels`` are rows of that table, oldest first."""

    decision: Stored
    texts: Texts | None
    labels: tuple[Mapping[str, Any], ...]

    def as_object(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it; the names are those of the tables."""
        return {
            "decision": {**asdict(self.decision), "at": moment(self.decision.at_ms).isoformat()},
            "texts": None if self.texts is None else asdict(self.texts),
            "labels": [_label_object(row) for row in self.labels],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """How many rows a purge took away."""

    texts: int
    notes: int
    decisions: int


class Store:
    """The outcome store in one database; what it raises is a ``StoreError`` unless said.

    ``file`` is None for a server; ``which`` tells that file from another one of its name.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.file = file_of(engine)
        # Before the first connection: were the file replaced between, it would count as another.
        self.which = None if self.file is None else file_id(self.file)
        self._logs: Mapping[Path, FileId] = {}

    @classmethod
    def open(cls, url: str) -> "Store":
        """Connect and bring the tables to this version.

        Raises:
            StoreError: If that can't be done.
        """
        store = cls(open_engine(url))
        try:
            with store.transaction() as connection:
                migrate(connection)
            # They stay the same while this store has a connection.
            store._logs = {} if store.file is None else logs_of(store.file)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Give connections back."""
        self.engine.dispose()

    def leave(self) -> None:
        """Close a store whose file has lost its name, and take its log from beside the new one.

        SQLite would read that log into whatever database has the name; so it is finished into the
        file it belongs to.
        """
        with suppress(StoreError):
            self._truncate_log()
        with suppress(StoreError, OSError):
            remove_logs(self._logs)
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Begin a transaction that ends with the block.

        Raises:
            StoreError: For any fault of the database.
        """
        with faults_named(), self.engine.begin() as connection:
            yield connection

    def write(self, batch: Batch) -> None:
        """Store a batch; what is there already stays as it is."""
        with self.transaction() as connection:
            self._insert(connection, DECISIONS, [one.row() for one in batch.decisions])
            at_ms = {one.id: one.at_ms for one in batch.decisions}
            self._insert(
                connection, TEXTS, [t.row(id_, at_ms[id_]) for id_, t in batch.texts.items()]
            )
            for drop, count in batch.drops.items():
                self._add_drop(connection, drop, count)

    def week_plan(self, route: str, week: int, *, keep: Keep, first_cut: float) -> WeekPlan:
        """Return what holds in a week of a route; whoever asks first fixes it.

        Args:
            route: The path.
            week: Its number.
            keep: The shares for a week that has none yet.
            first_cut: The cut where no answer was accepted in the week before.
        """
        with self.transaction() as connection:
            found = self._read_plan(connection, route, week)
            if found is None:
                before = self._third(connection, route, week - 1)
                cut = first_cut if before is None else before
                row = {
                    "route": route,
                    "week": week,
                    "cut": cut,
                    "cut_from": "calibration" if before is None else "week before",
                    **{f"keep_{name}": getattr(keep, name) for name in _SHARES},
                }
                self._insert(connection, WEEKS, [row])
                found = self._read_plan(connection, route, week)
        if found is None:
            raise RuntimeError("a row that was just written is not there")
        return found

    def show(self, decision: str) -> Shown | None:
        """Return all that is known of a decision, None if it is not there."""
        with self.transaction() as connection:
            rows = _read(connection, select(DECISIONS).where(DECISIONS.c.id == decision))
            texts = _read(connection, select(TEXTS).where(TEXTS.c.decision_id == decision))
            of_it = select(LABELS).where(LABELS.c.decision_id == decision)
            labels = _read(connection, of_it.order_by(LABELS.c.at_ms))
        if not rows:
            return None
        return Shown(
            decision=Stored.of_row(rows[0]),
            texts=Texts.of_row(texts[0]) if texts else None,
            labels=tuple(labels),
        )

    def find_answer(self, answer_hmac: str) -> tuple[str, ...]:
        """Return the ids of the decisions on an answer, newest first, a hundred at most."""
        query = (
            select(DECISIONS.c.id)
            .where(DECISIONS.c.answer_hmac == answer_hmac)
            .order_by(DECISIONS.c.at_ms.desc())
            .limit(100)
        )
        with self.transaction() as connection:
            return tuple(connection.scalars(query))

    def purge(self, *, now_ms: int, retention_days: int, decision_days: int) -> Purged:
        """Delete what is past its days: texts and notes first, decisions with labels later."""
        text_end, end = (now_ms - days * DAY_MS for days in (retention_days, decision_days))
        texts = self._delete(TEXTS, TEXTS.c.decision_id, TEXTS.c.at_ms < text_end)
        with self.transaction() as connection:
            notes = connection.execute(
                update(LABELS).where(LABELS.c.at_ms < text_end, LABELS.c.note != "").values(note="")
            ).rowcount
        old = select(DECISIONS.c.id).where(DECISIONS.c.at_ms < end)
        self._delete(LABELS, LABELS.c.id, LABELS.c.decision_id.in_(old))
        self._delete(TEXTS, TEXTS.c.decision_id, TEXTS.c.decision_id.in_(old))
        decisions = self._delete(DECISIONS, DECISIONS.c.id, DECISIONS.c.at_ms < end)
        with self.transaction() as connection:
            connection.execute(delete(WEEKS).where(WEEKS.c.week < week_of(end)))
            connection.execute(delete(DROPS).where(DROPS.c.day < end // DAY_MS))
        self._truncate_log()
        return Purged(texts=texts, notes=notes, decisions=decisions)

    def erase(self, decision: str) -> bool:
        """Delete the words of one decision and the notes on it; False if it is not there."""
        with self.transaction() as connection:
            known = select(DECISIONS.c.id).where(DECISIONS.c.id == decision)
            if connection.execute(known).first() is None:
                return False
            connection.execute(delete(TEXTS).where(TEXTS.c.decision_id == decision))
            connection.execute(
                update(LABELS).where(LABELS.c.decision_id == decision).values(note="")
            )
        self._truncate_log()
        return True

    def _insert(
        self, connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]
    ) -> None:
        """Insert rows that are not there yet."""
        if rows:
            insert = _dialect(connection).insert(table)
            connection.execute(insert.on_conflict_do_nothing(), rows)

    def _add_drop(self, connection: Connection, drop: Drop, count: int) -> None:
        insert = _dialect(connection).insert(DROPS).values(**drop._asdict(), count=count)
        connection.execute(
            insert.on_conflict_do_update(
                index_elements=list(Drop._fields), set_={"count": DROPS.c.count + count}
            )
        )

    def _read_plan(self, connection: Connection, route: str, week: int) -> WeekPlan | None:
        rows = _read(connection, select(WEEKS).where(WEEKS.c.route == route, WEEKS.c.week == week))
        if not rows:
            return None
        shares = {name: rows[0][f"keep_{name}"] for name in _SHARES}
        return WeekPlan(cut=rows[0]["cut"], cut_from=rows[0]["cut_from"], keep=Keep(**shares))

    def _third(self, connection: Connection, route: str, week: int) -> float | None:
        """Return the score below which a third of a week's accepted ones lies."""
        scored = (
            DECISIONS.c.route == route,
            DECISIONS.c.week == week,
            DECISIONS.c.side == str(Side.ACCEPTED),
            DECISIONS.c.score.is_not(None),
        )
        count = connection.execute(select(func.count()).where(*scored)).scalar_one()
        query = select(DECISIONS.c.score).where(*scored).order_by(DECISIONS.c.score)
        return connection.execute(query.offset(count // 3).limit(1)).scalar() if count else None

    def _delete(self, table: Table, key: Column[str], condition: ColumnElement[bool]) -> int:
        """Delete rows in pieces and return how many there were."""
        deleted = 0
        while True:
            some = select(key).where(condition).limit(_CHUNK)
            with self.transaction() as connection:
                found = connection.execute(delete(table).where(key.in_(some))).rowcount
            deleted += found
            if found < _CHUNK:
                return deleted

    def _truncate_log(self) -> None:
        """Leave nothing of what was deleted in SQLite's log; another reader may hold it back."""
        if self.engine.dialect.name == "sqlite":
            with faults_named(), self.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all()


def _label_object(row: Mapping[str, Any]) -> dict[str, Any]:
    held = {key: value for key, value in row.items() if key != "decision_id"}
    return {**held, **{key: json.loads(held[key]) for key in _AS_JSON if held[key]}}


def _read(connection: Connection, query: Select[Any]) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(query).mappings()]


def _dialect(connection: Connection) -> ModuleType:
    return postgresql if connection.dialect.name == "postgresql" else sqlite
