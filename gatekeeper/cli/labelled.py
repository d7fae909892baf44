"""Labelled rows for commands: read, completed as a route would, and put through a gate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import click

from gatekeeper.cli.inputs import read_lines, read_passages
from gatekeeper.cli.show import tell, visible
from gatekeeper.errors import InputError
from gatekeeper.evaluation.rows import Row, Rows, read_rows
from gatekeeper.evaluation.run import Checker, Evaluated, check_rows
from gatekeeper.gate import Gate
from gatekeeper.verdict import Evidence, Passage

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_MAX_FAULTS_SHOWN = 20
_STEPS = 20

Command = TypeVar("Command", bound=Callable[..., object])


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """What a live route adds to each answer: evidence from files, and texts that are no claims."""

    house_facts: tuple[Path, ...] = ()
    boilerplate: Path | None = None

    def gate(self, gate: Gate) -> Gate:
        """Return a gate that holds the boilerplate exempt; the same one where there is none."""
        if self.boilerplate is None:
            return gate
        lines = read_lines(self.boilerplate)
        return Gate(gate.model, gate.judge, replace(gate.settings, boilerplate=lines))

    def rows(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows with the house facts behind their own passages."""
        facts = [passage.text for passage in read_passages(self.house_facts)]
        return [_with_facts(row, facts) for row in rows] if facts else list(rows)


def route_options(command: Command) -> Command:
    """Add the options that ``Route`` holds."""
    house_facts = click.option(
        "--house-facts",
        type=_FILE,
        multiple=True,
        help="Evidence for every row, as a route's file source; may be repeated.",
    )
    return house_facts(boilerplate_option(command))


boilerplate_option = click.option(
    "--boilerplate", type=_FILE, help="Texts that are no claims, one a line, as a route's."
)


def read_labelled(data: Path) -> Rows:
    """Read the rows of a file and tell of what is wrong with them.

    Raises:
        InputError: If it can't be opened or holds no usable row.
    """
    found = read_rows(data)
    for fault in found.faults[:_MAX_FAULTS_SHOWN]:
        tell(visible(f"{data}: {fault}"))
    hidden = len(found.faults) - _MAX_FAULTS_SHOWN
    if hidden > 0:
        tell(f"{data}: and {hidden} more, all in the --json result")
    if found.bad_lines:
        tell(f"{data}: {found.bad_lines} lines could not be used")
    if not found.rows:
        raise InputError(str(data), "no usable row", "one labelled answer a line")
    return found


async def check_all(
    gate: Checker, rows: Sequence[Row], done: Callable[[Evaluated], None] = lambda _: None
) -> list[Evaluated]:
    """Check the rows, tell of progress, and hand each over when it is done."""
    checked: list[Evaluated] = []
    step = max(1, len(rows) // _STEPS)
    async for item in check_rows(gate, rows):
        checked.append(item)
        done(item)
        if len(checked) % step == 0 or len(checked) == len(rows):
            tell(f"evaluated {len(checked)} of {len(rows)}")
    return checked


def _with_facts(row: Row, facts: Sequence[str]) -> Row:
    own = row.evidence.passages
    more = (Passage(id=str(len(own) + n), text=text) for n, text in enumerate(facts))
    return replace(row, evidence=Evidence(passages=(*own, *more), question=row.evidence.question))
