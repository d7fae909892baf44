"""Pairs as token ids, and which batches a pass reads."""

from pathlib import Path

import numpy as np
import pytest

from models.batches import Encoded, encode, one_pass
from tests.models.toy import toy_pairs, write_tokenizer


@pytest.fixture
def blocks(tmp_path: Path) -> list[Encoded]:
    """Fifty pairs of two lengths."""
    write_tokenizer(tmp_path / "tokenizer.json")
    return encode(toy_pairs(50), tmp_path / "tokenizer.json")


def test_pairs_are_padded_to_few_lengths(blocks: list[Encoded]) -> None:
    """Each new shape costs a CPU more than the padding does."""
    assert [block.ids.shape[1] for block in blocks] == [32, 48]
    assert sorted(np.concatenate([block.rows for block in blocks])) == list(range(50))
    short = blocks[0]
    assert short.mask[0].sum() == 6 + 2 + 3
    assert short.types[0].tolist()[: 6 + 2 + 3] == [0] * 8 + [1] * 3


def test_not_entailment_allows_two_classes(blocks: list[Encoded]) -> None:
    """Such a row must not push neutral against contradiction."""
    pairs = toy_pairs(50)
    for block in blocks:
        for row, allowed in zip(block.rows, block.allowed, strict=True):
            assert allowed.sum() == (2 if pairs[row].label == "not_entailment" else 1)
            assert allowed[0] == (pairs[row].label == "entailment")


def test_a_pass_reads_every_row_in_batches_of_one_size(blocks: list[Encoded]) -> None:
    """No pair is left out, and no batch has a shape of its own."""
    batches = list(one_pass(blocks, seed=1, number=0, batch_tokens=400))

    assert {batch.ids.shape for batch in batches} == {(12, 32), (8, 48)}
    assert {int(row) for batch in batches for row in batch.rows} == set(range(50))


def test_passes_differ_and_can_be_read_again(blocks: list[Encoded]) -> None:
    """A run that was stopped reads on as if it had not been; the next pass is another order."""

    def rows(number: int) -> list[list[int]]:
        return [b.rows.tolist() for b in one_pass(blocks, seed=1, number=number, batch_tokens=400)]

    assert rows(0) == rows(0)
    assert rows(0) != rows(1)


def test_long_pairs_are_cut(tmp_path: Path) -> None:
    """The longest length is the last one, whatever the premise."""
    write_tokenizer(tmp_path / "tokenizer.json")
    (pair,) = toy_pairs(1)
    long = type(pair)(premise="w1 " * 500, hypothesis="w2", label="neutral", source="toy")

    (block,) = encode([long], tmp_path / "tokenizer.json")

    assert block.ids.shape == (1, 192)
    assert block.ids[0, -2:].tolist() == [6, 3]
