"""Typed access to a table of the policy file. A fault is noted, never raised.

Reading goes on with a stand-in, so that one run finds every fault of the file; what is noted
under a place keeps rules about that place from speaking about the stand-in.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from gatekeeper.config.words import kind, listed, nearest, plain, shown
from gatekeeper.errors import Fault

Choice = TypeVar("Choice")

_AMOUNT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(ms|s|%)?")
_BARE = re.compile(r"[A-Za-z0-9_-]{1,60}")

# TOML promises 64-bit integers; Python's parser hands on longer ones, which no float can hold.
_LARGEST = 2**63


class Faults:
    """The faults found so far, in the order they were found."""

    def __init__(self) -> None:
        self.all: list[Fault] = []

    def note(self, place: str, found: str, expected: str, instead: str = "") -> None:
        """Add one; ``instead`` is advice in words, already with its verb."""
        self.all.append(Fault(place=place, found=found, expected=expected, instead=instead))

    def touch(self, place: str) -> bool:
        """Tell whether something is wrong at a place or below it."""
        return any(fault.place == place or _is_below(fault.place, place) for fault in self.all)


class Table:
    """One table of the file and the place it stands at."""

    def __init__(self, raw: Mapping[str, object], place: str, faults: Faults) -> None:
        self.raw = raw
        self.place = place
        self.faults = faults

    def at(self, key: str) -> str:
        """Return the place of a key."""
        name = key if _BARE.fullmatch(key) else shown(key)
        return f"{self.place}.{name}" if self.place else name

    def refuse_unknown(
        self, known: Sequence[str], elsewhere: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Note each key that is none of the known ones, with the one that was meant.

        Args:
            known: The keys of this table.
            elsewhere: Keys of other tables, with the words for where they belong.
        """
        for key in self.raw:
            if key not in known:
                place = elsewhere.get(key)
                advice = f"it belongs {place}" if place else _advice(key, self.raw, known)
                self.faults.note(self.at(key), "an unknown key", "a known one", advice)

    def missing(self, key: str, expected: str, example: str) -> None:
        """Note a required key that is not there."""
        self.faults.note(self.at(key), "nothing", expected, f"write {key} = {example}")

    def text(self, key: str) -> str | None:
        """Return a string, None where there is none or no string."""
        value = self.raw.get(key)
        if value is None or isinstance(value, str):
            return value
        self.faults.note(self.at(key), kind(value), "a string", f'write {key} = "..."')
        return None

    def choice(self, key: str, options: Mapping[str, Choice], stand_in: Choice) -> Choice:
        """Return what a word stands for; the stand-in where the key is not there."""
        value = self.raw.get(key)
        if value is None:
            return stand_in
        if isinstance(value, str) and value in options:
            return options[value]
        meant = nearest(value, options) if isinstance(value, str) else None
        advice = f'write {key} = "{meant}"' if meant else ""
        self.faults.note(self.at(key), shown(value), listed(options), advice)
        return stand_in

    def number(self, key: str, stand_in: float) -> float:
        """Return a finite number, whole or not."""
        value = self.raw.get(key)
        if value is None:
            return stand_in
        if isinstance(value, int | float) and _is_number(value):
            return value
        meant = _meant_number(key, value) if isinstance(value, str) else None
        advice = f"write {key} = {meant}" if meant else ""
        self.faults.note(self.at(key), shown(value), "a number", advice)
        return stand_in

    def integer(self, key: str, stand_in: int) -> int:
        """Return a whole number; 200.0 is one."""
        value = self.number(key, stand_in)
        if value == int(value):
            return int(value)
        self.faults.note(self.at(key), shown(value), "a whole number")
        return stand_in

    def flag(self, key: str) -> bool:
        """Return a boolean, False where there is none."""
        value = self.raw.get(key)
        if value is None or isinstance(value, bool):
            return bool(value)
        slip = isinstance(value, str) and value.lower() in ("true", "false")
        advice = f"write {key} = {str(value).lower()}" if slip else ""
        self.faults.note(self.at(key), shown(value), "true or false", advice)
        return False

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return a list of strings."""
        value = self.raw.get(key)
        if value is None:
            return None
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        advice = f"write {key} = [{shown(value)}]" if isinstance(value, str) else ""
        self.faults.note(self.at(key), shown(value), "a list of strings", advice)
        return None

    def table(self, key: str, example: str) -> "Table | None":
        """Return a table within this one."""
        value = self.raw.get(key)
        if value is None:
            return None
        if isinstance(value, dict):
            return Table(value, self.at(key), self.faults)
        self.faults.note(self.at(key), shown(value), "a table", f"write {key} = {example}")
        return None

    def tables(self, key: str, example: str) -> Iterator["Table"]:
        """Yield the tables of a list."""
        value = self.raw.get(key)
        if value is None:
            return
        if not isinstance(value, list):
            found, advice = shown(value), f"write {key} = {example}"
            self.faults.note(self.at(key), found, "a list of tables", advice)
            return
        for position, item in enumerate(value):
            place = f"{self.at(key)}[{position}]"
            if isinstance(item, dict):
                yield Table(item, place, self.faults)
            else:
                self.faults.note(place, shown(item), "a table", f"write {example}")


def _is_below(place: str, above: str) -> bool:
    return place.startswith((f"{above}.", f"{above}["))


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < _LARGEST if isinstance(value, int) else math.isfinite(value)


def _meant_number(key: str, text: str) -> str | None:
    """Return the number that a string holds, in the unit of its key: 500 for "500ms"."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return None
    value, unit = float(found[1]), found[2]
    if unit == "%":
        return plain(value / 100)
    if unit and not key.endswith("_ms"):
        return None
    return plain(value * 1000 if unit == "s" else value)


def _advice(key: str, raw: Mapping[str, object], known: Sequence[str]) -> str:
    """Say what an unknown key was meant to be. Values are not shown: one may be a secret."""
    if "secret" in key.lower():
        return "take it out: a secret comes from the environment, GATEKEEPER_SECRET"
    value = raw[key]
    in_ms = f"{key.removesuffix('_seconds').removesuffix('_s')}_ms"
    if in_ms in known and isinstance(value, int | float) and _is_number(value):
        return f"write {in_ms} = {plain(value * 1000)}, it counts milliseconds"
    meant = nearest(key, known)
    return f"did you mean {meant}?" if meant else f"the keys here are {', '.join(known)}"
