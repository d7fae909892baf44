"""``gatekeeper evaluate``: labelled data through the gate."""

import asyncio
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click

from gatekeeper.cli.gates import calibration_option, model_option, open_gate
from gatekeeper.cli.labelled import Route, check_all, read_labelled, route_options
from gatekeeper.cli.outputs import Output, output, refuse_one_for_two
from gatekeeper.cli.show import say
from gatekeeper.evaluation.metrics import RATES, Estimate
from gatekeeper.evaluation.report import Evaluation, evaluation_record, row_record, summarise
from gatekeeper.evaluation.run import Evaluated
from gatekeeper.evaluation.versions import package_versions

BAD_LINES = 1

_OUT = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.command("evaluate")
@click.argument("data", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@model_option
@calibration_option
@route_options
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
    house_facts: tuple[Path, ...],
    boilerplate: Path | None,
    json_out: Path | None,
    rows_out: Path | None,
    limit: int | None,
) -> None:
    """Run the gate over labelled data and count what it gets right.

    DATA holds one JSON object a line, plain or gzip. Exit code: 0, or 1 if there were lines that
    could not be used; the result is written all the same.
    """
    refuse_one_for_two([("DATA", data), ("--json", json_out), ("--rows", rows_out)])
    found = read_labelled(data)
    route = Route(house_facts=house_facts, boilerplate=boilerplate)
    rows = route.rows(found.rows[:limit])
    opened = open_gate(context, model, tested=True, calibration=calibration)
    with closing(opened.gate), output(json_out) as whole, output(rows_out) as by_row:
        done = _to_rows_file(by_row)
        evaluated = asyncio.run(check_all(route.gate(opened.gate), rows, done))
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


def _to_rows_file(by_row: Output | None) -> Callable[[Evaluated], None]:
    """Return what writes each row when it is done, so that what there is stays."""
    if by_row is None:
        return lambda _: None
    by_row.empty()
    return lambda item: by_row.write(json.dumps(row_record(item)) + "\n")


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
