"""Halves of labelled sets, and the baseline of word overlap."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.sets import CALIBRATION, TEST, half_of, load_half, lowest, mean, overlap
from gatekeeper.errors import InputError
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.verdict import Evidence, Passage


def _row(answer: str = "", group: str | None = "0", *passages: str) -> Row:
    evidence = Evidence(passages=tuple(Passage(id=text, text=text) for text in passages))
    return Row(line=1, id="a", evidence=evidence, answer=answer, label=None, group=group)


def _write(folder: Path, *rows: dict[str, object]) -> Path:
    lines = "".join(json.dumps({"context": "x", "answer": "y", **row}) + "\n" for row in rows)
    (folder / "one.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return folder


@pytest.mark.parametrize(
    ("group", "half"), [("0a", CALIBRATION), ("7f", CALIBRATION), ("8", TEST), ("f0", TEST)]
)
def test_first_digit_of_the_group_gives_the_half(group: str, half: str) -> None:
    """Rows on one context land on one side, in every set alike."""
    assert half_of(_row(group=group)) == half


@pytest.mark.parametrize("group", [None, "", "x1"])
def test_row_without_hexadecimal_group_has_no_half(group: str | None) -> None:
    """A guess could put one context on both sides."""
    with pytest.raises(InputError, match="hexadecimal group"):
        half_of(_row(group=group))


def test_half_is_loaded_up_to_the_limit(tmp_path: Path) -> None:
    """Other half and surplus rows stay out."""
    folder = _write(
        tmp_path,
        {"id": "a", "group": "1", "label": "supported"},
        {"id": "b", "group": "9", "label": "supported"},
        {"id": "c", "group": "2", "label": "unsupported"},
        {"id": "d", "group": "3", "label": "supported"},
    )

    rows = load_half(folder, "one", CALIBRATION, limit=2)

    assert [(row.id, row.label) for row in rows] == [
        ("a", Label.SUPPORTED),
        ("c", Label.UNSUPPORTED),
    ]


def test_set_with_a_bad_line_is_refused(tmp_path: Path) -> None:
    """A figure over part of a set must not stand for the whole."""
    folder = _write(tmp_path, {"id": "a", "group": "1", "label": "maybe"})

    with pytest.raises(InputError, match="line 1: found 'maybe' in label"):
        load_half(folder, "one", CALIBRATION)


def test_set_with_an_unlabelled_row_is_refused(tmp_path: Path) -> None:
    """There is nothing to count it as."""
    folder = _write(tmp_path, {"id": "a", "group": "1"})

    with pytest.raises(InputError, match="row a: found no label"):
        load_half(folder, "one", CALIBRATION)


def test_overlap_is_the_share_of_known_terms_by_sentence() -> None:
    """Stems meet across passages, stop words don't count, a sentence without words is left out."""
    row = _row(
        "The ferries leave daily. And so? Trains leave hourly.\nOn it",
        "0",
        "A ferry leaves.",
        "Daily",
    )

    assert overlap(row) == (1.0, 1 / 3)


def test_overlap_of_an_answer_without_words_covers_all() -> None:
    """Nothing in it is uncovered; the baseline lets it pass."""
    assert overlap(_row("...")) == ()
    assert (lowest(()), mean(())) == (1.0, 1.0)


def test_forms_of_the_baseline() -> None:
    """One bad sentence decides, or is averaged away."""
    assert (lowest((1.0, 0.5)), mean((1.0, 0.5))) == (0.5, 0.75)
