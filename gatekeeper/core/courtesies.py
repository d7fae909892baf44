"""Courtesies: greetings, talk about the answer, praise and advice, as assistants write them.

Closed lists over the normalised segment. A segment is a courtesy only as a whole: every word of
it is one of a closed list, except for one short noun phrase where a topic is named ("questions
about the pump"), and that phrase must not assert. "Let me know if dogs are allowed in" is none.

How the lists were chosen: offers and openings as assistants write them when told to answer from
given text; adjectives that praise without measuring (no superlatives, none that a document could
state as a property).
"""

import re

from gatekeeper.core.predicates import asserts, turns

LONG = 300  # characters; what is longer is more than a courtesy


def _whole(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(patterns)})[\s.!:,]*", re.IGNORECASE)


# Openings that are also answers: "Are dogs allowed? Certainly."
_ASSENT = _whole(
    r"(?:yes|sure|certainly|of course|absolutely|definitely|indeed|exactly|right|correct|great|"
    r"okay|ok|no problem|by all means|naturally)(?: thing)?"
)
# Of these, what nobody says who only begins to answer.
_ANSWER = _whole(r"yes|absolutely|definitely|indeed|exactly|right|correct|naturally")
_GREETING = _whole(
    r"(?:hello|hi|hey|dear|greetings)(?:[, ]+(?:there|all|everyone|team|again|[A-Z][a-z]{1,20}))?",
    r"good (?:morning|afternoon|evening|day|night)(?:[, ]+(?:there|all|everyone))?",
    r"(?:understood|got it|noted|thanks)",
    r"(?:sure|certainly|of course|absolutely)(?: thing)?[,!.]* (?:happy|glad) to help",
    r"(?:i(?:'m| am|'d be| would be) )?(?:happy|glad|pleased|delighted) to (?:help|assist)"
    r"(?: you)?(?: with (?:that|this|your question))?(?: today)?",
    r"(?:great|good|excellent) question",
    r"(?:many )?thanks?(?: you)?(?: (?:so|very) much)?"
    r"(?: for (?:asking|reaching out|your (?:question|patience|message|interest|time)))?",
    r"you(?:'re| are) (?:very )?welcome",
    r"welcome(?: back)?",
    r"(?:goodbye|bye|farewell|take care|cheers|see you(?: soon)?)",
    r"(?:best|kind|warm) (?:regards|wishes)|(?:yours )?sincerely|regards",
    r"have a (?:nice|great|good|lovely|wonderful) (?:day|evening|weekend|time|trip|stay)",
    r"(?:i(?:'m| am) )?(?:very |so )?sorry"
    r"(?: (?:about|for) (?:that|the (?:confusion|inconvenience)))?",
    r"i apologi[sz]e(?: for (?:that|the (?:confusion|inconvenience)))?",
)
_SURE = re.compile(r"(?:sure|certainly|of course|absolutely|okay|ok|great)[,!.]* ", re.IGNORECASE)

