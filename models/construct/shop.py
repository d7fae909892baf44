"""A document on the bench: its texts, the dice, and the form every pair made of it has."""

import random
import re
from dataclasses import dataclass, field

from models.construct import documents
from models.construct.documents import Document
from models.construct.reductions import finished
from models.pairs import Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """One document; every choice comes from ``draw``.

    ``outside`` are details of other documents, to be said where nobody said them.
    """

    document: Document
    draw: random.Random
    outside: tuple[str, ...] = ()
    texts: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        texts = tuple(line.sentence.text for line in self.document.lines)
        object.__setattr__(self, "texts", texts)

    def pair(self, premise: str, claim: str, label: str, kind: str) -> Pair:
        """Return a pair of this document."""
        return Pair(
            premise=premise,
            hypothesis=finished(claim),
            label=label,
            source=self.document.source,
            kind=kind,
            group=self.document.group,
        )

    def window(self, number: int) -> str:
        """Return the text of a window round a line."""
        lines = documents.window_around(self.document, number, self.draw)
        return documents.text_of(self.document, lines)

    def window_of_two(self, number: int, other: int) -> str | None:
        """Return windows round two lines as one premise, None where it would be too long."""
        first = documents.window_around(self.document, number, self.draw)
        second = documents.window_around(self.document, other, self.draw)
        premise = documents.text_of(self.document, sorted({*first, *second}))
        return premise if len(premise) <= documents.PREMISE_CHARS else None


def exchanged(text: str, one: str, other: str) -> str:
    """Return a text in which two names have changed places."""
    swap = {one: other, other: one}
    pattern = "|".join(rf"\b{re.escape(name)}\b" for name in swap)
    return re.sub(pattern, lambda found: swap[found.group()], text)
