"""What may be read as a statement, and what turns what stands below it."""

import pytest

from gatekeeper.core.predicates import asserts, limits, turns


@pytest.mark.parametrize(
    ("text", "expected"),
    [("the hall is open", True), ("Plan excludes fire", True), ("Members swim free", True),
     ("Swim free", False), ("Pets forbidden", True), ("Goods sold", False), ("", False),
     ("-", False),
     ("What is", True), ("what kills germs", False), ("seat covers list", False),
     ("the seat covers list", True), ("banned books", False), ("Books (banned)", True)],
)  # fmt: skip
def test_asserts(text: str, expected: object) -> None:
    """A verb by any reading is enough: taken for a title, a statement is never checked."""
    assert asserts(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("None of these is true:", True), ("Not included", True), ("**Myths**", True),
     ("If it rains:", True), ("Things to avoid", True), ("What is not covered?", True),
     ("Is it not covered?", False), ("Opening hours", False), ("To avoid damage", False),
     ("Notes", False)],
)  # fmt: skip
def test_turns(text: str, expected: object) -> None:
    """A list of what is false must not be read as a list of what is true."""
    assert turns(text) is expected


def test_limits() -> None:
    """Members' rights are not everybody's; an announcement limits nothing."""
    assert limits("For members")
    assert limits("Members only")
    assert not limits("In short")
    assert not limits("In this town, the following is true")
