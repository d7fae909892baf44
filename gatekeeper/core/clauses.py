"""Where one sentence asserts several things, and what a sentence is about.

Rules over word lists on normalised English; no tagger. When unsure nothing is split: a claim
that stayed whole is judged whole, a claim cut in the wrong place is judged for what nobody said.
A sentence with a reason, a condition, a report, a comparison or a relative clause is never
split, for the relation is the claim. Nouns in a row are one assertion ("covers sanding, staining
and waxing"): a part needs a finite verb, or a participle with a complement behind a comma.
"""

import re
from dataclasses import dataclass

Range = tuple[int, int]

_AUXILIARIES = frozenset(
    """is are was were am has have had does do did can could may might must shall should will would
    cannot can't isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't couldn't
    mustn't shouldn't won't wouldn't needn't""".split()
)
# Third persons that are hardly ever plural nouns; other words in -s need an object behind them.
_VERBS = frozenset(
    """allows applies arrives becomes begins belongs brings buys carries closes comes consists
    contains departs depends earns expires follows gives goes includes keeps lasts lies makes
    occurs offers opens pays produces provides reaches receives remains requires sells sends
    serves sleeps stays takes weighs""".split()
)
# Verbs besides these that a lead-in may end in.
_OPEN = frozenset(
    """accept accepts bring charges contain costs cover covers get include including need needs
    offer provide receive require sell support supports teaches to use uses""".split()
)
DETERMINERS = frozenset(
    """a an the its their his her our your my this that these those all every each no any some both
    another one two three four five six seven eight nine ten eleven twelve up into""".split()
)
_PRONOUNS = frozenset("it they he she this these that those there you we i".split())
PREPOSITIONS = frozenset(
    """about above across after against along among around as at before behind below beside between
    beyond by despite during except following for from given in inside into like near of off on
    onto out outside over past per since through to toward towards under until up upon with within
    without""".split()
)
_NO_SUBJECT = PREPOSITIONS | frozenset(
    """and but or nor so yet if unless when whenever while although though because once until what
    who how why where which whether there here not no yes please also then thus however therefore
    additionally moreover finally first second third next unfortunately overall""".split()
)
# With one of these the relation between the parts is what the sentence claims.
_RELATIONS = frozenset(
    """because since if unless when whenever although though while whereas until till provided
    assuming so therefore thus hence than whether which who whom whose that said says say claims
    claimed reports reported states stated according between either neither both i.e e.g whichever
    whatever wherever where lest otherwise consequently reportedly allegedly""".split()
)
ADVERBS = frozenset(
    """also always currently first last mostly never newly normally now often only originally
    recently still then typically usually""".split()
)
_PARTICIPLES = frozenset(
    """bought built found given held kept known led lit made paid put run sold set taken
    written""".split()
)
_AFTER_PARTICIPLE = PREPOSITIONS | frozenset(
    "annually daily every hourly monthly once quarterly twice weekly yearly again each".split()
)
_JOINTS = frozenset(("and", "but", "yet"))
# Within a subject these tell that the verb behind them is another's.
_BREAKS = _JOINTS | _PRONOUNS | {"-"}
_PARTS = frozenset(("half", "quarter", "third"))  # "two and a half times the price"
_WORD = re.compile(r"\S+")
_MAX_WORDS = 150  # a longer sentence stays whole; keeps the work linear
_MAX_SUBJECT = 9


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence, as offsets into it; ``body`` is where it begins after "and", "but".

    ``subject`` is the slice to be read before the body, None if the body has its own subject.
    ``participle`` bodies ("compounded daily") have no finite verb.
    """

    start: int
    end: int
    body: int
    subject: Range | None = None
    participle: bool = False


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    raw: str

    @property
    def bare(self) -> str:
        return self.raw.strip("\"'()[],;:.!?").lower()

    @property
    def stopped(self) -> bool:
        return self.raw.endswith((",", ";", ":"))


def clauses(sentence: str) -> tuple[Clause, ...]:
    """Split a normalised sentence; a sentence that asserts one thing is one clause."""
    words = _words(sentence)
    whole = (Clause(0, len(sentence), 0),)
    if len(words) > _MAX_WORDS or any(word.bare in _RELATIONS for word in words):
        return whole
    found: list[Clause] = []
    begin, clause = 0, Clause(0, len(sentence), 0)
    for i in range(2, len(words) - 1):
        if i < begin + 2:
            continue
        following = _cut(sentence, words[begin:], i - begin, clause.subject)
        if following is not None:
            found.append(Clause(clause.start, following.start, clause.body, clause.subject))
            clause, begin = following, i
    return (*found, clause) if found else whole


def subject_of(sentence: str) -> Range | None:
    """Return the noun phrase at the start of a sentence, None unless there plainly is one."""
    words = _words(sentence[:400])
    return _subject(words) if words and words[0].bare not in _PRONOUNS else None


def has_finite_verb(text: str) -> bool:
    """True if a verb of the closed lists stands behind the first word."""
    return _verb(_words(text[:400])) is not None


def ends_open(text: str) -> bool:
    """True if a phrase ends in a verb or preposition that waits for its object."""
    word = text.rsplit(" ", 1)[-1].lower()
    return word in _AUXILIARIES or word in _VERBS or word in PREPOSITIONS or word in _OPEN


def is_name(phrase: str) -> bool:
    """True if a noun phrase may be a person's name: a capital and no article before it."""
    return phrase[:1].isupper() and phrase.split(" ", 1)[0].lower() not in DETERMINERS


