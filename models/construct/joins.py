"""Claims that need two lines of a text, rightly or wrongly put together."""

import re
from collections.abc import Iterator

from models.construct.edits import ENTAILMENT, NEUTRAL, NOT_ENTAILMENT
from models.construct.makers import MAKERS
from models.construct.shop import Shop
from models.construct.words import OPENERS
from models.pairs import Pair

CAUSES = (" because ", ", so ", ", which is why ", ", and as a result ")
MOST_WORDS = 18
_WRONG_HALF = ("number", "entity", "opposite", "negation", "member")
_SUBJECT = re.compile(
    r"\A((?:The |An? )?"
    r"(?:[A-Z][\w'-]+(?: (?:of |the |de )?[A-Z][\w'-]+){0,3}|[a-z]+(?: [a-z]+)?)) "
    r"((?:is|are|was|were|has|had|have|will|can|became|won|made|wrote|took|led|left|joined|said|"
    r"moved|played|worked|died|began|received|published|gave|founded|served|created|offers|"
    r"provides|requires|includes|costs)\b .{8,})\Z"
)
_NO_SUBJECT = frozenset(
    """It This That There He She They We I You These Those What Who If When In On As""".split()
)
_SINGULAR, _PLURAL = frozenset(("is", "was", "has")), frozenset(("are", "were", "have"))


def two_facts(shop: Shop, number: int, other: int) -> Iterator[Pair]:
    """Join two lines by "and", or by a cause that nobody stated."""
    draw = shop.draw
    one, two = (shop.texts[n].rstrip(". ") for n in sorted((number, other)))
    premise = shop.window_of_two(number, other) if _can_join(one, two) else None
    if premise is None:
        return
    second = two[:1].lower() + two[1:] if _is_common(two, shop.texts) else two
    caused = f"{one}{draw.choice(CAUSES)}{second}"
    both = f"{one}, and {second}"
    if (way := draw.random()) < 0.3:
        yield shop.pair(premise, both, ENTAILMENT, "two_facts")
    elif way < 0.55:
        alone = shop.window(draw.choice((number, other)))
        if {one, two} != {fact for fact in (one, two) if fact in alone}:
            yield shop.pair(alone, both, NEUTRAL, "two_facts")
    elif way < 0.8:
        yield shop.pair(premise, caused, NEUTRAL, "cause")
    else:
        stated = premise.replace(shop.texts[min(number, other)], f"{caused}.")
        yield shop.pair(stated, caused, ENTAILMENT, "cause")
    if draw.random() < 0.4:
        half = MAKERS[draw.choice(_WRONG_HALF)](second, shop.texts, draw)
        if half and (wrong := half.apply(both)):
            yield shop.pair(premise, wrong, half.forward, "two_facts")


def mixed(shop: Shop, number: int, other: int) -> Iterator[Pair]:
    """Give the subject of one line the predicate of another."""
    one, two = _halves(shop.texts[number]), _halves(shop.texts[other])
    if one is None or two is None or one[0].lower() == two[0].lower() or _disagree(one, two):
        return
    premise = shop.window_of_two(number, other)
    if premise is None:
        return
    yield shop.pair(premise, f"{one[0]} {two[1]}", NOT_ENTAILMENT, "mixed")
    yield shop.pair(premise, f"{two[0]} {two[1]}", ENTAILMENT, "mixed")


def _can_join(one: str, two: str) -> bool:
    longest = max(len(one.split()), len(two.split()))
    return longest <= MOST_WORDS and not set(":?") & set(one + two)


def _is_common(text: str, texts: tuple[str, ...]) -> bool:
    """Tell whether a sentence starts with a word that is no name."""
    word = text.split(maxsplit=1)[0]
    if not word[1:].islower():
        return word == "A"
    lower = word.lower()
    return lower in OPENERS or any(f" {lower} " in other for other in texts)


def _halves(text: str) -> tuple[str, str] | None:
    """Return subject and predicate of a sentence that starts with them."""
    found = _SUBJECT.match(text.rstrip(". "))
    if not found or found.group(1).split(maxsplit=1)[0] in _NO_SUBJECT:
        return None
    return found.group(1), found.group(2)


def _disagree(one: tuple[str, str], two: tuple[str, str]) -> bool:
    """Tell whether one verb is singular and the other plural: grammar would give it away."""
    verbs = {one[1].split(maxsplit=1)[0], two[1].split(maxsplit=1)[0]}
    return bool(verbs & _SINGULAR and verbs & _PLURAL)
