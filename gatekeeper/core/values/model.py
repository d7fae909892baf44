"""The words of the value guard: a value as written, what it can mean, what was found about it.

Pure and frozen. A value may be read in more than one way ("01/07/2024", "5m", "at six"); two
values agree if any of their readings do, so ambiguity makes the guard silent, never loud.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

Key = Fraction | str


class Kind(StrEnum):
    """What sort of value it is. From VERSION on a value is compared as text, not as a number."""

    NUMBER = "number"
    PERCENT = "percent"
    POINTS = "points"
    MONEY = "money"
    QUANTITY = "quantity"
    DURATION = "duration"
    TIME = "time"
    DATE = "date"
    WEEKDAY = "weekday"
    ORDINAL = "ordinal"
    VERSION = "version"
    IDENTIFIER = "identifier"
    EMAIL = "email"
    URL = "url"
    QUOTE = "quote"


class Bound(StrEnum):
    """Which side of the written number is meant, strictly or not."""

    AT_LEAST = "at_least"
    AT_MOST = "at_most"


class Relation(StrEnum):
    """What the evidence says about a value of the claim."""

    STATED = "stated"
    DERIVED = "derived"
    CLASHING = "clashing"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One meaning of a value.

    ``low`` and ``high`` are in the base unit of ``unit`` (a dimension such as "length", a currency
    such as "EUR", "" for a bare number): metres, kilograms, litres, kelvins, bytes, watts,
    seconds; minutes after midnight for times, 0 (Monday) to 6 for weekdays. ``number`` and
    ``top`` are the lower and upper number as written, before the unit. ``step`` is one unit of the
    last written digit and ``coarse`` the same after trailing zeros, both in the base unit. ``per``
    is the number of seconds in "per hour" and the like, 0 without. ``parts`` is (year, month, day)
    of a date, 0 for what is not said. ``key`` is the folded text of a value compared as text.
    """

    kind: Kind
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    number: Fraction = Fraction(0)
    top: Fraction = Fraction(0)
    unit: str = ""
    per: Fraction = Fraction(0)
    step: Fraction = Fraction(0)
    coarse: Fraction = Fraction(0)
    parts: tuple[int, int, int] = (0, 0, 0)
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value where it stands in a text; ``readings`` has the likeliest meaning first.

    ``weak`` marks what may be an idiom ("one", "half", "first", "a year"): it can support a claim
    but is never judged itself. ``noun`` is the stem of the word counted, "" if none follows.
    ``name`` is the lower-case word of a name that the number may be part of ("Air 2"), "" if none.
    """

    text: str
    start: int
    end: int
    readings: tuple[Reading, ...]
    hedged: bool = False
    exact: bool = False
    bound: Bound | None = None
    weak: bool = False
    noun: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if not self.readings or not 0 <= self.start < self.end:
            raise ValueError(f"value {self.text!r} at [{self.start}, {self.end}) has no meaning")

    @property
    def kind(self) -> Kind:
        """The kind of the likeliest reading."""
        return self.readings[0].kind

    @property
    def is_range(self) -> bool:
        """True if two different numbers were written ("3 to 5")."""
        return self.readings[0].low != self.readings[0].high


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What the evidence says about one value, or about negation and quantifiers (value None).

    ``sentence`` is the index of the evidence sentence that decided, ``note`` a sentence that
    spells out a derivation for the model ("120 + 80 = 200").
    """

    relation: Relation
    rule: str
    value: Value | None = None
    sentence: int | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One evidence sentence with its values, and its terms outside them.

    ``words`` are its words in lower case between single blanks, ``folded`` its letters and digits
    in lower case, ``refers_back`` tells of a pronoun that may stand for a thing named before.
    ``frame`` has its words with a mark for each of ``slots``, its values that do not overlap.
    """

    text: str
    values: tuple[Value, ...]
    terms: frozenset[str]
    words: str
    folded: str
    refers_back: bool
    frame: str
    slots: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactIndex:
    """Evidence sentences in order, and where each term and each value occurs.

    ``by_key`` maps what two equal values have in common (``keys`` in ``match``) to sentences.

    ``words`` has the words of all sentences with a blank before, between and after them; ``folded``
    and ``lowered`` have their letters and digits, and their texts in lower case, one a line. Each
    goes with the places where the sentences begin in it. ``frames`` has their frames with blanks as
    ``words`` has; ``slots`` are the values in them, each with its sentence, and where it stands.

    ``runs`` tells of the items of a list, of the rows of a table, and of the lead-in of a list,
    from which sentence to which (exclusive) the list goes.
    """

    facts: tuple[Fact, ...]
    by_term: Mapping[str, Sequence[int]]
    by_key: Mapping[Key, Sequence[int]]
    words: str
    word_starts: tuple[int, ...]
    folded: str
    folded_starts: tuple[int, ...]
    lowered: str
    lowered_starts: tuple[int, ...]
    frames: str
    slots: Sequence[tuple[int, Value]]
    slot_places: Sequence[int]
    runs: Mapping[int, tuple[int, int]]
    value_count: int
