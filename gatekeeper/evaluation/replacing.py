"""Replacing a file whole: whoever reads it finds the old one or the new one, never a part."""

import os
import tempfile
from pathlib import Path

# Readable by workers that run as another user; nothing in the files is a secret.
_NEW_FILE_MODE = 0o644


def replace_file(path: Path, data: bytes) -> None:
    """Write beside the file, on disk before it takes the name; its mode stays.

    Raises:
        OSError: If it can't be written; the old file is as it was.
    """
    mode = path.stat().st_mode & 0o777 if path.exists() else _NEW_FILE_MODE
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(mode)
        beside.replace(path)
    except BaseException:  # Ctrl-C too: no file is left beside it
        beside.unlink(missing_ok=True)
        raise
