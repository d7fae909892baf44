"""``gatekeeper evaluate``: labelled data through the gate."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import click

from gatekeeper.cli.fromstore import Asked, data_argument, material_of, store_options
from gatekeeper.cli.gates import calibration_option, model_option, open_gate
from gatekeeper.cli.labelled import check_all, route_options
from gatekeeper.cli.outputs import Output, output, refuse_one_for_two
from gatekeeper.cli.show import say
from gatekeeper.evaluation.metrics import RATES, Estimate
from gatekeeper.evaluation.report import Evaluation, evaluation_record, row_record, summarise
from gatekeeper.evaluation.run import Evaluated
from gatekeeper.evaluation.severity import Critical
from gatekeeper.evaluation.versions import package_versions

BAD_LINES = 1

_OUT = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.command("evaluate")
@data_argument
@store_options
@model_option
@calibration_option
@route_options
@click.option("--json", "json_out", type=_OUT, help="Write the result to this file.")
@click.option("--rows", "rows_out", type=_OUT, help="Write one JSON object a row to this file.")
@click.option(
    "--critical",
    type=click.Choice([str(kind) for kind in Critical]),
    multiple=True,
    help="Kind of claim that counts as critical, beside those the data marks; may be repeated.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Use only the first rows.")
@click.pass_context
def command(  # noqa: PLR0913 - click hands over one argument an option
    context: click.Context,
    *,
    data: Path | None,
    from_store: bool,
    config: Path | None,
    path: str | None,
    days: int | None,
    model: Path | None,
    calibration: Path | None,
    house_facts: tuple[Path, ...],
    boilerplate: Path | None,
    json_out: Path | None,
    rows_out: Path | None,
    critical: tuple[str, ...],
    limit: int | None,
) -> None:
    """Run the gate over labelled data and count what it gets right.

    DATA holds one JSON object a line, plain or gzip. With --from-store the rows are the labelled
    sample of a route's outcome store, judged again. Exit code: 0, or 1 if there were lines that
    could not be used; the result is written all the same.
    """
    refuse_one_for_two([("DATA", data), ("--json", json_out), ("--rows", rows_out)])
    asked = Asked(
        data=data,
        from_store=from_store,
        config=config,
        path=path,
        days=days,
        house_facts=house_facts,
        boilerplate=boilerplate,
        limit=limit,
    )
    material = material_of(asked)
    opened = open_gate(
        context,
        model or material.model,
        tested=True,
        calibration=calibration or (None if model else material.calibration),
    )
    with closing(opened.gate), output(json_out) as whole, output(rows_out) as by_row:
        kinds = [Critical(kind) for kind in critical]
        done = _to_rows_file(by_row, kinds)
        gate = material.gate(opened.gate)
        evaluated = asyncio.run(check_all(gate, material, material.rows, done))
        result = summarise(
            evaluated,
            material.faults,
            fingerprint=opened.gate.fingerprint,
            thresholds=opened.gate.thresholds,
            calibration=opened.fit,
            critical=kinds,
            strata=material.strata,
        )
        if whole is not None:
            record = evaluation_record(result, versions=package_versions())
            record |= material.record
            whole.empty()
            whole.write(json.dumps(record, indent=2) + "\n")
    for line in (*material.lines, *_summary(result)):
        say(line)
    context.exit(BAD_LINES if material.bad_lines else 0)


def _to_rows_file(by_row: Output | None, kinds: Sequence[Critical]) -> Callable[[Evaluated], None]:
    """Return what writes each row when it is done, so that what there is stays."""
    if by_row is None:
        return lambda _: None
    by_row.empty()
    return lambda item: by_row.write(json.dumps(row_record(item, kinds)) + "\n")


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
    lines += _both_ways(result)
    lines.append("verdicts by label")
    for verdict, by_label in result.verdicts.items():
        row = ", ".join(f"{label} {count}" for label, count in by_label.items())
        lines.append(f"  {verdict:<20} {row}")
    return [*lines, *_severity(result), *_extraction(result)]


def _both_ways(result: Evaluation) -> Iterator[str]:
    """Yield the rates with what nobody could tell counted as wrong and as correct."""
    found = result.cannot_tell
    if found is None:
        return
    yield f"no side taken on {found.undecided:.1%} of the decisions: in the worst case only"
    if not found.rows:
        return
    yield f"{found.rows} rows that nobody could tell, counted as wrong, as correct"
    for rate in RATES:
        both = (getattr(metrics, rate).value for metrics in (found.as_wrong, found.as_correct))
        yield f"  {rate:<20} " + ", ".join(
            "undefined" if value is None else f"{value:.3f}" for value in both
        )


def _severity(result: Evaluation) -> Iterator[str]:
    """Yield answers by severity; an answer without claims has none."""
    table = result.severity
    yield "severity of answers"
    levels = ", ".join(f"{level} {count}" for level, count in table.counts.items())
    yield f"  {levels}, without claims {table.undefined}"
    if table.is_marked:
        yield f"  {'critical supported':<20} {table.critical_supported} of {table.critical} claims"
    else:
        yield "  nothing is marked as critical: no claim counts as such"


def _extraction(result: Evaluation) -> Iterator[str]:
    """Yield what the segmenter made of claims that were marked, if any were."""
    found = result.extraction
    if found is None:
        return
    yield f"claims against {found.marked} marked ones in {found.answers} answers"
    yield f"  omitted {found.omitted}, merged {found.merged}, invented {found.invented}"
    for name in ("omission_rate", "precision", "pessimistic_precision"):
        rate = getattr(found, name)
        yield f"  {name:<21} " + ("undefined" if rate is None else f"{float(rate):.3f}")


def _figure(figure: Estimate) -> str:
    if figure.value is None:
        return "undefined"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f}  [{figure.low:.3f}, {figure.high:.3f}]"
