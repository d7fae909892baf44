"""Typed access to the keys of a parsed JSON object.

A key that is missing or null gives None; a value of the wrong type is an InputError whose place
is the key.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from gatekeeper.errors import InputError
from gatekeeper.evaluation.context import check_text, type_name

# Sums of a million such weights still hold every digit that matters in a float.
MAX_WEIGHT = 1_000_000_000

Raw = Mapping[str, object]
Choice = TypeVar("Choice", bound=StrEnum)


def required(raw: Raw, key: str) -> object:
    """Return the value of a key that has to be there."""
    if raw.get(key) is None:
        raise InputError(key, "nothing", "a value")
    return raw[key]


def required_text(raw: Raw, key: str) -> str:
    """Return a string that has to be there; it may be empty."""
    value = text(raw, key)
    if value is None:
        raise InputError(key, "nothing", "a string")
    return value


def text(raw: Raw, key: str) -> str | None:
    """Return a string."""
    value = raw.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InputError(key, type_name(value), "a string")
    return check_text(value, place=key)


def name(raw: Raw, key: str) -> str | None:
    """Return a name: a string, or an integer as its digits."""
    value = raw.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text(raw, key)


def required_name(raw: Raw, key: str) -> str:
    """Return a name that has to be there and not be empty."""
    value = name(raw, key)
    if not value:
        raise InputError(key, "nothing", "a string")
    return value


def texts(raw: Raw, key: str, *, lone: bool) -> tuple[str, ...] | None:
    """Return a list of strings; with ``lone`` one string stands for a list of one."""
    value = raw.get(key)
    if value is None:
        return None
    if lone and isinstance(value, str):
        return (check_text(value, place=key),)
    if not isinstance(value, list):
        raise InputError(key, type_name(value), "a list of strings")
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise InputError(f"{key}[{index}]", type_name(item), "a string")
        check_text(item, place=f"{key}[{index}]")
    return tuple(value)


def objects(raw: Raw, key: str) -> tuple[Raw, ...] | None:
    """Return a list of objects."""
    value = raw.get(key)
    if value is None:
        return None
    if not isinstance(value, list):
        raise InputError(key, type_name(value), "a list of objects")
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            raise InputError(f"{key}[{index}]", type_name(item), "an object")
    return tuple(value)


def choice(raw: Raw, key: str, choices: type[Choice]) -> Choice | None:
    """Return one of the values of an enum."""
    value = raw.get(key)
    if value is None:
        return None
    if isinstance(value, str) and value in set(choices):
        return choices(value)
    found = f"{value!r:.80}" if isinstance(value, str) else type_name(value)
    raise InputError(key, found, " or ".join(f'"{item}"' for item in choices))


def weight(raw: Raw, key: str) -> float:
    """Return a finite number above 0; 1.0 where none is given."""
    value = raw.get(key)
    if value is None:
        return 1.0
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(key, type_name(value), "a number above 0")
    if not 0 < value <= MAX_WEIGHT:
        raise InputError(
            key, f"the number {value!r:.40}", f"a number above 0, at most {MAX_WEIGHT}"
        )
    return float(value)


def integer(raw: Raw, key: str, *, place: str) -> int:
    """Return an integer that has to be there."""
    value = raw.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{place}.{key}", type_name(value), "an integer")
    return value


def flag(raw: Raw, key: str, *, place: str) -> bool:
    """Return true or false; False where nothing is given."""
    value = raw.get(key)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise InputError(f"{place}.{key}", type_name(value), "true or false")
    return value
