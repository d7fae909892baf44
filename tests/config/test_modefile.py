"""The run-time file: read whole or not at all, replaced whole, changed by one writer at a time."""

import json
import stat
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from gatekeeper.config.modefile import (
    EMPTY,
    ModeFile,
    Override,
    Tripped,
    change_mode_file,
    mode_path,
    parse_mode_file,
    read_mode_file,
)
from gatekeeper.errors import ConfigurationError, InputError
from gatekeeper.policy import Mode

OFF = Override(mode=Mode.OFF)
FULL = ModeFile(
    policy="abc",
    routes={
        "/a": Override(mode=Mode.ENFORCE, share=0.25),
        "/b": Override(
            trip=Tripped(to=Mode.SHADOW, blocked=130, of=200, at="2024-05-01T10:00:00+00:00"),
            resets=2,
        ),
    },
)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    """The file is how workers agree; nothing may get lost on the way."""
    path = tmp_path / "gatekeeper.mode.json"

    assert change_mode_file(path, lambda _: FULL) == FULL
    assert read_mode_file(path) == FULL


def test_file_that_does_not_exist_says_nothing(tmp_path: Path) -> None:
    """Most installations never change a mode at run time."""
    assert read_mode_file(tmp_path / "gone.json") == EMPTY
    assert EMPTY.override("/a") == Override()


def test_stands_beside_the_policy() -> None:
    """Command and workers must mean the same file."""
    assert mode_path(Path("/etc/gk/gatekeeper.toml")) == Path("/etc/gk/gatekeeper.mode.json")


def test_route_about_which_nothing_is_said_is_left_out() -> None:
    """The file shows what was changed, not what was changed back."""
    assert FULL.with_override("/a", Override()).routes.keys() == {"/b"}


@pytest.mark.parametrize(
    "cut", [0, 1, 20, len(json.dumps({"format": 1, "policy": "", "routes": {}})) - 1]
)
def test_half_a_file_is_no_file(cut: int) -> None:
    """A file written by hand may be read while it is half there."""
    whole = json.dumps({"format": 1, "policy": "", "routes": {}}).encode()

    with pytest.raises(ConfigurationError):
        parse_mode_file(whole[:cut])
    assert parse_mode_file(whole) == EMPTY


@pytest.mark.parametrize(
    ("routes", "place"),
    [
        ('{"/a": {"mode": "on"}}', 'routes."/a".mode'),
        ('{"/a": {"share": 1.5}}', 'routes."/a".share'),
        ('{"/a": {"share": "1"}}', 'routes."/a".share'),
        ('{"/a": {"shar": 1}}', 'routes."/a".shar'),
        ('{"/a": {"trip": {"to": "enforce"}}}', 'routes."/a".trip.to'),
        ('{"/a": {"trip": {"two": "off"}}}', 'routes."/a".trip.two'),
        ('{"/a": {"trip": 1}}', 'routes."/a".trip'),
        ('{"/a": 1}', 'routes."/a"'),
        ("[1]", "routes"),
    ],
)
def test_fault_has_its_place(routes: str, place: str) -> None:
    """People edit the file in a hurry; a slip must not switch a route to something else."""
    with pytest.raises(ConfigurationError) as caught:
        parse_mode_file(f'{{"format": 1, "routes": {routes}}}'.encode())

    assert [fault.place for fault in caught.value.faults] == [place]


@pytest.mark.parametrize("data", [b"[]", b"1", b'{"routes": {}}', b'{"format": 2}', b"[" * 99999])
def test_other_json_is_refused(data: bytes) -> None:
    """A file of another program or a later format is not taken for an empty one."""
    with pytest.raises(ConfigurationError):
        parse_mode_file(data)


def test_folder_in_the_place_of_the_file_is_an_input_error(tmp_path: Path) -> None:
    """Whatever can't be read or written is named as such."""
    with pytest.raises(InputError, match="a readable file"):
        read_mode_file(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        change_mode_file(tmp_path / "gone" / "gatekeeper.mode.json", lambda file: file)


def test_permissions_are_kept_and_others_may_read_a_new_file(tmp_path: Path) -> None:
    """Workers often run as another user than the person who switches a route."""
    path = tmp_path / "gatekeeper.mode.json"

    change_mode_file(path, lambda _: FULL)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644

    path.chmod(0o640)
    change_mode_file(path, lambda _: EMPTY)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_readers_see_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    """The name is taken by a file that is complete: another inode, nothing left beside it."""
    path = tmp_path / "gatekeeper.mode.json"
    change_mode_file(path, lambda _: FULL)

    with path.open("rb") as before:
        change_mode_file(path, lambda _: EMPTY)
        assert parse_mode_file(before.read()) == FULL

    assert read_mode_file(path) == EMPTY
    assert [*tmp_path.iterdir()] == [path]


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    """A full disk must not take the modes with it."""
    path = tmp_path / "gatekeeper.mode.json"
    change_mode_file(path, lambda _: FULL)

    def blocked(_: ModeFile) -> ModeFile:
        path.unlink()
        path.mkdir()  # a folder can't be replaced by a file
        return EMPTY

    with pytest.raises(InputError):
        change_mode_file(path, blocked)

    assert [*tmp_path.iterdir()] == [path]


def test_two_writers_lose_no_change(tmp_path: Path) -> None:
    """A worker saves a trip in the moment a person switches another route."""
    path = tmp_path / "gatekeeper.mode.json"

    def write(name: str) -> None:
        for n in range(10):
            change_mode_file(path, partial(ModeFile.with_override, path=f"{name}{n}", override=OFF))

    threads = [threading.Thread(target=write, args=(name,)) for name in ("/a", "/b", "/c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(read_mode_file(path).routes) == 30


def test_change_that_reads_a_broken_file_is_refused(tmp_path: Path) -> None:
    """Writing over what nobody understands would lose what it meant."""
    path = tmp_path / "gatekeeper.mode.json"
    path.write_text("{", encoding="utf-8")

    with pytest.raises(ConfigurationError):
        change_mode_file(path, lambda file: replace(file, policy="x"))
    assert path.read_text(encoding="utf-8") == "{"
