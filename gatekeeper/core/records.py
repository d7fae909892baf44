"""JSON as text: each scalar with its keys is a record ("humidity: 41"); the slices join.

Read by a loose walk that knows offsets; what the walk cannot follow is no JSON and is prose.
"""

import json
import re

from gatekeeper.core.units import Form, Slice, Unit

_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+)', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}


def may_be_records(head: str) -> bool:
    """Tell from the first two characters that are not blank whether a text may yet be JSON."""
    return head in {"", "["} or head[0] == "{" or head in {'["', "[{", "[["}


def records(text: str) -> tuple[Unit, ...]:
    """Return one unit a scalar, empty if the text is no JSON object or array.

    ``header`` of a unit are its keys, outermost first, ``cells`` its value.
    """
    if text.lstrip()[:1] not in {"{", "["}:
        return ()
    walk = _Walk()
    at = 0
    while match := _TOKEN.match(text, at):
        if not walk.take(Slice(match.start(1), match.end(), match[1])):
            return ()
        at = match.end()
    if walk.stack or text[at:].strip() or not walk.found:
        return ()
    begins = [0, *(begin for begin, _, _ in walk.found[1:]), len(text)]
    return tuple(
        Unit(start=begins[i], text=text[begins[i] : begins[i + 1]], form=Form.RECORD,
             header=keys, cells=(value,))
        for i, (_, keys, value) in enumerate(walk.found)
    )  # fmt: skip


class _Walk:
    """Brackets open, what each waits for, keys in force, scalars found as (begin, keys, value).

    An object waits for key, colon, value and comma in turn, an array for value and comma.
    """

    __slots__ = ("found", "keys", "stack", "waits")

    def __init__(self) -> None:
        self.stack: list[str] = []
        self.waits: list[str] = []
        self.keys: list[Slice | None] = []
        self.found: list[tuple[int, tuple[Slice, ...], Slice]] = []

    def take(self, token: Slice) -> bool:
        """Take a token; False if it does not belong here."""
        if token.text in _CLOSING:
            return self._open(token.text)
        if not self.stack:
            return False
        if token.text in {"}", "]"}:
            self.keys.pop()
            self.waits.pop()
            return _CLOSING[self.stack.pop()] == token.text
        wait = self.waits[-1]
        if token.text in {",", ":"}:
            self.waits[-1] = "value" if token.text == ":" or self.stack[-1] == "[" else "key"
            return wait == token.text
        if wait == "key":
            self.keys[-1], self.waits[-1] = token, ":"
            return True
        self._value(token)
        return wait == "value"

    def _open(self, bracket: str) -> bool:
        fits = not self.waits or self.waits[-1] == "value"
        if self.waits:
            self.waits[-1] = ","
        self.stack.append(bracket)
        self.waits.append("key" if bracket == "{" else "value")
        self.keys.append(None)
        return fits

    def _value(self, token: Slice) -> None:
        self.waits[-1] = ","
        keys = tuple(key for key in self.keys if key is not None)
        own = self.keys[-1]
        self.found.append((token.start if own is None else own.start, keys, token))


def spoken(token: str) -> str:
    """Return a JSON token as plain words: strings without quotes and escapes."""
    if not token.startswith('"'):
        return token
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        return token.strip('"')
