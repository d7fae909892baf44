"""Refusals: the speaker or the sources cannot say, and nothing else is said.

Closed lists over the normalised segment. A refusal has a negated verb of knowing or saying with
the speaker or the sources as its subject; its tail is what was asked for: nothing, a noun phrase
or one question. "Damage that is not mentioned is covered" and "no data is kept" are facts.
"""

import re

from gatekeeper.core.courtesies import LONG
from gatekeeper.core.predicates import asserts

_NOT = r"(?:not|n't|never|cannot|unable to|hardly|neither)"
_GIVEN = r"(?: (?:here|provided|given|available|supplied|above|at hand|i (?:have|was given)))?"
_SOURCES = (
    r"(?:(?:the|these|those|this|my|our|any|your|all) )?(?:[\w-]+ ){0,2}?(?:sources?|documents?|"
    r"documentation|contexts?|passages?|excerpts?|materials?|information|texts?|articles?|"
    rf"search results|knowledge base|evidence|snippets?){_GIVEN}"
)
_WORKS = (
    rf"(?:{_SOURCES}|(?:the|this|my) (?:[\w-]+ ){{0,2}}?"
    rf"(?:brochure|handbook|manual|guide|pages?|report|leaflet|policy|website|faq){_GIVEN})"
)
# For verbs that a fact may have too ("the travel documents do not include a visa").
_TEXTS = (
    r"(?:the|these|those|this|my|your) (?:(?:provided|given|available|retrieved|supplied) )?"
    r"(?:(?:sources?|documents?|documentation|contexts?|passages?|excerpts?|snippets?|texts?|"
    rf"search results|knowledge base){_GIVEN}|(?:information|materials?) "
    r"(?:provided|given|available|supplied|i (?:have|was given)))"
)
_SAY = (
    r"(?:say|mention|state|specify|tell|indicate|reveal|disclose|clarify|explain|answer|"
    r"(?:let|allow|help|enable) (?:me|us)|(?:provide|give|contain|include|have|offer) "
    r"(?:me |us )?(?:(?:any|an|enough|sufficient|specific|the|further|direct|clear) )*"
    r"(?:information|details?|answer|mention|data|explanation|reference|indication))"
)
_COVER = r"(?:cover|touch|address|discuss|describe|list|include|contain|provide|get into|speak to)"
_KNOW = (
    r"(?:know|find|found|see|say|tell|determine|confirm|verify|locate|sure|certain|aware|"
    r"have (?:(?:any|enough|that|this|the|sufficient|access to) )*"
    r"(?:information|details?|data|answer))"
)
_MENTIONED = r"(?:mentioned|stated|specified|discussed|addressed|disclosed|indicated)"
_NONE = r"(?:nothing|no (?:information|details?|mention|answer))"
_SAYS = (
    r"(?:says?|mentions?|states?|specif(?:y|ies)|tells?|indicates?|answers?|suggests?|explains?|"
    r"covers?|address(?:es)?|discuss(?:es)?|describes?|touch(?:es)?|(?:gets?|goes) into|"
    r"speaks? to|deals? with|gives?|names?)"
)
_ABOUT = (
    r"(?: (?:about|on|regarding|concerning|of|in|for|from|that|to|as|available|here|provided|given|"
    r"whether)\b|[.!]*\Z)"
)
_LITTLE = r"(?:no|not enough|insufficient|not any)"
_FACTS = r"(?:information|mention|details?|data|evidence|answer|indication)"
_OPEN_POINT = (
    r"(?:from|based on|to say|to tell|to know|to determine|what|when|who|how|whether|if|where|why|"
    r"which|that|this|anything|any|an answer)"
)
_GIVEN_IN = r"(?:provided|given|included|available|covered|listed|found|described)"
_IS_NOT = r"(?: (?:is|are|was|were) not|n't)(?: \w+)?"
_FROM = r"(?:from|in|using|based on|with|by)"
_FOUND = r"(?:determined|answered|confirmed|found|inferred|verified|established)"
_SORRY = (
    r"(?:(?:unfortunately|sadly|regrettably|sorry|apologies|i(?:'m| am) (?:sorry|afraid)|"
    rf"(?:based on|according to|from|in) {_WORKS})[, ]+(?:but )?(?:that )?)?"
)
_CONDITION = r"(?:even |al)?(?:though|while|if|when|since|because|once|after|before|as)\b"
# What was asked about: a noun phrase, or a question as a subject ("How old it is").
_MATTER = r"(?P<matter{}>[^,]{{1,120}}?)"
_REFUSALS = (
    # the speaker
    rf"i(?: [a-z]{{1,8}}){{0,2}} ?{_NOT}(?: \w+){{0,2}}? {_KNOW}\b",
    rf"we(?: [a-z]{{1,8}}){{0,2}} ?{_NOT}(?: \w+){{0,2}}? {_KNOW} {_OPEN_POINT}\b",
    rf"(?:i|we) (?:have|see|found|find) (?:nothing|no (?:\w+ )?{_FACTS}){_ABOUT}",
    rf"i(?:'m| [a-z]{{1,6}}) ?{_NOT} (?:\w+ ){{0,2}}(?:help|assist|answer|provide|comment)\b",
    rf"nothing i (?:have|was given|can see) {_SAYS}\b",
    # the sources
    rf"{_TEXTS} [a-z]{{0,6}} ?{_NOT}(?: \w+){{0,2}}? {_COVER}\b",
    rf"{_WORKS} [a-z]{{0,6}} ?{_NOT}(?: \w+){{0,2}}? {_SAY}\b",
    rf"{_WORKS} (?:says?|mentions?|contains?|gives?|provides?|offers?|has|have) {_NONE}\b",
    rf"{_WORKS} (?:is|are|remains?|stays?) silent\b",
    rf"(?:nothing|none|no part|neither) (?:in|of) (?:{_WORKS}|what i (?:have|was given)) {_SAYS}\b",
    # the matter asked about
    rf"(?:there(?: is|'s| are|'re| was) )?{_LITTLE} (?:\w+ )?{_FACTS}{_ABOUT}",
    rf"it(?: is|'s) (?:not clear|unclear|not known|unknown|not possible) {_OPEN_POINT}\b",
    rf"{_MATTER.format(1)}{_IS_NOT} (?:{_MENTIONED}\b|{_GIVEN_IN} (?:in|by) {_TEXTS})",
    rf"{_MATTER.format(2)} (?:can|could)(?:not| not|n't) be {_FOUND} {_FROM} {_WORKS}",
    rf"{_MATTER.format(3)}{_IS_NOT} (?:in|among|within|part of) {_TEXTS}",
    rf"{_MATTER.format(4)} (?:beyond|outside) (?:the scope of )?{_WORKS}",
)
_REFUSAL = re.compile(rf"(?!{_CONDITION}){_SORRY}(?:{'|'.join(_REFUSALS)})", re.IGNORECASE)
# A reason, a contrast or a second statement: more than a refusal.
_MORE = re.compile(
    r"[;:]| - |\b(?:because|since|so|therefore|however|but|although|though|while|except|instead)\b"
    r"|, (?!or |nor |and |if |whether |what |which )[^,]*"
    r"\b(?:is|are|was|were|has|costs|can|must)\b",
    re.IGNORECASE,
)
_ASKED = r"(?:what|who|whom|whose|how|why|where|when|which|whether|if|that)"
_QUESTION = re.compile(
    rf"(?P<before>(?:(?:[^,]{{0,80}} )?(?:about|on|of|for|regarding|to|say|tell|determine|know|"
    rf"confirm|sure|clear|information|details|exactly|explicitly|specifically|me|us) )?){_ASKED}\b",
    re.IGNORECASE,
)
_FROM_WORKS = re.compile(rf"(?:(?:from|in|based on) )?{_WORKS}(?= {_ASKED}\b)", re.IGNORECASE)
_LEADS = re.compile(rf"{_ASKED}|about|on|regarding|concerning")
_WHOSE = re.compile(r"\b(?:that|who|whose|which)\b", re.IGNORECASE)
_TOPIC = re.compile(r"(?:about|on|regarding|concerning) ")
_SIGN_THAT = re.compile(r"\b(?:evidence|indication|mention|data|details?) that\Z", re.IGNORECASE)
_ALTERNATIVE = re.compile(rf",? (?:or|nor|and) (?={_ASKED}\b)|,? or ", re.IGNORECASE)
# "No information about fees is available in the text."
_GIVEN_END = re.compile(
    rf" (?:is|are|was|were) {_GIVEN_IN}(?: (?:here|(?:in|by|from|within) {_WORKS}))?\Z",
    re.IGNORECASE,
)
_IN_WORKS = re.compile(
    rf"(?: anywhere| explicitly| directly)?(?: (?:in|by|from|within|anywhere in) {_WORKS})?"
    r"(?: (?:here|either|at all|anywhere|explicitly|directly|provided|above))?\Z",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:that|which|who|whose|every|each|all|anything)\b", re.IGNORECASE)


