"""What claims are held against with a model, read from small files: nothing heavy is loaded.

Apart from ``build``, so that a route can be switched off where the model's runtime is broken.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.versions import scorer_fingerprint
from gatekeeper.evaluation.calibration import Fit, read_calibration
from gatekeeper.runtime.manifest import read_manifest

SHIPPED_MODEL = "minilm-l6-nli"

# For a model folder without a calibration of its scorer: even odds for support, and contradiction
# only where the model has next to no doubt. A start for trying a model, not a calibration.
UNCALIBRATED = Thresholds(support=0.5, contradiction=0.95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What claims are held against, and where it comes from."""

    thresholds: Thresholds
    fit: Fit


def marks_of(folder: Path, calibration: Path | None = None) -> Marks:
    """Return the marks of a calibration if they were fitted for the folder's scorer.

    Otherwise those for an uncalibrated model: what was fitted for other scores says nothing of
    these, and may support anything.

    Args:
        folder: A model folder.
        calibration: A calibration file, which has to be there; None for the folder's own, which
            need not.

    Raises:
        ModelError: If the manifest is not what it should be.
        InputError: If the file can't be read as one, a link that leads nowhere included.
    """
    path = folder / "calibration.json" if calibration is None else calibration
    if calibration is None and not os.path.lexists(path):
        return Marks(thresholds=UNCALIBRATED, fit=Fit.NONE)
    found = read_calibration(path)
    fingerprint = scorer_fingerprint(read_manifest(folder).fingerprint, found.thresholds)
    if found.fingerprint != fingerprint:
        return Marks(thresholds=UNCALIBRATED, fit=Fit.FOREIGN)
    return Marks(thresholds=found.thresholds, fit=Fit(found.source))


def thresholds_of(folder: Path, calibration: Path | None = None) -> Thresholds:
    """Return the thresholds of ``marks_of``."""
    return marks_of(folder, calibration).thresholds
