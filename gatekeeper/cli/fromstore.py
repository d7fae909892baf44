"""Labelled rows for commands: of a file, or of the outcome store, judged again by a candidate.

The rows of the store stand for all decisions of a route that there are labels for, by weights of
how they were drawn; whatever they can't stand for is named.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from gatekeeper.cli.configfile import USUAL, named, refuse_missing
from gatekeeper.cli.labelled import Material, from_file
from gatekeeper.cli.policyfile import read_stored, stored
from gatekeeper.cli.show import visible
from gatekeeper.config.scorer import folder_of
from gatekeeper.core.decide import Side, decide, side
from gatekeeper.errors import InputError
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.evaluation.strata import Stratum
from gatekeeper.outcomes.words import DAY_MS
from gatekeeper.policy import Outcomes, Policy, Route
from gatekeeper.verdict import Evidence, Verdict

if TYPE_CHECKING:
    from gatekeeper.outcomes.kept import Kept, Key
    from gatekeeper.outcomes.kept import Row as KeptRow

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DAYS = 28
_MOST_DAYS = 3650

Command = TypeVar("Command", bound=Callable[..., object])

data_argument = click.argument("data", type=_FILE, required=False)


def store_options(command: Command) -> Command:
    """Add the options that name a sample of the outcome store."""
    for option in (
        click.option(
            "--days",
            type=click.IntRange(1, _MOST_DAYS),
            help="Decisions of so many days.  [default: 28, or retention_days if that is less]",
        ),
        click.option("--route", "path", help="The route.  [default: the policy's only one]"),
        click.option(
            "-c",
            "--config",
            type=click.Path(path_type=Path),
            callback=named,
            help="The policy file.  [default: gatekeeper.toml]",
        ),
        click.option("--from-store", is_flag=True, help="Take the labelled sample of the store."),
    ):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked for on the command line: DATA with its options, or the store with its own."""

    data: Path | None
    from_store: bool
    config: Path | None
    path: str | None
    days: int | None
    house_facts: tuple[Path, ...] = ()
    boilerplate: Path | None = None
    limit: int | None = None


def material_of(asked: Asked) -> Material:
    """Read the rows that were asked for.

    Raises:
        click.UsageError: If options don't go together.
        InputError: If there are none, or none that stand for anything.
        ConfigurationError, StoreError: As ``stored`` does.
    """
    if asked.from_store == (asked.data is not None):
        raise click.UsageError("give DATA or --from-store, one of the two")
    if asked.data is not None:
        if asked.config or asked.path or asked.days:
            raise click.UsageError("--config, --route and --days go with --from-store")
        return from_file(asked.data, asked.house_facts, asked.boilerplate, limit=asked.limit)
    if asked.house_facts or asked.boilerplate or asked.limit:
        raise click.UsageError(
            "--house-facts, --boilerplate and --limit go with DATA: the store and the policy have "
            "what the route has, and part of a sample stands for nothing"
        )
    return _from_store(asked)


def _from_store(asked: Asked) -> Material:
    config = asked.config or refuse_missing(USUAL)
    policy, outcomes = read_stored(config)
    route = _route(policy, asked.path)
    with stored(config) as (_, _, store):
        from gatekeeper.outcomes.counts import Span  # noqa: PLC0415 - the extra
        from gatekeeper.outcomes.kept import read_kept  # noqa: PLC0415

        days = asked.days or min(_DAYS, outcomes.retention_days)
        end = datetime.now(UTC)
        end_ms = round(end.timestamp() * 1000) + 1
        span = Span(route=route.path, start_ms=end_ms - days * DAY_MS, end_ms=end_ms)
        kept = read_kept(store, span)
    _refuse_empty(kept, route, outcomes, days)
    rows = [_row(number, one) for number, one in enumerate(kept.rows, start=1)]
    return Material(
        source=f"outcome store: {route.path}, {days} days to {end:%Y-%m-%d}",
        rows=rows,
        boilerplate=route.boilerplate,
        bounds=route.bounds,
        rule=lambda verdict: _side(route, verdict),
        strata={
            _name(key): Stratum(name=key.name, answers=held.decisions, rows=held.usable)
            for key, held in kept.strata.items()
        },
        model=None if policy.model is None else folder_of(policy, config.absolute().parent),
        calibration=None if policy.calibration is None else Path(policy.calibration),
        lines=tuple(_lines(kept, route, outcomes, days, end)),
        record={"store": _record(kept, route, days, end)},
    )


def _route(policy: Policy, path: str | None) -> Route:
    known = ", ".join(visible(route.path) for route in policy.routes)
    if path is None:
        if len(policy.routes) != 1:
            raise InputError("--route", "nothing", f"one of the policy's routes ({known})")
        return policy.routes[0]
    found = policy.route(path)
    if found is None:
        raise InputError("--route", repr(path), f"a route of the policy ({known})")
    return found


