"""Measurements: each writes one result file with machine and versions; nothing here ships."""
