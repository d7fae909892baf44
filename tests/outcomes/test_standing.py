"""A store that is held open goes by the name of its file, not by what it once opened."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gatekeeper.errors import StoreError
from gatekeeper.outcomes.standing import StandingStore
from gatekeeper.outcomes.store import Batch, Store
from tests.outcomes.made import decision, made


class Held:
    """A standing store, with what it opened and how often it told of another file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.opened: list[Store] = []
        self.replaced = 0
        self.standing = StandingStore(self.open, replaced=self.tell)

    def open(self) -> Store:
        """Open the store."""
        self.opened.append(Store.open(f"sqlite:///{self.file}"))
        return self.opened[-1]

    def tell(self) -> None:
        """Count a replacement."""
        self.replaced += 1


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    """Hold a store in a file that is not there yet."""
    held = Held(tmp_path / "outcomes.db")
    yield held
    for store in held.opened:
        store.close()


def keep(file: Path, number: int) -> None:
    """Put a decision into a file."""
    store = Store.open(f"sqlite:///{file}")
    store.write(Batch(decisions=[made(decision(number))]))
    store.close()


def test_store_is_opened_once(held: Held) -> None:
    """Each opening costs a migration; the first one may make the file."""
    first = held.standing.get()

    assert held.standing.get() is first
    assert (len(held.opened), held.replaced) == (1, 0)


@pytest.mark.parametrize("is_closed", [False, True])
def test_file_that_was_replaced_is_opened_anew(held: Held, *, is_closed: bool) -> None:
    """What is written into the old one is in no file that anybody can name."""
    held.standing.get()
    if is_closed:
        held.standing.close()
    other = held.file.with_name("other.db")
    keep(other, 7)

    other.replace(held.file)

    assert held.standing.get().show(f"{7:032x}") is not None
    assert held.standing.get() is held.opened[-1]
    assert (len(held.opened), held.replaced) == (2, 1)


@pytest.mark.parametrize("is_closed", [False, True])
def test_file_that_is_gone_is_not_made_anew(held: Held, *, is_closed: bool) -> None:
    """An empty one would say that nothing was ever decided; the same one may come back."""
    held.standing.get()
    if is_closed:
        held.standing.close()
    away = held.file.with_name("away.db")
    held.file.rename(away)

    with pytest.raises(StoreError, match="is gone") as caught:
        held.standing.get()

    assert caught.value.is_passing
    assert not held.file.exists()
    away.rename(held.file)
    assert held.standing.get().show("none") is None
    assert held.replaced == 0


def test_log_of_the_old_file_gets_into_the_old_file_alone(held: Held) -> None:
    """SQLite reads whatever log has the name: it would turn the new store into the old one."""
    held.standing.get().write(Batch(decisions=[made(decision(1))]))
    beside = StandingStore(held.open)
    beside.get().write(Batch(decisions=[made(decision(2))]))
    other, old = held.file.with_name("other.db"), held.file.with_name("old.db")
    keep(other, 7)

    held.file.rename(old)
    other.rename(held.file)
    held.standing.get().write(Batch(decisions=[made(decision(8))]))
    beside.get().write(Batch(decisions=[made(decision(9))]))
    for store in held.opened:
        store.close()

    assert numbers(old) == {1, 2}
    assert numbers(held.file) == {7, 8, 9}


def numbers(file: Path) -> set[int]:
    """Return which of the first decisions a file holds."""
    with closing(Store.open(f"sqlite:///{file}")) as store:
        return {number for number in range(10) if store.show(f"{number:032x}") is not None}


def test_file_that_must_be_there_is_never_made(held: Held) -> None:
    """Who only reads must not leave a store behind."""
    reader = StandingStore(held.open, file=held.file)

    with pytest.raises(StoreError, match="is gone"):
        reader.get()

    assert not held.file.exists()
