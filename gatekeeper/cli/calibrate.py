"""``gatekeeper calibrate``: a threshold with a stated risk, from labelled answers."""

import asyncio
import math
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import click

from gatekeeper.cli.fromstore import Asked, data_argument, material_of, store_options
from gatekeeper.cli.gates import model_option, open_gate
from gatekeeper.cli.labelled import check_all, route_options
from gatekeeper.cli.numbers import as_percent, share
from gatekeeper.cli.outputs import faults_named, refuse_one_for_two
from gatekeeper.cli.show import say
from gatekeeper.errors import InputError
from gatekeeper.evaluation.calibrate import (
    Calibrated,
    at_marks,
    calibrate,
    calibration_of,
    open_marks,
    refuse_uncountable,
)
from gatekeeper.evaluation.calibration import write_calibration
from gatekeeper.evaluation.search import (
    AcceptedErrorTarget,
    FalseBlockTarget,
    Target,
    accepted_share,
    error_at,
)

BAD_LINES = 1
NONE_FOUND = 1

# From here on a bound is told with one decimal of a per cent, below with three.
_COARSE = 0.01


@click.command("calibrate")
@data_argument
@store_options
@click.option(
    "--max-false-block",
    type=share,
    help="Block at most this share of correct answers: the largest threshold that does.",
)
@click.option(
    "--max-accepted-error",
    type=share,
    help="Let through answers of which at most this share is wrong: the smallest threshold.",
)
@click.option("--min-accepted", type=share, help="Least share let through, for the second.")
@click.option(
    "--prevalence",
    type=share,
    metavar="W",
    help="Share of wrong answers in your traffic; without it that of the rows.",
)
@click.option("--confidence", type=share, default="0.95", show_default=True)
@model_option
@route_options
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    default="calibration.json",
    show_default=True,
    help="The calibration file.",
)
@click.pass_context
def command(  # noqa: PLR0913 - click hands over one argument an option
    context: click.Context,
    *,
    data: Path | None,
    from_store: bool,
    config: Path | None,
    path: str | None,
    days: int | None,
    max_false_block: Fraction | None,
    max_accepted_error: Fraction | None,
    min_accepted: Fraction | None,
    prevalence: Fraction | None,
    confidence: Fraction,
    model: Path | None,
    house_facts: tuple[Path, ...],
    boilerplate: Path | None,
    out: Path,
) -> None:
    """Find a threshold whose error rate is below a target, with confidence.

    DATA holds one JSON object a line, plain or gzip; rows with a label are counted. With
    --from-store they are the labelled sample of a route's outcome store. Exit code: 0 written, 1
    if no threshold will do (nothing is written) or there were lines that could not be used.
    """
    target = _target(max_false_block, max_accepted_error, min_accepted, prevalence, confidence)
    refuse_one_for_two([("DATA", data), ("--output", out)])
    asked = Asked(
        data=data,
        from_store=from_store,
        config=config,
        path=path,
        days=days,
        house_facts=house_facts,
        boilerplate=boilerplate,
    )
    material = material_of(asked)
    rows = material.labelled
    if not rows:
        raise InputError(material.source, "no row with a label", 'rows with "label"')
    refuse_uncountable(rows, target)
    _refuse_unwritable(out)
    marks = None if model else material.calibration
    opened = open_gate(context, model or material.model, tested=True, calibration=marks)
    with closing(opened.gate) as gate:
        scoring = material.gate(at_marks(gate, open_marks(gate.thresholds)))
        checked = asyncio.run(check_all(scoring, material, rows))
        result = calibrate(checked, target, unlabelled=len(material.rows) - len(rows))
        for line in material.lines:
            say(line)
        for line in _lines(result, gate.thresholds.contradiction, prevalence):
            say(line)
        if result.choice.chosen is None:
            context.exit(NONE_FOUND)
        created = datetime.now(UTC).date().isoformat()
        with faults_named(out):
            source = material.source
            write_calibration(out, calibration_of(result, gate, data=source, created=created))
    say(f"written to {out}")
    context.exit(BAD_LINES if material.bad_lines else 0)


