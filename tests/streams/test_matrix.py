"""The page about modes and streams is what the gate does, row by row."""

import re

import pytest

from gatekeeper.verdict import Action
from tests.streams.matrix import COLUMNS, PAGE, SHOWN, TITLES, page, rows

CELLS = re.compile(
    r"as sent(, verdict in headers)?|refused at start|error 422"
    r"|(no sentence|[123] of 3 sentences)"
    r"(, withheld|, rest cut|, verdict added|, ended as incomplete)?"
)


@pytest.mark.parametrize("kind", sorted(SHOWN))
def test_false_sentence_is_never_let_through_in_silence(kind: str) -> None:
    """Whatever is set, an enforced stream that is not true is no stream as the app sent it."""
    for setting, cells in rows(kind).items():
        assert len(cells) == len(COLUMNS)
        assert all(CELLS.fullmatch(cell) for cell in cells), cells
        if not setting.enforced:
            assert set(cells) == {"as sent"}
        elif cells[0] != "refused at start":
            assert cells[0].startswith("as sent")
            # Plain text has no place for a verdict, and `expose = "id"` keeps it out of headers.
            is_told = kind != "plain" or setting.on_flagged is not Action.ANNOTATE
            assert ("as sent" in cells[1:]) is not is_told


def test_page_is_what_the_gate_does() -> None:
    """A reader plans with the page; python -m tests.streams.matrix writes it again."""
    assert set(SHOWN) <= set(TITLES)
    assert PAGE.read_text(encoding="utf-8") == page()
