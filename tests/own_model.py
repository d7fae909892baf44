"""The shipped model as users have it: with a calibration of one's own, or on an odd machine."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gatekeeper.config.scorer import read_scorer
from gatekeeper.evaluation.calibration import Calibration, write_calibration
from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.protocols import EncodedPair
from gatekeeper.runtime.manifest import model_folder, read_manifest
from gatekeeper.runtime.session import Session


class Moving(Session):
    """A model on a machine where scores move with the batch."""

    @classmethod
    def over(cls, session: Session) -> "Moving":
        """Take the place of a session."""
        return cls(session.manifest, session.tokens, session._runtime)

    def logits(self, pairs: Sequence[EncodedPair], *, width: int = 0) -> npt.NDArray[np.float64]:
        """Move the scores of all that share a pass a little."""
        moved = np.array([0.001 * (len(pairs) - 1), 0.0, 0.0])
        return np.asarray(super().logits(pairs, width=width) + moved)


def own_model(tmp_path: Path, old: str = "", new: str = "") -> Path:
    """Make the folder; where its manifest says ``old`` it says ``new``. Large files are links."""
    shipped = model_folder(SHIPPED_MODEL)
    folder = tmp_path / "model"
    folder.mkdir()
    for name in read_manifest(shipped).files:
        (folder / name).symlink_to(shipped / name)
    manifest = (shipped / "manifest.toml").read_text(encoding="utf-8")
    (folder / "manifest.toml").write_text(manifest.replace(old, new), encoding="utf-8")
    calibration = Calibration(
        source="own",
        fingerprint="unknown",
        support_threshold=0.5,
        contradiction_threshold=0.95,
    )
    write_calibration(folder / "calibration.json", calibration)
    fitted = replace(calibration, fingerprint=read_scorer(folder).fingerprint)
    write_calibration(folder / "calibration.json", fitted)
    return folder