def is_refusal(plain: str) -> bool:
    """True if a sentence as a whole says that the speaker or the sources cannot say."""
    match = _REFUSAL.match(plain) if len(plain) <= LONG else None
    if match is None or _MORE.search(plain, match.end()):
        return False
    rest = plain[match.end() :].rstrip(" .!,")
    matter = next((m for n in range(1, 5) if (m := match[f"matter{n}"]) is not None), None)
    if matter is not None:
        return _is_matter(matter.strip()) and _IN_WORKS.match(rest) is not None
    if _SIGN_THAT.search(match.group()):
        return False
    last = match.group().rsplit(" ", 1)[-1].lower()
    return _is_asked_for((last if _LEADS.fullmatch(last) else "") + rest)


def _is_matter(matter: str) -> bool:
    """True for what a text may be silent on: a plain noun phrase, or a question."""
    matter = re.sub(r" (?:is|are|was|were)\Z", "", matter)
    if re.match(rf"{_ASKED}\b", matter, re.IGNORECASE):
        return not matter.lower().startswith("that ")
    return not asserts(matter) and not _RELATIVE.search(matter)


def _is_asked_for(rest: str) -> bool:
    """True if the tail of a refusal is what was asked for and no statement of its own."""
    rest = _GIVEN_END.sub("", rest)
    return all(_is_part(part.strip()) for part in _ALTERNATIVE.split(rest) if part)


def _is_part(part: str) -> bool:
    part = _FROM_WORKS.sub("", part, count=1).strip()
    asked = _QUESTION.match(part)
    if asked is None:
        return _is_named(part)
    return not asserts("it " + asked["before"]) and _verbs(part[asked.end() :]) <= 1


def _is_named(part: str) -> bool:
    """True for a noun phrase; a relative clause may be in it only where it names the topic."""
    whose = _WHOSE.search(part)
    if whose is None or not _verbs(part[whose.end() :]):
        return not asserts("it " + part)
    is_topic = _TOPIC.match(part) is not None and not asserts("it " + part[: whose.start()])
    return is_topic and _verbs(part[whose.end() :]) == 1


def _verbs(text: str) -> int:
    """Count statements in a phrase: verbs that do not stand beside each other."""
    words, count, last = text.split(), 0, -9
    for i in range(1, len(words)):
        if asserts(" ".join(("it", *words[i : i + 2]))) and asserts(f"it {words[i]}"):
            count += i - last > 3
            last = i
    return count
