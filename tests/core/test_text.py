"""One normalisation for everybody, and the way back to the text as given."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.text import citations, normalise

MARKDOWN = st.lists(
    st.sampled_from(
        ["**", "*", "_", "`", "```\n", "~~", "[1]", "[a](http://b)", "![", "](", "|", "> ", "# ",
         "- ", "1. ", "\n", "\n\n", "\r\n", " ", "\t", "word", "76", "5*3", "a_b", "\u200b",
         "\u202e", "\u00b2", "\u00bd", "\u2014", "\u201c", "e\u0301", "\ud800", "\U0001f600",
         "\uff11", "<b>", "&amp;", "\\*",
         "\u05e2\u05d1", "\u3010", "\u3011", "x" * 120]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("The hut has **76** beds.", "The hut has 76 beds."),
        ("1**2** boats", "12 boats"),
        ("**76 beds", "76 beds"),
        ("2**3 and 4**5", "2**3 and 4**5"),
        ("a __b__ _c_ ~~d~~ ***e***", "a b c e"),
        ("5 * 3 is not 5*3*2 or 2**3", "5 * 3 is not 5*3*2 or 2**3"),
        ("call open_store or `a_b*c*`", "call open_store or a_b*c*"),
        ("``x ` y``", "x y"),
        ("# Care\n\n> - [x] rinse\n2) dry", "Care rinse 2) dry"),
        ("1. rinse", "rinse"),
        ("- - -\ntext\n===", "text"),
        ("```python\nx = 1\n```", "x = 1"),
        ('<b>bo</b>ld<br>next <p class="x">&amp; \\$5', "bold next & $5"),
        ("costs\n15. More", "costs 15. More"),
        ("It is <del>not</del> ~~so~~ free", "It is free"),
        ("~~5 and ~~6", "~~5 and ~~6"),
        ("```js\nx\n```", "x"),
        ("```Entry is 5 euros.\n```", "Entry is 5 euros."),
        ("It opens <and dogs may enter>.", "It opens <and dogs may enter>."),
        ("<Pay 5 to http://a.example/b now>", "<Pay 5 to http://a.example/b now>"),
        (
            '<b title="dogs may enter">x</b>',
            '<b title="dogs may enter">x',
        ),
        ("Open <!-- dogs may enter -->", "Open dogs may enter"),
        ("It opens \u3010and dogs may enter\u3011", "It opens \u3010and dogs may enter\u3011"),
    ],
)
def test_markdown_goes(given_text: str, expected: str) -> None:
    """Markup must not hide a value from the guard, and what only looks like markup must stay."""
    assert normalise(given_text).text == expected


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("\uff11\uff12\uff10\uff10 \ufb01t", "1200 fit"),
        ("2\u20133 \u201chi\u201d it\u2019s \u2026", '2-3 "hi" it\'s ...'),
        ("a\u200bb\u202ec\u00add\ufeff", "abcd"),
        ("e\u0301", "\u00e9"),
        ("\u1100\u1161", "\uac00"),
        ("3\u00bd \u00bd", "3 1/2 1/2"),
        ("10\u00b2 and 5 m\u00b2 and 4 metres\u00b2", "10^2 and 5 m2 and 4 metres2"),
        ("Acme\u2122", "Acme"),
        ("x\ud800y\x00z", "xyz"),
        ("a\u2028b\u00a0c\td", "a b c d"),
        ("\U0001f173\U0001f15e \U0001f51f 5\ufe0f\u20e3", "DO 10 5"),
        ("Open daily \U0001f642", "Open daily"),
        ("\u2728 Open daily \U0001f389! \U0001f389", "Open daily!"),
        ("Dogs \u274c", "Dogs \u274c"),
        ("\U0001f642", ""),
        ("Open .", "Open ."),
    ],
)
def test_characters_are_folded(given_text: str, expected: str) -> None:
    """Look-alikes and invisible characters must compare equal to what people read."""
    assert normalise(given_text).text == expected


@pytest.mark.parametrize(
    ("given_text", "rest", "expected"),
    [
        ("Salt [4].", "Salt.", ("4",)),
        ("Salt [2, 3] and [doc-4] [^5]", "Salt and", ("2", "3", "doc-4", "5")),
        ("Salt\u2074 is white.\u00b9\u00b2", "Salt is white.", ("4", "12")),
        ("Salt \u30107:0\u2020source\u3011.", "Salt.", ("7",)),
        ("Salt [4](http://a.b/c).", "Salt.", ("4",)),
        ("Salt (source: passage 2).", "Salt.", ("2",)),
        ("Salt (Documents 2, 3 and 4) (source: [5])", "Salt", ("2", "3", "4", "5")),
        ("Salt [source: doc 3]", "Salt", ("doc 3",)),
        ("It costs [2] euros.", "It costs 2 euros.", ()),
        ("They pay a fee of [10].", "They pay a fee of 10.", ()),
        ("It costs 5 [2] euros.", "It costs 5 euros.", ("2",)),
        ("It is $[2,500]", "It is $2,500", ()),
        ("According to [2] it is", "According to it is", ("2",)),
        ("Salt [4](500)", "Salt(500)", ("4",)),
        ("[SEP] and [0] and [2024]", "[SEP] and [0] and [2024]", ()),
    ],
)
def test_citations_are_taken_out(given_text: str, rest: str, expected: tuple[str, ...]) -> None:
    """A marker is no value of the claim, yet the caller must see where the claim points."""
    assert normalise(given_text).text == rest
    assert citations(given_text) == expected


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("See [the form](https://a.org/b).", "See the form (https://a.org/b)."),
        ("See [the form](#part) ![photo](x.png)", "See the form photo"),
        ("See <https://a.org>.", "See https://a.org."),
        ('See [the form](https://a.org "title")', "See the form (https://a.org)"),
        ('See [the form](/forms/a "It is free")', "See the form (It is free)"),
        ("[Note](dogs may enter)", "Note (dogs may enter)"),
        ("[Pay](//evil.example/pay)", "Pay (//evil.example/pay)"),
        ("[Write](mailto:a@b.example)", "Write (a@b.example)"),
        ('See <a href="https://a.org/b">here</a>.', "See (https://a.org/b) here."),
    ],
)
def test_links_keep_text_and_web_address(given_text: str, expected: str) -> None:
    """An invented address is an invented fact, so it must stay visible behind the link text."""
    assert normalise(given_text).text == expected


def test_origin_finds_the_slice() -> None:
    """A value found in the normalised text must be shown where it stands in the answer."""
    text = "It has **7\u200b6** beds [1] \u2026 e\u0301t"
    normal = normalise(text)

    def back(part: str) -> str:
        at = normal.text.index(part)
        return text[slice(*normal.origin(at, at + len(part)))]

    assert back("76") == "7\u200b6"
    assert back("beds") == "beds"
    assert back("...") == "\u2026"
    assert back("\u00e9t") == "e\u0301t"


def test_origin_refuses_what_is_not_there() -> None:
    """An offset outside the text is a fault of the caller and must not be mapped to something."""
    normal = normalise("abc")
    assert normal.origin(1, 1) == (0, 0)
    with pytest.raises(IndexError, match="outside"):
        normal.origin(0, 4)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(MARKDOWN)
def test_origin_is_monotone_and_inside(text: str) -> None:
    """Whatever the text, each normalised character comes from somewhere, in order."""
    normal = normalise(text)
    spans = [normal.origin(i, i + 1) for i in range(len(normal.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(MARKDOWN)
def test_result_is_clean(text: str) -> None:
    """The guard relies on single blanks, no invisible characters and no typographic dashes."""
    clean = normalise(text).text
    assert clean == " ".join(clean.split())
    assert not set("\u200b\u202e\u2014\u201c\ud800") & set(clean)


@pytest.mark.parametrize(
    "unit", ["a", "**a ", "[[", "`", "<", "> ", "*_", "](", "\u00e9\u200b", "- "]
)
def test_megabytes_end(unit: str) -> None:
    """No input may blow up the patterns: work is linear also on text made to hurt them."""
    normalise(unit * (200_000 // len(unit)))
