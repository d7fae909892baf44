"""Whether a phrase may assert: a verb by any reading, and what turns a statement round.

Rules over closed lists on normalised English, for headings, lead-ins and tails of courtesies.
They lean to "asserts": a noun phrase taken for a statement is checked for nothing, a statement
taken for a noun phrase is never checked. Chosen from what product texts say of things: cover,
allow, close, cost, be included.
"""

import re

from gatekeeper.core.clauses import DETERMINERS, PREPOSITIONS, has_finite_verb

# Third persons that stand as nouns in hardly any heading.
_THIRD = frozenset(
    """accepts admits affects applies arrives attracts avoids becomes begins belongs blocks bans
    causes charges closes comes connects consists contains cools costs covers creates cures
    damages decides delivers denies departs depends describes destroys detects does eats
    eliminates enables ensures entitles exceeds excludes exists expires falls fits forbids gets
    gives goes grants guarantees happens has heals helps holds improves includes increases is
    involves joins keeps kills lacks lasts lets lies lives loses lowers makes means meets moves
    needs obtains occurs offers opens operates owns pays permits prevents prohibits proves
    provides reaches receives recommends reduces refuses refunds remains removes replaces requires
    rises runs saves says seems sells sends serves ships shows sleeps starts stays stops supports
    sticks swims takes teaches tells thinks travels treats turns uses voids wants warms waives
    weighs wins works""".split()
)
# Words that are nouns in a row as often; in three words they are verbs only behind an article.
_NOUNS_TOO = frozenset(
    "charges costs covers damages needs offers ships shows starts supports uses works".split()
)
_PLAIN = frozenset(
    "arrive cost eat enter expire get go last lives pay receive ride stay swim travel".split()
)
# Said of a thing without "is", in any length ("Pets allowed").
_STATES = frozenset(
    """allowed banned forbidden guaranteed permitted prohibited welcome unlimited
    unrestricted""".split()
)
# These may also sort what is listed below ("Services included"), so not in two words.
_PASSIVES = frozenset(
    """accepted approved canceled cancelled closed compulsory covered denied excluded exempt
    found free included insured mandatory optional paid proven provided refundable refunded
    refused rejected replaced required sold waived""".split()
)
_JOINTS = PREPOSITIONS | frozenset("and or & but / - , than to".split())
_ARTICLES = frozenset("the a an this that our your its their his her my every each all no".split())
_WORD = re.compile(r"\S+")
_SUBJECTLESS = re.compile(
    r"(?:is|are|was|were|has|have|had|can|could|may|might|must|shall|should|will|would|does|do|did)"
    r"(?:n't| (?:not|never|always|only|also|be|been|a|an|in|on|at|by|for|from|to|\w+ed))\b",
    re.IGNORECASE,
)

_TURNED = re.compile(
    r"\b(?:not?|none|never|neither|nor|nothing|nobody|cannot|\w+n't|without|except\w*|excl\w+|"
    r"false\w*|falsehoods?|wrong\w*|incorrect\w*|inaccura\w+|untrue|untruths?|lies|invalid|fake|"
    r"fiction\w*|myths?|misconceptions?|misunderstandings?|mistakes?|mistaken|errors?|fallac\w+|"
    r"unless|if|in case|provided that|assuming|suppos\w+|hypothe\w+|alleg\w+|rumou?rs?|claimed|"
    r"forbidden|prohibited|banned|refuted|debunked|contrary|opposite|unlike\w*|"
    r"unsupported|uncovered|unavailable|withdrawn|outdated|obsolete(?!-)|former\w*|previous\w*|"
    r"don'ts?)\b|\Aavoid|\bavoid(?:ed)?\Z",
    re.IGNORECASE,
)
# A lead-in that says where or for whom.
_SCOPES = re.compile(
    r"(?:only |but |and )?(?:for|in|on|at|during|under|with|when|whenever|while|once|after|before|"
    r"until|from|between|within|outside|as long as) (?!(?:example|instance|short|summary|brief|"
    r"conclusion|addition|general|particular|fact|more|further|this case|order|other words|"
    r"detail)\b)|[\w' -]{1,60} only\Z",
    re.IGNORECASE,
)
_OPEN_QUESTION = re.compile(r"(?:what|which|who|whom)\b", re.IGNORECASE)


def asserts(text: str) -> bool:
    """True if a phrase may be read as a statement: it has a verb, or a state said of a thing."""
    if has_finite_verb(text):
        return True
    words = [m.group().strip("\"'()[],;:.!?*").lower() for m in _WORD.finditer(text[:400])]
    words = [word for word in words if word]
    if not words or words[0] in {"how", "what", "where", "who", "which", "when", "why"}:
        return False
    if _SUBJECTLESS.match(text):
        return True
    return any(_is_predicate(words, i) for i in range(1, len(words)))


def _is_predicate(words: list[str], i: int) -> bool:
    word = words[i]
    after = words[i + 1] if i + 1 < len(words) else ""
    if word in _STATES:
        return after in _JOINTS or not after
    if word in _PASSIVES:
        return len(words) > 2 and (after in _JOINTS or not after) and words[i - 1] not in _JOINTS
    if word in _PLAIN:
        return bool(after) and words[i - 1].endswith("s") and words[i - 1] not in _JOINTS
    if not after or after in _JOINTS - {"to"}:
        return False
    if word in _THIRD and (word not in _NOUNS_TOO or len(words) > 3):
        return words[i - 1] not in _JOINTS
    return _is_third_person(word) and i > 1 and words[0] in _ARTICLES and after not in DETERMINERS


def _is_third_person(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))


def turns(text: str) -> bool:
    """True if what stands below a phrase is not said outright: denied, doubted or on condition.

    A question turns only what lists its answers ("What is not included?").
    """
    bare = text.rstrip(" :*_")
    if bare.endswith("?") and not _OPEN_QUESTION.match(bare):
        return False
    return _TURNED.search(bare) is not None


def limits(lead: str) -> bool:
    """True if a lead-in says where, when or for whom what stands below it holds."""
    return "," not in lead and len(lead.split()) <= 8 and _SCOPES.match(lead) is not None