def _side(route: Route, verdict: Verdict) -> Side:
    return side(decide(route, verdict), verdict)


def _row(number: int, one: "KeptRow") -> Row:
    """Return a row of evaluation; of several choices they stand together, as their label does."""
    texts = one.texts
    first, *others = ("",) if texts is None else [text or "" for text in texts.answers]
    labels = {"wrong": Label.UNSUPPORTED, "correct": Label.SUPPORTED}
    return Row(
        line=number,
        id=one.decision,
        evidence=Evidence(
            passages=() if texts is None else texts.passages,
            question=None if texts is None else texts.question,
        ),
        answer=first,
        others=tuple(others),
        label=labels.get(one.truth),
        weight=one.weight,
        stratum=_name(one.stratum),
        standing=one.standing,
    )


def _name(key: "Key") -> str:
    return f"{key.name}, week {key.week}"


def _refuse_empty(kept: "Kept", route: Route, outcomes: Outcomes, days: int) -> None:
    """Refuse a sample that stands for nothing, or leaves out a side of the gate.

    Raises:
        InputError: With what is missing.
    """
    place = f"outcome store: {visible(route.path)}"
    if not kept.decisions:
        raise InputError(place, f"no decision in {days} days", "decisions: see --days")
    labels = sum(held.labels for held in kept.strata.values())
    if not labels:
        found = f"{kept.decisions:,} decisions and no label that counts in {days} days"
        raise InputError(place, found, "labels: gatekeeper labels export")
    has_text = any(row.texts is not None for row in kept.rows)
    if kept.without_text and not has_text and outcomes.store_text != "sampled":
        found = f'"{outcomes.store_text}", and no text of {labels} labelled answers'
        expected = '"sampled": an answer is judged again by its text; those of now are not stored'
        raise InputError("outcomes.store_text", found, expected)
    if kept.without_text and not has_text:
        found = f"{labels} labelled answers, and the texts of all are gone"
        expected = f"answers younger than retention_days = {outcomes.retention_days}: see --days"
        raise InputError(place, found, expected)
    for name in kept.names:
        if name != Side.UNCHECKED and kept.decisions_of(name) and not kept.told.get(name):
            found = f"{kept.decisions_of(name):,} decisions {name} and no usable label on any"
            if kept.without_text:
                found += f" ({kept.without_text} labels have no text any more)"
            expected = "a label on some: what a candidate makes of them may be anything"
            raise InputError(place, found, expected)


def _lines(
    kept: "Kept", route: Route, outcomes: Outcomes, days: int, end: datetime
) -> Iterator[str]:
    """Yield the sample for people: what it stands for, what it leaves out."""
    many = "" if kept.scorers == 1 else "s"
    yield f"{visible(route.path)}, {days} days to {end:%Y-%m-%d %H:%M} UTC"
    yield f"  decisions {kept.decisions:,}, of {kept.scorers} scorer{many}; judged again by one"
    for name in kept.names:
        usable = sum(held.usable for key, held in kept.strata.items() if key.name == name)
        told = kept.told.get(name, 0)
        text = f"decisions {kept.decisions_of(name):,}, labels {usable}, can't tell {usable - told}"
        yield f"  {name:<22} {text}"
    if kept.left_out:
        yield "  unchecked ones have no usable label: what they are is unknown,"
        yield f"  and {kept.left_out / kept.decisions:.1%} of the decisions is in no figure below"
    if kept.without_text:
        yield f"  labels without a text any more: {kept.without_text}; the others of their"
        yield f"  strata stand for them (texts are kept {outcomes.retention_days} days: --days)"
    blank = sum(held.decisions for held in kept.strata.values() if not held.usable)
    if blank > kept.left_out:
        yield "  weeks without a usable label are taken to be like the others of their side"
    if kept.out_of_order:
        yield f"  labels out of order, not counted: {kept.out_of_order}"


def _record(kept: "Kept", route: Route, days: int, end: datetime) -> Mapping[str, object]:
    """Return the sample for programs."""
    return {
        "route": route.path,
        "days": days,
        "to": end.isoformat(),
        "decisions": kept.decisions,
        "scorers": kept.scorers,
        "labels_without_text": kept.without_text,
        "labels_out_of_order": kept.out_of_order,
        "strata": [
            {
                "week": key.week,
                "side": str(key.side),
                "band": str(key.band),
                "decisions": held.decisions,
                "labels": held.labels,
                "usable": held.usable,
            }
            for key, held in sorted(kept.strata.items())
        ],
        "left_out": kept.left_out / kept.decisions,
    }
