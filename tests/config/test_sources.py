"""Where a policy's evidence comes from: files, resolvers and the parts of an exchange."""

import sys
from pathlib import Path

import pytest

from gatekeeper.config import (
    read_draft,
)
from gatekeeper.policy import (
    FileSource,
    RequestSource,
    ResolverSource,
    ResponseSource,
    StateSource,
)
from tests.config.policies import PLACE, faults, route, toml


def test_every_kind_of_source(tmp_path: Path) -> None:
    """All sources of the design can be written, and paths of files start from the policy file."""
    (tmp_path / "facts.md").write_text("We close at five.", encoding="utf-8")
    found = route(
        tmp_path,
        {
            "context": """[
              { response = "/contexts/*", text = "/text", id = "/id" },
              { request = "/ticket" },
              { request = "/chat", roles = ["tool"] },
              { roles = ["system", "tool"] },
              { state = "passages", text = "/body" },
              { resolver = "json:dumps" },
              { file = "facts.md" },
            ]"""
        },
    )

    assert found.context == (
        ResponseSource(pointer="/contexts/*", text="/text", id="/id"),
        RequestSource(pointer="/ticket"),
        RequestSource(pointer="/chat", roles=("tool",)),
        RequestSource(pointer="/messages", roles=("system", "tool")),
        StateSource(name="passages", text="/body"),
        ResolverSource(target="json:dumps"),
        FileSource(path=str(tmp_path / "facts.md")),
    )


def test_boilerplate_file_has_a_text_a_line(tmp_path: Path) -> None:
    """Blank lines and a byte order mark are no boilerplate."""
    (tmp_path / "b.txt").write_text("\ufeffAsk us.\n\n  Yours  \n", encoding="utf-8")

    assert route(tmp_path, {"boilerplate": '"b.txt"'}).boilerplate == ("Ask us.", "Yours")


def test_missing_boilerplate_is_one_fault(tmp_path: Path) -> None:
    """The empty stand-in has nothing wrong with it."""
    [fault] = faults(tmp_path, toml({"boilerplate": '"gone.txt"'}))

    assert fault.place == f"{PLACE}.boilerplate"


@pytest.mark.parametrize(
    ("data", "bounds", "found"),
    [
        (b" \n", "{}", "without text"),
        (b"\xff", "{}", "with the byte 0xff at offset 0"),
        (b"x" * 101, "{ evidence_chars = 100 }", "with 101 characters"),
        (b"x" * 1_000_001, "{}", "with more than 1,000,000 bytes"),
    ],
)
def test_house_facts_that_cannot_be_used(
    tmp_path: Path, data: bytes, bounds: str, found: str
) -> None:
    """House facts that are missing or cut would be missed in each verdict."""
    (tmp_path / "facts.md").write_bytes(data)

    [fault] = faults(tmp_path, toml({"context": '[{ file = "facts.md" }]', "bounds": bounds}))

    assert fault.place == f"{PLACE}.context[0].file"
    assert fault.found.endswith(found)


def test_path_that_no_system_call_takes_is_a_fault(tmp_path: Path) -> None:
    """A NUL in a file name raises ValueError below, not OSError."""
    [fault] = faults(tmp_path, toml({"context": r'[{ file = "a\u0000b" }]'}))

    assert fault.place == f"{PLACE}.context[0].file"
    assert "null" in fault.found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("", "No module named 'resolver_under_test'"),
        ("x = 1", "has no attribute 'find'"),
        ("find = 1", "which can't be called"),
        ("raise KeyError('hunter2')", "importing it raised KeyError"),
        ("find = (", "importing it raised SyntaxError"),
    ],
)
def test_resolver_that_cannot_be_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, found: str
) -> None:
    """Evidence that can't be fetched is found out at the start, whatever the module does."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "resolver_under_test", raising=False)
    if source:
        (tmp_path / "resolver_under_test.py").write_text(source, encoding="utf-8")

    text = toml({"context": '[{ resolver = "resolver_under_test:find" }]'})
    [fault] = faults(tmp_path, text)

    assert fault.place == f"{PLACE}.context[0].resolver"
    assert found in fault.found
    assert "hunter2" not in str(fault)


def test_reading_without_imports_runs_no_code_of_the_user(tmp_path: Path) -> None:
    """Switching a route must work from a shell that can't import the app."""
    path = tmp_path / "gatekeeper.toml"
    path.write_text(toml({"context": '[{ resolver = "gone:find" }]'}), encoding="utf-8")

    assert read_draft(path, environment={}, imports=False).faults == ()
    assert len(read_draft(path, environment={}).faults) == 1
