"""The option ``--config``, the same for every command that takes a policy file."""

from pathlib import Path

import click

from gatekeeper.errors import InputError

USUAL = Path("gatekeeper.toml")


def named(_context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """Return what was named, None for nothing; a callback of click.

    Raises:
        InputError: As ``refuse_missing``.
    """
    return None if path is None else refuse_missing(path)


def refuse_missing(path: Path) -> Path:
    """Return the path of a policy file that is there.

    Raises:
        InputError: If it is not, with the folder that was looked in.
    """
    if not path.is_file():
        found = "a folder" if path.is_dir() else f"no such file in {path.absolute().parent}"
        raise InputError(str(path), found, "a policy file: name it with --config")
    return path


config_option = click.option(
    "-c",
    "--config",
    type=click.Path(path_type=Path),
    callback=named,
    default=USUAL,
    help="The policy file.  [default: gatekeeper.toml]",
)
