"""Every error the package raises on purpose.

    GatekeeperError
    ├── ModelError
    │   ├── ModelMissingError       no model folder at the path
    │   ├── ManifestError           the manifest says something impossible, or is not one
    │   ├── AggregationError        how scores are weighed says something impossible
    │   ├── ModelFileError          a file of the model is missing or was changed
    │   └── SelfTestError           the model does not tell good pairs from bad ones
    ├── InferenceError              a forward pass failed
    ├── UnavailableError            no judge for this work now: overload, warming, shutdown ...
    ├── InputError                  a file or row a person gave can't be read as what it should be
    ├── MetricsError                numbers would be silently wrong
    ├── StoreError                  the outcome store can't be used as it is
    └── ConfigurationError          a policy can't be honoured; holds every fault with its place

The text is built in the class, so every raise of it reads the same; the facts are attributes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gatekeeper.verdict import UnresolvedReason


class GatekeeperError(Exception):
    """Root of all errors raised on purpose."""


class ModelError(GatekeeperError):
    """A model can't be used as it is."""


class ModelMissingError(ModelError):
    """No model folder at the given path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"no model at {path}: expected a folder with a manifest.toml in it")


class ManifestError(ModelError):
    """A manifest can't be read or contradicts the model."""

    def __init__(self, path: Path, found: str, expected: str) -> None:
        self.path, self.found, self.expected = path, found, expected
        super().__init__(f"{path}: found {found}, expected {expected}")


class AggregationError(ModelError):
    """An aggregation file can't be read or says something impossible."""

    def __init__(self, path: Path, found: str, expected: str) -> None:
        self.path, self.found, self.expected = path, found, expected
        super().__init__(f"{path}: found {found}, expected {expected}")


class ModelFileError(ModelError):
    """A file of the model is missing or is not the one the manifest names."""

    def __init__(self, path: Path, found: str, expected: str) -> None:
        self.path, self.found, self.expected = path, found, expected
        super().__init__(
            f"{path}: found {found}, expected {expected}; "
            "restore the file or install the model again"
        )


class SelfTestError(ModelError):
    """The built-in pairs were not scored as they must be."""

    def __init__(self, fault: str, advice: str) -> None:
        self.fault, self.advice = fault, advice
        super().__init__(f"self-test failed: {fault}; {advice}")


class InferenceError(GatekeeperError):
    """A forward pass failed or gave numbers that are none."""


class UnavailableError(GatekeeperError):
    """Work was refused or given up; ``reason`` is what its check is unresolved for."""

    def __init__(self, reason: UnresolvedReason) -> None:
        self.reason = reason
        super().__init__(f"the judge did not do this work: {reason}")


class MetricsError(GatekeeperError):
    """What is counted would not be what is read, so nothing is counted."""

    def __init__(self, fault: str, advice: str) -> None:
        self.fault, self.advice = fault, advice
        super().__init__(f"metrics: {fault}; {advice}")


class StoreError(GatekeeperError):
    """The outcome store can't be opened, read or written.

    ``is_passing`` tells that the same may work later: a full disk, a server that is gone. Nothing
    that quotes a row is in the text.
    """

    def __init__(self, fault: str, advice: str, *, is_passing: bool = False) -> None:
        self.fault, self.advice, self.is_passing = fault, advice, is_passing
        super().__init__(f"outcome store: {fault}; {advice}")


class InputError(GatekeeperError):
    """Input from a person is not what it should be."""

    def __init__(self, place: str, found: str, expected: str) -> None:
        self.place, self.found, self.expected = place, found, expected
        super().__init__(f"{place}: found {found}, expected {expected}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault of a policy: where, what is there, what should be, and what to write instead."""

    place: str
    found: str
    expected: str
    instead: str = ""

    def __str__(self) -> str:
        advice = f"; {self.instead}" if self.instead else ""
        return f"{self.place}: found {self.found}, expected {self.expected}{advice}"


class ConfigurationError(GatekeeperError):
    """A policy can't be honoured. ``faults`` holds all of them, in the order of the file."""

    def __init__(self, source: str, faults: Sequence[Fault]) -> None:
        self.source, self.faults = source, tuple(faults)
        many = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        super().__init__("\n".join([f"{source}: {many}", *(f"  {fault}" for fault in self.faults)]))
