"""Context in its three written forms, as passages.

A string is one passage, a list of strings or of ``{"id", "text"}`` objects one passage each. A
passage without an id has its position, counted from 0.
"""

from collections.abc import Mapping, Sequence

from gatekeeper.errors import InputError
from gatekeeper.verdict import Passage

_FORMS = 'a string, a list of strings or a list of {"id", "text"} objects'


def read_context(value: object, *, place: str, first: int = 0) -> tuple[Passage, ...]:
    """Turn parsed JSON into passages; a blank string is no passage, blank list entries stay.

    Args:
        value: What stood under ``context``.
        place: Where it stood, for the message of the error.
        first: Position of the first passage, when other files came before.

    Raises:
        InputError: If the value has none of the three forms.
    """
    if isinstance(value, str):
        return (_passage(value, place=place, position=first),) if value.strip() else ()
    if not isinstance(value, list):
        raise InputError(place, type_name(value), _FORMS)
    return tuple(
        _passage(item, place=f"{place}[{index}]", position=first + index)
        for index, item in enumerate(value)
    )


def split_passages(text: str, *, first: int = 0) -> tuple[Passage, ...]:
    """Cut plain text at its blank lines; blank pieces are no passages."""
    pieces: list[list[str]] = [[]]
    for line in text.splitlines(keepends=True):
        if line.strip():
            pieces[-1].append(line)
        elif pieces[-1]:
            pieces.append([])
    texts = ("".join(piece).rstrip("\r\n") for piece in pieces if piece)
    return tuple(Passage(id=str(first + i), text=text) for i, text in enumerate(texts))


def type_name(value: object) -> str:
    """Name a parsed JSON value for a message, without its content."""
    names = {bool: "true or false", str: "a string", list: "a list", dict: "an object"}
    return "null" if value is None else names.get(type(value), f"the number {value!r:.40}")


def check_text(text: str, *, place: str) -> str:
    """Return the text if it can be written as UTF-8 at all.

    Raises:
        InputError: If it holds half of a surrogate pair, which JSON can spell out.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = f"half a surrogate pair at character {error.start}"
        raise InputError(place, found, "text") from error
    return text


def repeated_ids(passages: Sequence[Passage]) -> tuple[str, ...]:
    """Return the ids that more than one passage carries, each once, in order."""
    counts: dict[str, int] = {}
    for passage in passages:
        counts[passage.id] = counts.get(passage.id, 0) + 1
    return tuple(name for name, count in counts.items() if count > 1)


def _passage(item: object, *, place: str, position: int) -> Passage:
    if isinstance(item, str):
        return Passage(id=str(position), text=check_text(item, place=place))
    if not isinstance(item, Mapping):
        raise InputError(place, type_name(item), 'a string or an {"id", "text"} object')
    text = item.get("text")
    if not isinstance(text, str):
        raise InputError(f"{place}.text", _missing_or_type(item, "text"), "a string")
    name = item.get("id")
    if name is None:
        name = str(position)
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name:
        raise InputError(f"{place}.id", type_name(name) if name else "nothing", "a string")
    return Passage(
        id=check_text(name, place=f"{place}.id"), text=check_text(text, place=f"{place}.text")
    )


def _missing_or_type(item: Mapping[str, object], key: str) -> str:
    return type_name(item[key]) if key in item else "nothing"
