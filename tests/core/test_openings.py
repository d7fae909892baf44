"""Whether an assent is an answer hangs on what stands before and behind it."""

import pytest

from gatekeeper.core.segment import Segmenter
from gatekeeper.verdict import Segment


def read(text: str, question: str = "") -> list[Segment]:
    """Segment an answer to a question."""
    fold = Segmenter(question=question)
    return [*fold.feed(text), *fold.finish()]


@pytest.mark.parametrize(
    ("text", "question", "kind"),
    [("Sure! The hall is open.", "", "greeting"), ("Sure!", "", "claim"),
     ("Sure! The hall is open.", "Is the hall open?", "claim"),
     ("Sure! The hall is open.", "Can you tell me when it opens?", "greeting"),
     ("Absolutely. The hall is open.", "", "claim"),
     ("Absolutely. The hall is open.", "When does it open?", "greeting"),
     ("Absolutely! Happy to help.", "", "greeting"), ("Of course.", "Is it free?", "claim")],
)  # fmt: skip
def test_assent(text: str, question: str, kind: str) -> None:
    """An answer of one word is an answer; before an answer of many it is a courtesy."""
    first = read(text, question)[0]
    assert str(first.kind) == kind
    assert first.hypothesis == ("Yes." if kind == "claim" else "")


def test_an_answer_is_read_with_its_question() -> None:
    """The model can judge "Certainly." only with what was asked."""
    text = "Is fire covered? Certainly. Why? Certainly."
    found = read(text)
    assert found[1].hypothesis == "Is fire covered? Certainly."
    assert found[1].context == ((0, 17),)
    assert [str(one.kind) for one in found] == ["question", "claim", "question", "claim"]
    assert found[3].hypothesis == "Yes."
