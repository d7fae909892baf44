"""Addresses, versions, names and quotations, compared as text."""

import pytest

from gatekeeper.core.values import Kind, extract


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("See https://a.example.org/x?y=1.", Kind.URL, "https://a.example.org/x?y=1"),
        ("See (www.example.org).", Kind.URL, "www.example.org"),
        ("See example.org/forms.", Kind.URL, "example.org/forms"),
        ("Ask a.b+c@example.org!", Kind.EMAIL, "a.b+c@example.org"),
        ("Part A-113 fits.", Kind.IDENTIFIER, "A-113"),
        ("Form 12(b) applies.", Kind.IDENTIFIER, "12(b)"),
        ("Card 1234-5678-9012 expired.", Kind.IDENTIFIER, "1234-5678-9012"),
        ("Call (020) 7946 0000.", Kind.IDENTIFIER, "(020) 7946 0000"),
        ("Model x200v broke.", Kind.IDENTIFIER, "x200v"),
        ("Use version 4 now.", Kind.VERSION, "4"),
        ("Use v2.0.1-rc1 now.", Kind.VERSION, "v2.0.1-rc1"),
    ],
)
def test_literal_values_are_taken_whole(text: str, kind: Kind, shown: str) -> None:
    """Digits inside a name are no numbers; each name is one value, closing signs left out."""
    assert [(value.kind, value.text) for value in extract(text)] == [(kind, shown)]


@pytest.mark.parametrize(
    "text",
    ["A 21-year-old came.", "The 1990s ended.", "It took 5km.", "It is the 3rd of 4.", "at 10am",
     "It has 2x zoom.", "post-2008 rules"],
)  # fmt: skip
def test_sizes_and_ages_are_no_identifiers(text: str) -> None:
    """Letters after digits are mostly units; as identifiers they would match nothing."""
    assert Kind.IDENTIFIER not in {value.kind for value in extract(text)}


def test_a_long_stretch_between_stray_marks_is_no_quotation() -> None:
    """One lost quotation mark must not turn half an answer into a quotation."""
    assert not extract('"' + "the mill turns " * 60 + '"')
