"""``gatekeeper show``: all that the outcome store knows of one decision."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gatekeeper.cli.configfile import config_option
from gatekeeper.cli.policyfile import stored
from gatekeeper.cli.show import say, visible
from gatekeeper.errors import InputError

if TYPE_CHECKING:
    from gatekeeper.outcomes.store import Shown

_HIDDEN = frozenset({"claims", "exempt", "at_ms", "week"})


@click.command("show")
@click.argument("decision", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@config_option
def command(decision: str, *, as_json: bool, config: Path) -> None:
    """Show what the outcome store knows of a decision."""
    with stored(config) as (_, _, store):
        found = store.show(decision)
    if found is None:
        raise InputError("ID", repr(decision), "the id of a decision in the store")
    if as_json:
        say(json.dumps(found.as_object(), indent=2))
    else:
        for line in _lines(found):
            say(line)


def _lines(found: "Shown") -> Iterator[str]:
    told = found.as_object()
    yield f"at: {told['decision']['at']}"
    for key, value in told["decision"].items():
        if key not in _HIDDEN and key != "at" and value is not None:
            yield f"{key}: {_plain(value)}"
    for claim in found.decision.claims:
        score = "-" if claim.score is None else f"{claim.score:.3f}"
        where = f"[{claim.start}, {claim.end})"
        yield f"claim {where}: {claim.status}, score {score}, {claim.reason}"
    for label in found.labels:
        state = "undone" if label["undone_ms"] is not None else "in force"
        yield f"label by {visible(label['reviewer'])}: {label['truth']} ({state})"
    if found.texts is None:
        yield "texts: not stored"
        return
    for answer in found.texts.answers:
        yield f"answer: {visible(answer or '')}"
    for passage in found.texts.passages:
        yield f"passage {visible(passage.id)}: {visible(passage.text)}"


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else visible(str(value))
