"""How commands come by a gate: the real one, or what a test puts in its place.

A test passes its own opener as the context object of click.
"""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import click

from gatekeeper.cli.show import tell
from gatekeeper.evaluation.calibration import Fit
from gatekeeper.gate import Gate
from gatekeeper.marks import SHIPPED_MODEL, marks_of
from gatekeeper.runtime.manifest import model_folder

_REMARKS = {
    Fit.NONE: "no calibration.json for this model",
    Fit.FOREIGN: "the calibration was fitted for another scorer and is not used",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A gate, to be closed, and where the marks it holds claims against come from."""

    gate: Gate
    fit: Fit


class Opener(Protocol):
    """Loads a model folder, None for the shipped one, and gives a gate to be closed."""

    def __call__(
        self, model: Path | None, *, tested: bool, calibration: Path | None = None
    ) -> Opened:
        """Open the gate, ``tested`` after the whole self-test; raises ModelError, InputError."""
        ...


def open_gate(
    context: click.Context,
    model: Path | None,
    *,
    tested: bool = False,
    calibration: Path | None = None,
) -> Opened:
    """Open the gate for this call and say where its marks were not fitted for it.

    Args:
        context: Holds what stands in for the real gate, in tests.
        model: A model folder; None for the one that ships with the package.
        tested: Run the whole self-test, as a server does; label order, direction and stored
            scores are proven in any case.
        calibration: A calibration file; None for the model folder's own.

    Raises:
        ModelError: If the model can't be used.
        InputError: If the calibration can't be read as one.
    """
    opener = _open if context.obj is None else cast("Opener", context.obj)
    opened = opener(model, tested=tested, calibration=calibration)
    if opened.fit in _REMARKS:
        marks = opened.gate.thresholds
        thresholds = f"support {marks.support:g}, contradiction {marks.contradiction:g}"
        tell(f"gatekeeper: {_REMARKS[opened.fit]}; thresholds nobody fitted: {thresholds}")
    return opened


def _open(model: Path | None, *, tested: bool, calibration: Path | None = None) -> Opened:
    """Open the real gate. The runtime is imported only now: it is slow to load."""
    build = importlib.import_module("gatekeeper.build")
    folder = model_folder(SHIPPED_MODEL) if model is None else model
    gate = build.open_gate(folder, tested=tested, calibration=calibration)
    return Opened(gate=gate, fit=marks_of(folder, calibration).fit)


model_option = click.option(
    "--model",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A model folder; without it the model that ships with the package.",
)

calibration_option = click.option(
    "--calibration",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A calibration file; without it the one in the model's folder.",
)
