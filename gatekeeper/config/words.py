"""What a person may have meant: near words, and values as they would stand in the file."""

import difflib
import json
from collections.abc import Iterable

_SHOWN = 60

# Words of other tools; by its spelling alone "reject" would be "redact", which lets more through.
_OTHER_NAMES = {
    "reject": "block",
    "deny": "block",
    "refuse": "block",
    "allow": "release",
    "pass": "release",
    "monitor": "shadow",
    "observe": "shadow",
}


def nearest(word: str, options: Iterable[str]) -> str | None:
    """Return the option a word was probably meant to be: case, hyphen, other name, spelling."""
    known = list(options)
    plain = word.strip().casefold().replace("-", "_").replace(" ", "_")
    folded = {option.casefold().replace("-", "_"): option for option in known}
    other = _OTHER_NAMES.get(plain)
    if other in folded:
        return folded[other]
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
        text = plain(value) if isinstance(value, float) else str(value)
    else:
        return kind(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def named(path: object) -> str:
    """Return the name of a file as it would stand in the file, whole: what tells it is its end."""
    return json.dumps(str(path))


def plain(value: float) -> str:
    """Return a number as people write it: 200 for 200.0, 5000000 and not 5e+06."""
    return f"{value:.12g}"


def kind(value: object) -> str:
    """Name the type of a value in the words of TOML."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "a table"
    return names.get(type(value), "a date or time")
