"""Versions in results."""

from gatekeeper import __version__
from gatekeeper.evaluation.versions import LIBRARIES, installed, package_versions


def test_versions_name_all_that_decides_a_verdict() -> None:
    """Two results that differ in one of these are not compared without saying so."""
    found = package_versions()

    assert set(found) == {"gatekeeper", "python", *LIBRARIES}
    assert found["gatekeeper"] == __version__
    assert all(version[0].isdigit() for version in found.values())


def test_missing_library_has_no_version() -> None:
    """A broken installation is reported, not guessed over."""
    assert installed("no-such-distribution") is None
