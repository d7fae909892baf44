"""What a person may have meant: near words, and values as they would stand in the file."""

import difflib
import json
from collections.abc import Iterable

_SHOWN = 60


def nearest(word: str, options: Iterable[str]) -> str | None:
    """Return the option a word was probably meant to be: case, hyphen, then spelling."""
    known = list(options)
    plain = word.strip().casefold().replace("-", "_").replace(" ", "_")
    folded = {option.casefold().replace("-", "_"): option for option in known}
    close = difflib.get_close_matches(plain, folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def listed(options: Iterable[str]) -> str:
    """Join words as a choice: ``"a", "b" or "c"``."""
    quoted = [f'"{option}"' for option in options]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def shown(value: object) -> str:
    """Return a value as it would stand in the file, on one line, escaped and cut short."""
    if isinstance(value, str | bool):
        text = json.dumps(value)
    elif isinstance(value, int | float):
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
    else:
        return kind(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def kind(value: object) -> str:
    """Name the type of a value in the words of TOML."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "a table"
    return names.get(type(value), "a date or time")
