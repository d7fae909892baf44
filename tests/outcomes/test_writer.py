"""What decisions are written into: the store that has the name, by the shares fixed in it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gatekeeper.errors import StoreError
from gatekeeper.outcomes.records import Stored
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.writer import Entry, Writer
from gatekeeper.policy import Keep
from tests.outcomes.made import NOON_MS, ROUTE, decision, made, source

NONE = Keep(blocked=0.0, accepted_low=0.0, accepted_high=0.0, unchecked=0.0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the store is."""
    return tmp_path / "outcomes.db"


@pytest.fixture
def writer(file: Path) -> Iterator[Writer]:
    """Write a first decision into a new store."""
    writer = Writer(lambda: opened(file), source())
    write(writer, 1)
    yield writer
    writer.close()


def opened(file: Path) -> Store:
    """Open the store in a file."""
    return Store.open(f"sqlite:///{file}")


def write(writer: Writer, number: int) -> None:
    """Write one decision of noon."""
    writer.write([Entry(decision(number), NOON_MS, 1)], {})


def found(file: Path, number: int) -> Stored | None:
    """Return a decision as it is in a file."""
    with closing(opened(file)) as store:
        shown = store.show(f"{number:032x}")
    return None if shown is None else shown.decision


def test_file_that_was_replaced_is_written_by_its_own_shares(file: Path, writer: Writer) -> None:
    """Decisions in a file without a name are lost; one kept by other shares is weighed wrongly."""
    other = file.with_name("other.db")
    with closing(opened(other)) as store:
        week = made(decision()).week
        store.week_plan(ROUTE, week, keep=NONE, first_cut=0.5)

    other.replace(file)
    write(writer, 2)

    new = found(file, 2)
    assert new is not None
    assert not new.kept
    assert found(file, 1) is None


def test_file_that_is_gone_is_waited_for(file: Path, writer: Writer) -> None:
    """Written elsewhere decisions would be lost; the line keeps them, or counts them as dropped."""
    away = file.with_name("away.db")
    file.rename(away)

    for _ in range(2):
        with pytest.raises(StoreError, match="is gone") as caught:
            write(writer, 2)
        assert caught.value.is_passing
    assert not file.exists()

    away.rename(file)
    write(writer, 2)
    assert found(file, 2) is not None


def test_shares_that_wait_are_told_once_a_week(file: Path, writer: Writer) -> None:
    """Whoever raises them and restarts would look for what is to be labelled in vain."""
    told: list[str] = []
    same = Writer(lambda: opened(file), source(), keep_waits=told.append)
    other = Writer(lambda: opened(file), source(keep=NONE), keep_waits=told.append)

    with closing(same), closing(other):
        write(same, 2)
        assert told == []
        write(other, 3)
        write(other, 4)

    assert told == [ROUTE]
