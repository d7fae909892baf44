"""``gatekeeper doctor``: what would keep the gate from working on this machine."""

from pathlib import Path

import click

from gatekeeper.cli.gates import model_option
from gatekeeper.cli.probes import State, findings, machine_looks, model_looks
from gatekeeper.cli.show import say, visible

FAILED = 1


@click.command("doctor")
@model_option
@click.pass_context
def command(context: click.Context, *, model: Path | None) -> None:
    """Look for what would keep the gate from working here.

    One line a finding: ok, warn or fail. Exit code: 1 if anything fails.
    """
    failed = False
    for finding in findings((*machine_looks(), *model_looks(model))):
        say(visible(str(finding), keep_blanks=True))
        failed = failed or finding.state is State.FAIL
    context.exit(FAILED if failed else 0)
