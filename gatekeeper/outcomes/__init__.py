"""Decisions as they are stored, the sample people label, and the rates counted from it."""
