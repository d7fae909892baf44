"""The one place that knows concrete classes: puts a gate together from a model folder."""

from pathlib import Path

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.evaluation.calibration import read_calibration
from gatekeeper.gate import Gate, Settings
from gatekeeper.runtime.manifest import model_folder
from gatekeeper.runtime.session import load
from gatekeeper.scheduler import Scheduler

SHIPPED_MODEL = "minilm-l6-nli"

# For a model folder without a calibration.json: even odds for support, and contradiction only
# where the model has next to no doubt. A start for trying a model, not a calibration.
UNCALIBRATED = Thresholds(support=0.5, contradiction=0.95)


def open_gate(model: Path | None = None, *, threads: int | None = None) -> Gate:
    """Load a model and return a gate over it; the caller closes it.

    Args:
        model: A model folder; None for the one that ships with the package.
        threads: Threads of one forward pass; None for what this process may use.

    Raises:
        ModelError: If the folder, its manifest or a file of it is not what it should be.
        InputError: If its calibration.json can't be read as one.
    """
    folder = model_folder(SHIPPED_MODEL) if model is None else model
    session = load(folder, threads=threads)
    return Gate(session, Scheduler(session), Settings(thresholds=thresholds_of(folder)))


def thresholds_of(folder: Path) -> Thresholds:
    """Return the marks of the folder's calibration.json, or those for an uncalibrated model."""
    path = folder / "calibration.json"
    if not path.exists():
        return UNCALIBRATED
    found = read_calibration(path)
    return Thresholds(support=found.support_threshold, contradiction=found.contradiction_threshold)
