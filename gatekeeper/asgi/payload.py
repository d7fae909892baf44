"""Response shapes: where the texts of an answer stand, and how they are replaced.

A payload belongs to one response and is changed in place before it is written. Of a chat completion
it is listed what was read and what may stay, not what could carry a claim: servers add members.
"""

from collections.abc import Iterator
from typing import Protocol

from gatekeeper.asgi.jsontext import (
    UncheckableError,
    encode,
    find,
    others,
    parse,
    put,
    scalar,
    shape,
    tokens,
    write,
)
from gatekeeper.asgi.output import (
    CUT,
    Members,
    in_response,
    is_call,
    items_of,
    message,
    replace_text,
)
from gatekeeper.policy import Route, Shape
from gatekeeper.verdict import NotCheckedReason

Facts = dict[str, object]

# What is read of a message and what says nothing of the answer; any other member could say it too.
MESSAGE = frozenset({"role", "content", "refusal", "name"})
CALLS = frozenset({"tool_calls", "function_call"})
# The same of a choice. Log-probabilities are of the tokens of the content, which is read; filter
# results are grades that one provider sends with every answer.
CHOICE = frozenset(
    {
        "index",
        "message",
        "finish_reason",
        "logprobs",
        "native_finish_reason",
        "stop_reason",
        "content_filter_results",
    }
)

# What is left of a choice whose text was replaced.
_LEFT_OF_CHOICE = frozenset({"index", "message", "finish_reason"})
_LEFT_OF_MESSAGE = frozenset({"role", "content", "refusal"})

# The most a client may ask of the API this shape comes from; each choice is a check.
MOST_CHOICES = 128

# Encodings that all clients read alike; utf-8-sig passes over a byte order mark.
CHARSETS = {
    "": "utf-8-sig",
    "utf-8": "utf-8-sig",
    "utf8": "utf-8-sig",
    "us-ascii": "ascii",
    "iso-8859-1": "cp1252",
    "windows-1252": "cp1252",
}


class Payload(Protocol):
    """A response whose answer texts are known. ``texts`` holds None where there is none.

    ``documents`` has one entry, of a stream one for each frame with JSON.
    """

    texts: tuple[str | None, ...]

    @property
    def documents(self) -> tuple[object, ...]:
        """The JSON in it, as it is now."""
        ...

    @property
    def has_place(self) -> bool:
        """True if a fact can stand in it beside the answer."""
        ...

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
        raise shape()
    document = parse(body, depth=route.bounds.json_depth)
    if route.answer is Shape.OPENAI_CHAT:
        return Chat(document)
    if route.answer is Shape.OPENAI_RESPONSES:
        return Response(document)
    return Pointed(document, tokens(route.answer))


def text_of(value: object) -> str | None:
    """Return a text or None for null.

    Raises:
        UncheckableError: With ``shape`` if it is anything else.
    """
    if value is None or isinstance(value, str):
        return value
    raise shape()


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
        raise shape()
    return text


class Plain:
    """A body that is the answer."""

    documents: tuple[object, ...] = ()
    has_place = False

    def __init__(self, body: bytes, charset: str) -> None:
        try:
            text = body.decode(CHARSETS[charset])
        except (KeyError, UnicodeDecodeError):
            raise shape() from None
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

    @property
    def documents(self) -> tuple[object, ...]:
        """The document, as it is now."""
        return (self.document,)

    @property
    def has_place(self) -> bool:
        """True for an object; another top level has no place for a member."""
        return isinstance(self.document, dict)

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
            raise shape() from None
        self.texts: tuple[str | None, ...] = (None if text is None else scalar(text),)

    def withhold(self, n: int, text: str) -> None:
        """Replace the string."""
        self.document = put(self.document, self._path, text)

    redact = withhold


class Chat(_Json):
    """An OpenAI chat completion; each choice is an answer. Refusals count as text.

    Calls beside a text are one more answer without text, behind those of all choices: the text is
    checked, and a policy that releases calls does not release what is flagged beside them.
    """

    def __init__(self, document: object) -> None:
        super().__init__(document)
        choices = document.get("choices") if isinstance(document, dict) else None
        if not isinstance(choices, list) or not choices:
            raise shape()
        if len(choices) > MOST_CHOICES:
            raise UncheckableError(NotCheckedReason.SIZE)
        texts = [_choice_text(choice) for choice in choices]
        called = [
            choice
            for choice, text in zip(choices, texts, strict=True)
            if text is not None and others(choice["message"], MESSAGE)
        ]
        self._choices = choices + called
        self.texts: tuple[str | None, ...] = (*texts, *(None for _ in called))

    def withhold(self, n: int, text: str) -> None:
        """Replace the content; say that it was filtered."""
        self.redact(n, text)
        self._choices[n]["finish_reason"] = "content_filter"

    def redact(self, n: int, text: str) -> None:
        """Replace the content in its own form; what else the choice held may say it again."""
        choice = self._choices[n]
        message = choice["message"]
        _keep(choice, _LEFT_OF_CHOICE)
        _keep(message, _LEFT_OF_MESSAGE)
        is_list = isinstance(message.get("content"), list)
        message["content"] = [{"type": "text", "text": text}] if is_list else text
        if "refusal" in message:
            message["refusal"] = None


class Response(_Json):
    """A response of OpenAI's Responses API; each part of a message is an answer.

    Calls are one more answer without text each, behind the parts, as those of a chat are.
    """

    def __init__(self, document: object) -> None:
        super().__init__(document)
        if not isinstance(document, dict) or not isinstance(document.get("output"), list):
            raise shape()
        if len(document["output"]) > MOST_CHOICES:
            raise UncheckableError(NotCheckedReason.SIZE)
        self._response: Members = document
        self._places = list(in_response(document))
        if len(self._places) > MOST_CHOICES:
            raise UncheckableError(NotCheckedReason.SIZE)
        self._calls = [n for n, item in enumerate(items_of(document)) if is_call(item)]
        texts = (text_of(holder[name]) for _, holder, name in self._places)
        said = [None if text is None else scalar(text) for text in texts]
        self.texts: tuple[str | None, ...] = (*said, *(None for _ in self._calls)) or (None,)

    def withhold(self, n: int, text: str) -> None:
        """Replace the text, or the call by a message; say that it was filtered."""
        self.redact(n, text)
        self._response |= CUT

    def redact(self, n: int, text: str) -> None:
        """Replace the text and take out what cites or spells it; a call is replaced whole."""
        if n < len(self._places):
            replace_text(self._places[n], text)
            return
        items = items_of(self._response)
        place = self._calls[n - len(self._places)] if self._calls else len(items)
        items[place : place + 1] = [message(f"msg_withheld_{place}", text)]


def _choice_text(choice: object) -> str | None:
    """Return the text of a choice that says nothing in a place that is not read.

    Raises:
        UncheckableError: With ``shape`` if it might, or if it has no message.
    """
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise shape()
    if others(choice, CHOICE) or others(message, MESSAGE | CALLS):
        raise shape()
    found = (content_text(message.get("content")), text_of(message.get("refusal")))
    texts = [scalar(text) for text in found if text]
    return "\n".join(texts) if texts else None


def _keep(members: dict[str, object], names: frozenset[str]) -> None:
    """Remove all other members, in place, so that the order of the rest is kept."""
    for name in [name for name in members if name not in names]:
        del members[name]
