"""Pairs of texts as token ids: what is text stays text, and only the premise is ever cut."""

import dataclasses
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from gatekeeper.errors import ManifestError, ModelFileError
from gatekeeper.runtime.manifest import TOKENIZER, model_folder, read_manifest
from gatekeeper.runtime.session import Session
from gatekeeper.runtime.tokens import LEAST_PREMISE_TOKENS, PairTokenizer

FOLDER = model_folder("minilm-l6-nli")
MANIFEST = read_manifest(FOLDER)
TOKENS = PairTokenizer(FOLDER, MANIFEST)
PAD, UNKNOWN, CLS, SEP, MASK = SPECIAL_IDS = (0, 100, 101, 102, 103)
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def ids(text: str) -> tuple[int, ...]:
    """The ids of a text."""
    return TOKENS.encode_text(text)


def test_pair_is_joined_as_the_model_was_trained() -> None:
    """Another order of special tokens or types is another input, with plausible wrong scores."""
    reference = Tokenizer.from_file(str(FOLDER / TOKENIZER))
    expected = reference.encode("The shop opens at nine.", "It opens at 9.")

    pair = TOKENS.join(ids("The shop opens at nine."), ids("It opens at 9."))

    assert pair is not None
    assert pair.ids == tuple(expected.ids)
    assert pair.type_ids == tuple(expected.type_ids)


@pytest.mark.parametrize("special", SPECIALS)
def test_special_token_in_a_text_is_text(special: str, shipped: Session) -> None:
    """A passage could otherwise end itself and write the claim that it supports."""
    text = f"Refunds end {special} after {special}{special} 14 days."

    in_premise = shipped.encode(text, "Refunds end.")
    in_hypothesis = shipped.encode("Refunds end.", text)

    for pair in (in_premise, in_hypothesis):
        assert pair is not None
        assert [token for token in pair.ids if token in SPECIAL_IDS] == [CLS, SEP, SEP]
        assert pair.ids[0] == CLS
        assert pair.ids[-1] == SEP


@given(st.text(alphabet="[]SEPCLMAKUND \u200bxß", max_size=60))
@settings(deadline=None, derandomize=True)
def test_no_text_makes_a_special_token(text: str) -> None:
    """Whatever brackets and letters meet, only an unknown word may become a special id."""
    assert set(ids(text)) & set(SPECIAL_IDS) <= {UNKNOWN}


def test_premise_is_cut_at_its_end_and_the_claim_never() -> None:
    """A claim cut short is another claim, and passes for it."""
    premise, claim = ids("one two three four " * 100), ids("five six seven " * 20)

    pair = TOKENS.join(premise, claim)

    assert pair is not None
    assert pair.tokens == MANIFEST.max_tokens
    first_sep = pair.ids.index(SEP)
    assert pair.ids[1:first_sep] == premise[: first_sep - 1]
    assert pair.ids[first_sep + 1 : -1] == claim
    assert pair.type_ids == (0,) * (first_sep + 1) + (1,) * (len(claim) + 1)


@pytest.mark.parametrize(("spare", "fits"), [(LEAST_PREMISE_TOKENS, True), (1, False)])
def test_claim_that_leaves_too_little_room_gives_no_pair(spare: int, *, fits: bool) -> None:
    """A premise of a few tokens would be scored as if it were the passage."""
    claim = (2054,) * (MANIFEST.max_tokens - 3 - spare)

    assert (TOKENS.join(ids("a " * 50), claim) is not None) is fits
    assert TOKENS.join(ids("a"), claim) is not None


def test_hypothesis_first_template_swaps_texts_and_types() -> None:
    """Some models were trained with the claim in front."""
    manifest = dataclasses.replace(
        MANIFEST, template="[CLS] {hypothesis} [SEP] {premise} [SEP]", direction="hypothesis_first"
    )
    tokens = PairTokenizer(FOLDER, manifest)

    pair = tokens.join((11, 12), (21,))

    assert pair is not None
    assert pair.ids == (CLS, 21, SEP, 11, 12, SEP)
    assert pair.type_ids == (0, 0, 0, 1, 1, 1)


def test_template_with_a_foreign_token_is_refused() -> None:
    """A token the vocabulary lacks would silently be left out of every pair."""
    manifest = dataclasses.replace(MANIFEST, template="<s> {premise} [SEP] {hypothesis} [SEP]")

    with pytest.raises(ManifestError, match="<s>"):
        PairTokenizer(FOLDER, manifest)


@pytest.mark.parametrize("content", [None, b"{}", b"\xff", b'{"version": "1.0"'])
def test_unreadable_tokenizer_is_named(content: bytes | None, tmp_path: Path) -> None:
    """The library raises bare exceptions without a path."""
    if content is not None:
        (tmp_path / TOKENIZER).write_bytes(content)

    with pytest.raises(ModelFileError, match=TOKENIZER):
        PairTokenizer(tmp_path, MANIFEST)


def test_unknown_words_are_named_as_they_stand_in_the_text() -> None:
    """The model sees one token for all of them, so a value among them is compared literally."""
    long = "7" * 101
    text = f"Part {long} and \U0001f9ff cost 5 euros."

    assert TOKENS.unknown_words(text) == (long, "\U0001f9ff")
    assert TOKENS.unknown_words("Part 77 costs 5 euros.") == ()


def test_unknown_share_counts_tokens() -> None:
    """The language check reads it; nothing is not unknown."""
    assert TOKENS.unknown_share("") == 0.0
    assert TOKENS.unknown_share("The shop opens.") == 0.0
    assert TOKENS.unknown_share("\U0001f9ff \U0001f9ff ok ok") == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\u200b\u200d",
        "ｆｕｌｌ ｗｉｄｔｈ",
        "עברית ועוד",
        "\x00\ud7ff\U0010ffff",
        "a\u0301" * 200,
    ],
)
def test_any_text_can_be_encoded(text: str) -> None:
    """Answers and passages hold anything; a crash here would be an unresolved answer."""
    assert TOKENS.join(ids(text), ids("ok")) is not None
    assert TOKENS.join(ids("ok"), ids(text)) is not None


def test_claim_of_more_tokens_than_the_model_takes_gives_no_pair() -> None:
    """Its end would be cut off, however little stands in the premise."""
    assert TOKENS.join(ids("ok"), ids("a\u0301 " * MANIFEST.max_tokens)) is None


def test_lone_surrogate_is_encoded_as_an_unknown_character() -> None:
    """JSON can carry one; the tokenizer's own error would end the check."""
    assert ids("price \ud800 5") == ids("price \ufffd 5")


def test_model_without_an_unknown_token_knows_every_word(tmp_path: Path) -> None:
    """Byte-level vocabularies spell anything."""
    raw = json.loads((FOLDER / TOKENIZER).read_text(encoding="utf-8"))
    raw["model"] = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    raw["normalizer"] = None
    (tmp_path / TOKENIZER).write_text(json.dumps(raw), encoding="utf-8")

    tokens = PairTokenizer(tmp_path, MANIFEST)

    assert tokens.unknown_words("a b") == ()


def test_tokenizer_threads_are_off() -> None:
    """With them on, a fork after first use warns or hangs."""
    assert os.environ["TOKENIZERS_PARALLELISM"] == "false"
