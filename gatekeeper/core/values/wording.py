"""What a claim leaves out or adds of a sentence whose words it takes: reserve, limits, causes.

Only claims made of a sentence's own words are judged, and only if no other sentence has all of
them: a rule that fires on free wording would flag what the model reads well.
"""

import re
from collections.abc import Iterator

from gatekeeper.core.terms import STOP_WORDS, stem, terms
from gatekeeper.core.values.align import Aligned, Claim
from gatekeeper.core.values.facts import find_words
from gatekeeper.core.values.literals import spoken
from gatekeeper.core.values.model import Finding, Relation

_SENTENCES = 6  # closest sentences looked at
_MAX_TEXT = 1500  # characters of claim or sentence
_MIN_TERMS = 3  # of a claim
_OF_SENTENCE = 0.5  # share of a sentence's terms that the claim must have

_WORD = re.compile(r"[^\W_]+")
_MODALS = frozenset("may might could".split())
_RESERVE = frozenset(
    """suggest suggests suggested possibly perhaps probably reportedly allegedly supposedly
    purportedly rumoured rumored suspect suspects suspected believe believes believed assume assumes
    assumed speculate speculates speculated fear fears feared thinks thought""".split()
)
# Of these some are nouns as well: "the suspect, Ann Lee", "after much thought, the board".
_NOUNS = frozenset("suspect suspects thought fear fears".split())
_SAYS = frozenset(
    """that a an the he she it they we you i his her its their our this these those there some many
    all no""".split()
)
_ARTICLES = frozenset("a an the its their his her our your my".split())
_OF_NOUN = frozenset(
    """a an the this that these those his her its their our my your no any some much more little
    of for from with without in on by after before amid despite prime main chief further second
    careful""".split()
)
_LIMITS = frozenset("who whose that which if when while with on during for until before".split())

_CAUSE = re.compile(
    r"\b(?:because|due to|owing to|thanks to|as a result of|as a consequence of|caused by)\b"
)
_MARKERS = frozenset(
    """because due since as so cause caused causes causing result results resulted resulting reason
    reasons lead leads led leading therefore thus hence thanks owing after blame blamed blames
    attribute attributed why from thereby make makes made making force forced forces prompt prompted
    prompts trigger triggered triggers contribute contributed driven drove following amid response
    consequence consequently accordingly effect for by over when with given explain explains
    explained link linked""".split()
)
# In talk a reason stands unmarked beside what it is given for.
_SPEAKER = re.compile(r"[\w .'-]{1,40}: ")
_OF_BOTH = 0.75  # share of the terms of each half that a sentence must have

_JOINED = frozenset("and or nor vs versus both between equals".split())
_DIRECTED = frozenset(
    "to from than by before after over above below under into onto against".split()
)


def wording(plain: str, claim: Claim) -> Iterator[Finding]:
    """Yield at most one finding about the wording of a claim."""
    if len(plain) > _MAX_TEXT or len(claim.terms) < _MIN_TERMS:
        return
    at = find_words(spoken(plain), claim.facts)
    if at is not None and _RESERVE.isdisjoint(claim.facts.facts[at].words.split(" ")):
        return  # a part of a sentence word for word: what bounds it may be in another part
    words = _WORD.findall(plain.lower())
    found = _of_holders(words, claim)
    if found is None:
        found = _cause(plain.lower(), words, claim)
    if found is not None:
        yield found


def _of_holders(words: list[str], claim: Claim) -> Finding | None:
    """Judge a claim by the sentences that have all its terms; one that says the same frees it."""
    first: Finding | None = None
    for aligned in claim.aligned[:_SENTENCES]:
        is_long = aligned.of_sentence < _OF_SENTENCE
        if (
            aligned.of_claim < 1
            or is_long
            or len(claim.facts.facts[aligned.position].text) > _MAX_TEXT
        ):
            break
        found = _of_holder(words, claim, aligned)
        if found is None:
            return None
        first = first or found
    return first


