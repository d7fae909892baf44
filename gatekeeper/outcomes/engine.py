"""A connection to the database, as the store wants it: SQLite with a log beside it, or PostgreSQL.

No statement may wait for ever, and no error may show the values of a row.
"""

import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from gatekeeper.errors import StoreError
from gatekeeper.policy import sqlite_file

if sys.platform != "win32":
    import fcntl

_DRIVER = "postgresql+psycopg"
_BUSY_S = 5
_PAUSE_S = 0.05
_STATEMENT_S = 30

# Device and number of a file: those of another one that took its name are others.
FileId = tuple[int, int]

# secure_delete overwrites what is deleted: a text past its days is gone, not only out of sight.
_PRAGMAS = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA secure_delete = ON",
)

# How SQLite names what it finds in a file that is broken, or was none of its own.
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")

_SERVER_ARGUMENTS = {
    "connect_timeout": _BUSY_S,
    "tcp_user_timeout": 1000 * _STATEMENT_S,
    "options": f"-c statement_timeout={_STATEMENT_S}s -c lock_timeout={_BUSY_S}s",
}


def open_engine(url: str) -> Engine:
    """Return an engine for an address of ``[outcomes]``; a SQLite file is made, for its owner only.

    Nothing is read or migrated yet; a server need not be there.

    Raises:
        StoreError: If there is no such driver, or the file can't be made.
    """
    try:
        path = sqlite_file(url)
        if path is not None:
            _make_private(Path(path))
            engine = create_engine(url, hide_parameters=True)
            event.listen(engine, "connect", _prepare)
            return engine
        address = make_url(url).set(drivername=_DRIVER)
        return create_engine(
            address, hide_parameters=True, pool_pre_ping=True, connect_args=_SERVER_ARGUMENTS
        )
    except ModuleNotFoundError as error:
        advice = 'pip install "gatekeeper-claims[postgresql]"'
        raise StoreError(f"the library {error.name} is not installed", advice) from error
    except ArgumentError as error:
        advice = "write postgresql://USER@HOST/NAME"
        raise StoreError("its address can't be read", advice) from error


@contextmanager
def faults_named() -> Iterator[None]:
    """Turn what the database says into a fault without the values of a row.

    Raises:
        StoreError: For any fault of the database.
    """
    try:
        yield
    except OperationalError as error:
        said = str(error.orig).strip().partition("\n")[0]
        advice = "see that it runs and has room"
        raise StoreError(said or "it can't be reached", advice, is_passing=True) from error
    except SQLAlchemyError as error:
        raise _refusal(error) from error


def file_of(engine: Engine) -> Path | None:
    """Return the file of a database, None for a server's."""
    name = engine.url.database
    return Path(name) if engine.dialect.name == "sqlite" and name else None


def file_id(file: Path) -> FileId:
    """Return which file stands under a name.

    Raises:
        StoreError: If there is none.
    """
    try:
        found = file.stat()
    except OSError as error:
        advice = "put it back, or restart for a new one"
        raise StoreError(f"{file} is gone", advice, is_passing=True) from error
    return found.st_dev, found.st_ino


def logs_of(file: Path) -> dict[Path, FileId]:
    """Return the log of a database, and the index of that, which stand beside its file by name."""
    beside = (file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm"))
    return {path: file_id(path) for path in beside if path.exists()}


def remove_logs(logs: Mapping[Path, FileId]) -> None:
    """Delete those that still stand under their names; whoever has one open keeps it.

    One process at a time looks and deletes: the next one may find the log of another database.
    Windows lets nobody move a file that is open, so none gets here.
    """
    if sys.platform == "win32":  # pragma: no cover - Windows only
        return
    for folder in {path.parent for path in logs}:
        held = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            for path, known in logs.items():
                if path.exists() and file_id(path) == known:
                    path.unlink()
        finally:
            os.close(held)


def _refusal(error: SQLAlchemyError) -> StoreError:
    """Return the fault by its name alone: its text may quote a row."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    name, advice = getattr(cause, "sqlite_errorname", None), "see https://sqlite.org/rescode.html"
    if name is None:
        name, advice = type(cause).__name__, "see the database's log"
    elif name.startswith(_DAMAGED):
        advice = "the file is damaged: stop the server, move it away or restore a copy"
    return StoreError(f"the database refused it ({name})", advice)


def _make_private(path: Path) -> None:
    """Make the file, for its owner only, if there is none.

    It is never opened under its name: to close it again would end the locks that SQLite holds on
    it in this process (POSIX), and the next process to close the store would delete its log.
    """
    try:
        if not path.exists():
            made, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            os.close(made)
            try:
                os.link(name, path)
            finally:
                Path(name).unlink()
    except FileExistsError:  # another worker was faster
        return
    except OSError as error:
        found = f"{path}: {(error.strerror or 'unusable').lower()}"
        advice = "name a file in a folder that can be written"
        raise StoreError(found, advice, is_passing=True) from error


def _prepare(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
    connection.execute(f"PRAGMA busy_timeout = {1000 * _BUSY_S}")
    _log_ahead(connection)
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Have a log beside the file: two that begin one at once refuse each other without a wait."""
    end = monotonic() + _BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if monotonic() > end:
                raise
            sleep(_PAUSE_S)
        else:
            return
