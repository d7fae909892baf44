"""``gatekeeper dashboards``: write what Grafana and Prometheus are given."""

import json
import re
import shlex
from pathlib import Path

import click

from gatekeeper.cli.outputs import faults_named
from gatekeeper.cli.show import say, visible
from gatekeeper.errors import InputError
from gatekeeper.evaluation.replacing import replace_file
from gatekeeper.observe.dashboards import ALERTS, DASHBOARD, NAMES, RULES, TESTS, content

_PLAIN = re.compile(r"[\w/.-]+")
_WRITTEN, _UNCHANGED = "written", "as it was"


@click.command("dashboards")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace files that hold something else.")
def command(folder: Path, *, force: bool) -> None:
    """Write a Grafana dashboard, Prometheus rules and alerts, and tests of them.

    They go into DIR, which is made if it is not there. Files that hold something else, such as your
    own changes, are named and left alone, and then nothing at all is written.
    """
    files = {folder / name: content(name) for name in NAMES}
    others = [path for path, data in files.items() if not _may_be_written(path, data, force=force)]
    if others:
        found = f"other content in {', '.join(path.name for path in others)}"
        raise InputError(str(folder), found, "another folder, or --force to replace it")
    with faults_named(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for path, data in files.items():
        say(visible(f"{path}  {_put(path, data)}", keep_blanks=True))
    for line in _advice(folder):
        say(visible(line, keep_blanks=True))


def _may_be_written(path: Path, data: bytes, *, force: bool) -> bool:
    """Tell whether nothing would be lost, or is to be.

    Raises:
        InputError: If what is there is no file that can be read.
    """
    with faults_named(path):
        return not path.exists() or path.read_bytes() == data or force


def _put(path: Path, data: bytes) -> str:
    """Write a file whole, unless it is what it should be."""
    with faults_named(path):
        if path.exists() and path.read_bytes() == data:
            return _UNCHANGED
        replace_file(path, data)
    return _WRITTEN


def _advice(folder: Path) -> tuple[str, ...]:
    """Say what to do with the files."""
    rules, alerts, tests = (shlex.quote(str(folder / name)) for name in (RULES, ALERTS, TESTS))
    named = ", ".join(_in_yaml((folder / name).absolute()) for name in (RULES, ALERTS))
    return (
        "",
        f"Grafana: Dashboards, New, Import, and choose {folder / DASHBOARD}.",
        f"Prometheus: name {RULES} and {ALERTS} under rule_files and reload it:",
        f"  rule_files: [{named}]",
        "Try them before:",
        f"  promtool check rules {rules} {alerts}",
        f"  promtool test rules {tests}",
    )


def _in_yaml(path: Path) -> str:
    """Return a path as an item of a list in YAML, where a string of JSON is one too."""
    return str(path) if _PLAIN.fullmatch(str(path)) else json.dumps(str(path))