def _target(
    false_block: Fraction | None,
    accepted_error: Fraction | None,
    min_accepted: Fraction | None,
    prevalence: Fraction | None,
    confidence: Fraction,
) -> Target:
    """Return the one target that was given."""
    if (false_block is None) == (accepted_error is None):
        raise click.UsageError("give one of --max-false-block and --max-accepted-error")
    if false_block is not None:
        if min_accepted is not None:
            raise click.UsageError("--min-accepted goes with --max-accepted-error")
        return FalseBlockTarget(target=false_block, confidence=confidence)
    if accepted_error is None or min_accepted is None:
        raise click.UsageError(
            "--max-accepted-error needs --min-accepted: a gate that lets nothing through errs never"
        )
    return AcceptedErrorTarget(
        target=accepted_error,
        confidence=confidence,
        min_accepted=min_accepted,
        prevalence=prevalence,
    )


def _refuse_unwritable(out: Path) -> None:
    """Find out before hours of checking that the result has no place to go."""
    if out.exists() and not out.is_file():
        return
    with faults_named(out), tempfile.TemporaryFile(dir=out.resolve().parent):
        pass


def _lines(found: Calibrated, contradiction: float, prevalence: Fraction | None) -> Iterator[str]:
    """Yield the result for people: what was counted, the floor, the threshold or why there is none.

    An accepted error is told where a share of wrong answers is stated, or is what was asked for.
    """
    counts, choice = found.counts, found.choice
    yield f"rows {counts.rows}, labelled {counts.labelled}, counted {counts.counted}"
    yield f"  correct {counts.correct}, wrong {counts.wrong}"
    yield f"  with an unresolved claim, counted where blocked: {counts.open}"
    left_out = ", ".join(f"{name} {number}" for name, number in counts.left_out.items())
    yield f"  left out: {left_out or 'none'}"
    if found.how is not None:
        yield f"  {found.how}"
    yield from _target_lines(found.target)
    yield f"contradiction threshold {contradiction:g}, fixed beforehand and not searched"
    yield "floor, t = 0: findings alone block"
    yield _false_blocks(choice.floor.false_blocks, choice.floor.correct)
    yield f"  {_bound(found.target, choice.floor_bound)}"
    point = choice.chosen
    if point is None or choice.bound is None:
        yield from _none(found)
        return
    yield f"threshold {point.threshold:g}"
    yield _false_blocks(point.false_blocks, point.correct)
    caught = as_percent(point.sensitivity)
    yield f"  wrong answers blocked: {point.caught} of {point.wrong}, {caught}"
    if not isinstance(found.target, FalseBlockTarget) or prevalence is not None:
        yield f"  accepted: {as_percent(accepted_share(point, prevalence))}"
        yield f"  accepted error: {as_percent(error_at(point, prevalence))}"
    yield f"  {_bound(found.target, choice.bound)}"


def _target_lines(target: Target) -> Iterator[str]:
    sure = f"with {as_percent(target.confidence)} confidence"
    aim = as_percent(target.target)
    if isinstance(target, FalseBlockTarget):
        yield f"target: false-block rate at most {aim}, {sure}"
        return
    yield f"target: accepted error at most {aim}, {sure}"
    where = "as in these rows"
    if target.prevalence is not None:
        where = f"{as_percent(target.prevalence)}, as stated"
    yield f"  share of wrong answers: {where}; accepted at least {as_percent(target.min_accepted)}"


def _none(found: Calibrated) -> Iterator[str]:
    """Say that nothing qualifies, and what it would take."""
    choice, target = found.choice, found.target
    yield f"no threshold of {choice.candidates} meets the target; nothing is written"
    kind = "correct answers" if isinstance(target, FalseBlockTarget) else "labelled answers"
    if isinstance(target, FalseBlockTarget) and choice.floor_bound > target.target:
        yield "  the floor is above it: findings alone block too many, or too few rows tell"
    if choice.missing is None:
        yield "  the rates are not below it at any: no number of labels will do"
    else:
        left = "" if found.how is None else ", of those that are left as above"
        yield f"  at these rates {choice.missing} more {kind} would do{left}"


def _false_blocks(blocked: int, correct: int) -> str:
    share_ = Fraction(blocked, correct) if correct else None
    return f"  correct answers blocked: {blocked} of {correct}, {as_percent(share_)}"


def _bound(target: Target, bound: float) -> str:
    """Name the rate and the kind of its bound, rounded up as a bound has to be."""
    rate = "false-block rate" if isinstance(target, FalseBlockTarget) else "accepted error"
    finer = 1 if bound >= _COARSE else 100
    percent = Fraction(math.ceil(round(bound * 1000 * finer, 6)), 1000 * finer)
    return f"upper bound of the {rate} (exact): {as_percent(percent)}"
