"""Where a rule speaks: a part of a policy and how its keys are called there."""

import math
from dataclasses import dataclass

from gatekeeper.config.reader import Faults
from gatekeeper.config.words import plain, shown

# The file counts in milliseconds, objects in seconds.
_IN_SECONDS = {"budget_ms": "budget_s", "resolver_ms": "resolver_s", "send_ms": "send_s"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a policy: its place, the faults so far, and whether it comes from a file.

    A rule that rests on a key with a fault says nothing: one slip is one fault.
    """

    place: str
    faults: Faults
    in_file: bool

    def below(self, key: str) -> "Part":
        """Return the part at a key of this one."""
        return Part(place=self._at(key), faults=self.faults, in_file=self.in_file)

    def note(
        self, key: str, found: str, expected: str, instead: str = "", *, rests_on: str = ""
    ) -> None:
        """Note a fault at a key unless it, or a key that the rule rests on, has one already."""
        if not any(self.faults.touch(self._at(name)) for name in (key, *rests_on.split())):
            self.faults.note(self._at(key), found, expected, instead)

    def within(self, key: str, value: float, low: float, high: float) -> None:
        """Note a number that lies outside [low, high]."""
        if not low <= value <= high:
            self.note(key, shown(value), f"{low:,} to {high:,}")

    def fraction(self, key: str, value: float, *, ends: bool) -> None:
        """Note a fraction outside 0 to 1; a percentage gets the fraction it stands for."""
        if 0 < value < 1 or (ends and 0 <= value <= 1):
            return
        slip = 1 < value <= 100 and not math.isclose(value, 1)
        advice = f"write {key} = {value / 100:g} for {value:g} %" if slip else ""
        limits = "a number from 0 to 1" if ends else "a number between 0 and 1, ends excluded"
        self.note(key, shown(value), limits, advice)

    def duration(self, key: str, value_s: float, low_s: float, high_s: float) -> None:
        """Note a duration outside [low_s, high_s]; ``key`` is the name in the file.

        A number that would be right in the other unit gets its own.
        """
        if low_s <= value_s <= high_s:
            return
        per_s, unit = (1000, "milliseconds") if self.in_file else (1, "seconds")
        other = value_s * 1000 if self.in_file else value_s / 1000
        name = self._name(key)
        slip = low_s <= other <= high_s
        advice = f"write {name} = {plain(other * per_s)}, it counts {unit}" if slip else ""
        limits = f"{plain(low_s * per_s)} to {plain(high_s * per_s)} {unit}"
        self.note(key, plain(value_s * per_s), limits, advice)

    def _name(self, key: str) -> str:
        return key if self.in_file else _IN_SECONDS.get(key, key)

    def _at(self, key: str) -> str:
        name = self._name(key)
        return f"{self.place}.{name}" if self.place else name
