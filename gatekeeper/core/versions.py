"""Versions of what decides verdicts beside the model; all are part of the scorer fingerprint.

Raised by hand when verdicts change: figures of different fingerprints are never pooled. A test
over stored verdicts fails when a verdict changed and no number did.
"""

SEGMENTER_VERSION = 1
GUARD_VERSION = 1
PIPELINE_VERSION = 1
