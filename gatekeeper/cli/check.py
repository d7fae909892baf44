"""``gatekeeper check``: one answer against its context."""

import asyncio
import json
import time
from pathlib import Path

import click

from gatekeeper.cli.gates import calibration_option, model_option, open_gate
from gatekeeper.cli.inputs import read_lines, read_passages, read_text
from gatekeeper.cli.labelled import boilerplate_option, with_boilerplate
from gatekeeper.cli.show import say, verdict_lines
from gatekeeper.evaluation.records import verdict_record
from gatekeeper.evaluation.run import Checker, check_within_bounds
from gatekeeper.verdict import Evidence, Outcome, Verdict

EXIT_CODES = {
    Outcome.SUPPORTED: 0,
    Outcome.NO_CLAIMS: 0,
    Outcome.FLAGGED: 3,
    Outcome.UNRESOLVED: 4,
    Outcome.NOT_CHECKED: 4,
}


class _Milliseconds(click.IntRange):
    name = "whole number of milliseconds, such as 200"


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FILE_OR_STDIN = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


@click.command("check")
@click.option(
    "--context",
    "contexts",
    type=_FILE,
    multiple=True,
    required=True,
    help="Evidence; may be repeated. .json: a string, a list of strings or of "
    '{"id", "text"}. Otherwise text whose blank lines separate passages.',
)
@click.option(
    "--answer", type=_FILE_OR_STDIN, required=True, help="The answer, a text file; - for stdin."
)
@click.option("--question", help="What was asked; gives context and is never evidence.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--budget-ms",
    type=_Milliseconds(min=1),
    metavar="N",
    help="Time for the check; without it no deadline.",
)
@model_option
@calibration_option
@boilerplate_option
@click.pass_context
def command(  # noqa: PLR0913 - click hands over one argument an option
    context: click.Context,
    *,
    contexts: tuple[Path, ...],
    answer: Path,
    question: str | None,
    as_json: bool,
    budget_ms: int | None,
    model: Path | None,
    calibration: Path | None,
    boilerplate: Path | None,
) -> None:
    """Check one answer against its context.

    Exit code: 0 SUPPORTED or NO_CLAIMS, 3 FLAGGED, 4 UNRESOLVED or NOT_CHECKED, 2 wrong usage,
    unreadable input or output that can't be written, 1 a fault of the model.
    """
    evidence = Evidence(passages=read_passages(contexts), question=question)
    text = read_text(answer)
    lines = () if boilerplate is None else read_lines(boilerplate)
    opened = open_gate(context, model, calibration=calibration)
    gate = with_boilerplate(opened.gate, lines)
    verdict, elapsed_s = _check(gate, text, evidence, budget_ms)
    if as_json:
        # ASCII: foreign text can then not steer the terminal, whatever its encoding.
        record = {**verdict_record(verdict, elapsed_s=elapsed_s), "calibration": opened.fit}
        say(json.dumps(record))
    else:
        for line in verdict_lines(verdict, elapsed_s=elapsed_s):
            say(line)
    context.exit(EXIT_CODES[verdict.outcome])


def _check(
    gate: Checker, answer: str, evidence: Evidence, budget_ms: int | None
) -> tuple[Verdict, float]:
    """Return the verdict and the seconds the check took, and close the gate."""
    try:
        began = time.monotonic()
        deadline = None if budget_ms is None else began + budget_ms / 1000
        verdict = asyncio.run(check_within_bounds(gate, answer, evidence, deadline=deadline))
        return verdict, time.monotonic() - began
    finally:
        gate.close()
