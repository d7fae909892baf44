"""Edits of claims that people wrote in their own words and that a premise entails.

In the words of the text, an edited claim is known from the word that the text lacks. In other
words it is not: half of the true ones lack words too.
"""

import random
import re
from collections.abc import Iterator, Sequence

from models.construct.edits import ENTAILMENT
from models.construct.makers import MAKERS
from models.pairs import Pair

KINDS = ("number", "member", "entity", "opposite", "negation", "roles", "hedge", "only")
_RARE = frozenset(("number", "member", "entity", "roles"))
_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z])")


def reworded(pair: Pair, draw: random.Random, others: Sequence[str] = ()) -> Iterator[Pair]:
    """Yield a true and a false pair of one entailed pair, none if it allows no edit.

    ``others`` are texts whose names and numbers may be said instead.
    """
    sentences = (*_SENTENCE.split(pair.premise), *others)
    for kind in sorted(KINDS, key=lambda kind: draw.random() - (kind in _RARE)):
        edit = MAKERS[kind](pair.hypothesis, sentences, draw)
        wrong = edit.apply(pair.hypothesis) if edit else None
        if edit is None or wrong is None:
            continue
        other = edit.apply(pair.premise)
        if other is not None and edit.backward is not None and draw.random() < 0.5:
            yield _of(pair, other, pair.hypothesis, edit.backward, kind)
            yield _of(pair, other, wrong, ENTAILMENT, kind)
        else:
            yield _of(pair, pair.premise, wrong, edit.forward, kind)
            yield _of(pair, pair.premise, pair.hypothesis, ENTAILMENT, kind)
        return


def _of(pair: Pair, premise: str, claim: str, label: str, kind: str) -> Pair:
    return Pair(
        premise=premise,
        hypothesis=claim,
        label=label,
        source=pair.source,
        kind=f"reworded_{kind}",
        group=pair.group,
    )
