"""A look at a store, on both databases: what is there, and nothing made."""

import pytest
from sqlalchemy import inspect

from gatekeeper.errors import StoreError
from gatekeeper.outcomes.engine import open_engine
from gatekeeper.outcomes.looking import look
from gatekeeper.outcomes.schema import MIGRATIONS
from gatekeeper.outcomes.store import Store
from gatekeeper.policy import Keep


def test_empty_database_stays_empty(url: str) -> None:
    """Whoever looks may not be the one that is to make the tables."""
    assert look(url, ["/a"], 7).version == 0

    engine = open_engine(url)
    assert inspect(engine).get_table_names() == []
    engine.dispose()


def test_shares_of_the_week_are_read_and_none_is_fixed(store: Store, url: str) -> None:
    """A week begins with its first decision, not with a look at it."""
    keep = Keep(blocked=0.5, unchecked=0)
    store.week_plan("/a", 7, keep=keep, first_cut=0.5)

    seen = look(url, ["/a", "/b"], 7)

    assert (seen.version, seen.keeps) == (MIGRATIONS[-1].version, {"/a": keep})
    assert look(url, ["/a"], 8).keeps == look(url, ["/b"], 7).keeps == {}


def test_tables_of_a_newer_version_are_refused(store: Store, url: str) -> None:
    """A start refuses them too."""
    with store.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO gatekeeper_schema (version) VALUES (99)")

    with pytest.raises(StoreError, match="tables have version 99"):
        look(url, [], 1)
