"""``gatekeeper doctor``: what would keep the gate from working on this machine."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click

from gatekeeper.cli.configfile import USUAL, named
from gatekeeper.cli.gates import model_option
from gatekeeper.cli.probes import Finding, State, findings, machine_looks, model_looks
from gatekeeper.cli.show import say, visible

FAILED = 1


@click.command("doctor")
@model_option
@click.option(
    "-c",
    "--config",
    type=click.Path(path_type=Path),
    callback=named,
    help="A policy file to look at as well, with the model it asks for.  "
    "[default: gatekeeper.toml, if there is one]",
)
@click.pass_context
def command(context: click.Context, *, model: Path | None, config: Path | None) -> None:
    """Look for what would keep the gate from working here.

    One line a finding: ok, warn or fail. Exit code: 1 if anything fails.
    """
    if config is not None and model is not None:
        raise click.UsageError("give --config or --model: a policy names its model itself")
    if config is None and model is None and USUAL.is_file():
        config = USUAL
    looks = model_looks(model)
    if config is None and model is None:
        looks = (("policy", _no_policy), *looks)
    elif config is not None:
        # Imported inside the look, as all that can be broken.
        path = config
        module = "gatekeeper.cli.soundness"
        looks = (("policy", lambda: import_module(module).policy_findings(path)),)
    failed = False
    for finding in findings((*machine_looks(), *looks)):
        say(visible(str(finding), keep_blanks=True))
        failed = failed or finding.state is State.FAIL
    context.exit(FAILED if failed else 0)


def _no_policy() -> Iterator[Finding]:
    """Say that no policy was looked at: silence would pass for a sound one."""
    text = f"not looked at: no {USUAL} in {Path.cwd()}; name one with --config"
    yield Finding(state=State.WARN, name="policy", text=text)
