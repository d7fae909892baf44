"""Offline use of the same gate: rows, metrics, calibration."""
