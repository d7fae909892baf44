"""``gatekeeper plan``: arithmetic before anyone deploys. Nothing it prints is measured."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from fractions import Fraction
from typing import Any

import click

from gatekeeper.cli.numbers import amount, as_json, as_percent, as_text, positive, rate, share
from gatekeeper.cli.show import say
from gatekeeper.errors import InputError
from gatekeeper.evaluation.bounds import MOST_LABELS, labels_needed, upper_bound
from gatekeeper.evaluation.cost import (
    AnswerPlan,
    CostInputs,
    CostPlan,
    Ledger,
    plan_answer,
    plan_cost,
    ragas_calls,
)
from gatekeeper.evaluation.plan import GateInputs, GatePlan, plan_gate

Numbers = dict[str, Fraction | int | bool | None]

_COUNT = click.IntRange(min=1, max=10**12)
_json = click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
_STIPULATED = "The inputs are yours, and are not measured."


@click.group("plan")
def command() -> None:
    """Work out what a gate does at given rates, what it costs, how many labels it takes."""


@command.command("gate")
@click.option("--answers-per-day", type=positive, required=True, metavar="N")
@click.option(
    "--flag-rate",
    type=rate,
    required=True,
    help="Share of answers in the flag category, which exists before any gate.",
)
@click.option(
    "--wrong-given-flag", type=rate, required=True, help="Wrong share inside the category."
)
@click.option(
    "--wrong-given-unflagged",
    type=rate,
    help="Wrong share outside it. Without it the number of wrong answers is unknown.",
)
@click.option("--sensitivity", type=rate, required=True, help="P(blocked given wrong).")
@click.option("--false-block", type=rate, required=True, help="P(blocked given correct).")
@click.option("--check-seconds", type=amount, metavar="S", help="Time of one check.")
@click.option(
    "--unchecked",
    type=amount,
    default="0",
    metavar="N",
    help="Further answers a day of the same mix that are delivered unchecked.",
)
@_json
def gate(*, is_json: bool, **options: Any) -> None:
    """Work out a day of answers with a gate in front, at rates that you stipulate."""
    inputs = GateInputs(**options)
    plan = plan_gate(inputs)
    if is_json:
        _print_json(options, asdict(plan))
        return
    _print_inputs(options)
    for line in _gate_lines(inputs, plan):
        say(line)


def _gate_lines(inputs: GateInputs, plan: GatePlan) -> Iterator[str]:
    yield f"in the flag category       {as_text(plan.in_category)}"
    if plan.serial_seconds is not None:
        minutes = as_text(plan.serial_seconds / 60)
        yield f"serial service             {as_text(plan.serial_seconds)} s = {minutes} min"
    if plan.wrong is None:
        yield f"wrong in the category      {as_text(plan.wrong_in_category)}"
        yield "wrong in all               unknown without --wrong-given-unflagged"
        return
    rows: tuple[tuple[str, Fraction | None, Callable[[Any], str]], ...] = (
        ("wrong", plan.wrong, as_text),
        ("correct", plan.correct, as_text),
        ("caught", plan.caught, as_text),
        ("missed", plan.missed, as_text),
        ("  share of all traffic", plan.missed_share, as_percent),
        ("correct ones withheld", plan.false_blocks, as_text),
        ("blocked, share", plan.blocked_share, as_percent),
        ("accepted", plan.accepted, as_text),
        ("accepted error", plan.accepted_error, as_percent),
        ("error without a gate", plan.error_without_gate, as_percent),
    )
    for name, number, shown in rows:
        yield f"{name:<26} {shown(number)}"
    if inputs.unchecked:
        yield f"{'delivered':<26} {as_text(plan.delivered or 0)}"
        yield f"{'delivered error':<26} {as_percent(plan.delivered_error)}"
    yield from _gate_remarks(inputs, plan)


def _gate_remarks(inputs: GateInputs, plan: GatePlan) -> Iterator[str]:
    """Say what the figures are often mistaken for."""
    yield "Blocked means withheld, not corrected."
    error, free = plan.accepted_error, plan.accepted_error_at_no_false_block
    if error is None or free is None:
        return
    if error > free:
        yield (
            f"Blocking correct answers raised the accepted error: {as_percent(free)} without "
            f"false blocks, {as_percent(error)} with them."
        )
    if plan.error_without_gate is not None and error >= plan.error_without_gate:
        yield "The accepted error is not lower than without a gate: that takes a sensitivity above"
        yield "the false-block rate, and answers of both kinds."


@command.command("cost")
@click.option("--answers", type=_COUNT, required=True, help="Answers of one run.")
@click.option("--claims-per-answer", type=amount, required=True, help="On average.")
@click.option("--exact", is_flag=True, help="Each answer has that many claims.")
@click.option("--claims-per-batch", type=_COUNT, required=True, help="Most claims of a batch.")
@click.option("--batch-seconds", type=positive, metavar="S", help="Time of one batch.")
@click.option("--runs-per-day", type=_COUNT)
@click.option("--quota", type=_COUNT, help="Evidence queries a day, one a batch.")
@click.option(
    "--extraction-seconds",
    type=amount,
    metavar="S",
    help="Time of all extraction calls of one answer.",
)
@click.option(
    "--answer-check-seconds",
    type=positive,
    metavar="S",
    help="Time of a check of a whole answer, to set beside the checks of its claims.",
)
@click.option(
    "--ragas-questions",
    type=_COUNT,
    metavar="N",
    help="Count the calls of the three RAGAS figures with N questions an answer.",
)
@_json
def cost(*, is_json: bool, **options: Any) -> None:
    """Work out batches, seconds and evidence queries of checking answers claim by claim."""
    inputs = _cost_inputs(options)
    plan, answer, ragas = plan_cost(inputs), _answer(options), _ragas(options)
    if is_json:
        _print_json(options, {**_flat(inputs, plan), **answer, **ragas})
        return
    _print_inputs(options)
    for line in _cost_lines(inputs, plan):
        say(line)
    for name, number in (answer | ragas).items():
        say(f"{name.replace('_', ' '):<26} {as_text(number or 0)}")
    if "checks_to_answer_check" in answer:
        say("A check of a claim and a check of a whole answer are different units of work.")


def _cost_inputs(options: dict[str, Any]) -> CostInputs:
    names = CostInputs.__dataclass_fields__
    if options["quota"] is not None and options["runs_per_day"] is None:
        raise click.UsageError("--quota is a day's: it needs --runs-per-day")
    try:
        return CostInputs(**{name: options[name] for name in names})
    except ValueError as error:
        found = as_text(options["claims_per_answer"])
        raise InputError("--claims-per-answer", found, "a whole number with --exact") from error


def _answer(options: dict[str, Any]) -> Numbers:
    """Return the ledger of one answer, which is known for a whole number of claims."""
    claims, seconds = options["claims_per_answer"], options["batch_seconds"]
    asked = [options["extraction_seconds"], options["answer_check_seconds"]]
    if all(value is None for value in asked):
        return {}
    if seconds is None or claims.denominator != 1:
        raise click.UsageError("the time of one answer needs --batch-seconds and whole claims")
    plan: AnswerPlan = plan_answer(
        int(claims),
        claims_per_batch=options["claims_per_batch"],
        batch_seconds=seconds,
        extraction_seconds=options["extraction_seconds"] or Fraction(0),
        answer_check_seconds=options["answer_check_seconds"],
    )
    found = {
        "claim_checks_seconds": plan.check_seconds,
        "answer_seconds": plan.seconds,
        "checks_to_extraction": plan.checks_to_extraction,
        "checks_to_answer_check": plan.checks_to_answer_check,
    }
    return {name: value for name, value in found.items() if value is not None}


def _ragas(options: dict[str, Any]) -> Numbers:
    claims, questions = options["claims_per_answer"], options["ragas_questions"]
    if questions is None:
        return {}
    if claims.denominator != 1:
        raise click.UsageError("--ragas-questions needs a whole number of claims")
    found = ragas_calls(int(claims), questions)
    ledger: Numbers = {f"ragas_{name}": number for name, number in asdict(found).items()}
    seconds = options["batch_seconds"]
    if seconds is not None:
        ledger["ragas_seconds"] = found.calls * seconds
        ledger["ragas_seconds_batched"] = found.calls_batched * seconds
    return ledger


def _ledgers(plan: CostPlan) -> dict[str, Ledger]:
    is_known = plan.within_least == plan.within_most
    return {
        "pooled": plan.pooled,
        **({"within_answer": plan.within_least} if is_known else {}),
        "within_answer_least": plan.within_least,
        "within_answer_most": plan.within_most,
        "query_per_claim": plan.per_claim,
    }


def _flat(inputs: CostInputs, plan: CostPlan) -> Numbers:
    """Return every number under a name of its own; the time of a batch is not one of a claim."""
    flat: Numbers = {"claims": plan.claims}
    for way, ledger in _ledgers(plan).items():
        for name, number in asdict(ledger).items():
            if not (way == "query_per_claim" and name == "seconds"):
                flat[f"{way}_{name}"] = number
    return flat


def _cost_lines(inputs: CostInputs, plan: CostPlan) -> Iterator[str]:
    yield f"{'claims':<26} {as_text(plan.claims)}"
    ways = _ledgers(plan)
    if "within_answer" in ways:
        del ways["within_answer_least"], ways["within_answer_most"]
    for way, ledger in ways.items():
        yield way.replace("_", " ")
        yield f"  {'batches':<24} {as_text(ledger.batches)}"
        if ledger.seconds is not None and way != "query_per_claim":
            minutes = as_text(ledger.seconds / 60)
            yield f"  {'service':<24} {as_text(ledger.seconds)} s = {minutes} min"
        if ledger.batches_a_day is not None:
            yield f"  {'a day':<24} {as_text(ledger.batches_a_day)}"
        if ledger.demand is not None:
            above = as_percent(max(ledger.demand - 1, Fraction(0)))
            yield (
                f"  {'evidence queries':<24} {as_text(ledger.demand)} times the quota, "
                f"{as_text(ledger.excess or 0)} ({above}) above it"
            )
            yield (
                f"  {'the quota has room for':<24} {ledger.whole_runs} whole runs, "
                f"{ledger.left} queries left"
            )
    if not inputs.exact:
        yield "From an average alone only the pooled number is known."


@command.command("labels")
@click.option("--target", type=share, required=True, help="Rate to stay at or below.")
@click.option("--confidence", type=share, default="0.95", show_default=True)
@click.option(
    "--expected-rate",
    type=rate,
    default="0",
    show_default=True,
    help="Share of events you expect among the labels.",
)
@_json
def labels(
    *, target: Fraction, confidence: Fraction, expected_rate: Fraction, is_json: bool
) -> None:
    """Say how many labels it takes to show that a rate is at most a target.

    The labels are of independent answers of equal weight; the bound is the exact binomial one.
    """
    inputs = {"target": target, "confidence": confidence, "expected_rate": expected_rate}
    found = labels_needed(target, float(confidence), expected_rate)
    if found is None:
        expected = f"a rate below the target, far enough for {MOST_LABELS:,} labels to show it"
        raise InputError("--expected-rate", as_text(expected_rate), expected)
    count, events = found
    bound = upper_bound(events, count, float(confidence))
    if is_json:
        _print_json(inputs, {"labels": count, "events": events, "bound": bound})
        return
    _print_inputs(inputs)
    say(f"{'labels':<26} {as_text(count)}")
    say(f"{'events among them':<26} {as_text(events)} at most")
    say(f"{'upper bound then':<26} {bound * 100:.4f} %")


def _inputs(options: dict[str, Any]) -> dict[str, object]:
    given = {name: value for name, value in options.items() if value is not None}
    return {
        name: value if isinstance(value, bool) else as_json(value) for name, value in given.items()
    }


def _print_json(options: dict[str, Any], numbers: dict[str, Any]) -> None:
    derived = {name: as_json(number) for name, number in numbers.items()}
    say(json.dumps({**_inputs(options), **derived}))


def _print_inputs(options: dict[str, Any]) -> None:
    for name, value in options.items():
        if value is True:
            say(f"--{name.replace('_', '-')}")
        elif isinstance(value, int | Fraction) and value is not False:
            say(f"--{name.replace('_', '-')} {as_text(value)}")
    say(_STIPULATED)
