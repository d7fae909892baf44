"""Finding an edit that a sentence allows; each maker knows one kind.

A maker gets the sentence, the other sentences of its text (for values and names that the text
holds too) and the dice, and returns None where the sentence has no place for its edit.
"""

import random
import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from models.construct.edits import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    NOT_ENTAILMENT,
    Edit,
    bounded,
)
from models.construct.words import CALENDAR, GROUPS, OPENERS, OPPOSITES, ORDER

Maker = Callable[[str, Sequence[str], random.Random], Edit | None]

NUMBER = re.compile(
    r"(?<![\w.,:/-])\d{1,3}(?:,\d{3})+(?![\w-])"
    r"|(?<![\w.,:/@#^-])\d+(?:\.\d+)?(?![\w:/-]|\.\d|,\d)"
)
NAME = re.compile(
    r"(?<![.!?:] )(?<!^)(?<![\w'@#])((?:Mr|Mrs|Ms|Dr|Sir|Lord)\.? )?"
    r"[A-Z][a-z]{2,}(?: (?:of |de |van )?[A-Z][a-z]+){0,3}(?![\w'])"
)
_CAPITALISED = re.compile(r"(?<![\w'])[A-Z][a-z]{2,}(?: [A-Z][a-z]+){0,2}(?![\w'])")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|must|has|have|had|does|did|do)\b"
    r"(?= (?!not\b|n't|never\b|no\b|to\b)[a-z]{2,})"
)
_HELPS = frozenset("have has had do does did".split())
_PARTICIPLE = re.compile(r"\w+(?:ed|en|wn|ne|de|id|ught)\b")
_NOT = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|must|has|have|had) not (?=[a-z])"
)
_CONTRACTED = re.compile(r"\b(is|are|was|were|could|would|should|has|have|had)n't (?=[a-z])")
_NEGATIVE = re.compile(r"n't\b|\bnot?\b|\bnever\b|\bnone\b|\bnor\b|\bwithout\b")
_HEDGES = (
    (re.compile(r"\b(?:may|might|could) (?=[a-z]+\b)(?!not\b|have\b)"), "will "),
    (re.compile(r"\b(?:some|many|most|several) of (?=the |our |these |those |their )"), "all of "),
    (re.compile(r"\b[Ss]ome (?=[a-z]+s\b)"), "All "),
    (re.compile(r"\b(?:sometimes|often|usually|generally|mostly) (?=[a-z])"), "always "),
    (re.compile(r"\bup to (?=\d)"), "exactly "),
    (re.compile(r"\b(?:at least|more than|over) (?=\d)"), "exactly "),
    (re.compile(r"\b(?:less|fewer) than (?=\d)"), "exactly "),
)
_EXCEPTION = re.compile(
    r",? (?:except(?: for)?|unless|provided that|as long as|apart from|with the exception of|"
    r"excluding|other than)\b[^.;:]{3,120}(?=[.;]|\Z)"
)
_CONDITION = re.compile(
    r"\A(?:If|When|Unless|Once|Although|Provided) [^,]{6,90}, (?=[a-z])"
    r"|,? (?:if|when|unless|until) [^.,;]{6,90}(?=\.|\Z)"
)
_WIDE = re.compile(
    r"\b(?:is|are|was|were|can|will|opens?|works?|applies|apply) "
    r"(?=(?:in|on|at|for|to|from|with|by|available|valid|used|open|found) )"
)
# Between names that could change places and leave a sentence as true as it was.
_SYMMETRIC = re.compile(
    r"\b(?:and|or|met|meets|married|marries|with|between|versus|vs|than|like|same|both|equals?|"
    r"sister|brother|spouse|near|beside|as)\b|[,;:()]"
)
_ACTS = re.compile(
    r"\b\w+(?:ed|s)\b|\b(?:gave|told|beat|sent|wrote|made|saw|took|left|won|led|asked)\b"
)


def number(text: str, others: Sequence[str], draw: random.Random) -> Edit | None:
    """Swap a number for another of the text, or for one near it."""
    held = NUMBER.findall(text)
    if not held:
        return None
    old = draw.choice(held)
    pool = [n for line in others for n in NUMBER.findall(line) if _alike(n, old)]
    pool = [n for n in pool if n not in held]
    new = draw.choice(pool) if pool and draw.random() < 0.5 else _near(old, draw)
    if new in held:
        return None
    return _contradicting("number", old, new)


def _contradicting(kind: str, old: str, new: str) -> Edit:
    return Edit(kind=kind, old=old, new=new, forward=CONTRADICTION, backward=CONTRADICTION)


def _alike(one: str, other: str) -> bool:
    return one != other and abs(len(one) - len(other)) <= 1 and ("." in one) == ("." in other)


