"""Tests with real clients run by ``make test-system`` only: they need programs of the system."""

import os

if "GATEKEEPER_SYSTEM" not in os.environ:
    collect_ignore_glob = ["test_*.py"]
