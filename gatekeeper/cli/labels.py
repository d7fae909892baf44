"""``gatekeeper labels``: what to label as a table in a file, and the filled table back."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gatekeeper.cli.configfile import config_option
from gatekeeper.cli.outputs import output
from gatekeeper.cli.policyfile import stored
from gatekeeper.cli.show import say, tell, visible
from gatekeeper.errors import InputError

if TYPE_CHECKING:
    from gatekeeper.outcomes.store import Store

_FAULTS_SHOWN = 20
_BAD_LINES = 1
_LONGEST_BYTES = 50_000_000

_reviewer = click.option("--reviewer", required=True, help="Who labels; the name is stored.")
_file = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))


@click.group("labels")
def command() -> None:
    """Take decisions out to be labelled, and labels in, as CSV."""


@command.command("export")
@_file
@_reviewer
@click.option("--count", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option("--route", help="Only this route.  [default: all of the policy]")
@config_option
def export(file: Path, *, reviewer: str, count: int, route: str | None, config: Path) -> None:
    """Write the next decisions to label to FILE.

    They come in the order they have to be labelled in; fill in "truth" from the top: wrong,
    correct or cannot_tell. A row that is left open keeps those after it from being counted.
    """
    with stored(config) as (policy, _, store), output(file) as out:
        from gatekeeper.outcomes.exchange import write_items  # noqa: PLC0415 - the extra
        from gatekeeper.outcomes.review import Queue  # noqa: PLC0415

        routes = [known.path for known in policy.routes]
        if route is not None and route not in routes:
            raise InputError("--route", repr(route), f"a route of the policy ({', '.join(routes)})")
        wanted = routes if route is None else [route]
        items = Queue(store).take(reviewer.strip(), wanted, now_ms=_now_ms(), count=count)
        if out is not None:
            out.empty()
            out.write(write_items(items))
        why = "" if items else _why_none(store, wanted, reviewer)
    say(f"{len(items)} decisions to label in {file}")
    if why:
        say(why)


@command.command("import")
@_file
@_reviewer
@config_option
def import_(file: Path, *, reviewer: str, config: Path) -> int:
    """Store the labels of FILE; each reviewer's first one on a decision counts."""
    text = _read(file)
    stored_, known = 0, 0
    with stored(config) as (_, _, store):
        from gatekeeper.outcomes.exchange import read_labels  # noqa: PLC0415 - the extra
        from gatekeeper.outcomes.labels import Labels  # noqa: PLC0415

        found, labels = read_labels(text, reviewer=reviewer), Labels(store)
        faults = list(found.faults)
        for line, label in zip(found.lines, found.labels, strict=True):
            try:
                is_new = labels.add(label, at_ms=_now_ms())
            except InputError as error:
                faults.append(f"line {line}: {error}")
                continue
            stored_, known = stored_ + is_new, known + (not is_new)
    say(f"labels stored: {stored_}")
    say(f"labelled before by {reviewer}, left as they were: {known}")
    say(f"rows without a label: {found.blank}")
    if faults:
        say(f"rows with faults: {len(faults)}; mend them and import again:")
        say("  labels on rows after them count only then")
    for fault in faults[:_FAULTS_SHOWN]:
        tell(f"{file}: {fault}")
    if len(faults) > _FAULTS_SHOWN:
        tell(f"{file}: {len(faults) - _FAULTS_SHOWN} more rows with a fault")
    return _BAD_LINES if faults else 0


@command.command("undo")
@click.argument("decision", metavar="ID")
@_reviewer
@config_option
def undo(decision: str, *, reviewer: str, config: Path) -> None:
    """Take a reviewer's label back; the decision waits for a label again."""
    with stored(config) as (_, _, store):
        from gatekeeper.outcomes.labels import Labels  # noqa: PLC0415 - the extra

        if not Labels(store).undo(decision, reviewer, at_ms=_now_ms()):
            raise InputError("ID", repr(decision), f"a decision with a label by {reviewer}")
    say(f"{decision}: the label by {reviewer} is undone")


def _why_none(store: "Store", routes: Sequence[str], reviewer: str) -> str:
    """Say why there is nothing to label, which may be good news or none."""
    from gatekeeper.outcomes.counts import Span, scorers  # noqa: PLC0415 - the extra

    spans = [Span(route=route, start_ms=0, end_ms=_now_ms() + 1) for route in routes]
    stored_ = sum(sum(scorers(store, span).values()) for span in spans)
    where = ", ".join(map(visible, routes))
    if not stored_:
        return f"no decision of {where} is in the store"
    return (
        f"of {stored_:,} decisions of {where} none that was kept for review waits for {reviewer}; "
        "the shares are the policy's keep, fixed for a week when it begins"
    )


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > _LONGEST_BYTES:
            raise InputError(str(file), "a larger file", f"at most {_LONGEST_BYTES:,} bytes")
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        found = (error.strerror or "an error while reading").lower()
        raise InputError(str(file), found, "a file that can be read") from error
    except UnicodeDecodeError as error:
        raise InputError(str(file), "no UTF-8", "a table saved as UTF-8") from error


def _now_ms() -> int:
    return round(datetime.now(UTC).timestamp() * 1000)
