"""JSON pointers (RFC 6901) as a policy writes them."""

import re

from gatekeeper.config.words import shown

# The reference tokens of RFC 6901, section 3: "~" only as "~0" or "~1".
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*")


def fault_of(pointer: str, *, each: bool = False) -> tuple[str, str] | None:
    """Return what is expected of a pointer and what to write instead; None if it is right.

    Args:
        pointer: The pointer as written; an empty one is the whole document.
        each: True where ``*`` may stand for every item of a list.
    """
    if not _POINTER.fullmatch(pointer):
        return "a JSON pointer (RFC 6901)", _slip(pointer)
    if "*" in pointer.split("/") and not each:
        return 'a pointer to one place, without "*"', ""
    return None


def _slip(pointer: str) -> str:
    if pointer.startswith(("$.", "$[")):
        return f"write {shown(_from_path(pointer[1:]))}"
    if not pointer.startswith("/") and "~" not in pointer:
        return f"write {shown(_from_path(pointer))}"
    return 'write "~" as "~0" and a "/" inside a key as "~1"'


def _from_path(path: str) -> str:
    """Turn a path with dots and brackets, as other tools write it, into a pointer."""
    parts = path.replace("[", ".").replace("]", "").replace("/", ".").split(".")
    return "".join(f"/{part}" for part in parts if part)
