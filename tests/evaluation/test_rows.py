"""Labelled rows, and every way in which a line can be wrong."""

import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.errors import InputError
from gatekeeper.evaluation.rows import (
    ClaimMark,
    Label,
    LineFault,
    Row,
    Rows,
    Truth,
    iter_rows,
    read_rows,
)
from gatekeeper.verdict import ClaimStatus, Evidence, Passage

GOOD = {"id": "a", "context": "The hut opens at nine.", "answer": "It opens at nine."}


def _read(data: bytes, *, limit: int = 10_000) -> Rows:
    items = list(iter_rows(io.BytesIO(data), max_line_bytes=limit))
    return Rows(
        rows=tuple(item for item in items if isinstance(item, Row)),
        faults=tuple(item for item in items if isinstance(item, LineFault)),
    )


def _line(**changes: object) -> bytes:
    return json.dumps({**GOOD, **changes}).encode() + b"\n"


def _only_fault(data: bytes) -> LineFault:
    found = _read(data)
    assert found.rows == ()
    (fault,) = found.faults
    return fault


def test_every_key_is_read() -> None:
    """A key that is read wrongly would skew a figure without a word."""
    line = _line(
        context=[{"id": "c", "text": "x", "as_of": "2024"}],
        question="When?",
        label="unsupported",
        truth="true",
        reference="It opens.",
        relevant=["c"],
        claims=[{"start": 0, "end": 2, "status": "SUPPORTED", "critical": True}],
        domain="huts",
        system="s1",
        weight=2,
        group=12,
        colour="red",
    )

    (row,) = _read(line).rows

    assert row == Row(
        line=1,
        id="a",
        evidence=Evidence(passages=(Passage(id="c", text="x"),), question="When?"),
        answer="It opens at nine.",
        label=Label.UNSUPPORTED,
        truth=Truth.TRUE,
        reference=("It opens.",),
        relevant=("c",),
        claims=(ClaimMark(start=0, end=2, status=ClaimStatus.SUPPORTED, critical=True),),
        domain="huts",
        system="s1",
        weight=2.0,
        group="12",
    )
    assert row.raw["colour"] == "red"


def test_missing_and_null_keys_mean_not_given() -> None:
    """Absent is not false and not zero; only the weight has a neutral value."""
    (row,) = _read(_line(label=None, claims=[{"start": 0, "end": 2}], weight=None)).rows

    assert (row.label, row.truth, row.reference, row.relevant) == (None, None, None, None)
    assert (row.group, row.domain, row.system, row.weight) == (None, None, None, 1.0)
    assert row.claims == (ClaimMark(start=0, end=2),)


def test_reference_may_be_a_list_of_claims() -> None:
    """Both forms of a reference mean the same: claims that a right answer covers."""
    (row,) = _read(_line(reference=["a", "b"])).rows

    assert row.reference == ("a", "b")


@pytest.mark.parametrize(
    ("changes", "found", "expected"),
    [
        ({"id": None}, "nothing in id", "a string"),
        ({"id": ""}, "nothing in id", "a string"),
        ({"id": True}, "true or false in id", "a string"),
        ({"answer": None}, "nothing in answer", "a string"),
        ({"answer": 5}, "the number 5 in answer", "a string"),
        ({"answer": "a\udfff"}, "half a surrogate pair at character 1 in answer", "text"),
        ({"context": None}, "nothing in context", "a value"),
        ({"question": ["q"]}, "a list in question", "a string"),
        ({"label": "Supported"}, "'Supported' in label", '"supported" or "unsupported"'),
        ({"label": 1}, "the number 1 in label", '"supported" or "unsupported"'),
        ({"label": ["supported"]}, "a list in label", '"supported" or "unsupported"'),
        ({"truth": True}, "true or false in truth", '"true" or "false"'),
        ({"reference": {"a": 1}}, "an object in reference", "a list of strings"),
        ({"reference": ["a", 2]}, "the number 2 in reference[1]", "a string"),
        ({"relevant": "c"}, "a string in relevant", "a list of strings"),
        ({"weight": 0}, "the number 0 in weight", "a number above 0, at most 1000000000"),
        ({"weight": -1.5}, "the number -1.5 in weight", "a number above 0, at most 1000000000"),
        ({"weight": "2"}, "a string in weight", "a number above 0"),
        ({"weight": True}, "true or false in weight", "a number above 0"),
        ({"claims": {}}, "an object in claims", "a list of objects"),
        ({"claims": [1]}, "the number 1 in claims[0]", "an object"),
        ({"claims": [{"start": 0}]}, "null in claims[0].end", "an integer"),
        ({"claims": [{"start": True, "end": 1}]}, "true or false in claims[0].start", "an integer"),
        (
            {"claims": [{"start": 0, "end": 99}]},
            "[0, 99) in claims[0]",
            "offsets into the answer of 17 characters",
        ),
        (
            {"claims": [{"start": 2, "end": 2}]},
            "[2, 2) in claims[0]",
            "offsets into the answer of 17 characters",
        ),
        (
            {"claims": [{"start": 0, "end": 1, "critical": "yes"}]},
            "a string in claims[0].critical",
            "true or false",
        ),
    ],
)
def test_wrong_values_are_faults_that_name_the_key(
    changes: dict[str, object], found: str, expected: str
) -> None:
    """Whoever made the file has to find the fault from the message alone."""
    fault = _only_fault(_line(**changes))

    assert (fault.line, fault.found, fault.expected) == (1, found, expected)
    assert fault.dropped


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b'{"id": "a"', "Expecting ',' delimiter at column 11"),
        (b"[1]", "JSON that is a list"),
        (b"null", "JSON that is null"),
        (b'{"id": "\xff"}', "the byte 0xff at offset 8"),
        (b'{"id": "a", "weight": NaN}', "NaN"),
        (b'{"id": "a", "id": "b"}', "the key 'id' twice"),
        (b'{"id": ' + b"9" * 5000 + b"}", "a number that is too long"),
        (b"[" * 9_000, "JSON nested too deeply"),
    ],
)
def test_lines_that_are_no_object_are_faults(line: bytes, found: str) -> None:
    """Nothing is repaired by guessing, and no line stops the reading of the next."""
    result = _read(line + b"\n" + _line())

    assert [fault.found for fault in result.faults] == [found]
    assert [(row.id, row.line) for row in result.rows] == [("a", 2)]
    assert result.bad_lines == 1


