"""``gatekeeper purge``: delete what is past its days, or the words of one decision."""

from datetime import UTC, datetime
from pathlib import Path

import click

from gatekeeper.cli.configfile import config_option
from gatekeeper.cli.policyfile import stored
from gatekeeper.cli.show import say
from gatekeeper.errors import InputError


@click.command("purge")
@click.option("--id", "decision", metavar="ID", help="Delete texts and notes of this decision.")
@config_option
def command(decision: str | None, *, config: Path) -> None:
    """Delete stored texts and decisions that are past their days.

    Servers do the same once an hour while decisions come in. With --id the words of one decision
    go at once; its scores and labels stay and are counted.
    """
    with stored(config) as (_, outcomes, store):
        if decision is not None:
            if not store.erase(decision):
                raise InputError("--id", repr(decision), "the id of a decision in the store")
            say(f"{decision}: texts and notes deleted")
            return
        gone = store.purge(
            now_ms=round(datetime.now(UTC).timestamp() * 1000),
            retention_days=outcomes.retention_days,
            decision_days=outcomes.decision_days,
        )
    say(f"texts deleted (older than {outcomes.retention_days} days): {gone.texts}")
    say(f"notes deleted (older than {outcomes.retention_days} days): {gone.notes}")
    say(f"decisions deleted (older than {outcomes.decision_days} days): {gone.decisions}")
