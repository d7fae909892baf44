"""Rows of a table: a value of the right row and the wrong column.

A row is read as "Size: Large, Price: 15, Stock: 8". A claim that names one column and has the value
of another is wrong, though row and value stand together.
"""

import re
from collections.abc import Iterator

from gatekeeper.core.terms import terms
from gatekeeper.core.values.align import Claim
from gatekeeper.core.values.match import agreement, comparable
from gatekeeper.core.values.model import Value

_MAX_TEXT = 2000  # characters of a row
_CELL = re.compile(r"(?:^|, )([^:,\n]{1,60}): ")


def wrong_column(value: Value, position: int, claim: Claim) -> bool:
    """True if a row has a value in one column only and the claim names another one.

    Args:
        value: A value of the claim that the row has.
        position: The row.
        claim: The claim.
    """
    fact = claim.facts.facts[position]
    cells = list(_cells(fact.text[:_MAX_TEXT]))
    if len(cells) < 2:
        return False
    named = [(_share(label, claim), start, end) for label, start, end in cells]
    held = other = 0.0
    for share, start, end in named:
        inside = [v for v in fact.values if start <= v.start < end]
        if any(agreement(value, v) for v in inside):
            held = max(held, share)
        elif any(comparable(value, v) for v in inside):
            other = max(other, share)
    return other == 1 and held < 1


def _share(label: str, claim: Claim) -> float:
    """Return the share of the terms of a label that the claim has."""
    wanted = frozenset(terms(label))
    return len(wanted & claim.terms) / len(wanted) if wanted else 0.0


def _cells(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the labels of a row with where their cells begin and end."""
    found = list(_CELL.finditer(text))
    ends = [*(cell.start() for cell in found), len(text)][1:]
    for cell, end in zip(found, ends, strict=True):
        yield cell[1], cell.end(), end
