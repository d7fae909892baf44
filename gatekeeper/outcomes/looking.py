"""A look at a store that changes nothing in it: can it be used, and what shares hold this week?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import inspect, select, text

from gatekeeper.errors import StoreError
from gatekeeper.outcomes.engine import faults_named, open_engine
from gatekeeper.outcomes.schema import MIGRATIONS, WEEKS
from gatekeeper.policy import Keep

_SHARES = ("blocked", "accepted_low", "accepted_high", "unchecked")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen: the version of the tables, 0 for none yet, and shares to keep by route."""

    version: int
    keeps: Mapping[str, Keep]


def look(url: str, routes: Sequence[str], week: int) -> Seen:
    """Connect, prove that a file can be written, and read what was fixed for a week.

    Args:
        url: The address; a file has to be there.
        routes: Their paths.
        week: Its number.

    Raises:
        StoreError: If it can't be used, or a newer gatekeeper has been here.
    """
    engine = open_engine(url)
    try:
        with faults_named(), engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")  # taken back at the end
            if not inspect(connection).has_table("gatekeeper_schema"):
                return Seen(version=0, keeps={})
            newest = text("SELECT COALESCE(MAX(version), 0) FROM gatekeeper_schema")
            version = int(connection.execute(newest).scalar_one())
            known = MIGRATIONS[-1].version
            if version > known:
                fault = f"its tables have version {version}, this gatekeeper knows {known}"
                raise StoreError(fault, "update gatekeeper, or give it a store of its own")
            rows = connection.execute(
                select(WEEKS).where(WEEKS.c.week == week, WEEKS.c.route.in_(routes))
            ).mappings()
            return Seen(
                version=version,
                keeps={
                    row["route"]: Keep(**{name: row[f"keep_{name}"] for name in _SHARES})
                    for row in rows
                },
            )
    finally:
        engine.dispose()