_TELL = (
    r"(?:cite|quote|explain|summari[sz]e|answer|list|go (?:over|through)|walk (?:you )?through|"
    r"break down|outline|describe|show(?: you)?|use|include|provide|follow|rely on|limit|present)"
)
_HEADS = re.compile(
    rf"(?:please )?(?:let me know|feel free to|do(?:n't| not) hesitate to)\b"
    rf"|(?:i )?(?:really )?hope (?:this|that|it)(?: all)? (?:helps|is helpful|answers|clarifies|"
    rf"was helpful|makes sense)\b"
    rf"|(?:if you|if there|if anything|should you)\b"
    rf"|i(?:'m| am) (?:just |only )?(?:an? )?(?:ai|assistant|language model)\b"
    rf"|as an? (?:ai|assistant|language model)\b"
    rf"|(?:i can (?:also )?(?:help|assist|explain)|i(?:'m| am) here to (?:help|assist))\b"
    rf"|(?:(?:as (?:instructed|requested|asked|you asked|promised)|per your request),? )?"
    rf"(?:i will|i'll|i shall|i have|i've|let me|let's|i am going to|i'm going to) (?:now )?"
    rf"(?P<tell>{_TELL}[ds]?)\b"
    rf"|(?:(?:based on|according to|from) [^,.;]{{1,80}}, )?(?:as requested, )?"
    rf"(?P<here>(?:here|below|the following)(?:'s| is| are))\b",
    re.IGNORECASE,
)
_CLOSED = frozenset(
    """a able about access additional advice again ai all also always am an and another answer
    answers any anything anytime are as ask asking assist assistance assistant at available be
    below best breakdown brief bullet but by can can't cannot chat clarification clarify
    comparison concerns consult contact could details diagnosis did differences do don't each
    else ever every examples explain explanation explore facts fast feel few find follow
    following for found free from full further general get give glad go happy have help helpful
    helps here hesitate highlights how i i'd i'll i'm if in info information into is issues it
    it's just key know knowledge language learn legal let like list maybe me medical message
    model main more my need needs next not of offer on one options or other our out outline
    overview part personal please point points possible professional provide provided question
    questions quick quickly reach real-time relevant reply request requests response say send
    share short should simple simply so some something specific step steps such suggestions
    summary support table tell thank thanks that that's the them there there's these think this
    those time to today topic touch try understand us use via want was way we what with within
    would write you you'd you're you've your yourself""".split()
)
# A topic may follow these, if it is a noun phrase.
_TOPICS = re.compile(r"(?:about|on|regarding|concerning|of|with|from|through|between|among)\Z")
_TOPIC_WORDS = 12
_ARTICLES = frozenset("the a an your these this any some".split())
_META = _whole(
    r"(?:based on|according to|from) the (?:provided |given |available |retrieved )?"
    r"(?:context|sources?|documents?|passages?|information|text|excerpts?)(?: (?:provided|given))?",
    r"(?:in (?:summary|short|conclusion|brief)|to (?:summari[sz]e|sum up|conclude)|overall|"
    r"finally|additionally|moreover|also|however|note|sources?|references?|answer|summary)",
    r"for (?:example|instance)",
)

_NICE = (
    r"(?:lovely|beautiful|nice|wonderful|delightful|charming|pleasant|amazing|fantastic|gorgeous|"
    r"stunning|enjoyable|superb|terrific|magical|fun|interesting|exciting|splendid|marvellous|"
    r"awesome|brilliant)"
)
_THING = (
    r"(?:walk|place|spot|view|experience|time|day|trip|read|story|film|movie|book|song|idea|choice|"
    r"thing|way|question|fact|facts|topic|find|stop|visit|town|city|area|game|stuff|one)"
)
_SUBJECT = r"(?:it|this|that|they|these|those|(?:the|this|that|these) [\w-]+(?: [\w-]+)?)"
_OPINION = _whole(
    rf"(?:i (?:think|feel|find|believe)(?: that)? )?{_SUBJECT}"
    rf"(?: (?:is|are|was|were|looks?|seems?|feels?|sounds?)|'s|'re)?"
    rf" (?:(?:an?|really|very|quite|truly|such|so|rather|just|simply|absolutely) ){{0,3}}"
    rf"{_NICE}(?: (?:and|,) {_NICE})?(?: {_THING})?",
    rf"what an? {_NICE} {_THING}",
    rf"(?:how )?{_NICE}",
    r"(?:that|this|it)(?: is|'s) (?:a )?(?:good|great) (?:idea|choice|question|point|thing)",
)

