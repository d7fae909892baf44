"""Connections to a file: what one process opens and closes takes nothing from another."""

import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gatekeeper.errors import StoreError
from gatekeeper.outcomes.store import Batch, Drop, Store
from tests.outcomes.made import decision, made

LOOKS = """
import sys
from gatekeeper.outcomes.store import Store
store = Store.open(sys.argv[1])
print(*(store.show(f"{n:032x}") is not None for n in range(3)))
store.close()
"""


def look(url: str) -> str:
    """Ask from another process, which opens the store and closes it, what is there."""
    done = subprocess.run(
        [sys.executable, "-c", LOOKS, url], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_closing_elsewhere_takes_no_log_from_who_writes(tmp_path: Path) -> None:
    """A server opens its store several times over, and a command line comes and goes beside it."""
    url = f"sqlite:///{tmp_path / 'outcomes.db'}"
    with closing(Store.open(url)) as writer, closing(Store.open(url)) as reader:
        for number in range(3):
            writer.write(Batch(decisions=[made(decision(number))]))
            assert reader.show(f"{number:032x}") is not None

            said = [number >= n for n in range(3)]
            assert look(url) == " ".join(map(str, said))
            assert (tmp_path / "outcomes.db-wal").exists()


def test_file_is_made_for_its_owner_alone_and_nothing_beside_it(tmp_path: Path) -> None:
    """What is stored may be people's words."""
    path = tmp_path / "outcomes.db"

    Store.open(f"sqlite:///{path}").close()

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["outcomes.db"]


def test_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    """A typo in a path is found by its text."""
    with pytest.raises(StoreError, match=r"missing/outcomes\.db: no such file or directory"):
        Store.open(f"sqlite:///{tmp_path}/missing/outcomes.db")


def test_damaged_file_is_named_as_such_with_what_to_do(tmp_path: Path) -> None:
    """SQLite keeps no log to look into, and whoever is paged knows the file by its name only."""
    path = tmp_path / "outcomes.db"
    path.write_bytes(b"no database, " * 1_000)
    named = r"refused it \(SQLITE_NOTADB\); the file is damaged: stop the server, move it away"
    with pytest.raises(StoreError, match=named):
        Store.open(f"sqlite:///{path}")

    path.unlink()
    store = Store.open(f"sqlite:///{path}")
    store.write(Batch(decisions=[made(decision(number)) for number in range(300)]))
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    named = r"refused it \(SQLITE_CORRUPT[A-Z_]*\); the file is damaged"
    with closing(Store.open(f"sqlite:///{path}")) as store, pytest.raises(StoreError, match=named):
        store.show(f"{1:032x}")


def test_fault_of_sqlite_is_named_without_the_row(tmp_path: Path) -> None:
    """What stands in a row may be somebody's words; the name of the fault says enough."""
    url = f"sqlite:///{tmp_path / 'outcomes.db'}"
    with closing(Store.open(url)) as store, pytest.raises(StoreError) as raised:
        store.write(Batch(drops={Drop(day=1, route="/words", reason="bytes"): None}))  # type: ignore[dict-item]

    assert "(SQLITE_CONSTRAINT_NOTNULL); see https://sqlite.org" in str(raised.value)
    assert "/words" not in str(raised.value)
