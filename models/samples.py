"""Samples of pairs for trials of the mixture: so many of each part, the same for the same seed.

A part is what one change of the mixture adds or takes away. Drawn are at most as many pairs of a
part as it has.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from models.construct.edits import ENTAILMENT
from models.construct.retellings import RETOLD
from models.mixture import (
    Data,
    Labelled,
    Mixture,
    build,
    draw_labelled,
    draw_retellings,
    is_held_out,
    shortened,
)
from models.pairs import Pair

SENTENCES = "nli_train.jsonl.gz"
SPARE = 1.03
# Premises are cut to the length of the gate's windows, which is three times less to read.
SHORT = 300

Part = Callable[[Data, Mixture, int], Iterable[Pair]]


def sentences(data: Data, mixture: Mixture, count: int) -> Iterable[Pair]:
    """Draw labelled pairs of sentences, each set's share as in stage 2."""
    return _labelled(data, mixture, count, [s for s in mixture.pairs if s.file == SENTENCES])


def documents(data: Data, mixture: Mixture, count: int) -> Iterable[Pair]:
    """Draw labelled pairs over documents, each set's share as in stage 2."""
    return _labelled(data, mixture, count, [s for s in mixture.pairs if s.file != SENTENCES])


def _labelled(
    data: Data, mixture: Mixture, count: int, sources: Sequence[Labelled]
) -> Iterable[Pair]:
    # Some of what is drawn is held out.
    drawn = count / (1 - mixture.held_out) * SPARE
    scale = drawn / sum(source.stage2 for source in sources)
    for source in sources:
        fewer = replace(source, stage2=round(scale * source.stage2))
        yield from draw_labelled(data, fewer, 2, mixture.seed)


def stage2(data: Data, mixture: Mixture, count: int) -> Iterable[Pair]:
    """Return all of stage 2; the sample is drawn from it."""
    del count
    return build(data, mixture, 2)[0]


def stage3(data: Data, mixture: Mixture, count: int) -> Iterable[Pair]:
    """Return all of stage 3 but retellings, a part of their own; the sample is drawn from it."""
    del count
    families = dict(mixture.families["stage3"])
    families.pop(RETOLD, None)
    return build(data, replace(mixture, families={"stage3": families}), 3)[0]


def retold(data: Data, mixture: Mixture, count: int) -> Iterable[Pair]:
    """Make pairs of summaries people wrote, as many true as false."""
    made = list(draw_retellings(data, mixture))
    random.Random(mixture.seed).shuffle(made)  # noqa: S311  # not for secrets
    for side in (True, False):
        mine = (pair for pair in made if (pair.label == ENTAILMENT) is side)
        yield from islice(mine, round(count / 2 / (1 - mixture.held_out) * SPARE))


PARTS: Mapping[str, Part] = {
    "sentences": sentences,
    "documents": documents,
    "retold": retold,
    "stage2": stage2,
    "stage3": stage3,
}


# Where an edit stands is not known any more: these are not cut.
WHOLE = frozenset(("stage2", "stage3"))


def draw(
    data: Data,
    mixture: Mixture,
    parts: Mapping[str, int],
    *,
    seed: int,
    longest: int = SHORT,
) -> list[Pair]:
    """Draw the sample: so many pairs of each part, shuffled; nothing of what is held out.

    Premises of more than ``longest`` characters are cut to what is most like their claim.
    """
    chosen: list[Pair] = []
    dice = random.Random(seed)  # noqa: S311  # not for secrets
    for name, count in parts.items():
        made = [
            pair
            for pair in PARTS[name](data, mixture, count)
            if not is_held_out(pair.group, mixture.held_out)
        ]
        dice.shuffle(made)
        chosen.extend(
            pair
            if name in WHOLE
            else replace(pair, premise=shortened(pair.premise, pair.hypothesis, longest))
            for pair in made[:count]
        )
    dice.shuffle(chosen)
    return chosen
