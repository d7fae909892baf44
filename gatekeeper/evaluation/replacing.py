"""Replacing a file whole: whoever reads it finds the old one or the new one, never a part."""

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

# Readable by workers that run as another user; nothing in the files is a secret.
_NEW_FILE_MODE = 0o644


def replace_file(path: Path, data: bytes) -> None:
    """Write beside the file, on disk before it takes the name; its mode stays.

    So does its owner, where root writes for the account that reads it.

    Raises:
        OSError: If it can't be written; the old file is as it was.
    """
    old = path.stat() if path.exists() else None
    mode = _NEW_FILE_MODE if old is None else old.st_mode & 0o777
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if old is not None and sys.platform != "win32":
            with suppress(PermissionError):
                os.chown(beside, old.st_uid, old.st_gid)
        beside.chmod(mode)
        beside.replace(path)
    except BaseException:  # Ctrl-C too: no file is left beside it
        beside.unlink(missing_ok=True)
        raise
