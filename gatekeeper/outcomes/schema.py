"""The tables of the store, and the migrations that make them: numbered, forward only.

A migration is plain SQL that SQLite and PostgreSQL read alike, so nothing else is needed for it.
One that was released is never changed; the tables below say what the last one leaves.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)

from gatekeeper.errors import StoreError

METADATA = MetaData()

# Texts are JSON in ASCII: a zero character or a lone surrogate is no valid text of a server's.
DECISIONS = Table(
    "gatekeeper_decisions",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("week", Integer, nullable=False),
    Column("route", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("share", Double, nullable=False),
    Column("enforced", Boolean, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("reason", Text),
    Column("action", Text),
    Column("would", Text, nullable=False),
    Column("late", Boolean, nullable=False),
    Column("side", Text, nullable=False),
    Column("band", Text, nullable=False),
    Column("delivered", Boolean, nullable=False),
    Column("score", Double),
    Column("fingerprint", Text, nullable=False),
    Column("u", Double, nullable=False),
    Column("kept", Boolean, nullable=False),
    Column("second", Boolean, nullable=False),
    Column("answer_hmac", Text),
    Column("evidence_hmac", Text),
    Column("check_s", Double, nullable=False),
    Column("added_s", Double, nullable=False),
    Column("evidence_words", Integer, nullable=False),
    Column("pairs", Integer, nullable=False),
    Column("pair_tokens", Integer, nullable=False),
    Column("claims", Text, nullable=False),
    Column("exempt", Text, nullable=False),
)

TEXTS = Table(
    "gatekeeper_texts",
    METADATA,
    Column("decision_id", Text, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("answers", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("passages", Text, nullable=False),
)

LABELS = Table(
    "gatekeeper_labels",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("decision_id", Text, nullable=False),
    Column("reviewer", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("truth", Text, nullable=False),
    Column("source_wrong", Boolean, nullable=False),
    Column("harm", Text),
    Column("note", Text, nullable=False),
    Column("missed", Text, nullable=False),
    Column("seen_ms", BigInteger, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("undone_ms", BigInteger),
    Column("remarks", Text),
)

WEEKS = Table(
    "gatekeeper_weeks",
    METADATA,
    Column("route", Text, nullable=False),
    Column("week", Integer, nullable=False),
    Column("cut", Double, nullable=False),
    Column("cut_from", Text, nullable=False),
    Column("keep_blocked", Double, nullable=False),
    Column("keep_accepted_low", Double, nullable=False),
    Column("keep_accepted_high", Double, nullable=False),
    Column("keep_unchecked", Double, nullable=False),
    PrimaryKeyConstraint("route", "week"),
)

DROPS = Table(
    "gatekeeper_drops",
    METADATA,
    Column("day", Integer, nullable=False),
    Column("route", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("count", BigInteger, nullable=False),
    PrimaryKeyConstraint("day", "route", "reason"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """Statements that lead from the version before to this one."""

    version: int
    statements: tuple[str, ...]


_FIRST = Migration(
    version=1,
    statements=(
        """CREATE TABLE gatekeeper_decisions (
            id TEXT PRIMARY KEY, at_ms BIGINT NOT NULL, week INTEGER NOT NULL, route TEXT NOT NULL,
            mode TEXT NOT NULL, share DOUBLE PRECISION NOT NULL, enforced BOOLEAN NOT NULL,
            verdict TEXT NOT NULL, reason TEXT, action TEXT, would TEXT NOT NULL,
            late BOOLEAN NOT NULL, side TEXT NOT NULL, band TEXT NOT NULL,
            delivered BOOLEAN NOT NULL, score DOUBLE PRECISION, fingerprint TEXT NOT NULL,
            u DOUBLE PRECISION NOT NULL, kept BOOLEAN NOT NULL, second BOOLEAN NOT NULL,
            answer_hmac TEXT, evidence_hmac TEXT, check_s DOUBLE PRECISION NOT NULL,
            added_s DOUBLE PRECISION NOT NULL, evidence_words INTEGER NOT NULL,
            pairs INTEGER NOT NULL, pair_tokens INTEGER NOT NULL, claims TEXT NOT NULL,
            exempt TEXT NOT NULL)""",
        """CREATE INDEX gatekeeper_decisions_counted ON gatekeeper_decisions
            (route, at_ms, fingerprint, week, side, band, mode, share, delivered)""",
        """CREATE INDEX gatekeeper_decisions_queued ON gatekeeper_decisions
            (route, week, side, band, kept, u)""",
        """CREATE INDEX gatekeeper_decisions_scored ON gatekeeper_decisions
            (route, week, side, score)""",
        """CREATE INDEX gatekeeper_decisions_answer ON gatekeeper_decisions (answer_hmac)""",
        """CREATE INDEX gatekeeper_decisions_at ON gatekeeper_decisions (at_ms)""",
        """CREATE TABLE gatekeeper_texts (
            decision_id TEXT PRIMARY KEY, at_ms BIGINT NOT NULL, answers TEXT NOT NULL,
            question TEXT NOT NULL, passages TEXT NOT NULL)""",
        """CREATE INDEX gatekeeper_texts_at ON gatekeeper_texts (at_ms)""",
        """CREATE TABLE gatekeeper_labels (
            id TEXT PRIMARY KEY, decision_id TEXT NOT NULL, reviewer TEXT NOT NULL,
            role TEXT NOT NULL, truth TEXT NOT NULL, source_wrong BOOLEAN NOT NULL, harm TEXT,
            note TEXT NOT NULL, missed TEXT NOT NULL, seen_ms BIGINT NOT NULL,
            at_ms BIGINT NOT NULL, undone_ms BIGINT)""",
        """CREATE UNIQUE INDEX gatekeeper_labels_in_force ON gatekeeper_labels
            (decision_id, reviewer) WHERE undone_ms IS NULL""",
        """CREATE TABLE gatekeeper_weeks (
            route TEXT NOT NULL, week INTEGER NOT NULL, cut DOUBLE PRECISION NOT NULL,
            cut_from TEXT NOT NULL, keep_blocked DOUBLE PRECISION NOT NULL,
            keep_accepted_low DOUBLE PRECISION NOT NULL,
            keep_accepted_high DOUBLE PRECISION NOT NULL,
            keep_unchecked DOUBLE PRECISION NOT NULL, PRIMARY KEY (route, week))""",
        """CREATE TABLE gatekeeper_drops (
            day INTEGER NOT NULL, route TEXT NOT NULL, reason TEXT NOT NULL,
            count BIGINT NOT NULL, PRIMARY KEY (day, route, reason))""",
    ),
)

# What a reviewer says of the gate's claims, who saw them after the label; NULL until then.
_REMARKS = Migration(
    version=2, statements=("ALTER TABLE gatekeeper_labels ADD COLUMN remarks TEXT",)
)

# A page of metrics reads the labels of the last weeks, of however many years there are.
_LABELS_BY_TIME = Migration(
    version=3,
    statements=(
        """CREATE INDEX gatekeeper_labels_at ON gatekeeper_labels
            (at_ms, undone_ms, decision_id)""",
    ),
)

MIGRATIONS = (_FIRST, _REMARKS, _LABELS_BY_TIME)

# Any number will do as long as it is this one; workers that start together take turns by it.
_TURN = 7_326_114


def migrate(connection: Connection, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Bring the tables to the last version, all steps or none; return the version found.

    Raises:
        StoreError: If a newer gatekeeper has been here.
    """
    _take_turn(connection)
    connection.execute(
        text("CREATE TABLE IF NOT EXISTS gatekeeper_schema (version INTEGER PRIMARY KEY)")
    )
    found = connection.execute(
        text("SELECT COALESCE(MAX(version), 0) FROM gatekeeper_schema")
    ).scalar_one()
    newest = migrations[-1].version
    if found > newest:
        raise StoreError(
            f"its tables have version {found}, this gatekeeper knows {newest}",
            "update gatekeeper, or give it a store of its own",
        )
    for migration in migrations:
        if migration.version > found:
            for statement in migration.statements:
                connection.execute(text(statement))
            connection.execute(
                text("INSERT INTO gatekeeper_schema (version) VALUES (:version)"),
                {"version": migration.version},
            )
    return int(found)


def _take_turn(connection: Connection) -> None:
    """Keep other processes from migrating until this transaction ends."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:turn)"), {"turn": _TURN})