def test_what_is_put_up_with_is_reported_too() -> None:
    """A mark, an empty line and a repeated id do not lose a row, but they are not hidden."""
    result = _read(
        b"\xef\xbb\xbf" + _line() + b" \n" + _line(context=[{"id": "p", "text": "x"}] * 2)
    )

    assert [row.line for row in result.rows] == [1, 3]
    assert [(fault.line, fault.found) for fault in result.faults] == [
        (1, "a byte order mark"),
        (2, "an empty line"),
        (3, "the id 'a', also on line 1"),
        (3, "the passage id 'p' more than once"),
    ]
    assert result.bad_lines == 0


def test_long_line_is_skipped_whole() -> None:
    """A line past the bound is never held whole, and its rest is not read as lines."""
    result = _read(_line(answer="x" * 500) + _line(id="b"), limit=200)

    assert [row.id for row in result.rows] == ["b"]
    assert [str(fault) for fault in result.faults] == [
        "line 1: found a longer line, expected at most 200 bytes (not used)"
    ]


def test_line_of_exactly_the_bound_is_read() -> None:
    """The bound counts the line end and is itself allowed."""
    line = _line()

    assert len(_read(line, limit=len(line)).rows) == 1


def test_last_line_needs_no_end() -> None:
    """Many tools write none."""
    assert len(_read(_line().rstrip()).rows) == 1


def test_plain_and_packed_files_read_alike(tmp_path: Path) -> None:
    """Gzip is known by its bytes, so a wrong name does no harm."""
    plain, packed = tmp_path / "rows.jsonl.gz", tmp_path / "rows.jsonl"
    plain.write_bytes(_line())
    packed.write_bytes(gzip.compress(_line()))

    assert read_rows(plain) == read_rows(packed)
    assert len(read_rows(plain).rows) == 1


def test_broken_gzip_is_a_fault(tmp_path: Path) -> None:
    """A download that was cut off gives the rows that came, and says that more are missing."""
    path = tmp_path / "rows.gz"
    path.write_bytes(gzip.compress(_line())[:-9])

    (fault,) = read_rows(path).faults

    assert fault.found.startswith("broken gzip")
    assert fault.dropped


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    """Without a file there is no line to report on."""
    with pytest.raises(InputError, match="no such file or directory"):
        read_rows(tmp_path / "none.jsonl")


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.lists(st.binary(max_size=60) | st.just(_line().strip()), max_size=8))
def test_any_bytes_are_rows_or_faults(lines: list[bytes]) -> None:
    """Every line is accounted for: used, or reported with its own number."""
    data = b"\n".join(line.replace(b"\n", b"") for line in lines)

    result = _read(data)

    used = [row.line for row in result.rows]
    dropped = [fault.line for fault in result.faults if fault.dropped]
    empty = [fault.line for fault in result.faults if fault.found == "an empty line"]
    count = data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    assert sorted([*used, *dropped, *empty]) == list(range(1, count + 1))
