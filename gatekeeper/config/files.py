"""Files a policy names: found beside the policy file, read whole within a bound."""

from dataclasses import dataclass
from pathlib import Path

from gatekeeper.config.reader import Faults
from gatekeeper.config.words import named

MAX_POLICY_BYTES = 1_000_000
MAX_TEXT_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The folder that relative paths of a policy start from."""

    path: Path

    def locate(self, name: str) -> str:
        """Return a path that can be opened from anywhere."""
        return str(self.path / name)


def read_text(path: Path, *, place: str, faults: Faults, limit: int = MAX_TEXT_BYTES) -> str | None:
    """Return a UTF-8 text file without its byte order mark, None with the fault noted.

    Args:
        path: The file.
        place: Where the policy names it.
        faults: Gets the fault.
        limit: Most bytes the file may have; a longer one is not read to its end.
    """
    name = named(path)
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        faults.note(place, f"{name}: {(reason or 'unreadable').lower()}", "a readable file")
        return None
    if len(data) > limit:
        faults.note(place, f"{name} with more than {limit:,} bytes", f"at most {limit:,} bytes")
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"{name} with the byte 0x{data[error.start]:02x} at offset {error.start}"
        faults.note(place, found, "UTF-8 text", "save it as UTF-8")
        return None
