"""Typed reading of a parsed TOML table that collects faults instead of stopping at the first.

A faulty entry is noted and stands in as an empty value; the caller raises once, with all of them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class Faults:
    """A table under examination, with what was ``found`` and, in the same order, ``expected``."""

    def __init__(self, raw: Mapping[str, Any], place: str = "") -> None:
        self._raw, self._place = raw, place
        self.found: list[str] = []
        self.expected: list[str] = []

    def add(self, found: str, expected: str) -> None:
        """Note a fault."""
        self.found.append(f"{self._place}{found}")
        self.expected.append(f"{self._place}{expected}")

    def take(self, other: "Faults") -> None:
        """Take over the faults of an inner table."""
        self.found.extend(other.found)
        self.expected.extend(other.expected)

    def check(self, key: str, holds: Callable[[Any], bool], expected: str) -> Any:
        """Return the entry, None after noting a fault if it is missing or doesn't hold."""
        value = self._raw.get(key)
        if value is not None and holds(value):
            return value
        self.add(f"no {key}" if value is None else f"{key} = {shown(value)}", f"{key}: {expected}")
        return None

    def text(self, key: str) -> str:
        """Return a string that isn't blank."""
        return self.check(key, _is_text, "a string") or ""

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of at least one string."""
        found = self.check(key, _is_texts, "a list of strings")
        return tuple(found or ())

    def whole(self, key: str, *, least: int, most: int) -> int:
        """Return an integer within bounds."""
        found = self.check(
            key,
            lambda v: type(v) is int and least <= v <= most,
            f"{least}" if least == most else f"{least} to {most}",
        )
        return least if found is None else int(found)

    def number(self, key: str, *, least: float, most: float) -> float:
        """Return a number within bounds; TOML's nan and inf lie outside any."""
        found = self.check(
            key, lambda v: type(v) in {int, float} and least <= v <= most, f"{least} to {most}"
        )
        return least if found is None else float(found)

    def table(self, key: str) -> dict[str, Any]:
        """Return a table that isn't empty."""
        return dict(self.check(key, lambda v: isinstance(v, dict) and bool(v), "a table") or {})

    def tables(self, key: str) -> Iterator["Faults"]:
        """Yield each table of a list of at least one; the caller takes their faults."""
        found = self.check(key, _is_tables, "a list of tables") or ()
        for position, raw in enumerate(found):
            yield Faults(raw, f"{key}[{position}] ")


def shown(value: object) -> str:
    """Return a value for a message, cut; Python writes no integer of more than 4,300 digits."""
    try:
        return f"{value!r:.200}"
    except ValueError:
        return "a number that is too long"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)
