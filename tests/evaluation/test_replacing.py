"""A file that is replaced whole stays whose it was, and readable for whom it was."""

import os
from pathlib import Path

import pytest

from gatekeeper.evaluation.replacing import replace_file


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_file_stays_its_owners(tmp_path: Path) -> None:
    """Root writes, another account reads: what became root's own would lock that one out."""
    file = tmp_path / "file"
    file.write_bytes(b"old")
    os.chown(file, 12_345, 12_346)
    file.chmod(0o600)

    replace_file(file, b"new")

    found = file.stat()
    assert file.read_bytes() == b"new"
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (12_345, 12_346, 0o600)
