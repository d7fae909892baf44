"""JSON that comes out as it went in: numbers by their text, keys in order, no guessing.

Pure. What two parsers could read differently (a key twice, NaN, another encoding) is refused, for
the client might read the other one. Depth is measured before parsing, so nothing recurses deep.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from json.encoder import encode_basestring

from gatekeeper.errors import GatekeeperError
from gatekeeper.verdict import NotCheckedReason

# Possessive and with an optional end: a string is passed over once, also one that never closes.
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_NOT_BRACKETS = bytes(sorted(set(range(256)) - set(b"[]{}")))
_STEP = {code: 1 if code in b"[{" else -1 for code in b"[]{}"}
_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,9})")
_SURROGATE = re.compile("[\ud800-\udfff]")

# Values written between two chances for other work.
_STRIDE = 2_000


class UncheckableError(GatekeeperError):
    """A response can't be checked; ``reason`` is what it is counted under."""

    def __init__(self, reason: NotCheckedReason) -> None:
        self.reason = reason
        super().__init__(f"not checked: {reason}")


def shape() -> UncheckableError:
    """Return the error for an answer that isn't where its shape has it."""
    return UncheckableError(NotCheckedReason.SHAPE)


class Number:
    """A number as it was written: 1.10, 1e400 and -0 keep their text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def parse(body: bytes, *, depth: int) -> object:
    """Parse UTF-8 JSON into dict, list, str, bool, None and ``Number``.

    A byte order mark is passed over, as clients do.

    Raises:
        UncheckableError: With ``shape`` if it is no JSON, is nested deeper than ``depth``, has a
            key twice in one object, holds NaN or Infinity, or is not UTF-8.
    """
    body = body.removeprefix(b"\xef\xbb\xbf")
    if _depth(body) > depth:
        raise UncheckableError(NotCheckedReason.SHAPE)
    try:
        return _DECODER.decode(body.decode("utf-8"))
    except ValueError:
        raise UncheckableError(NotCheckedReason.SHAPE) from None


def write(value: object) -> Iterator[str]:
    """Yield the pieces of a document, an empty one every so often as a chance for other work."""
    for count, piece in enumerate(_pieces(value), 1):
        if count % _STRIDE == 0:
            yield ""
        yield piece


def encode(pieces: Sequence[str]) -> bytes:
    """Join written pieces as UTF-8; a lone surrogate is escaped, as it must have been."""
    return "".join(pieces).encode("utf-8", "backslashreplace")


def tokens(pointer: str) -> tuple[str, ...]:
    """Split a JSON pointer (RFC 6901) into its reference tokens; "" points at the whole."""
    parts = pointer.split("/")[1:]
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)


def find(document: object, path: Sequence[str]) -> object:
    """Return the value at a pointer's tokens.

    Raises:
        LookupError: If there is nothing.
    """
    value = document
    for token in path:
        if isinstance(value, dict):
            value = value[token]
        elif isinstance(value, list) and _INDEX.fullmatch(token):
            value = value[int(token)]
        else:
            raise LookupError(token)
    return value


def put(document: object, path: Sequence[str], new: object) -> object:
    """Return the document with the value at an existing place changed, in place but for the root.

    Raises:
        LookupError: If the place does not exist.
    """
    if not path:
        return new
    parent = find(document, path[:-1])
    find(parent, path[-1:])
    if isinstance(parent, dict):
        parent[path[-1]] = new
    if isinstance(parent, list):
        parent[int(path[-1])] = new
    return document


def scalar(text: str) -> str:
    """Return text without lone surrogates (U+FFFD instead); offsets stay as they are."""
    return _SURROGATE.sub("\ufffd", text)


def _depth(body: bytes) -> int:
    """Return how deep brackets nest outside strings; of broken JSON any number."""
    brackets = _STRING.sub(b"", body).translate(None, _NOT_BRACKETS)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_float=Number,
    parse_int=Number,
    parse_constant=_constant,
)


def _pieces(value: object) -> Iterator[str]:
    """Write recursively; documents are no deeper than ``parse`` let them be."""
    if isinstance(value, dict):
        before = "{"
        for key, item in value.items():
            yield f"{before}{encode_basestring(key)}:"
            yield from _pieces(item)
            before = ","
        yield "}" if value else "{}"
    elif isinstance(value, list):
        before = "["
        for item in value:
            yield before
            yield from _pieces(item)
            before = ","
        yield "]" if value else "[]"
    else:
        yield _leaf(value)


def _leaf(value: object) -> str:
    if isinstance(value, Number):
        return value.text
    return encode_basestring(value) if isinstance(value, str) else json.dumps(value)


def others(members: Mapping[str, object], known: Collection[str]) -> bool:
    """Tell whether there are other members than known ones; null and empty ones say nothing."""
    return any(
        name not in known and value is not None and value not in ("", [], {})
        for name, value in members.items()
    )