def _of_holder(words: list[str], claim: Claim, aligned: Aligned) -> Finding | None:
    theirs = claim.facts.facts[aligned.position].words.split(" ")
    if _is_swapped(words, theirs):
        return Finding(relation=Relation.CLASHING, rule="roles", sentence=aligned.position)
    if _drops_reserve(words, theirs, claim.terms):
        return Finding(relation=Relation.ABSENT, rule="reserve", sentence=aligned.position)
    if _drops_limit(words, theirs, claim.terms):
        return Finding(relation=Relation.ABSENT, rule="limit", sentence=aligned.position)
    return None


def _is_swapped(words: list[str], theirs: list[str]) -> bool:
    """True if two words have changed places across a verb and a word of direction."""
    if len(words) != len(theirs):
        return False
    places = [at for at, pair in enumerate(zip(words, theirs, strict=True)) if pair[0] != pair[1]]
    if len(places) != 2:
        return False
    first, last = places
    if (words[first], words[last]) != (theirs[last], theirs[first]):
        return False
    between = words[first + 1 : last]
    if not _JOINED.isdisjoint(between) or (first and words[first - 1] in ("from", "between")):
        return False
    has_verb = any(word not in STOP_WORDS and word not in _DIRECTED for word in between)
    return has_verb and not _DIRECTED.isdisjoint(between)


def _drops_reserve(words: list[str], theirs: list[str], wanted: frozenset[str]) -> bool:
    """True if a sentence says with reserve what the claim says without."""
    if not (_MODALS | _RESERVE).isdisjoint(words) or "can" in words:
        return False
    begun = False
    for at, word in enumerate(theirs):
        if word in _RESERVE and not begun and _is_reserve(theirs, at):
            return True
        if begun and word in _MODALS:
            after = [stem(w) for w in theirs[at + 1 : at + 4] if w not in STOP_WORDS][:1]
            return bool(wanted.intersection(after))
        begun = begun or (word not in STOP_WORDS and stem(word) in wanted)
    return False


def _is_reserve(theirs: list[str], at: int) -> bool:
    """False for a word that is a noun here: only a verb says something with reserve."""
    if theirs[at] not in _NOUNS:
        return True
    before = theirs[at - 1] if at else ""
    return before not in _OF_NOUN and not _SAYS.isdisjoint(theirs[at + 1 : at + 2])


def _drops_limit(words: list[str], theirs: list[str], wanted: frozenset[str]) -> bool:
    """True if a sentence says "only to members who renew" and the claim "to members"."""
    if "only" in words or "only" not in theirs:
        return False
    at = theirs.index("only")
    if theirs[max(0, at - 1)] in _ARTICLES:
        return False  # "the only mill in town" limits nothing that is said of it
    rest = theirs[at + 1 :]
    kept = [at for at, word in enumerate(rest) if word not in STOP_WORDS and stem(word) in wanted]
    if not kept:
        return False
    behind = rest[kept[-1] + 1 :]
    limit = next((at for at, word in enumerate(behind) if word in _LIMITS), None)
    return limit == 0 and any(word not in STOP_WORDS for word in behind[limit + 1 :])


def _cause(low: str, words: list[str], claim: Claim) -> Finding | None:
    """Object to a cause where the evidence tells of both things and joins them by nothing."""
    joint = _CAUSE.search(low)
    if joint is None or "not" in words:
        return None
    halves = [frozenset(terms(low[: joint.start()])), frozenset(terms(low[joint.end() :]))]
    if not all(halves):
        return None
    facts = claim.facts.facts
    places = []
    for half in halves:
        held = [a.position for a in claim.aligned[:_SENTENCES]
                if len(half & facts[a.position].terms) >= _OF_BOTH * len(half)]  # fmt: skip
        if not held:
            return None
        places += held
    near = {at for place in places for at in range(max(0, place - 1), place + 2)}
    told = (facts[at] for at in near if at < len(facts))
    if any(_SPEAKER.match(f.text) or not _MARKERS.isdisjoint(f.words.split(" ")) for f in told):
        return None
    return Finding(relation=Relation.ABSENT, rule="cause", sentence=places[0])
