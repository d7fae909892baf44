"""Chance that comes out the same on every machine and in every run."""

from random import Random


def seeded(*parts: object) -> Random:
    """Return a generator that depends on the parts alone; they are read as text."""
    return Random("|".join(map(str, parts)))  # noqa: S311 - draws trials, keeps no secret
