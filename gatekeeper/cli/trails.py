"""How far a pointer leads into a saved body, and what stands where it ends."""

import json
from collections.abc import Iterable, Iterator, Sequence
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
    decoded = b""
    try:
        decoded = b"".join(decode(body, coding, bounds))
        return parse(decoded, depth=bounds.json_depth), None
    except UncheckableError as error:
        why = _fault_of(decoded, bounds) if decoded else ("it is empty" if not body else coding)
        return None, f"{error.reason}: {why}"


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
    return Trail(pointer=pointer, followed=followed, there=kind(value))


def items(value: object, pointer: str) -> Iterator[object]:
    """Yield what stands at a pointer, each item of a list by itself, as passages are read."""
    values = [value]
    for token in tokens(pointer):
        values = [found for value in values for found in _below(value, token)]
    for found in values:
        yield from found if isinstance(found, list) else [found]


def text_fault(passages: Iterable[object], text: str | None) -> str | None:
    """Return why the first passage that has no text has none; None if all have one.

    Args:
        passages: The passages as they stand in the body or the state.
        text: The pointer to the text inside each; without it a passage is a string.
    """
    for position, passage in enumerate(passages):
        trail = follow(passage, text or "")
        if text is not None and not trail.is_found:
            return f"{text} leads nowhere in passage {position}, {kind(passage)}"
        if not trail.there.startswith("a string"):
            named = f"{text} in passage {position}" if text else f"passage {position}"
            advice = "" if text else '; write text = "/..."'
            return f"{named} is {trail.there}, no string{advice}"
    return None


def kind(value: object) -> str:
    """Say what a value is; its keys are named, its text is not."""
    match value:
        case dict():
            return f"an object with the keys {keys(list(value))}" if value else "an empty object"
        case list():
            return f"a list of {len(value)}" if value else "an empty list"
        case str():
            return f"a string of {len(value)} characters"
        case bool():
            return "true or false"
        case None:
            return "null"
    return "a number"


def keys(names: Sequence[str]) -> str:
    """Join names, the first dozen of them."""
    more = len(names) - _MOST_KEYS
    return ", ".join(names[:_MOST_KEYS]) + (f" and {more} more" if more > 0 else "")


def _below(value: object, part: str) -> list[object]:
    if part == "*":
        return value if isinstance(value, list) else []
    try:
        return [find(value, (part,))]
    except LookupError:
        return []


def _fault_of(body: bytes, bounds: Bounds) -> str:
    """Say why a body is no JSON for the gate."""
    if body.startswith(b"HTTP/"):
        return "no JSON at line 1, it begins with the head; save the body alone (curl without -i)"
    try:
        json.loads(
            body.decode("utf-8-sig"),
            object_pairs_hook=_once,
            parse_constant=_refuse,
            parse_int=Number,
            parse_float=Number,
        )
    except UnicodeDecodeError as error:
        return f"no UTF-8, the byte 0x{body[error.start]:02x} at offset {error.start}"
    except json.JSONDecodeError as error:
        return f"no JSON at line {error.lineno}, column {error.colno}"
    except ValueError as error:
        return str(error)
    except RecursionError:
        pass
    return f"nested deeper than bounds.json_depth = {bounds.json_depth}"


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} twice in one object")
        found[key] = value
    return found


def _refuse(name: str) -> object:
    raise ValueError(f"{name}, which is no JSON")
