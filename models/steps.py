"""Steps whose product is a folder: done once, and whole or not at all."""

from collections.abc import Callable
from pathlib import Path


def once(to: Path, make: Callable[[Path], None]) -> None:
    """Make a folder unless it is there; a folder half made is not there."""
    if to.exists():
        return
    part = to.with_name(f"{to.name}.part")
    part.mkdir(parents=True, exist_ok=True)
    make(part)
    part.rename(to)
