"""Response shapes: where the texts of an answer stand, and how they are replaced.

A payload belongs to one response and is changed in place before it is written. Every place in it
that could carry the answer a second time (log-probabilities, tool calls) goes with the answer.
"""

from collections.abc import Iterator
from typing import Protocol

from gatekeeper.asgi.jsontext import (
    UncheckableError,
    encode,
    find,
    parse,
    put,
    scalar,
    tokens,
    write,
)
from gatekeeper.policy import Route, Shape
from gatekeeper.verdict import NotCheckedReason

Facts = dict[str, object]

# What a message may repeat of the answer or add to it; goes when the message is withheld.
_CARRIERS = (
    "tool_calls", "function_call", "audio", "annotations", "reasoning", "reasoning_content",
)  # fmt: skip

# The most a client may ask of the API this shape comes from; each choice is a check.
_MOST_CHOICES = 128

# Encodings that all clients read alike; utf-8-sig passes over a byte order mark.
_CHARSETS = {
    "": "utf-8-sig",
    "utf-8": "utf-8-sig",
    "utf8": "utf-8-sig",
    "us-ascii": "ascii",
    "iso-8859-1": "cp1252",
    "windows-1252": "cp1252",
}


class Payload(Protocol):
    """A response whose answer texts are known. ``texts`` holds None where there is none."""

    document: object
    texts: tuple[str | None, ...]

    def withhold(self, n: int, text: str) -> None:
        """Put a text in the place of answer ``n`` and remove what goes with it."""
        ...

    def redact(self, n: int, text: str) -> None:
        """Put what is left of answer ``n`` in its place."""
        ...

    def note(self, facts: Facts) -> None:
        """Add the member ``gatekeeper``, if there is a place for it."""
        ...

    def write(self) -> Iterator[bytes]:
        """Yield the body, empty at first and often: chances for other work."""
        ...


def read(route: Route, body: bytes, charset: str) -> Payload:
    """Find the answer in a decoded body.

    Raises:
        UncheckableError: With ``shape`` if it isn't where the route says it is.
    """
    if route.answer is Shape.PLAIN:
        return Plain(body, charset)
    if charset not in ("", "utf-8", "utf8", "us-ascii"):
        raise UncheckableError(NotCheckedReason.SHAPE)
    document = parse(body, depth=route.bounds.json_depth)
    if route.answer is Shape.OPENAI_CHAT:
        return Chat(document)
    return Pointed(document, tokens(route.answer))


def text_of(value: object) -> str | None:
    """Return a text or None for null.

    Raises:
        UncheckableError: With ``shape`` if it is anything else.
    """
    if value is None or isinstance(value, str):
        return value
    raise UncheckableError(NotCheckedReason.SHAPE)


def content_text(content: object) -> str | None:
    """Return the text of a chat message's content: a string, or a list of text parts joined.

    Raises:
        UncheckableError: With ``shape`` for parts that hold something else.
    """
    if not isinstance(content, list):
        return text_of(content)
    return "".join(map(_part_text, content)) if content else None


def _part_text(part: object) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    text = part.get(kind) if isinstance(part, dict) and kind in ("text", "refusal") else None
    if not isinstance(text, str):
        raise UncheckableError(NotCheckedReason.SHAPE)
    return text


class Plain:
    """A body that is the answer."""

    document: object = None

    def __init__(self, body: bytes, charset: str) -> None:
        try:
            text = body.decode(_CHARSETS[charset])
        except (KeyError, UnicodeDecodeError):
            raise UncheckableError(NotCheckedReason.SHAPE) from None
        self.texts: tuple[str | None, ...] = (text,)
        self._text = text

    def withhold(self, n: int, text: str) -> None:
        """Replace the body."""
        self._text = text

    redact = withhold

    def note(self, facts: Facts) -> None:
        """Add nothing: the facts stand in headers only."""

    def write(self) -> Iterator[bytes]:
        """Yield the text in UTF-8."""
        yield self._text.encode("utf-8", "replace")


class _Json:
    """What the JSON shapes have in common."""

    def __init__(self, document: object) -> None:
        self.document = document

    def note(self, facts: Facts) -> None:
        """Add the member to the outermost object; another top level has no place for it."""
        if isinstance(self.document, dict):
            self.document["gatekeeper"] = facts

    def write(self) -> Iterator[bytes]:
        """Yield the document once, after empty pieces."""
        pieces = []
        for piece in write(self.document):
            if not piece:
                yield b""
            pieces.append(piece)
        yield encode(pieces)


class Pointed(_Json):
    """JSON whose answer is the string at a pointer."""

    def __init__(self, document: object, path: tuple[str, ...]) -> None:
        super().__init__(document)
        self._path = path
        try:
            text = text_of(find(document, path))
        except LookupError:
            raise UncheckableError(NotCheckedReason.SHAPE) from None
        self.texts: tuple[str | None, ...] = (None if text is None else scalar(text),)

    def withhold(self, n: int, text: str) -> None:
        """Replace the string."""
        self.document = put(self.document, self._path, text)

    redact = withhold


class Chat(_Json):
    """An OpenAI chat completion; each choice is an answer. Refusals count as text."""

    def __init__(self, document: object) -> None:
        super().__init__(document)
        choices = document.get("choices") if isinstance(document, dict) else None
        if not isinstance(choices, list) or not choices:
            raise UncheckableError(NotCheckedReason.SHAPE)
        if len(choices) > _MOST_CHOICES:
            raise UncheckableError(NotCheckedReason.SIZE)
        self._choices = choices
        self.texts: tuple[str | None, ...] = tuple(map(_choice_text, choices))

    def withhold(self, n: int, text: str) -> None:
        """Replace the content; say that it was filtered."""
        self.redact(n, text)
        choice = self._choices[n]
        choice["finish_reason"] = "content_filter"
        for carrier in _CARRIERS:
            choice["message"].pop(carrier, None)

    def redact(self, n: int, text: str) -> None:
        """Replace the content in its own form; log-probabilities spell it out, so they go."""
        choice = self._choices[n]
        message = choice["message"]
        is_list = isinstance(message.get("content"), list)
        message["content"] = [{"type": "text", "text": text}] if is_list else text
        choice.pop("logprobs", None)
        if message.get("refusal") is not None:
            message["refusal"] = None


def _choice_text(choice: object) -> str | None:
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise UncheckableError(NotCheckedReason.SHAPE)
    found = (content_text(message.get("content")), text_of(message.get("refusal")))
    texts = [scalar(text) for text in found if text]
    return "\n".join(texts) if texts else None
