"""The output of OpenAI's Responses API: where each text of it stands, in a stream or in one body.

What is not listed could say something of the answer too.
"""

from collections.abc import Iterator

from gatekeeper.asgi.jsontext import shape

Members = dict[str, object]

# A place where a text stands: of which item and part, in which object, under which name.
Place = tuple[tuple[int, ...], Members, str]

MESSAGE = "message"
# What a response says of itself when its text was held back.
CUT: Members = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}

_FIELDS = {"output_text": "text", "refusal": "refusal"}
_UNSAID: tuple[object, ...] = (None, "", [], {})
# Searches by the provider; their results are evidence at most.
_SILENT = frozenset({MESSAGE, "reasoning", "web_search_call", "file_search_call"})


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
    if isinstance(response, dict) and response.get("output_text") not in _UNSAID:
        raise shape()
    for index, item in enumerate(items_of(response)):
        yield from in_item(index, item)


def in_item(index: int, item: object) -> Iterator[Place]:
    """Yield the texts of an item; one that is no message has none.

    Raises:
        UncheckableError: With ``shape`` if it may say something elsewhere.
    """
    if not isinstance(item, dict):
        raise shape()
    if item.get("type") == MESSAGE:
        content = item.get("content")
        for place, holder in enumerate(content if isinstance(content, list) else []):
            yield from in_part((index, place), holder)
    elif item.get("type") == "reasoning" and not (
        item.get("summary") in _UNSAID and item.get("content") in _UNSAID
    ):
        raise shape()


def in_part(key: tuple[int, ...], holder: object) -> Iterator[Place]:
    """Yield the text of a part of a message.

    Raises:
        UncheckableError: With ``shape`` if it is of another kind.
    """
    kind = holder.get("type") if isinstance(holder, dict) else None
    if not isinstance(holder, dict) or kind not in _FIELDS or _FIELDS[kind] not in holder:
        raise shape()
    yield key, holder, _FIELDS[kind]


def is_call(item: object) -> bool:
    """Tell whether an item is a call of a tool, or of a kind that could be one."""
    return isinstance(item, dict) and item.get("type") not in _SILENT


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
