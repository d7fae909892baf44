"""Context in its three forms."""

import pytest

from gatekeeper.errors import InputError
from gatekeeper.evaluation.context import read_context, repeated_ids, split_passages
from gatekeeper.verdict import Passage


def _passages(*pairs: tuple[str, str]) -> tuple[Passage, ...]:
    return tuple(Passage(id=name, text=text) for name, text in pairs)


def test_string_is_one_passage() -> None:
    """Blank lines do not cut a string in JSON: whoever writes JSON has lists for that."""
    assert read_context("One.\n\nTwo.", place="context") == _passages(("0", "One.\n\nTwo."))


@pytest.mark.parametrize("value", ["", " \n"])
def test_blank_string_is_no_passage(value: str) -> None:
    """No evidence was given, and the gate must see that, not a passage of blanks."""
    assert read_context(value, place="context") == ()


def test_list_of_strings_has_positions_as_ids() -> None:
    """A blank entry keeps its place, so that position 1 is what the caller called 1."""
    assert read_context(["a", "", "b"], place="context") == _passages(
        ("0", "a"), ("1", ""), ("2", "b")
    )


def test_objects_keep_their_ids() -> None:
    """Ids are the caller's own names; a missing one is the position, a number its digits."""
    value = [{"id": "t-1", "text": "a", "version": 3}, {"text": "b"}, {"id": 7, "text": "c"}]

    assert read_context(value, place="context", first=4) == _passages(
        ("t-1", "a"), ("5", "b"), ("7", "c")
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "context: found null"),
        (5, "context: found the number 5"),
        ({"id": "a", "text": "b"}, "context: found an object"),
        ([5], r"context\[0\]: found the number 5"),
        (["a", ["b"]], r"context\[1\]: found a list"),
        ([{"id": "a"}], r"context\[0\]\.text: found nothing"),
        ([{"text": None}], r"context\[0\]\.text: found null"),
        ([{"text": True}], r"context\[0\]\.text: found true or false"),
        ([{"id": "", "text": "a"}], r"context\[0\]\.id: found nothing"),
        ([{"id": [1], "text": "a"}], r"context\[0\]\.id: found a list"),
        ([{"id": True, "text": "a"}], r"context\[0\]\.id: found true or false"),
        ("a\ud800", "half a surrogate pair at character 1"),
    ],
)
def test_other_forms_are_faults(value: object, message: str) -> None:
    """A context that is read wrongly would make a right answer look unsupported."""
    with pytest.raises(InputError, match=message):
        read_context(value, place="context")


def test_plain_text_is_cut_at_blank_lines() -> None:
    """Any number of blank lines is one cut, line ends of any system count, nothing is stripped."""
    text = "\n\n  One\r\ntwo\r\n\r\n \t\nThree\n"

    assert split_passages(text, first=2) == _passages(("2", "  One\r\ntwo"), ("3", "Three"))


def test_blank_text_has_no_passages() -> None:
    """An empty context file is no evidence."""
    assert split_passages(" \n\n") == ()


def test_repeated_ids_are_named_once() -> None:
    """Passages of one name can't be told apart in a verdict, so the reader is told."""
    assert repeated_ids(_passages(("a", "1"), ("b", "2"), ("a", "3"), ("a", "4"))) == ("a",)
