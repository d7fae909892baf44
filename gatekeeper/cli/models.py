"""``gatekeeper models``: which models are there, and whether they are what they say."""

from pathlib import Path

import click

from gatekeeper.cli.probes import State, findings, model_looks
from gatekeeper.cli.show import say, visible
from gatekeeper.runtime.manifest import model_folder, read_manifest, shipped_models

FAILED = 1


@click.group("models")
def command() -> None:
    """List and verify models."""


@command.command("list")
def list_models() -> None:
    """List the models that came with the package."""
    for name in shipped_models():
        folder = model_folder(name)
        manifest = read_manifest(folder)
        say(visible(f"{name}  {manifest.fingerprint:.12}  {manifest.licence}  {folder}"))


@command.command("verify")
@click.argument(
    "folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.pass_context
def verify(context: click.Context, *, folder: Path | None) -> None:
    """Compare files with the manifest and score the built-in pairs.

    Without FOLDER the model that ships with the package. Exit code: 1 if anything is wrong.
    """
    failed = False
    for finding in findings(model_looks(folder)):
        say(visible(str(finding), keep_blanks=True))
        failed = failed or finding.state is State.FAIL
    context.exit(FAILED if failed else 0)
