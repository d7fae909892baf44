"""Answers become segments that join to the answer; what is exempt, split and carried."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.segment import Form, Segmenter, segments, sentence_steps, sentences
from gatekeeper.verdict import Segment, SegmentKind

PIECES = st.lists(
    st.sampled_from(
        ["The pool closes at 9. ", "It costs 5, but it is free", "- item", "1. ", "2) x", "\n",
         "\n\n", "\r\n", "\r", "**bold**", "**", "`", "```\n", "| a |\n", "|--|\n",
         " ", "\t", "# A\n", "> ", "[1]", "\u201cq\u201d ", '"Is it?" ', "(", ")", "\u9986\u3002",
         "\uff01", "?!", "...", "\u200b", "\u202e", "\uff11\uff12", "\U0001f642", "e\u0301",
         "\ud800", "\udc00", "x" * 100, "St. ", "No. 4", "i.e. ", '{"a": 1', "}", "[{", ":",
         "Here are:", "*", "_", "===\n", "---\n", "Ann: hi", "\u2028", "\x85", "\x00", "\u05e2. ",
         "https://a.b/c. ", "I do not know", " and is "]
    ),
    max_size=30,
).map("".join)  # fmt: skip


def hypotheses(text: str) -> list[str]:
    """Return what the model is asked, claim by claim."""
    return [one.hypothesis for one in segments(text) if one.is_claim]


def kinds(text: str) -> list[str]:
    """Return the kinds in order."""
    return [str(one.kind) for one in segments(text)]


@settings(deadline=None, derandomize=True, max_examples=150)
@given(PIECES)
def test_slices_join_to_the_answer(text: str) -> None:
    """No character of an answer may be left unchecked without a segment that says so."""
    found = segments(text)
    assert "".join(text[one.start : one.end] for one in found) == text
    assert [one.start for one in found] == [0, *(one.end for one in found)][: len(found)]
    assert all(0 <= a < b <= len(text) for one in found for a, b in one.context)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(PIECES, st.lists(st.integers(0, 200), max_size=20))
def test_any_cutting_gives_the_same_segments(text: str, cuts: list[int]) -> None:
    """The verdict on a stream must be the verdict on the whole answer."""
    fold, found, done = Segmenter(), [], 0
    for cut in [*sorted(cuts), len(text)]:
        found += fold.feed(text[done:cut])
        done = max(done, cut)
    assert (*found, *fold.finish()) == segments(text)


@settings(deadline=None, derandomize=True, max_examples=80)
@given(PIECES)
def test_sentences_are_in_order_and_inside(text: str) -> None:
    """Premises are shown by their offsets, so these must be right for any passage."""
    found = sentences(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(one.text and one.resolved for one in found)


def test_feeding_holds_only_the_sentence_at_hand() -> None:
    """Work must be linear in the answer: a sentence that is complete is never read again."""
    fold = Segmenter()
    total = sum(len(fold.feed("The pool is open. ")) for _ in range(500))
    assert total >= 498
    assert sum(len(piece) for piece in fold._reader._boundaries._texts) < 40


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n", ["layout"]),
        ("?", ["layout"]),
        ("Yes.", ["claim"]),
        ("\n  Hello!", ["greeting"]),
        ("Hello! Happy to help. The lamp is new.", ["greeting", "greeting", "claim"]),
        ("The lamp is new. Let me know if you need more.", ["claim", "meta"]),
        ("Is it open? It is.", ["question", "claim"]),
        ("Did you know that it opens at nine?", ["claim"]),
        ("It is long. It is a lovely walk.", ["claim", "opinion"]),
        ("It is the most popular walk here.", ["claim"]),
        ("Please check the website for the latest prices.", ["advice"]),
        ("Hold the dial for five seconds.", ["claim"]),
        ("## Care\n\nRinse it.\n\n---\n", ["heading", "claim", "layout"]),
        ("Care\n====\nRinse it.", ["heading", "layout", "claim"]),
        ("**The pool is closed on Mondays**", ["claim"]),
        ("## 3 steps", ["claim"]),
        ("Opening hours:", ["heading"]),
        ("As told, I will cite the book: it is free.", ["claim"]),
        ("As instructed, I will cite the book: it is free.", ["meta", "claim"]),
    ],
)
def test_kinds(text: str, expected: list[str]) -> None:
    """What asserts nothing is exempt with its reason, and everything else is checked."""
    assert kinds(text) == expected


REFUSALS = [
    "The sources here don't let me say how old the building is.",
    "I couldn't find this in the provided documents.",
    "I'm sorry, but I couldn't find that.",
    "The provided context does not contain any information about refunds.",
    "Nothing I was given covers the age of the building.",
    "None of these passages gets into pricing.",
    "How old it is cannot be determined from the sources.",
    "I don't know whether dogs are allowed.",
    "There is no information about the fee.",
    "The answer isn't in the documents.",
    "My documents are silent on that.",
    "Based on the provided context, I cannot determine the price.",
    "Unfortunately, the handbook doesn't say.",
    "It is not clear from the text who built it.",
    "We have no details about that.",
    "We cannot tell from the text whether dogs are allowed.",
    "The documents provided do not cover refunds.",
    "I have no information on this.",
    "I am not able to answer that.",
    "That is outside the scope of the provided documents.",
]

NO_REFUSALS = [
    "The fee is not refundable.",
    "The pass does not include meals.",
    "We do not provide refunds.",
    "There is no fee.",
    "I can't say because the pool is closed.",
    "Although the sources don't mention the price, parking is free.",
    "The sources don't mention the price, parking is free.",
    "The handbook does not cover water damage.",
    "The lost key was not found in the hall.",
    "Our price information does not include tax.",
    "The travel documents do not include a visa.",
    "None of the documents expire.",
    "We have no pool.",
    "We cannot confirm bookings after noon.",
    "There is no data limit.",
    "Wax is not included in the materials.",
    "If you need a towel, please ask the warden.",
    "As requested, I checked that parking is free.",
    "Let me know soon, the pool is closed.",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals_are_exempt(text: str) -> None:
    """A gate that blocks the refusal it asked for is of no use."""
    assert kinds(text) == ["refusal"]


@pytest.mark.parametrize("text", NO_REFUSALS)
def test_negative_facts_are_claims(text: str) -> None:
    """A loophole: a false fact must not pass because it is put as a negation or a courtesy."""
    assert set(kinds(text)) <= {"claim"}


def test_a_refusal_keeps_the_claim_behind_it() -> None:
    """An invented price stays checkable though its sentence begins as a refusal."""
    text = "The parking fee is not mentioned in the leaflet, but it is 4 per day."
    first, second = segments(text)
    assert first.kind is SegmentKind.REFUSAL
    assert second.plain == "but it is 4 per day."
    assert second.hypothesis == "The parking fee is 4 per day."
    assert [text[slice(*span)] for span in second.context] == ["The parking fee"]
    assert kinds("The sources do not mention it and the pool is closed.") == ["refusal", "claim"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The **Wren** is a canoe. It weighs 14 kg. It's red.",
         ["The Wren is a canoe.", "The Wren weighs 14 kg.", "The Wren's red."]),
        ("The tents are new. They are red.", ["The tents are new.", "The tents are red."]),
        ("The tents are new. It is red.", ["The tents are new.", "It is red."]),
        ("The pool is old. It is important to rinse.",
         ["The pool is old.", "It is important to rinse."]),
        ("The pool is old.\n\n## More\n\nIt is red.", ["The pool is old.", "It is red."]),
        ("The kit covers:\n- sanding\n- waxing",
         ["The kit covers sanding", "The kit covers waxing"]),
        ("The kit has the following tools:\n- a brush", ["The kit has a brush"]),
        ("Here are the opening hours:\n- Monday: nine", ["the opening hours: Monday: nine"]),
        ("Here are the steps:\n1. Press it.\n2. Wait.", ["Press it.", "Wait."]),
        ("**Basic**\n- help\n\n**Plus**\n- more", ["Basic: help", "Plus: more"]),
        ("- Plans:\n  - Basic\n    - help\n- The rest is free.",
         ["Plans: Basic: help", "The rest is free."]),
        ("1. **Use**\n   Turn it.\n2. **Care**\n   Rinse it.", ["Turn it.", "Rinse it."]),
        ("| Size | Price |\n|--|--|\n| Large | **15** |\n| S | |",
         ["Size: Large, Price: 15", "Size: S"]),
        ("Size | Price\n--|--\nLarge | 15\n\na | b", ["Size: Large, Price: 15", "a | b"]),
        ("| a | b |\n\nc", ["a, b", "c"]),
        ("| a \\| b |", ["a | b"]),
        ('{"humidity": 41, "air": {"dust": [1, 2]}}',
         ["humidity: 41", "air dust: 1", "air dust: 2"]),
        ("The hall is\nlarge.\nIt is old", ["The hall is large.", "The hall is old"]),
        ("> The hall is\n> large.", ["The hall is large."]),
        ("Size: large\nPrice: low", ["Size: large", "Price: low"]),
        ("It costs\n15. More is due.", ["It costs 15. More is due."]),
        ("- one\n\n- two\nThree is new.", ["one", "two", "Three is new."]),
        ("- one\ntwo", ["one two"]),
        ("Ann Lee is here. She is old.", ["Ann Lee is here.", "Ann Lee is old."]),
        ("The story is long. She is old.", ["The story is long.", "She is old."]),
        ("The Wren is old. It is red and has a mast.",
         ["The Wren is old.", "The Wren is red", "The Wren has a mast."]),
        ("To reset it, follow these steps:\n- Press it.", ["To reset it: Press it."]),
        ("Use:\n```\nx = 1\n```\n- one", ["x = 1", "one"]),
        ("Your account pays 5%, compounded daily.",
         ["Your account pays 5%", "Your account is compounded daily."]),
        ("The rates were low, last updated in May.",
         ["The rates were low", "The rates last updated in May."]),
    ],
)  # fmt: skip
def test_context_is_carried(text: str, expected: list[str]) -> None:
    """The model must be asked what the slice means in its place, or it judges a fragment."""
    assert hypotheses(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("None of these is true:\n- The hall is open.\n- Dogs swim.",
         ["None of these is true: The hall is open.", "None of these is true: Dogs swim."]),
        ("Not included:\n\nThe hall is open. It is new.\n\nThe pool is open.",
         ["Not included: The hall is open.", "Not included: The hall is new.",
          "The pool is open."]),
        ("## Myths\nThe hall is open.\n## Facts\nThe pool is open.",
         ["Myths: The hall is open.", "The pool is open."]),
        ("# Myths\n## Halls\n- The hall is open.", ["Myths: The hall is open."]),
        ("If it rains:\n- The hall is open.", ["If it rains: The hall is open."]),
        ("For members:\n- The hall is open.", ["For members: The hall is open."]),
        ("If it leaks, here are some steps to try:\n- The tap is at the wall.",
         ["If it leaks: The tap is at the wall."]),
        ("What is not free?\n- The hall.\n\n- Towels\n\nIt is new.",
         ["What is not free? The hall.", "What is not free? Towels", "It is new."]),
        ("Is it never free? The hall is open.", ["The hall is open."]),
        ("## Not free\n| A | B |\n|--|--|\n| x | - |", ["Not free: A: x"]),
        ('[{"drug": "a", "dose": "b"}]', ["drug: a", "a, dose: b"]),
    ],
)  # fmt: skip
def test_what_turns_a_statement_is_carried(text: str, expected: list[str]) -> None:
    """A true sentence under "these are false" is a false statement, whatever its form."""
    assert hypotheses(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```Entry is 5 euros.\n```", [("claim", "Entry is 5 euros."), ("layout", "")]),
        ("```py title=x\ny\n```\n", [("claim", "py title=x"), ("claim", "y"), ("layout", "")]),
        ("````\n```js\n````", [("layout", ""), ("layout", ""), ("layout", "")]),
        ("```Entry is free.```", [("claim", "Entry is free.")]),
        ("|~~~ x\n", [("claim", "~~~ x")]),
        ("| [1] |", [("layout", "")]),
        ("The plan covers fire, right?", [("claim", "The plan covers fire"), ("question", "")]),
        ("Entry is free\nAny questions?", [("claim", "Entry is free"), ("question", "")]),
    ],
)
def test_nothing_asserts_unseen(text: str, expected: list[tuple[str, str]]) -> None:
    """Half markup, half statement is a statement, and a question frees nothing before it."""
    assert [(str(one.kind), one.hypothesis) for one in segments(text)] == expected


def test_wide_rows_are_read_in_pieces() -> None:
    """A row is read with its header in one step, so its width is bounded."""
    text = "|" + "a|" * 150 + "\n|" + "-|" * 150 + "\n|" + "1|" * 150 + "\n"
    rows = [one for one in segments(text) if one.is_claim]
    assert [one.hypothesis.count("a: 1") for one in rows] == [64, 64, 22]


@pytest.mark.parametrize("text", ["Open. " * 2000, '["' + "a" * 9 + '",' + "1," * 3000 + "1]"])
def test_steps_give_the_same_and_are_short(text: str) -> None:
    """A worker that turns to others between steps must come to the same segments."""
    fold = Segmenter()
    steps = [*fold.feed_steps(text), *fold.finish_steps()]
    assert tuple(one for one in steps if one is not None) == segments(text)
    assert None in steps
    assert None in list(sentence_steps(text))


def test_code_is_literal() -> None:
    """Code is compared letter by letter, so it must reach the guard unfolded."""
    found = [
        one for one in segments("Use:\n```py\nx = \u201ca\u201d\n}\n```\nDone") if one.is_claim
    ]
    assert [(one.plain, one.literal) for one in found] == [
        ("x = \u201ca\u201d", True),
        ("Done", False),
    ]


def test_citations_are_reported_by_claim() -> None:
    """A claim is to be checked against the passage it names."""
    found = segments("The dye is fixed with salt [1]. The cloth is cotton. [2]")
    assert [(one.plain, one.citations) for one in found] == [
        ("The dye is fixed with salt.", ("1",)),
        ("The cloth is cotton.", ("2",)),
    ]


def test_boilerplate_is_exempt_word_for_word() -> None:
    """The user's own lines are exempt even with values in them, and nothing like them is."""
    lines = ("Call 555 1234 for help. We are here.",)
    found = segments("It is open. Call 555 1234 for help. Call 555 1235 for help.", lines)
    assert [str(one.kind) for one in found] == ["claim", "boilerplate", "claim"]


