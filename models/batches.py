"""Pairs as token ids, and the batches a training run reads, the same for the same seed.

Rows go into a few fixed lengths and each batch holds a fixed number of tokens: on a CPU a new
shape costs more than the padding it saves. A pass is known from its number alone, so that a run
that was stopped goes on with the batch it had not read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from models.pairs import Pair

Ids = npt.NDArray[np.int32]
LENGTHS = (32, 48, 64, 96, 128, 160, 192)
# The classes of a pair as bits: "not entailment" is neutral or contradiction.
CLASSES = {"entailment": (0,), "neutral": (1,), "contradiction": (2,), "not_entailment": (1, 2)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """Pairs of one padded length: ids, token types and attention mask ``[rows, length]``.

    ``allowed`` is bool ``[rows, 3]``, true for each class that is right; ``rows`` are the
    positions of the pairs in the list they came from.
    """

    ids: Ids
    types: Ids
    mask: Ids
    allowed: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.int64]

    def take(self, chosen: npt.NDArray[np.int64]) -> "Encoded":
        """Return some of the rows."""
        return Encoded(
            ids=self.ids[chosen],
            types=self.types[chosen],
            mask=self.mask[chosen],
            allowed=self.allowed[chosen],
            rows=self.rows[chosen],
        )


def encode(pairs: Sequence[Pair], tokenizer: Path) -> list[Encoded]:
    """Encode pairs, premise first, the longer side cut; one entry for each length that occurs."""
    reader = Tokenizer.from_file(str(tokenizer))
    reader.enable_truncation(LENGTHS[-1], strategy="longest_first")
    reader.no_padding()
    found = reader.encode_batch([(pair.premise, pair.hypothesis) for pair in pairs])
    by_length: dict[int, list[int]] = {}
    for row, entry in enumerate(found):
        length = next(length for length in LENGTHS if length >= len(entry.ids))
        by_length.setdefault(length, []).append(row)
    blocks = []
    for length, rows in sorted(by_length.items()):
        shape = (len(rows), length)
        ids, types, mask = (np.zeros(shape, np.int32) for _ in range(3))
        allowed = np.zeros((len(rows), 3), np.bool_)
        for place, row in enumerate(rows):
            size = len(found[row].ids)
            ids[place, :size], types[place, :size] = found[row].ids, found[row].type_ids
            mask[place, :size] = 1
            allowed[place, list(CLASSES[pairs[row].label])] = True
        blocks.append(
            Encoded(ids=ids, types=types, mask=mask, allowed=allowed, rows=np.array(rows))
        )
    return blocks


def one_pass(
    blocks: Sequence[Encoded], *, seed: int, number: int, batch_tokens: int
) -> Iterator[Encoded]:
    """Yield the batches of pass ``number`` (from 0), each row once, lengths mixed.

    The last batch of a length is filled with rows drawn again, so that no shape is new.
    """
    random = np.random.default_rng((seed, number))
    plan: list[tuple[int, npt.NDArray[np.int64]]] = []
    for which, block in enumerate(blocks):
        size = max(1, batch_tokens // block.ids.shape[1])
        order = random.permutation(len(block.ids))
        missing = -len(order) % size
        order = np.concatenate([order, random.integers(0, len(order), missing)])
        plan.extend((which, rows) for rows in order.reshape(-1, size))
    for place in random.permutation(len(plan)):
        which, rows = plan[place]
        yield blocks[which].take(rows)
