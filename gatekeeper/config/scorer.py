"""The scorer a policy asks for: which model folder, held against its pin, and which calibration.

Known from small files; nothing is loaded. Whoever runs a scorer keeps what was read of it: the
folder may get other files while it runs.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gatekeeper.config.policies import Draft, read_draft
from gatekeeper.config.words import listed, nearest, shown
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.support import Weighing
from gatekeeper.core.versions import scorer_fingerprint
from gatekeeper.errors import (
    ConfigurationError,
    Fault,
    GatekeeperError,
    InputError,
    ManifestError,
    ModelMissingError,
)
from gatekeeper.evaluation.calibration import Calibration, read_calibration
from gatekeeper.marks import SHIPPED_MODEL, thresholds_of
from gatekeeper.policy import Policy
from gatekeeper.runtime.aggregation import weighing_of
from gatekeeper.runtime.manifest import MANIFEST, model_folder, read_manifest, shipped_models

CALIBRATION = "calibration.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """A model folder with the marks its scores are held against.

    ``model`` is the model's fingerprint, ``fingerprint`` the scorer's. ``calibration`` is that of
    ``calibration_file``, None for the folder's own; ``is_fitted`` tells whether it was fitted for
    this scorer.
    """

    folder: Path
    manifest_sha256: str
    model: str
    fingerprint: str
    thresholds: Thresholds
    weighing: Weighing | None
    calibration: Calibration | None
    calibration_file: Path | None = None

    @property
    def is_fitted(self) -> bool:
        """True if there is a calibration and it was fitted for this scorer."""
        return self.calibration is not None and self.calibration.fingerprint == self.fingerprint

    @property
    def fitted(self) -> Calibration | None:
        """The calibration that counts: None if there is none, or one for another scorer."""
        return self.calibration if self.is_fitted else None


def read_scorer(folder: Path, calibration: Path | None = None) -> Scorer:
    """Read what a model folder says of itself.

    Args:
        folder: The model folder.
        calibration: A calibration file, which has to be there; None for the folder's own.

    Raises:
        ModelError: If the folder or its manifest is not what it should be.
        InputError: If the calibration can't be read as one.
    """
    manifest = read_manifest(folder)
    thresholds = thresholds_of(folder, calibration)
    path = folder / CALIBRATION if calibration is None else calibration
    return Scorer(
        folder=folder,
        manifest_sha256=hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest(),
        model=manifest.fingerprint,
        fingerprint=scorer_fingerprint(manifest.fingerprint, thresholds),
        thresholds=thresholds,
        weighing=weighing_of(folder),
        calibration=read_calibration(path) if calibration or path.exists() else None,
        calibration_file=calibration,
    )


def folder_of(policy: Policy, beside: Path) -> Path:
    """Return the model folder a policy asks for; a name without a slash is of a shipped model.

    Args:
        policy: The policy.
        beside: The folder its file is in.

    Raises:
        ModelMissingError: If no model of that name came with the package.
    """
    if policy.model is None:
        return model_folder(SHIPPED_MODEL)
    return beside / policy.model if "/" in policy.model else model_folder(policy.model)


def read_with_scorer(
    path: Path,
    *,
    environment: Mapping[str, str] = os.environ,
    running: Scorer | None = None,
    imports: bool = True,
) -> tuple[Draft, Scorer | None]:
    """Read a policy file with the scorer it asks for; None for one that can't be had.

    Args:
        path: The policy file, TOML.
        environment: As for ``load_policy``.
        running: The scorer of this process, for a policy that is reloaded: to ask for another
            one, or to pin one, is a fault.
        imports: As for ``read_draft``.
    """
    asked = read_draft(path, environment=environment, imports=False).policy
    scorer, faults = _scorer(asked, path.absolute().parent, running)
    # Without a scorer there is nothing to say about calibration beside that.
    calibration_of = None if scorer is None else lambda _: scorer.fitted
    draft = read_draft(
        path, environment=environment, calibration_of=calibration_of, imports=imports
    )
    return Draft(policy=draft.policy, faults=(*faults, *draft.faults)), scorer


def load_with_scorer(path: Path, *, running: Scorer | None = None) -> tuple[Policy, Scorer]:
    """Read, check and return a policy and its scorer.

    Args:
        path: The policy file, TOML.
        running: As for ``read_with_scorer``.

    Raises:
        ConfigurationError: With every fault of the file, those of its model among them.
    """
    draft, scorer = read_with_scorer(path, running=running)
    if draft.faults or scorer is None:
        raise ConfigurationError(str(path), draft.faults)
    return draft.policy, scorer


def _scorer(
    policy: Policy, beside: Path, running: Scorer | None
) -> tuple[Scorer | None, tuple[Fault, ...]]:
    calibration = None if policy.calibration is None else Path(policy.calibration)
    try:
        folder = folder_of(policy, beside)
        scorer = read_scorer(folder, calibration) if running is None else running
    except (GatekeeperError, OSError) as error:
        return None, (_fault(policy, beside, error),)
    for place, asked, runs in (
        ("model", folder, scorer.folder),
        ("calibration", calibration, scorer.calibration_file),
    ):
        if asked != runs:
            expected = f"{runs or 'that of the model folder'}, which runs"
            advice = f"restart the server to change the {place}"
            found = str(asked or "none")
            return None, (Fault(place=place, found=found, expected=expected, instead=advice),)
    return scorer, _pin_faults(policy, scorer)


def _fault(policy: Policy, beside: Path, error: GatekeeperError | OSError) -> Fault:
    """Say which of the two can't be had: the model, or a calibration file of its own."""
    own = policy.calibration
    if isinstance(error, InputError) and own is not None and error.place.startswith(own):
        found = f"{error.place}: {error.found}"
        return Fault(place="calibration", found=found, expected=error.expected)
    return _model_fault(policy.model, beside, error)


def _model_fault(name: str | None, beside: Path, error: GatekeeperError | OSError) -> Fault:
    """Say what is wrong with the model, and with a name that leads to none what was meant."""
    if isinstance(error, ModelMissingError) and name is not None:
        shipped = shipped_models()
        expected = f"{listed(shipped)}, or with a slash in it a folder with a {MANIFEST}"
        meant = f"./{name}" if (beside / name).is_dir() else nearest(name, shipped)
        advice = f"write model = {shown(meant)}" if meant and "/" not in name else ""
        return Fault(place="model", found=shown(name), expected=expected, instead=advice)
    if isinstance(error, InputError):
        return Fault(place="model", found=f"{error.place}: {error.found}", expected=error.expected)
    if isinstance(error, ManifestError):
        found = f"{error.path} with {error.found}"
        return Fault(place="model", found=found, expected=error.expected)
    return Fault(place="model", found=str(error), expected="a model folder")


def _pin_faults(policy: Policy, scorer: Scorer) -> tuple[Fault, ...]:
    if policy.model_sha256 in (None, scorer.manifest_sha256):
        return ()
    return (
        Fault(
            place="model_sha256",
            found=f'"{policy.model_sha256}"',
            expected=f'"{scorer.manifest_sha256}", the sha256 of {scorer.folder / MANIFEST}',
            instead="bring back the model that was pinned, or pin this one once you trust it",
        ),
    )
