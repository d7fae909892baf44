"""Which segments assert nothing, and what they are instead.

Closed lists over the normalised segment, deterministic. A pattern has to match the segment as a
whole: "not mentioned in the brochure, but it is 4 per day" must keep its claim, and "the pass
does not include meals" is no refusal. When unsure a segment is a claim: a claim that was exempt
is never checked. A value makes a claim of any form; steps and imperatives are claims.

How the lists were chosen: greetings, offers and refusals as assistants write them when told to
answer from given text; verbs of knowing and saying, because a refusal has a negated one of them
with the speaker or the sources as its subject, whatever its other words; adjectives that praise
without measuring (no superlatives, none that a document could state as a property).
"""

import re

from gatekeeper.core.clauses import ends_open, has_finite_verb
from gatekeeper.core.units import Form
from gatekeeper.core.values import extract
from gatekeeper.verdict import SegmentKind


def _whole(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(patterns)})[\s.!:,]*", re.IGNORECASE)


_REST = r"[^.;:]{0,200}"
_GREETING = _whole(
    r"(?:hello|hi|hey|dear|greetings)(?:[, ]+(?:there|all|everyone|team|again|[A-Z][a-z]{1,20}))?",
    r"good (?:morning|afternoon|evening|day|night)(?:[, ]+(?:there|all|everyone))?",
    r"(?:sure|certainly|of course|absolutely|great|okay|ok|understood|got it|no problem)",
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
_META = _whole(
    rf"(?:please )?(?:let me know|feel free to|do(?:n't| not) hesitate to)\b{_REST}",
    rf"(?:i )?hope (?:this|that|it) (?:helps|is helpful|answers|clarifies|was helpful)\b{_REST}",
    rf"(?:if you (?:have|need|want|would like|'d like)|should you (?:have|need)) (?:\w+ ){{0,2}}"
    rf"(?:any|more|further|other|additional|help|assistance|questions?|anything|know)\b{_REST}"
    rf", (?:please |just |feel free|let me|i can|i'd be|i am happy|i'm happy|do not|don't){_REST}",
    rf"(?:would you like|do you want|is there anything|can i)\b{_REST}\?",
    rf"(?:as (?:instructed|requested|asked|you asked|promised)|per your request),? "
    rf"(?:here|below|i(?: will|'ll| have|'ve) (?:cite|quote|use|list|include|provide|answer|"
    rf"summari[sz]e|follow|rely|limit)[ds]?)\b{_REST}",
    rf"(?:i will|i'll|i shall|let me|i am going to|i'm going to) (?:now )?"
    rf"(?:cite|explain|summari[sz]e|answer|list|go|walk|break|outline|describe|show|use)\b{_REST}",
    r"(?:(?:based on|according to|from) [^,.;]{0,80}, )?(?:here|below|the following)"
    r"(?: (?:is|are)|'s) (?:a |an |the |some |my |your |our |what )?(?:\w+ ){0,3}"
    r"(?:summary|overview|answer|list|breakdown|details|information|steps|points|options|"
    r"response|explanation|comparison|table|outline|found|know|highlights|facts)"
    r"(?: (?:of|for|from|on|about|to|you|in|based)\b[^.;:]{0,80})?",
    r"(?:based on|according to|from) the (?:provided |given |available |retrieved )?"
    r"(?:context|sources?|documents?|passages?|information|text|excerpts?)(?: (?:provided|given))?",
    r"(?:in (?:summary|short|conclusion|brief)|to (?:summari[sz]e|sum up|conclude)|overall|"
    r"finally|additionally|moreover|also|however|note|sources?|references?|answer|summary)",
    r"i(?:'m| am) (?:an ai|an assistant|a language model)[^,;:]{0,60}",
    rf"(?:i can (?:also )?(?:help|assist|explain)|i'm here to help)\b{_REST}",
)
_NICE = (
    r"(?:lovely|beautiful|nice|wonderful|delightful|charming|pleasant|amazing|fantastic|gorgeous|"
    r"stunning|enjoyable|superb|terrific|magical|fun|interesting|exciting|splendid|marvellous|"
    r"awesome|brilliant)"
)
_SUBJECT = r"(?:it|this|that|they|these|those|(?:the|this|that|these) [\w-]+(?: [\w-]+)?)"
_OPINION = _whole(
    rf"(?:i (?:think|feel|find|believe)(?: that)? )?{_SUBJECT}"
    rf"(?: (?:is|are|was|were|looks?|seems?|feels?|sounds?)|'s|'re)?"
    rf" (?:(?:an?|really|very|quite|truly|such|so|rather|just|simply|absolutely) ){{0,3}}"
    rf"{_NICE}(?: (?:and|,) {_NICE})?(?: [a-z]+)?",
    rf"what an? {_NICE}(?: [\w-]+){{1,2}}",
    rf"(?:how )?{_NICE}",
    r"(?:that|this|it)(?: is|'s) (?:a )?(?:good|great) (?:idea|choice|question|point|thing)",
)
_CONSULT = r"(?:check|contact|consult|ask|speak|talk|call|email|reach out|refer|confirm|verify)"
_ADVICE = _whole(
    rf"(?:please |i(?:'d| would)? (?:recommend|suggest|advise) (?:that )?(?:you )?(?:to )?|"
    rf"you (?:may|might|could) (?:also )?(?:want|wish|like) to |you (?:may|might) |"
    rf"it(?: is|'s) (?:always )?(?:best|wise|advisable|a good idea|worth(?:while)?) (?:to )?|"
    rf"for (?:more|further) (?:details|information|help),? (?:please )?)?"
    rf"(?:always |also |directly )?(?:double-)?{_CONSULT}(?:ing)?\b[^,.;:]{{0,80}}"
    rf"(?:for (?:more|further|the latest|up-to-date|current|additional|specific) [^,.;:]{{0,60}}|"
    rf"directly|(?:for|to be) (?:sure|details|clarification|confirmation)|"
    rf"(?:if you are|if you're|when|if) (?:unsure|in doubt))",
    r"for (?:more|further|additional) (?:details|information|help),? (?:please )?"
    rf"{_CONSULT}{_REST}",
    rf"(?:please |i(?:'d| would)? (?:recommend|suggest) |you may want to )?"
    rf"double-check(?:ing)?{_REST}",
)

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
    rf"[^,]{{1,120}}?{_IS_NOT} (?:{_MENTIONED}\b|{_GIVEN_IN} (?:in|by) {_TEXTS})",
    rf"[^,]{{1,120}}? (?:can|could)(?:not| not|n't) be {_FOUND} {_FROM} {_WORKS}",
    rf"[^,]{{1,120}}?{_IS_NOT} (?:in|among|within|part of) {_TEXTS}",
    rf"[^,]{{1,120}}? (?:beyond|outside) (?:the scope of )?{_WORKS}",
)
_REFUSAL = re.compile(rf"(?!{_CONDITION}){_SORRY}(?:{'|'.join(_REFUSALS)})", re.IGNORECASE)
# A reason, a contrast or a second statement: more than a refusal.
_MORE = re.compile(
    r"[;:]| - |\b(?:because|since|so|therefore|however|but|although|though|while|except|instead)\b"
    r"|, (?!or |nor |and |if |whether |what |which )[^,]*"
    r"\b(?:is|are|was|were|has|costs|can|must)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r'"[^"]*"')


def has_value(text: str) -> bool:
    """True if the value guard finds a value in a normalised text that may be judged."""
    return any(not value.weak for value in extract(text))


def is_question(plain: str) -> bool:
    """True if the sentence itself asks; a question that it only quotes does not count."""
    bare = plain.rstrip(" *_)")
    if bare.endswith('"') and bare.startswith('"'):
        bare = bare.strip('"')
    bare = _QUOTED.sub("", bare).rstrip()
    return bare.rstrip("!").endswith(("?", "\u061f"))


def is_refusal(plain: str) -> bool:
    """True if a sentence as a whole says that the speaker or the sources cannot say."""
    match = _REFUSAL.match(plain) if len(plain) <= _LONG else None
    return match is not None and not _MORE.search(plain, match.end())


def is_meta(plain: str) -> bool:
    """True if a sentence is about the answer itself."""
    return len(plain) <= _LONG and _META.fullmatch(plain) is not None


def kind_of(plain: str, form: Form) -> SegmentKind:
    """Return the kind of a segment from its normalised text and its form."""
    if form is Form.LAYOUT or not any(c.isalnum() for c in plain):
        return SegmentKind.LAYOUT
    if form in _ALWAYS_CLAIMS:
        return SegmentKind.CLAIM
    if form is Form.TABLE_HEADER or _is_heading(plain, form):
        kind = SegmentKind.META if is_meta(plain) else SegmentKind.HEADING
    else:
        kind = _prose_kind(plain)
    # The guard reads a text far slower than the lists do, so it comes last.
    is_claim = kind is SegmentKind.CLAIM or has_value(plain)
    return SegmentKind.CLAIM if is_claim else kind


_ALWAYS_CLAIMS = frozenset((Form.CODE, Form.TABLE_ROW, Form.RECORD))
_LONG = 300  # characters; what is longer is more than a greeting or a refusal
_ANNOUNCES = re.compile(r"\b(?:these|this|following|follows|below|here)\b", re.IGNORECASE)
_ASKS = re.compile(r"(?:what|who|how|why|where|when|which|whether)\b", re.IGNORECASE)
# A statement behind the comma of a courtesy.
_SMUGGLED = re.compile(r", (?!i\b|please |just |feel )[^,]*\b(?:is|are|was|were|has|costs|must)\b")
_KINDS = (
    (_GREETING, SegmentKind.GREETING),
    (_META, SegmentKind.META),
    (_OPINION, SegmentKind.OPINION),
    (_ADVICE, SegmentKind.ADVICE),
)


def _is_heading(plain: str, form: Form) -> bool:
    """True for a heading or lead-in; a whole sentence set as a heading still asserts."""
    words = len(plain.split())
    if form is Form.LEAD_IN:
        bare = plain.rstrip(": ")
        return ends_open(bare) or bool(_ANNOUNCES.search(bare)) or not has_finite_verb(bare)
    if form is Form.HEADING:
        return words < 5 or bool(_ASKS.match(plain)) or not has_finite_verb(plain)
    return plain.endswith(":") and words <= 8 and not has_finite_verb(plain)


def _prose_kind(plain: str) -> SegmentKind:
    if len(plain) > _LONG:
        return SegmentKind.QUESTION if is_question(plain) else SegmentKind.CLAIM
    for pattern, kind in _KINDS:
        if pattern.fullmatch(plain) and not _SMUGGLED.search(plain):
            return kind
    if is_question(plain):
        return SegmentKind.QUESTION
    return SegmentKind.REFUSAL if is_refusal(plain) else SegmentKind.CLAIM
