"""Labelled rows for commands: read, completed as a route would, and put through a gate."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import click

from gatekeeper.cli.inputs import read_lines, read_passages
from gatekeeper.cli.show import tell, visible
from gatekeeper.core.decide import Side
from gatekeeper.errors import InputError
from gatekeeper.evaluation.rows import LineFault, Row, Rows, read_rows
from gatekeeper.evaluation.run import BOUNDS, Checker, Evaluated, check_rows
from gatekeeper.evaluation.strata import Stratum
from gatekeeper.gate import Gate
from gatekeeper.policy import Bounds
from gatekeeper.verdict import Evidence, Passage, Verdict

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_MAX_FAULTS_SHOWN = 20
# Of progress: for who watches a terminal, and in a log.
_STEPS, _FEW_STEPS = 20, 4

Command = TypeVar("Command", bound=Callable[..., object])


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Labelled rows for a command, and what a live route adds to judging them.

    ``source`` names where they come from. ``rule`` and ``strata`` are None where no policy and no
    sampling stands behind the rows, ``model`` and ``calibration`` are those a policy asks for.
    ``lines`` tell people of the sample, ``record`` programs.
    """

    source: str
    rows: Sequence[Row]
    faults: tuple[LineFault, ...] = ()
    boilerplate: tuple[str, ...] = ()
    bounds: Bounds = BOUNDS
    rule: Callable[[Verdict], Side] | None = None
    strata: Mapping[str, Stratum] | None = None
    model: Path | None = None
    calibration: Path | None = None
    lines: tuple[str, ...] = ()
    record: Mapping[str, object] = field(default_factory=dict)

    @property
    def bad_lines(self) -> int:
        """Number of lines that could not be used."""
        return sum(fault.dropped for fault in self.faults)

    @property
    def labelled(self) -> list[Row]:
        """The rows that a person could judge."""
        return [row for row in self.rows if row.label is not None]

    def gate(self, gate: Gate) -> Gate:
        """Return a gate as the route has it."""
        return with_boilerplate(gate, self.boilerplate)


def with_boilerplate(gate: Gate, lines: tuple[str, ...]) -> Gate:
    """Return a gate that holds the boilerplate exempt; the same one where there is none."""
    if not lines:
        return gate
    return Gate(gate.model, gate.judge, replace(gate.settings, boilerplate=lines))


def from_file(
    data: Path, house_facts: Sequence[Path], boilerplate: Path | None, *, limit: int | None = None
) -> Material:
    """Read a file of rows, the house facts behind their own passages, and tell of its faults.

    Raises:
        InputError: If a file can't be read, or there is no usable row.
    """
    found = read_labelled(data)
    facts = [passage.text for passage in read_passages(house_facts)]
    rows = [_with_facts(row, facts) for row in found.rows[:limit]]
    lines = () if boilerplate is None else read_lines(boilerplate)
    return Material(source=data.name, rows=rows, faults=found.faults, boilerplate=lines)


def route_options(command: Command) -> Command:
    """Add the options for what a live route has beside the rows of a file."""
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
    gate: Checker,
    material: Material,
    rows: Sequence[Row],
    done: Callable[[Evaluated], None] = lambda _: None,
) -> list[Evaluated]:
    """Check rows of the material, tell of progress, and hand each over when it is done."""
    checked: list[Evaluated] = []
    is_watched = sys.stderr is not None and sys.stderr.isatty()
    step = max(1, len(rows) // (_STEPS if is_watched else _FEW_STEPS))
    async for item in check_rows(gate, rows, bounds=material.bounds, rule=material.rule):
        checked.append(item)
        done(item)
        if len(checked) % step == 0 or len(checked) == len(rows):
            tell(f"evaluated {len(checked)} of {len(rows)}")
    return checked


def _with_facts(row: Row, facts: Sequence[str]) -> Row:
    if not facts:
        return row
    own = row.evidence.passages
    more = (Passage(id=str(len(own) + n), text=text) for n, text in enumerate(facts))
    return replace(row, evidence=Evidence(passages=(*own, *more), question=row.evidence.question))