_CONSULT = r"(?:check|contact|consult|ask|speak|talk|call|email|reach out|refer|confirm|verify)"
_ADVICE = re.compile(
    rf"(?:please |i(?:'d| would)? (?:recommend|suggest|advise) (?:that )?(?:you )?(?:to )?|"
    rf"you (?:may|might|could) (?:also )?(?:want|wish|like) to |you (?:may|might) |"
    rf"it(?: is|'s) (?:always )?(?:best|wise|advisable|a good idea|worth(?:while)?) (?:to )?|"
    rf"for (?:more|further|additional) (?:details|information|help),? (?:please )?)?"
    rf"(?:always |also |directly )?(?:double-)?{_CONSULT}(?:ing)?\b",
    re.IGNORECASE,
)
_ADVISED = re.compile(
    r"\b(?:(?:more|further|latest|current|additional|specific|up-to-date|exact|most recent|"
    r"official)(?: \w+)?|details?|information|directly|sure|clarification|confirmation|"
    r"availability|unsure|doubt|double-\w+|website|support|staff|team)\Z",
    re.IGNORECASE,
)
# Words of advice beside whom or what to ask; of other words there may be five.
_ADVISING = frozenset(
    """a about and at before customer current details directly documentation doubt for further help
    if in information latest more most of official on or our page please provider recent service
    site specific staff sure team the them to unsure up-to-date updates us website when with
    you you're are your""".split()
)
_GIFTS = re.compile(
    r"\b(?:free|refund\w*|replace\w*|cheap\w*|discount\w*|gratis)\b|ed\b", re.IGNORECASE
)


def is_assent(plain: str) -> bool:
    """True for an opening that may also be a whole answer ("Of course!")."""
    return _ASSENT.fullmatch(plain) is not None


def is_answer(plain: str) -> bool:
    """True for an assent that answers a question, whatever follows ("Absolutely.")."""
    return _ANSWER.fullmatch(plain) is not None


def is_greeting(plain: str) -> bool:
    """True for a greeting, thanks or a farewell, and nothing beside."""
    return len(plain) <= LONG and _GREETING.fullmatch(plain) is not None


def is_meta(plain: str) -> bool:
    """True if a sentence is about the answer itself and says nothing of the matter."""
    if len(plain) > LONG:
        return False
    if _META.fullmatch(plain):
        return True
    sure = _SURE.match(plain)
    head = _HEADS.match(plain, sure.end() if sure else 0)
    return head is not None and _is_closed_tail(plain, head)


def is_opinion(plain: str) -> bool:
    """True for praise that measures nothing."""
    return len(plain) <= LONG and _OPINION.fullmatch(plain) is not None


def is_advice(plain: str) -> bool:
    """True for advice to ask or look elsewhere that gives away no fact."""
    if len(plain) > LONG or re.search("[;:]", plain):
        return False
    bare = plain.rstrip(" .!")
    head = _ADVICE.match(bare)
    if head is None or not _ADVISED.search(bare):
        return False
    tail = bare[head.end() :].replace(",", "").lower()
    free = [word for word in tail.split() if word not in _ADVISING]
    return len(free) <= 5 and not _GIFTS.search(tail) and not _says(tail)


def _is_closed_tail(plain: str, head: re.Match[str]) -> bool:
    """True if only closed words follow, and at most one topic that asserts nothing."""
    tail = plain[head.end() :].rstrip(" .!:").lower()
    if re.search(r"[;:.]|\?.", tail):
        return False
    topic: list[str] = []
    for part in tail.split(","):
        words = part.split()
        first = _first_free(words)
        if first is None:
            continue
        goes_on = bool(topic) and words[:first] in ([], ["and"], ["or"])
        if first and not goes_on and not _names_topic(words[:first], head):
            return False
        if not first and not topic and not head["tell"]:
            return False
        topic += words[first:]
    return len(topic) <= _TOPIC_WORDS and not _says("it " + " ".join(topic))


def _first_free(words: list[str]) -> int | None:
    """Return where the first word outside the closed list begins a topic, with its article."""
    found = (i for i, word in enumerate(words) if word.strip("\"'()!") not in _CLOSED)
    first = next(found, None)
    while first and words[first - 1] in _ARTICLES:
        first -= 1
    return first


def _names_topic(before: list[str], head: re.Match[str]) -> bool:
    """True if a topic may follow: "about ..."; "here are the steps to ..."."""
    if before[-1] == "to":
        return head["here"] is not None and len(before) > 1
    return _TOPICS.fullmatch(before[-1]) is not None


def _says(phrase: str) -> bool:
    """True if a phrase asserts or denies."""
    return asserts(phrase) or turns(phrase)
