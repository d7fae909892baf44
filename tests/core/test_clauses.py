"""Where a sentence asserts several things, and where it must stay whole."""

import pytest

from gatekeeper.core.clauses import clauses, has_finite_verb, is_plural, subject_of


def said(sentence: str) -> list[str]:
    """Return each clause as it is read: subject, then body."""
    found = []
    for one in clauses(sentence):
        subject = f"{sentence[slice(*one.subject)]} | " if one.subject else ""
        found.append(subject + sentence[one.body : one.end].strip())
    return found


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Your account pays 5.2% APY, compounded daily.",
         ["Your account pays 5.2% APY,", "Your account | compounded daily."]),
        ("Your account pays 4.5% APY, last updated on 1 July 2024.",
         ["Your account pays 4.5% APY,", "Your account | last updated on 1 July 2024."]),
        ("Goods usually cannot be returned after 14 days, but exceptions can be made.",
         ["Goods usually cannot be returned after 14 days,", "exceptions can be made."]),
        ("The tent sleeps four and packs into a 60 cm bag.",
         ["The tent sleeps four", "The tent | packs into a 60 cm bag."]),
        ("The tent sleeps four, weighs 3 kg and packs into a bag.",
         ["The tent sleeps four,", "The tent | weighs 3 kg", "The tent | packs into a bag."]),
        ("The tank holds 40 litres and the tap should be opened slowly.",
         ["The tank holds 40 litres", "the tap should be opened slowly."]),
        ("The fee is 4, but it is waived for members.",
         ["The fee is 4,", "it is waived for members."]),
        ("The bench is made of larch; it was oiled in May.",
         ["The bench is made of larch;", "it was oiled in May."]),
        ("The gate, however small, is open and the door is closed.",
         ["The gate, however small, is open", "the door is closed."]),
        ("The hut opened in May and this one has a stove.",
         ["The hut opened in May and this one has a stove."]),
    ],
)  # fmt: skip
def test_splits(sentence: str, expected: list[str]) -> None:
    """One wrong half must not hide behind a right one, and the subject must travel."""
    assert said(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The workshop covers sanding, staining and waxing.",
        "The kit includes a brush, a scraper and a cloth.",
        "The kit includes tools, stained wood and waxed paper.",
        "Sales fell because a shop opened and it was cheap.",
        "Dogs are welcome if they are small, but cats are not.",
        "The fitting is wide, i.e. it is large and is red.",
        "The pool, which is heated, is open and has a bar.",
        "Members who renew are free and are welcome.",
        "According to one guest, the zip is weak and is old.",
        "She said that the pool is open and is warm.",
        "The path runs between the pool and the gym and is closed.",
        "The tent is larger than the hut and is red.",
        'The sign reads "the pool is open and is warm" in red.',
        "The hall (it is old and is cold) closed.",
        "The pool and the gym are open.",
        "Yes, dogs are welcome on the lower deck.",
        "At full power the pump moves 430 litres and is loud.",
        "Members get a card, but not meals.",
        "Tents and bags are sold and rented.",
        "Once approved, the money goes to your account.",
        "Cats, dogs and birds are welcome.",
        "It is long, oiled.",
        "The hut is one year old and six years after it was built the roof fell.",
        "The mast is long, also newly.",
        "The mast is long, painted, and old.",
        "The room has a bed and a rug - and has",
        "The gate opens at six and clo",
        "A worn strap is no problem, but the case and all parts must be there.",
        "word " * 200,
    ],
)
def test_stays_whole(sentence: str) -> None:
    """A relation is the claim, nouns in a row are one claim; a wrong cut asks what nobody said."""
    assert len(clauses(sentence)) == 1


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The Heron is one of two canoes.", "The Heron"),
        ("Digital products usually cannot be refunded.", "Digital products"),
        ("Revenue in March was down.", "Revenue in March"),
        ("Your account pays 5% interest.", "Your account"),
        ("There is a pool.", None),
        ("It is red.", None),
        ("In May the pool is closed.", None),
        ("Usually the pool is closed.", None),
        ("The tents, too, are red.", None),
        ("The well (see p. 4) is dry.", None),
        ("The fact that it is dry is known.", None),
        ("The is", None),
        ("Lovely", None),
        ("", None),
    ],
)
def test_subject(sentence: str, expected: str | None) -> None:
    """A pronoun may only be replaced by a phrase that plainly is the subject."""
    found = subject_of(sentence)
    assert (sentence[slice(*found)] if found else None) == expected


@pytest.mark.parametrize(
    ("phrase", "plural"),
    [("The tents", True), ("The glass", False), ("The bus", False), ("A box of tents", False),
     ("The pool and the gym", True), ("These sheep", True), ("Tents", True)],
)  # fmt: skip
def test_number_of_a_phrase(phrase: str, *, plural: bool) -> None:
    """They and it must not change places: a wrong subject makes a wrong claim."""
    assert is_plural(phrase) is plural


def test_finite_verb() -> None:
    """Whether a fragment is a sentence decides if a lead-in is carried into it."""
    assert has_finite_verb("The pool is open")
    assert not has_finite_verb("email help")
    assert not has_finite_verb("")