def is_plural(phrase: str) -> bool:
    """Guess the number of a noun phrase from its head; "and" makes it plural."""
    words = phrase.lower().split()
    head = next((w for w, n in zip(words, [*words[1:], "of"], strict=True)
                 if n in PREPOSITIONS), words[-1])  # fmt: skip
    return "and" in words or words[0] in {"these", "those", "all", "both"} or (
        head.endswith("s") and not head.endswith(("ss", "us", "is"))
    )  # fmt: skip


def _words(sentence: str) -> list[_Word]:
    return [_Word(m.start(), m.end(), m.group()) for m in _WORD.finditer(sentence)]


def _is_verb(words: list[_Word], i: int) -> bool:
    word = words[i].bare
    if words[i].raw == "May":  # the month
        return False
    if word in _AUXILIARIES or word in _VERBS:
        return True
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")):
        return False
    after = words[i + 1].bare if i + 1 < len(words) and not words[i].stopped else ""
    return after in DETERMINERS or after[:1].isdigit() or after[:1] in {"$", "\u20ac", "\u00a3"}


def _verb(words: list[_Word]) -> int | None:
    return next((i for i in range(1, len(words)) if _is_verb(words, i)), None)


def _subject(words: list[_Word]) -> Range | None:
    verb = _verb(words[: _MAX_SUBJECT + 2])
    if verb is None or words[0].bare in _NO_SUBJECT or words[0].bare.endswith("ly"):
        return None
    phrase = words[:verb]
    while phrase and (phrase[-1].bare in ADVERBS or phrase[-1].bare.endswith("ly")):
        phrase = phrase[:-1]
    if not phrase or phrase[-1].bare in _NO_SUBJECT or any(word.stopped for word in phrase):
        return None
    inner = [word.bare for word in phrase]
    if not _RELATIONS.isdisjoint(inner) or not _PRONOUNS.isdisjoint(inner[1:]):
        return None
    if any(c in word.raw for word in phrase for c in '()"'):
        return None
    first = phrase[0]
    return None if len(phrase) == 1 and first.bare in DETERMINERS else (first.start, phrase[-1].end)


def _cut(sentence: str, words: list[_Word], i: int, carried: Range | None) -> Clause | None:
    """Return the clause that begins at word ``i`` of the clause so far, None if none does."""
    if not _is_outside(sentence, words[i].start):
        return None
    head = words[1:i] if words[0].bare in _JOINTS else words[:i]
    if not head or (_verb(head) is None and not _is_verb(head, 0)):
        return None
    joint = words[i].bare if words[i].bare in _JOINTS else ""
    rest = words[i + 1 :] if joint else words[i:]
    stop = words[i - 1].raw[-1]
    start, body, end = words[i].start, rest[0].start, len(sentence)
    free = stop == ";" or (joint and (stop == "," or joint == "and"))
    free = free and (stop in ",;" or _has_verb_since(head))
    if free and _has_own_subject(rest, strict=joint == "and"):
        return Clause(start, end, body)
    subject = _subject(head) or carried
    if subject is None or not (joint or stop in ",;"):
        return None
    if _begins_with_verb(rest, sure=not joint):
        return Clause(start, end, body, subject)
    plain = not any(word.stopped for word in head[:-1])
    if stop == "," and not joint and plain and _is_participle_tail(rest):
        return Clause(start, end, body, subject, participle=True)
    return None


def _has_verb_since(head: list[_Word]) -> bool:
    """True if there is a verb behind the last "but": "but the box and all cables must ..."."""
    at = next((i for i in range(len(head) - 1, -1, -1) if head[i].bare in _JOINTS), -1)
    since = head[at + 1 :]
    return at < 0 or any(_is_verb(since, i) for i in range(len(since)))


def _has_own_subject(rest: list[_Word], *, strict: bool) -> bool:
    first = rest[0].bare
    if first in _PRONOUNS and first not in {"that", "those"}:
        return len(rest) > 1 and (first not in {"this", "these"} or _verb(rest[:7]) is not None)
    verb = _verb(rest[:7])
    if first == "a" and len(rest) > 1 and rest[1].bare in _PARTS:
        return False
    if verb is None or first in _NO_SUBJECT or any(word.stopped for word in rest[:verb]):
        return False
    if any(word.bare in _BREAKS for word in rest[1:verb]):
        return False
    return not strict or first in DETERMINERS or rest[0].raw[:1].isupper()


def _begins_with_verb(rest: list[_Word], *, sure: bool) -> bool:
    word = rest[0].bare
    if len(rest) < 2:
        return False
    if sure:
        return word in _VERBS or word in {"is", "are", "was", "were", "has", "had"}
    return word in _AUXILIARIES - {"do", "am"} or _is_verb(rest, 0)


def _is_participle_tail(rest: list[_Word]) -> bool:
    words = list(rest)
    while words and (words[0].bare in ADVERBS or words[0].bare.endswith("ly")):
        words = words[1:]
    if not words or any(word.stopped for word in rest):
        return False
    first = words[0].bare
    if first not in _PARTICIPLES and not (first.endswith("ed") and len(first) > 4):
        return False
    after = words[1].bare if len(words) > 1 else ""
    return bool(after) and (after in _AFTER_PARTICIPLE or after.endswith("ly"))


def _is_outside(sentence: str, at: int) -> bool:
    """True outside quotations and brackets."""
    before = sentence[:at]
    return before.count('"') % 2 == 0 and before.count("(") <= before.count(")")
