"""How far a pointer leads into a saved body, and what stands where it ends."""

from collections.abc import Sequence
from dataclasses import dataclass

from gatekeeper.asgi.coding import decode
from gatekeeper.asgi.jsontext import Number, UncheckableError, find, parse, tokens
from gatekeeper.policy import Bounds

_MOST_KEYS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """A pointer followed into a document; through the first item of a list where it has "*".

    ``followed`` is the part that leads somewhere, ``there`` says what stands at its end.
    """

    pointer: str
    followed: str
    there: str

    @property
    def is_found(self) -> bool:
        """True if the whole pointer leads somewhere."""
        return self.followed == self.pointer


def document(body: bytes, coding: str, bounds: Bounds) -> tuple[object, str | None]:
    """Return a body as JSON, or None and why it is none, as the gate reads it."""
    try:
        return parse(b"".join(decode(body, coding, bounds)), depth=bounds.json_depth), None
    except UncheckableError as error:
        return None, str(error.reason)


def follow(value: object, pointer: str) -> Trail:
    """Follow a pointer as far as it leads."""
    parts, done = pointer.split("/")[1:], 0
    for part, token in zip(parts, tokens(pointer), strict=True):
        try:
            value = find(value, ("0",) if part == "*" else (token,))
        except LookupError:
            break
        done += 1
    followed = "".join(f"/{part}" for part in parts[:done])
    return Trail(pointer=pointer, followed=followed, there=_kind(value))


def _kind(value: object) -> str:
    """Say what a value is; its keys are named, its text is not."""
    match value:
        case dict():
            return f"an object with the keys {_keys(list(value))}" if value else "an empty object"
        case list():
            return f"a list of {len(value)}" if value else "an empty list"
        case str():
            return f"a string of {len(value)} characters"
        case Number():
            return "a number"
        case None:
            return "null"
    return "true or false"


def _keys(keys: Sequence[str]) -> str:
    more = len(keys) - _MOST_KEYS
    return ", ".join(keys[:_MOST_KEYS]) + (f" and {more} more" if more > 0 else "")
