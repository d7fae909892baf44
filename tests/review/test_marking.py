"""Texts are cut without losing or making a character, whatever spans and texts are like."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatekeeper.review.marking import Piece, Span, pieces, visible

SIGNS = "\x00\r\x1b\u200b\u202e\u2066\ud800\udfff\ufeff\U000e0041"
texts = st.text(st.sampled_from(f"ab <&\"'\n\té漢😀{SIGNS}"), max_size=30)
spans = st.lists(
    st.builds(Span, st.integers(-5, 40), st.integers(-5, 40), st.integers(1, 5)), max_size=8
)


def source(piece: Piece) -> str:
    """Return what a piece stands for: a sign for one character."""
    return chr(int(piece.text.removeprefix("U+"), 16)) if piece.is_sign else piece.text


@given(texts, spans)
def test_pieces_are_the_text(text: str, marked: list[Span]) -> None:
    """An answer that loses a word in the page is labelled for what it did not say."""
    found = pieces(text, marked)

    assert "".join(map(source, found)) == text
    assert all(one.at + len(source(one)) == other.at for one, other in pairwise(found))
    assert [piece.at for piece in found[:1]] == [0] * bool(text)


@given(texts, spans)
def test_each_character_has_the_marks_of_its_spans(text: str, marked: list[Span]) -> None:
    """Spans overlap, touch, repeat and reach beyond the ends; no colour spills over."""
    for piece in pieces(text, marked):
        for at in range(piece.at, piece.at + len(source(piece))):
            assert {*piece.marks} == {one.mark for one in marked if one.start <= at < one.end}


@given(texts, spans)
def test_each_span_opens_once(text: str, marked: list[Span]) -> None:
    """The number of a claim stands where it begins, and there only."""
    opened = {(p.at, mark) for p in pieces(text, marked) for mark in p.opens}

    clipped = {(max(one.start, 0), min(one.end, len(text)), one.mark) for one in marked}
    assert opened == {(start, mark) for start, end, mark in clipped if start < end}


@given(texts, spans)
def test_nothing_shown_steers_the_page(text: str, marked: list[Span]) -> None:
    """What is not seen, turns the line round, or ends it in another place, has a name instead."""
    shown = "".join(piece.text for piece in pieces(text, marked))

    assert not {*shown} & {*SIGNS}
    assert shown.encode().decode() == shown


@pytest.mark.parametrize("category", ["Cc", "Cf", "Cs", "Co", "Zl", "Zp"])
def test_every_character_that_steers_is_a_sign(category: str) -> None:
    """The list is by hand, for going through all characters takes long at each start."""
    steering = [chr(n) for n in range(0x110000) if unicodedata.category(chr(n)) == category]

    assert steering
    assert [c for c in steering if c not in "\t\n" and visible(c) == c] == []


@pytest.mark.parametrize("text", ["plain", "naïve — “quoted” 漢字", "two\nlines\tand a tab", "é😀"])
def test_what_people_write_stays(text: str) -> None:
    """Letters of any script are themselves."""
    assert visible(text) == text