def _near(old: str, draw: random.Random) -> str:
    """Return another number of the same look; a year stays a year."""
    plain = old.replace(",", "")
    if "." in plain:
        digits = len(plain.split(".")[1])
        return f"{max(0.0, float(plain) * draw.choice((0.5, 0.8, 1.3, 2, 10))):.{digits}f}"
    n = int(plain)
    if 1500 <= n <= 2100 and "," not in old:
        return str(n + draw.choice((-20, -10, -3, -2, -1, 1, 2, 3, 4, 10)))
    new = max(1, draw.choice((n + 1, n - 1, n * 2, n // 2, n + 10, n * 10)))
    return f"{new:,}" if "," in old else str(new)


def member(text: str, others: Sequence[str], draw: random.Random) -> Edit | None:
    """Swap a month, weekday, small number, unit or colour for another of its kind."""
    hits = [
        (word, group)
        for group in GROUPS
        for word in group
        if word not in {"May", "one", "second"} and re.search(bounded(word), text)
    ]
    if not hits:
        return None
    old, group = draw.choice(hits)
    free = [word for word in group if word != old and word not in text.split()]
    named = [word for word in free if any(re.search(bounded(word), line) for line in others)]
    new = draw.choice(named if named and draw.random() < 0.6 else free)
    return _contradicting("member", old, new)


def opposite(text: str, others: Sequence[str], draw: random.Random) -> Edit | None:
    """Swap a word for its opposite; before and after turn the order of events round."""
    del others
    hits = [
        (old, new)
        for pair in OPPOSITES
        for old, new in (pair, pair[::-1])
        if re.search(bounded(old), text)
    ]
    if not hits:
        return None
    old, new = draw.choice(hits)
    return _contradicting("order" if old in ORDER else "opposite", old, new)


def negation(text: str, others: Sequence[str], draw: random.Random) -> Edit | None:
    """Take a "not" away, or put one behind the first auxiliary of a sentence without one."""
    del others
    for pattern in (_NOT, _CONTRACTED):
        if found := pattern.search(text):
            return _contradicting("negation", found.group().strip(), found.group(1))
    found = _AUXILIARY.search(text)
    if _NEGATIVE.search(text) or not found:
        return None
    word = found.group(1)
    following = text[found.end() :].split(maxsplit=1)[0]
    # "have a car" takes no "not" behind the verb; "have seen" does.
    if word in _HELPS and not _PARTICIPLE.match(following):
        return None
    short = f"{word} not" if word in ("can", "will") else f"{word}n't"
    negated = draw.choice((f"{word} not", short))
    return _contradicting("negation", f"{word} {following}", f"{negated} {following}")


def hedge(text: str, others: Sequence[str], draw: random.Random) -> Edit | None:
    """Make a guarded statement a plain one: may to will, some to all, up to 5 to exactly 5."""
    del others
    hits = [(found, strong) for pattern, strong in _HEDGES if (found := pattern.search(text))]
    if not hits:
        return None
    found, strong = draw.choice(hits)
    tail = text[found.end() :].split(maxsplit=1)[0].strip(".,;")
    if not text[found.start()].isupper():
        strong = strong.lower()
    return Edit(
        kind="hedge",
        old=found.group() + tail,
        new=strong + tail,
        forward=NOT_ENTAILMENT if strong.startswith("exactly") else NEUTRAL,
        backward=ENTAILMENT if strong.lower().startswith(("will", "all")) else None,
    )


def limit(text: str, others: Sequence[str], draw: random.Random) -> Edit | None:
    """Drop an exception or a condition from a statement that holds only with it."""
    del others, draw
    found = _EXCEPTION.search(text) or _CONDITION.search(text)
    if not found or len((text[: found.start()] + text[found.end() :]).split()) < 4:
        return None
    old, new = found.group(), ""
    if found.start() == 0:
        following = text[found.end() :].split(maxsplit=1)[0]
        old, new = old + following, following.capitalize()
    return Edit(kind="limit", old=old, new=new, forward=NOT_ENTAILMENT, backward=None)


def entity(text: str, others: Sequence[str], draw: random.Random) -> Edit | None:
    """Swap a name for another name of the text."""
    held = [found.group() for found in NAME.finditer(text)]
    if not held:
        return None
    old = draw.choice(held)
    words = {*text.split(), *old.split()}
    pool = {
        name
        for line in others
        for name in (found.group() for found in NAME.finditer(line))
        if not set(name.split()) & words
        and name not in CALENDAR
        and (len(name.split()) > 1) == (len(old.split()) > 1)
    }
    if not pool or old in CALENDAR:
        return None
    new = draw.choice(sorted(pool))
    return Edit(kind="entity", old=old, new=new, forward=NOT_ENTAILMENT, backward=NOT_ENTAILMENT)


def only(text: str, others: Sequence[str], draw: random.Random) -> Edit | None:
    """Narrow a statement by an "only" that nobody said; the narrower one entails the wider."""
    del others, draw
    found = _WIDE.search(text)
    if not found or "only" in text:
        return None
    following = text[found.end() :].split(maxsplit=1)[0]
    return Edit(
        kind="only",
        old=found.group() + following,
        new=f"{found.group()}only {following}",
        forward=NEUTRAL,
        backward=ENTAILMENT,
    )


def roles(text: str, others: Sequence[str], draw: random.Random) -> Edit | None:
    """Let two names of a sentence change places, where the sentence then says something else."""
    del others, draw
    names = [
        name
        for name in _CAPITALISED.finditer(text)
        if name.group().split(maxsplit=1)[0].lower() not in OPENERS and name.group() not in CALENDAR
    ]
    for one, two in pairwise(names):
        between = text[one.end() : two.start()]
        if one.group() == two.group() or len(between.split()) < 2:
            continue
        if _ACTS.search(between) and not _SYMMETRIC.search(between):
            return Edit(
                kind="roles",
                old=text[one.start() : two.end()],
                new=two.group() + between + one.group(),
                forward=NOT_ENTAILMENT,
                backward=NOT_ENTAILMENT,
            )
    return None


MAKERS: dict[str, Maker] = {
    "number": number,
    "member": member,
    "opposite": opposite,
    "negation": negation,
    "hedge": hedge,
    "limit": limit,
    "entity": entity,
    "only": only,
    "roles": roles,
}
