"""Connections to a file: what one process opens and closes takes nothing from another."""

import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gatekeeper.errors import StoreError
from gatekeeper.outcomes.store import Batch, Store
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
