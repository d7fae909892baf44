"""The same tests on both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from gatekeeper.outcomes.engine import open_engine
from gatekeeper.outcomes.store import Store
from tests.outcomes.servers import Server, programs


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Start a PostgreSQL server of our own; skip where none is installed."""
    found = programs()
    if found is None:
        pytest.skip("no PostgreSQL server is installed; make test-system needs one")
    server = Server(found)
    server.start()
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'outcomes.db'}"
    server: Server = request.getfixturevalue("server")
    engine = open_engine(server.url)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return server.url


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """Open a new store."""
    store = Store.open(url)
    yield store
    store.close()


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    """Open a new store in a file: for what does not hang on the database."""
    store = Store.open(f"sqlite:///{tmp_path / 'outcomes.db'}")
    yield store
    store.close()
