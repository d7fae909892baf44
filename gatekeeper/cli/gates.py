"""How commands come by a gate: the real one, or what a test puts in its place.

A test passes its own opener as the context object of click.
"""

import importlib
from pathlib import Path
from typing import Protocol, cast

import click

from gatekeeper.evaluation.run import Checker


class Opener(Protocol):
    """Loads a model folder, None for the shipped one, and gives a gate to be closed."""

    def __call__(self, model: Path | None) -> Checker:
        """Open the gate; raises ModelError."""
        ...


def opener(context: click.Context) -> Opener:
    """Return the opener for this call. The runtime is imported only now: it is slow to load."""
    if context.obj is not None:
        return cast("Opener", context.obj)
    return cast("Opener", importlib.import_module("gatekeeper.build").open_gate)


model_option = click.option(
    "--model",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A model folder; without it the model that ships with the package.",
)
