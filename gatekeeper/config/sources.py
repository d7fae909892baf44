"""Where evidence and share keys come from, as tables of the policy file."""

from collections.abc import Mapping
from types import MappingProxyType

from gatekeeper.config.files import Folder
from gatekeeper.config.reader import Table
from gatekeeper.config.words import nearest, shown
from gatekeeper.policy import (
    FileSource,
    RequestSource,
    ResolverSource,
    ResponseSource,
    ShareKey,
    Source,
    StateSource,
)

CONTEXT_EXAMPLE = '[{ response = "/contexts/*", text = "/text", id = "/id" }]'
SHARE_KEY_EXAMPLE = '{ header = "x-user" }'

# The key that names the kind of a source, and what may stand beside it.
SOURCE_KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "response": ("text", "id"),
        "request": ("text", "id", "roles"),
        "state": ("text", "id"),
        "resolver": (),
        "file": (),
    }
)
SHARE_KEYS = ("header", "request", "state")

# Chat messages are where one looks for roles unless the policy says otherwise.
MESSAGES = "/messages"

# Keeps the positions of the sources after an unreadable one; no rule has a word against it.
_STAND_IN = StateSource(name="unreadable")


def read_sources(table: Table, folder: Folder) -> tuple[Source, ...]:
    """Return the sources of a route; what can't be read is noted and gets a stand-in.

    Args:
        table: The route.
        folder: Where relative paths start.
    """
    return tuple(_source(entry, folder) for entry in table.tables("context", CONTEXT_EXAMPLE))


def read_share_key(table: Table) -> ShareKey | None:
    """Return the share key of a route, None where there is none or it can't be read."""
    entry = table.table("share_key", SHARE_KEY_EXAMPLE)
    if entry is None:
        return None
    entry.refuse_unknown(SHARE_KEYS)
    return ShareKey(
        header=entry.text("header"), request=entry.text("request"), state=entry.text("state")
    )


def _source(entry: Table, folder: Folder) -> Source:
    kinds = [kind for kind in SOURCE_KEYS if kind in entry.raw]
    if not kinds and "roles" in entry.raw:
        kinds = ["request"]
    if len(kinds) != 1:
        found = " and ".join(kinds) if kinds else "no source"
        advice = "write a table for each" if kinds else _meant(entry)
        entry.faults.note(entry.place, found, f"one of {', '.join(SOURCE_KEYS)}", advice)
        return _STAND_IN
    kind = kinds[0]
    entry.refuse_unknown((kind, *SOURCE_KEYS[kind]))
    value = entry.text(kind)
    if value is None and kind in entry.raw:
        return _STAND_IN
    return _built(kind, value or "", entry, folder)


def _meant(entry: Table) -> str:
    near = [(key, nearest(key, SOURCE_KEYS)) for key in entry.raw]
    slip = next(((key, meant) for key, meant in near if meant), None)
    return f"did you mean {slip[1]} for {shown(slip[0])}?" if slip else f"write {CONTEXT_EXAMPLE}"


def _built(kind: str, value: str, entry: Table, folder: Folder) -> Source:
    text, name = entry.text("text"), entry.text("id")
    match kind:
        case "response":
            return ResponseSource(pointer=value, text=text, id=name)
        case "state":
            return StateSource(name=value, text=text, id=name)
        case "resolver":
            return ResolverSource(target=value)
        case "file":
            return FileSource(path=folder.locate(value))
    roles = entry.texts("roles") or ()
    pointer = value if kind in entry.raw or not roles else MESSAGES
    return RequestSource(pointer=pointer, text=text, id=name, roles=roles)
