"""JSON answers are read key by key, and what is no JSON stays prose."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.records import may_be_records, record_steps, records, spoken


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.lists(st.sampled_from(["{", "}", "[", "]", ",", ":", '"a"', "1", " ", '"', "x\n"])))
def test_slices_join_or_there_are_none(tokens: list[str]) -> None:
    """A record that is empty or overlaps would break the cover of the answer."""
    text = "".join(tokens)
    found = records(text)
    assert "".join(one.text for one in found) in {"", text}
    assert all(one.text for one in found)


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "{1", '{"a" "b"}', '{"a": 1}}', '{"a": 1} x', "[1 2]", '{"a": 1]', "a: 1",
     '{"a": {"b": 1}', '{"a" {}}', "{,}"],
)  # fmt: skip
def test_other_text_is_prose(text: str) -> None:
    """Braces alone make no JSON; a text the walk cannot follow must be read as sentences."""
    assert records(text) == ()


def test_keys_and_values_have_their_places() -> None:
    """A value is shown with its keys, each at its offsets."""
    text = '[{"a": {"b": true}}, "c"]'
    first, second = records(text)
    assert [key.text for key in first.header] == ['"a"', '"b"']
    assert (first.cells[0].text, second.cells[0].text) == ("true", '"c"')
    assert text[second.start : second.end] == '"c"]'


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('[{"drug": "a", "dose": 1}, {"dose": 2, "drug": "b"}]', ["", '"a"', '"b"', ""]),
        ("[[1, 2], [3, 4]]", ["", "1", "", "3"]),
        ('{"x": 1, "y": 2}', ["", ""]),
        ('{"status": "ok", "answer": "It is open."}', ["", ""]),
        ('[{"status": "on", "n": 1}]', ["", '"on"']),
        ('["a", "b"]', ["", ""]),
        ('{"name": "Ann", "job": {"pay": 5}}', ["", '"Ann"']),
    ],
)
def test_objects_have_names(text: str, names: list[str]) -> None:
    """A value that changed places with that of another object must not read like a copy."""
    found = records(text)
    assert [",".join(name.text for name in one.carried) for one in found] == names


def test_depth_is_bounded() -> None:
    """The keys of a scalar are read with it, so their number must not grow with the text."""
    assert len(records('{"a":' * 32 + "1" + "}" * 32)) == 1
    assert records('{"a":' * 33 + "1" + "}" * 33) == ()


def test_a_long_record_is_read_in_steps() -> None:
    """One worker serves every request: no text may hold it in one piece."""
    steps = list(record_steps("[" + "1," * 2000 + "1]"))
    assert len(steps) > 8


@pytest.mark.parametrize(
    ("head", "expected"), [("", True), ("[", True), ("{x", True), ('["', True), ("[1", False)]
)
def test_head_decides(head: str, expected: bool) -> None:
    """A stream may be held back only while its text may be JSON; citations begin with "[" too."""
    assert may_be_records(head) is expected


@pytest.mark.parametrize(
    ("token", "expected"), [('"a\\n\\"b\\""', 'a\n"b"'), ('"a\\q"', "a\\q"), ("null", "null")]
)
def test_tokens_are_spoken(token: str, expected: str) -> None:
    """The model reads words, not escapes, and a bad escape is no reason to fail."""
    assert spoken(token) == expected
