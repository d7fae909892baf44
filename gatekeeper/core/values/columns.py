"""Rows of a table: a value of the right row and the wrong column.

A row is read as "Size: Large, Price: 15, Stock: 8". A claim that names one column and has the value
of another is wrong, though row and value stand together.
"""

from collections.abc import Iterator

from gatekeeper.core.terms import terms
from gatekeeper.core.values.align import Claim
from gatekeeper.core.values.match import agreement, comparable
from gatekeeper.core.values.model import Fact, Value

_MAX_TEXT = 2000  # characters of a row


def wrong_column(value: Value, position: int, claim: Claim) -> bool:
    """True if a row has a value in one column only and the claim names another one.

    Args:
        value: A value of the claim that the row has.
        position: The row.
        claim: The claim.
    """
    fact = claim.facts.facts[position]
    cells = list(_cells(fact))
    if len(cells) < 2:
        return False
    held = [label for label, inside in cells if any(agreement(value, v) for v in inside)]
    others = [
        label
        for label, inside in cells
        if label not in held and any(comparable(value, v) for v in inside)
    ]
    return bool(held) and all(
        any(_names(other, mine, claim.terms) for other in others) for mine in held
    )


def _names(other: frozenset[str], held: frozenset[str], wanted: frozenset[str]) -> bool:
    """True if a claim has what tells one label from another, and nothing of the other's own."""
    return bool(other - held) and other - held <= wanted and wanted.isdisjoint(held - other)


def _cells(fact: Fact) -> Iterator[tuple[frozenset[str], list[Value]]]:
    """Yield the terms of each label of a row, and the values of its cell.

    A label may have commas, so the cell before it ends at the first one.
    """
    label, *pieces = fact.text[:_MAX_TEXT].split(": ")
    at = len(label) + 2
    for piece in pieces:
        cell, _, following = piece.partition(", ")
        end = at + len(cell)
        yield frozenset(terms(label)), [v for v in fact.values if at <= v.start < end]
        label, at = following, at + len(piece) + 2
