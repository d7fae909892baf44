"""What a label can say, what a rate is called, and how a week is counted. Pure."""

import reprlib
from datetime import UTC, datetime
from enum import StrEnum


class Truth(StrEnum):
    """What a reviewer says of an answer: does it say anything that its passages don't support?"""

    WRONG = "wrong"
    CORRECT = "correct"
    CANNOT_TELL = "cannot_tell"


class Harm(StrEnum):
    """A reviewer's word on a wrong answer."""

    HARMFUL = "harmful"
    HARMLESS = "harmless"
    CANNOT_TELL = "cannot_tell"


class Role(StrEnum):
    """What a person may do in the store."""

    REVIEW = "review"
    ADMIN = "admin"


class Band(StrEnum):
    """Score bands of accepted decisions; other sides have a single one."""

    LOW = "low"
    HIGH = "high"
    ONE = "one"


class Rate(StrEnum):
    """The live rates."""

    SENSITIVITY = "sensitivity"
    FALSE_BLOCK = "false_block"
    ACCEPTED_ERROR = "accepted_error"
    DELIVERED_ERROR = "delivered_error"
    COVERAGE = "coverage"


DAY_MS = 86_400_000
WEEK_MS = 7 * DAY_MS
# Day 0 was a Thursday; with this weeks begin on Mondays, 00:00 UTC.
_MONDAY_MS = 3 * DAY_MS


class _Quoting(reprlib.Repr):
    """Quotes values as they stand in JSON, cut short; an id of a decision is shown whole."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = 40

    def repr_bool(self, value: bool, _: int) -> str:  # noqa: FBT001 - called by the name of a type
        return "true" if value else "false"

    def repr_NoneType(self, _: None, __: int) -> str:  # noqa: N802 - the name of the type
        return "null"


_QUOTING = _Quoting()


def quoted(value: object) -> str:
    """Return what a person or a program has sent, short enough for a message."""
    return _QUOTING.repr(value)


def milliseconds(at: datetime) -> int:
    """Return a moment in milliseconds since 1970."""
    return round(at.timestamp() * 1000)


def moment(at_ms: int) -> datetime:
    """Return what ``milliseconds`` was given, in UTC."""
    return datetime.fromtimestamp(at_ms / 1000, UTC)


def week_of(at_ms: int) -> int:
    """Return the number of the week a moment lies in."""
    return (at_ms + _MONDAY_MS) // WEEK_MS


def week_start_ms(week: int) -> int:
    """Return the first moment of a week."""
    return week * WEEK_MS - _MONDAY_MS
