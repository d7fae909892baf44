"""Versions of what decides verdicts beside the model; all are part of the scorer fingerprint.

Raised by hand when verdicts change: figures of different fingerprints are never pooled. A test
over stored verdicts fails when a verdict changed and no number did.
"""

import hashlib
from dataclasses import asdict

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits

SEGMENTER_VERSION = 2
GUARD_VERSION = 3
PIPELINE_VERSION = 3


def scorer_fingerprint(model: str, thresholds: Thresholds, limits: Limits | None = None) -> str:
    """Return the sha256 over all that decides which side an answer is on, hexadecimal.

    Model, pipeline constants, guard and segmenter versions, thresholds; not the boilerplate, which
    is a route's. ``model`` is the fingerprint of a manifest: the model need not be loaded.
    """
    parts = (
        model,
        PIPELINE_VERSION,
        GUARD_VERSION,
        SEGMENTER_VERSION,
        sorted(asdict(limits or Limits()).items()),
        sorted(asdict(thresholds).items()),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()
