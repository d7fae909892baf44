"""``gatekeeper evaluate``: labelled data through the gate."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from gatekeeper.cli.gates import calibration_option, model_option, open_gate
from gatekeeper.cli.outputs import Output, output, refuse_one_for_two
from gatekeeper.cli.show import say, tell, visible
from gatekeeper.errors import InputError
from gatekeeper.evaluation.metrics import RATES, Estimate
from gatekeeper.evaluation.report import Evaluation, evaluation_record, row_record, summarise
from gatekeeper.evaluation.rows import Row, Rows, read_rows
from gatekeeper.evaluation.run import Checker, Evaluated, check_rows
from gatekeeper.evaluation.versions import package_versions

BAD_LINES = 1

_OUT = click.Path(dir_okay=False, writable=True, path_type=Path)
_MAX_FAULTS_SHOWN = 20


@click.command("evaluate")
@click.argument("data", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@model_option
@calibration_option
@click.option("--json", "json_out", type=_OUT, help="Write the result to this file.")
@click.option("--rows", "rows_out", type=_OUT, help="Write one JSON object a row to this file.")
@click.option("--limit", type=click.IntRange(min=1), help="Use only the first rows.")
@click.pass_context
def command(  # noqa: PLR0913 - click hands over one argument an option
    context: click.Context,
    *,
    data: Path,
    model: Path | None,
    calibration: Path | None,
    json_out: Path | None,
    rows_out: Path | None,
    limit: int | None,
) -> None:
    """Run the gate over labelled data and count what it gets right.

    DATA holds one JSON object a line, plain or gzip. Exit code: 0, or 1 if there were lines that
    could not be used; the result is written all the same.
    """
    refuse_one_for_two([("DATA", data), ("--json", json_out), ("--rows", rows_out)])
    found = read_rows(data)
    _report_faults(data, found)
    if not found.rows:
        raise InputError(str(data), "no usable row", "one labelled answer a line")
    opened = open_gate(context, model, tested=True, calibration=calibration)
    with closing(opened.gate), output(json_out) as whole, output(rows_out) as by_row:
        evaluated = asyncio.run(_run(opened.gate, found.rows[:limit], by_row))
        result = summarise(
            evaluated,
            found.faults,
            fingerprint=opened.gate.fingerprint,
            thresholds=opened.gate.thresholds,
            calibration=opened.fit,
        )
        if whole is not None:
            record = evaluation_record(result, versions=package_versions())
            whole.empty()
            whole.write(json.dumps(record, indent=2) + "\n")
    for line in _summary(result):
        say(line)
    context.exit(BAD_LINES if found.bad_lines else 0)


async def _run(gate: Checker, rows: Sequence[Row], by_row: Output | None) -> list[Evaluated]:
    """Check the rows, tell of progress, write each row when it is done."""
    done: list[Evaluated] = []
    step = max(1, len(rows) // 20)
    if by_row is not None:
        by_row.empty()
    async for item in check_rows(gate, rows):
        done.append(item)
        if by_row is not None:
            by_row.write(json.dumps(row_record(item)) + "\n")
        if len(done) % step == 0 or len(done) == len(rows):
            tell(f"evaluated {len(done)} of {len(rows)}")
    return done


def _report_faults(data: Path, found: Rows) -> None:
    for fault in found.faults[:_MAX_FAULTS_SHOWN]:
        tell(visible(f"{data}: {fault}"))
    hidden = len(found.faults) - _MAX_FAULTS_SHOWN
    if hidden > 0:
        tell(f"{data}: and {hidden} more, all in the --json result")
    if found.bad_lines:
        tell(f"{data}: {found.bad_lines} lines could not be used")


def _summary(result: Evaluation) -> list[str]:
    """Return the result for people, at most 80 columns wide."""
    lines = [f"rows {result.n}, labelled {result.n_labelled}, decided {result.n_decided}"]
    titles = {
        f"gate at support threshold {result.thresholds.support:g}": result.gate,
        "worst case: undecided rows let through": result.worst_case,
    }
    for title, metrics in titles.items():
        lines.append(title)
        lines += [f"  {rate:<20} {_figure(getattr(metrics, rate))}" for rate in RATES]
    lines.append("verdicts by label")
    for verdict, by_label in result.verdicts.items():
        row = ", ".join(f"{label} {count}" for label, count in by_label.items())
        lines.append(f"  {verdict:<20} {row}")
    return lines


def _figure(figure: Estimate) -> str:
    if figure.value is None:
        return "undefined"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f}  [{figure.low:.3f}, {figure.high:.3f}]"
