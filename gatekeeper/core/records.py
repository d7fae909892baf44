"""JSON as text: each scalar with its keys is a record ("humidity: 41"); the slices join.

A value means nothing without its object: in an array of objects each is read with the member
that names its object ("aspirin, status: allowed"). Read by a loose walk that knows offsets; what
the walk cannot follow, or nests deeper than people write, is no JSON and is prose.
"""

import json
import re
from collections.abc import Generator
from dataclasses import dataclass, field

from gatekeeper.core.units import Form, Slice, Unit

_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+)', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_DEEPEST = 32
_TOKENS_A_STEP = 512
_LONGEST_NAME = 60  # characters; what is longer tells something and names nothing
# Members that many objects share.
_NO_NAMES = re.compile(
    r'"(?:status|state|type|kind|role|lang(?:uage)?|ok|error|message|answer|text|content|'
    r'response|reply|output|result|summary|description|note|notes|reason|source|unit|currency)"',
    re.IGNORECASE,
)


def may_be_records(head: str) -> bool:
    """Tell from the first two characters that are not blank whether a text may yet be JSON."""
    return head in {"", "["} or head[0] == "{" or head in {'["', "[{", "[["}


def records(text: str) -> tuple[Unit, ...]:
    """Return one unit a scalar, empty if the text is no JSON object or array.

    ``header`` of a unit are its keys, outermost first, ``cells`` its value, ``carried`` the names
    of the objects it is in.
    """
    steps = record_steps(text)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return tuple(done.value)


def record_steps(text: str) -> Generator[None, None, tuple[Unit, ...]]:
    """Return what ``records`` returns, in steps of bounded work."""
    if text.lstrip()[:1] not in {"{", "["}:
        return ()
    walk = _Walk()
    at = count = 0
    while match := _TOKEN.match(text, at):
        if not walk.take(Slice(match.start(1), match.end(), match[1])):
            return ()
        at = match.end()
        count += 1
        if count % _TOKENS_A_STEP == 0:
            yield
    if walk.stack or text[at:].strip() or not walk.found:
        return ()
    units, begin = [], 0
    for i, (found, following) in enumerate(zip(walk.found, [*walk.found[1:], None], strict=True)):
        end = following.begin if following else len(text)
        units.append(
            Unit(start=begin, text=text[begin:end], form=Form.RECORD, header=found.keys,
                 cells=(found.value,), carried=found.names())
        )  # fmt: skip
        begin = end
        if i % _TOKENS_A_STEP == 0:
            yield
    return tuple(units)


@dataclass(slots=True)
class _Level:
    """A bracket that is open: what it waits for, the key in force, and what names it.

    An object waits for key, colon, value and comma in turn, an array for value and comma.
    """

    bracket: str
    wait: str
    in_array: bool
    key: Slice | None = None
    scalars: int = 0
    name: Slice | None = None
    named: bool = False  # by a short string, not only by coming first

    def note(self, value: Slice) -> None:
        """Count a scalar; the first short string names its object, else what comes first."""
        self.scalars += 1
        text = value.text
        is_name = text.startswith('"') and 2 < len(text) <= _LONGEST_NAME
        if self.key is not None and _NO_NAMES.fullmatch(self.key.text):
            is_name = False
        is_array = self.bracket == "[" and not self.in_array
        if is_array or self.named or not (is_name or (self.in_array and self.name is None)):
            return
        self.name, self.named = value, is_name


@dataclass(frozen=True, slots=True)
class _Found:
    begin: int
    keys: tuple[Slice, ...]
    value: Slice
    levels: tuple[_Level, ...]

    def names(self) -> tuple[Slice, ...]:
        """Return what names the objects round a scalar, known once all of them are read."""
        names = (one.name for one in self.levels)
        return tuple(name for name in names if name is not None and name is not self.value)


@dataclass(slots=True)
class _Walk:
    """The levels that are open, outermost first, and the scalars found."""

    stack: list[_Level] = field(default_factory=list)
    found: list[_Found] = field(default_factory=list)

    def take(self, token: Slice) -> bool:
        """Take a token; False if it does not belong here."""
        if token.text in _CLOSING:
            return self._open(token.text)
        if not self.stack:
            return False
        level = self.stack[-1]
        if token.text in {"}", "]"}:
            self.stack.pop()
            return _CLOSING[level.bracket] == token.text
        wait = level.wait
        if token.text in {",", ":"}:
            level.wait = "value" if token.text == ":" or level.bracket == "[" else "key"
            return wait == token.text
        if wait == "key":
            level.key, level.wait = token, ":"
            return True
        self._value(token, level)
        return wait == "value"

    def _open(self, bracket: str) -> bool:
        outer = self.stack[-1] if self.stack else None
        fits = outer is None or outer.wait == "value"
        if outer is not None:
            outer.wait = ","
        in_array = outer is not None and outer.bracket == "["
        self.stack.append(_Level(bracket, "key" if bracket == "{" else "value", in_array))
        return fits and len(self.stack) <= _DEEPEST

    def _value(self, token: Slice, level: _Level) -> None:
        level.wait = ","
        level.note(token)
        keys = tuple(one.key for one in self.stack if one.key is not None)
        begin = token.start if level.key is None else level.key.start
        self.found.append(_Found(begin, keys, token, tuple(self.stack)))


def spoken(token: str) -> str:
    """Return a JSON token as plain words: strings without quotes and escapes."""
    if not token.startswith('"'):
        return token
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        return token.strip('"')
