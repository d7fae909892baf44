"""Every error the package raises on purpose.

    GatekeeperError
    ├── ModelError
    │   ├── ModelMissingError       no model folder at the path
    │   ├── ManifestError           the manifest says something impossible, or is not one
    │   ├── ModelFileError          a file of the model is missing or was changed
    │   └── SelfTestError           the model does not tell good pairs from bad ones
    ├── InferenceError              a forward pass failed
    └── InputError                  a file or row a person gave can't be read as what it should be

The text is built in the class, so every raise of it reads the same; the facts are attributes.
"""

from pathlib import Path


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


class InputError(GatekeeperError):
    """Input from a person is not what it should be."""

    def __init__(self, place: str, found: str, expected: str) -> None:
        self.place, self.found, self.expected = place, found, expected
        super().__init__(f"{place}: found {found}, expected {expected}")