def test_sentences_of_a_passage() -> None:
    """Evidence is read like the answer but whole: no clause splitting, questions kept as such."""
    text = ("# Pools\n\nAnn: The pool is open, but it is cold. It costs 5.\n\nIs it deep?\n\n"
            "Rules:\n- no dogs\n\n| A | B |\n|--|--|\n| 1 | 2 |\n")  # fmt: skip
    found = sentences(text)
    assert [(one.form, one.text) for one in found] == [
        (Form.HEADING, "Pools"),
        (Form.PROSE, "Ann: The pool is open, but it is cold."),
        (Form.PROSE, "Ann: It costs 5."),
        (Form.QUESTION, "Is it deep?"),
        (Form.LEAD_IN, "Rules:"),
        (Form.LIST_ITEM, "Pools: Rules: no dogs"),
        (Form.HEADING, "| A | B |"),
        (Form.TABLE_ROW, "A: 1, B: 2"),
    ]
    assert {one.heading for one in found[1:]} == {"Pools"}


def test_json_passages_are_read_by_key() -> None:
    """A retrieved record is evidence as well as a sentence is."""
    found = sentences('{"air": {"dust": 4}, "note": "x"}')
    assert [(one.form, one.text) for one in found] == [
        (Form.RECORD, "air dust: 4"),
        (Form.RECORD, "note: x"),
    ]


