"""What a verdict depends on beside the model: versions, for results and for ``doctor``."""

import platform
from importlib.metadata import PackageNotFoundError, version

from gatekeeper import __version__

LIBRARIES = ("onnxruntime", "tokenizers", "numpy")


def installed(name: str) -> str | None:
    """Return the version of an installed distribution, None if there is none of this name."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def package_versions() -> dict[str, str]:
    """Return the versions by name; "not installed" where a library is missing."""
    found = {"gatekeeper": __version__, "python": platform.python_version()}
    return found | {name: installed(name) or "not installed" for name in LIBRARIES}
