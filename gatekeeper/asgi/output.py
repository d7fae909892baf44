"""The output of OpenAI's Responses API: where each text of it stands, in a stream or in one body.

What is not listed could say something of the answer too.
"""

from collections.abc import Iterator

from gatekeeper.asgi.jsontext import others, shape

Members = dict[str, object]

# A place where a text stands: of which item and part, in which object, under which name.
Place = tuple[tuple[int, ...], Members, str]

MESSAGE = "message"
# What a response says of itself when its text was held back.
CUT: Members = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}

_FIELDS = {"output_text": "text", "refusal": "refusal"}
# What is read of an item or a part and what says nothing of the answer; any other member could.
_ITEM = frozenset({"id", "type", "status"})
_ITEMS = {
    MESSAGE: _ITEM | {"role", "content", "phase"},
    "reasoning": _ITEM | {"encrypted_content"},
    # Searches by the provider; their results are evidence at most.
    "web_search_call": _ITEM | {"action"},
    "file_search_call": _ITEM | {"queries", "results"},
}
_PARTS = {
    "output_text": frozenset({"type", "text", "annotations", "logprobs"}),
    "refusal": frozenset({"type", "refusal"}),
}
# Kinds that don't end like the rest of the calls.
_CALLS = frozenset({"mcp_list_tools", "mcp_approval_request"})


def items_of(response: object) -> list[object]:
    """Return the items of a response; none of one that is not there or has not begun."""
    output = response.get("output") if isinstance(response, dict) else None
    return output if isinstance(output, list) else []


def in_response(response: object) -> Iterator[Place]:
    """Yield every text of a response.

    Raises:
        UncheckableError: With ``shape`` if it may say something elsewhere. Some servers repeat
            the text beside the output, as libraries do for their callers.
    """
    if isinstance(response, dict) and others(response, response.keys() - {"output_text"}):
        raise shape()
    for index, item in enumerate(items_of(response)):
        yield from in_item(index, item)


def in_item(index: int, item: object) -> Iterator[Place]:
    """Yield the texts of an item; a call has none.

    Raises:
        UncheckableError: With ``shape`` if it may say something elsewhere, or is of another kind.
    """
    if is_call(item):
        return
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(item, dict) or kind not in _ITEMS or others(item, _ITEMS[kind]):
        raise shape()
    content = item.get("content")
    if kind != MESSAGE or content is None:
        return
    if not isinstance(content, list):
        raise shape()
    for place, holder in enumerate(content):
        yield from in_part((index, place), holder)


def in_part(key: tuple[int, ...], holder: object) -> Iterator[Place]:
    """Yield the text of a part of a message.

    Raises:
        UncheckableError: With ``shape`` if it is of another kind, or says more than that text.
    """
    kind = holder.get("type") if isinstance(holder, dict) else None
    if not isinstance(holder, dict) or kind not in _PARTS or others(holder, _PARTS[kind]):
        raise shape()
    if _FIELDS[kind] not in holder:
        raise shape()
    yield key, holder, _FIELDS[kind]


def is_call(item: object) -> bool:
    """Tell whether an item is a call of a tool."""
    kind = item.get("type") if isinstance(item, dict) else None
    is_named = isinstance(kind, str) and (kind.endswith("_call") or kind in _CALLS)
    return is_named and kind not in _ITEMS


def message(id_: str, *texts: str) -> Members:
    """Return a message of ours, which ends early."""
    return {
        "id": id_,
        "type": MESSAGE,
        "status": "incomplete",
        "role": "assistant",
        "content": [part(text) for text in texts],
    }


def part(text: str) -> Members:
    """Return a part of a message."""
    return {"type": "output_text", "text": text, "annotations": []}


def replace_text(place: Place, text: str) -> None:
    """Put a text in a place, and take out what spells or cites the one that stood there."""
    _, holder, name = place
    holder[name] = text
    holder |= {spare: [] for spare in ("annotations", "logprobs") if spare in holder}