def test_resolved_names_the_subject() -> None:
    """A premise of one sentence must not lose what its pronoun stands for."""
    found = sentences("The Wren is a canoe. It weighs 14 kg.")
    assert found[1].text == "It weighs 14 kg."
    assert found[1].resolved == "The Wren weighs 14 kg."


def test_quoted_question_is_no_question() -> None:
    """A statement that quotes a question still asserts something."""
    assert kinds('The form asks "Do you swim?"') == ["claim"]
    assert kinds('"Do you swim?"')[0] in {"question", "claim"}


@pytest.mark.parametrize(
    "unit", ["a", "- x\n", "(a ", '"a ', "**a ", "a, but it is b ", "\u3002", "| a |\n"]
)
def test_large_answers_end(unit: str) -> None:
    """The worker thread must come back from any answer, also one made to hurt the patterns."""
    text = unit * (40_000 // len(unit))
    assert segments(text)[-1].end == len(text)


def test_deep_lists_end() -> None:
    """Nesting is bounded by the answer only and must not exhaust the stack or the time."""
    text = "".join(" " * depth + "- a\n" for depth in range(200))
    assert len(segments(text)) == 200


def test_segment_type() -> None:
    """Callers rely on one result type for every kind."""
    assert all(isinstance(one, Segment) for one in segments("Hello! It is open."))
