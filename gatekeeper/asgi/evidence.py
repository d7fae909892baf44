"""Where the passages of an answer come from: its sources, read in order and joined.

The server says where; nothing a client sends chooses a source. A place that does not exist gives
no passages, a value of the wrong kind is a shape nobody planned for. Past a bound nothing is used.
"""

import asyncio
import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gatekeeper.asgi.jsontext import Number, UncheckableError, find, scalar, tokens
from gatekeeper.asgi.payload import content_text
from gatekeeper.errors import InputError
from gatekeeper.policy import (
    Bounds,
    FileSource,
    LastMessage,
    RequestSource,
    ResolverSource,
    ResponseSource,
    Route,
    Source,
    StateSource,
)
from gatekeeper.verdict import NotCheckedReason, Passage

# A passage whose id may still be missing.
Found = tuple[str | None, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What a resolver is given: the request as it came and the answer as the app wrote it.

    ``response`` is the decoded body, ``answers`` one text a choice, ``state`` the values the app
    left in ``request.state``. ``headers`` have lower-case names.
    """

    path: str
    query: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    request: bytes
    response: bytes
    answers: tuple[str, ...]
    state: Mapping[str, object]


# May be written with ``async def``. An item is a passage, a text, or ``{"id", "text"}``.
Resolver = Callable[[Exchange], Iterable[str | Passage | Mapping[str, object]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The sources of one route, ready: files read, functions imported."""

    listed: tuple[Source, ...]
    files: Mapping[str, tuple[Found, ...]]
    resolvers: Mapping[str, Resolver]

    @property
    def read_request(self) -> bool:
        """True if a source lies in the request body."""
        return any(isinstance(source, RequestSource) for source in self.listed)


def prepare(route: Route) -> Sources:
    """Read the files and import the functions that a route names.

    Raises:
        InputError: If one can't be read or imported.
    """
    return Sources(
        listed=route.context,
        files={s.path: _read(s.path) for s in route.context if isinstance(s, FileSource)},
        resolvers={
            s.target: _import(s.target) for s in route.context if isinstance(s, ResolverSource)
        },
    )


def gather(
    sources: Sources,
    *,
    request: object,
    responses: Sequence[object],
    state: Mapping[str, object],
    resolved: Mapping[str, list[Found]],
) -> Iterator[list[Found]]:
    """Yield the passages of each source in turn.

    Args:
        sources: What to read.
        request: The parsed request, None if there is none.
        responses: The parsed response; of a stream, that of each frame.
        state: Values from ``request.state`` by name.
        resolved: What each resolver gave, by target.

    Raises:
        UncheckableError: With ``shape`` for a value that is no passage.
    """
    for source in sources.listed:
        match source:
            case ResponseSource():
                yield [f for one in responses for f in _places(one, source.pointer, source)]
            case RequestSource(roles=()):
                yield _places(request, source.pointer or "", source)
            case RequestSource():
                yield list(_messages(request, source))
            case StateSource():
                value = state.get(source.name)
                yield [] if value is None else _passages(value, source)
            case ResolverSource():
                yield resolved[source.target]
            case _:
                yield list(sources.files[source.path])


def in_response(sources: Sources) -> frozenset[str]:
    """Return the pointers of the sources that lie in the response."""
    return frozenset(s.pointer for s in sources.listed if isinstance(s, ResponseSource))


def given(document: object, pointers: Iterable[str]) -> set[str]:
    """Return the pointers at which a document has something.

    Raises:
        UncheckableError: With ``shape`` for a value that is no list where one has to be.
    """
    return {pointer for pointer in pointers if _values(document, pointer)}


def join(found: Sequence[Found], bounds: Bounds) -> tuple[Passage, ...]:
    """Name the passages without an id by their position, counted from 0.

    Raises:
        UncheckableError: With ``size`` if there are too many or too long ones.
    """
    if not bounds.admit([text for _, text in found]):
        raise UncheckableError(NotCheckedReason.SIZE)
    return tuple(
        Passage(id=str(n) if name is None else name, text=scalar(text))
        for n, (name, text) in enumerate(found)
    )


def call(resolver: Resolver, exchange: Exchange) -> list[Found]:
    """Run a resolver, a coroutine in a loop of its own. Blocking.

    Raises:
        InputError: If what it returned is no list of passages. A text alone is none: each of its
            letters would be one.
        BaseException: Whatever the resolver raises.
    """
    given: object = resolver(exchange)
    if inspect.iscoroutine(given):
        given = asyncio.run(given)
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
        raise _no_passage("returned", given)
    return [_given(item) for item in given]


def _given(item: object) -> Found:
    """Read one item of a resolver's result."""
    if isinstance(item, Passage):
        item = {"id": item.id, "text": item.text}
    if isinstance(item, str):
        return None, item
    if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
        raise _no_passage("returned a list with", item)
    name = item.get("id")
    return None if name is None else str(name), item["text"]


def _no_passage(where: str, found: object) -> InputError:
    expected = 'a list of texts, of Passage, or of {"id", "text"}'
    return InputError("resolver", f"{where} {type(found).__name__}", expected)


def _places(document: object, pointer: str, source: ResponseSource | RequestSource) -> list[Found]:
    """Return the passages at a pointer."""
    return [found for value in _values(document, pointer) for found in _passages(value, source)]


def _values(document: object, pointer: str) -> list[object]:
    """Return the values at a pointer; ``*`` in it stands for every item of a list."""
    values = [document]
    for part in tokens(pointer):
        values = [item for value in values for item in _step(value, part)]
    return values


def _step(value: object, part: str) -> list[object]:
    if part == "*":
        if value is not None and not isinstance(value, list):
            raise UncheckableError(NotCheckedReason.SHAPE)
        return value or []
    try:
        return [find(value, (part,))]
    except LookupError:
        return []


def _passages(value: object, source: ResponseSource | RequestSource | StateSource) -> list[Found]:
    """Read a text, an object or a list of them."""
    items = value if isinstance(value, (list, tuple)) else [value]
    if source.text is None:
        return [_own(item) for item in items]
    return [(_name(item, source.id), _text(find_or_none(item, source.text))) for item in items]


def find_or_none(value: object, pointer: str) -> object:
    """Return the value at a pointer, None if there is nothing."""
    try:
        return find(value, tokens(pointer))
    except LookupError:
        return None


def asked(request: object, question: str | LastMessage | None) -> str | None:
    """Return the question of a request, None if there is no text where it should be."""
    if isinstance(question, LastMessage):
        found = _last_message(request, question)
    else:
        found = None if question is None else find_or_none(request, question)
    return scalar(found) if isinstance(found, str) else None


def _last_message(request: object, wanted: LastMessage) -> object:
    """Return the content of a message; parts that are no text, such as pictures, are passed over.

    Nothing here makes an answer uncheckable: the question is no evidence.
    """
    messages = find_or_none(request, wanted.pointer)
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == wanted.role:
            content = message.get("content")
            return "".join(_spoken(content)) if isinstance(content, list) else content
    return None


def _spoken(parts: Sequence[object]) -> Iterator[str]:
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else None
        if isinstance(text, str):
            yield text


def _messages(request: object, source: RequestSource) -> Iterator[Found]:
    """Yield the texts of the chat messages whose role is one of the source's."""
    messages = find_or_none(request, source.pointer or "/messages")
    if not isinstance(messages, list):
        raise UncheckableError(NotCheckedReason.SHAPE)
    for message in messages:
        if not isinstance(message, dict):
            raise UncheckableError(NotCheckedReason.SHAPE)
        if message.get("role") in source.roles:
            yield None, content_text(message.get("content")) or ""


def _own(item: object) -> Found:
    return (item.id, item.text) if isinstance(item, Passage) else (None, _text(item))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise UncheckableError(NotCheckedReason.SHAPE)
    return value


def _name(item: object, pointer: str | None) -> str | None:
    name = None if pointer is None else find_or_none(item, pointer)
    if isinstance(name, Number):
        return name.text
    return None if name is None else str(name)


def _read(path: str) -> tuple[Found, ...]:
    """Read house facts: UTF-8, blank lines between passages."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, str(error), "a UTF-8 text file") from error
    return tuple((None, part.strip()) for part in re.split(r"\n\s*\n", text) if part.strip())


def _import(target: str) -> Resolver:
    """Import ``package.module:function``."""
    module, _, name = target.partition(":")
    try:
        resolver = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(target, str(error), "package.module:function") from error
    if not callable(resolver):
        raise InputError(target, "no function", "package.module:function")
    found: Resolver = resolver
    return found
