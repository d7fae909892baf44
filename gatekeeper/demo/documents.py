"""The bundled documents and tickets, and the replies written for them. Read once, at start."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

_FENCE = "---\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One page of the help desk, or a ticket with its messages.

    ``text`` is Markdown. ``status`` is "current" or "withdrawn"; retrieval does not look at it,
    as in many a real document store.
    """

    id: str
    kind: str
    date: str
    status: str
    text: str

    @property
    def is_ticket(self) -> bool:
        """True if it is a conversation with one customer, which retrieval must never show."""
        return self.kind == "ticket"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the stand-in says to a question close to ``asks``; "" for the summary of a ticket."""

    source: str
    says: str
    asks: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Everything the stand-in generator can say beyond what it copies from documents."""

    replies: tuple[Reply, ...]
    summaries: Mapping[str, str]
    policies: tuple[str, ...]
    steps: tuple[str, ...]


@cache
def documents() -> tuple[Document, ...]:
    """Return all documents, ordered by id."""
    folder = files("gatekeeper.demo") / "documents"
    found = (
        parse(entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if entry.name.endswith(".md")
    )
    return tuple(sorted(found, key=lambda document: document.id))


def parse(source: str) -> Document:
    """Read a document: lines of ``key: value`` between two fences, then Markdown."""
    _, head, text = source.split(_FENCE, 2)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return Document(text=text.strip(), **fields)


@cache
def script() -> Script:
    """Return what the stand-in generator can say."""
    source = (files("gatekeeper.demo") / "replies.toml").read_text(encoding="utf-8")
    found = tomllib.loads(source)
    return Script(
        replies=tuple(Reply(**entry) for entry in found["reply"]),
        summaries=MappingProxyType({one["source"]: one["says"] for one in found["summary"]}),
        policies=tuple(found["inventions"]["policies"]),
        steps=tuple(found["inventions"]["steps"]),
    )
