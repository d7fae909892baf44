"""Sentence boundaries: hard strings, and independence from how the text arrives."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.boundaries import Boundaries, Part

CASES = Path(__file__).with_name("boundaries.txt").read_text(encoding="utf-8").splitlines()


def parts(text: str) -> list[Part]:
    """Fold a whole text."""
    fold = Boundaries()
    return [*fold.feed(text), *fold.finish()]


@pytest.mark.parametrize("case", CASES)
def test_hard_strings(case: str) -> None:
    """Abbreviations, numbers, quotations and markup must not break sentences (bars mark ends)."""
    expected = [piece.strip() for piece in case.split("|")]
    assert [part.text for part in parts(case.replace("|", ""))] == expected


def test_parts_tell_breaks_and_columns() -> None:
    """Layout is read from line breaks and columns, CRLF being one break and a tab four columns."""
    found = parts("\n  one two\r\n\tthree.\n\nFour")
    assert [(p.start, p.indent, p.breaks, p.closed, p.first) for p in found] == [
        (3, 2, 1, False, True),
        (13, 4, 2, True, True),
        (21, 0, 0, True, True),
    ]


def test_an_open_quotation_holds_for_a_while_only() -> None:
    """A quotation mark that is never closed must not swallow the rest of the answer."""
    words = " ".join(["word"] * 50)
    assert len(parts(f'He said "{words}. Then he left. It rained.')) == 3


def test_a_sentence_without_an_end_is_cut() -> None:
    """All work on a sentence is one step, so a sentence must not be as long as a text."""
    found = parts("word " * 4000)
    assert len(found) == 5
    assert max(len(part.text) for part in found) < 4100


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.sampled_from(CASES), st.lists(st.integers(0, 80), max_size=12))
def test_cutting_changes_nothing(case: str, cuts: list[int]) -> None:
    """A stream and a whole answer must be judged on the same sentences."""
    found: list[Part] = []
    fold, done = Boundaries(), 0
    for cut in [*sorted(cuts), len(case)]:
        found += fold.feed(case[done:cut])
        done = max(done, cut)
    assert [*found, *fold.finish()] == parts(case)


def test_a_sentence_is_complete_when_the_next_has_begun() -> None:
    """A stream may release a sentence as soon as the word behind it is known, not later."""
    fold = Boundaries()
    assert not list(fold.feed("It is open. It"))
    assert [part.text for part in fold.feed(" is")] == ["It is open."]
