"""Slots for the files of a worker: taken, held, given back."""

import os
from pathlib import Path

import pytest

from gatekeeper.observe import slots
from gatekeeper.observe.folder import VARIABLE
from gatekeeper.observe.slots import Slot, forget_dead_slots


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that workers share."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return tmp_path


def files(folder: Path, name: str) -> set[str]:
    """Return the kinds of files that a slot has."""
    return {path.stem.removesuffix(f"_{name}") for path in folder.glob(f"*_{name}.db")}


def test_each_worker_has_a_slot_of_its_own_until_it_ends(folder: Path) -> None:
    """What a dead one counted is counted on by the next one, so that its files don't pile up."""
    first, second = Slot(), Slot()
    assert (first(), second(), first()) == ("gatekeeper0", "gatekeeper1", "gatekeeper0")

    first._leave()

    third, fourth = Slot(), Slot()
    assert (third(), fourth()) == ("gatekeeper0", "gatekeeper2")
    for slot in (second, third, fourth):
        slot._leave()


def test_files_of_a_slot_are_whole_from_the_start(folder: Path) -> None:
    """A page made between the making of a file and its first value could not read it."""
    slot = Slot()
    name = slot()

    assert files(folder, name) == set(slots._KINDS)
    assert all(path.stat().st_size > 0 for path in folder.glob("*.db"))
    assert list(folder.glob("*.new")) == []
    slot._leave()


def test_live_gauges_go_with_who_held_the_slot(folder: Path) -> None:
    """A queue of a dead worker is no queue; counters stay, or they would fall."""
    dead, living = Slot(), Slot()
    names = dead(), living()
    dead._leave()

    forget_dead_slots(folder)

    kept = {kind for kind in slots._KINDS if not kind.startswith("gauge_live")}
    assert files(folder, names[0]) == kept
    assert files(folder, names[1]) == set(slots._KINDS)
    living._leave()


def test_folder_without_locks_is_told_apart_by_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some network folders have none; then the files pile up, and every count is right."""

    def refuse(_held: int, _how: int) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr("fcntl.flock", refuse)

    assert Slot()() == str(os.getpid())
    assert list(folder.glob("*.db")) == []
