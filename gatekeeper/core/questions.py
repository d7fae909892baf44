"""Whether a sentence asks, and where a statement ends to which a question was only added."""

import re

from gatekeeper.core.predicates import asserts

_QUOTED = re.compile(r'"[^"]*"')
_ASKS = re.compile(
    r"(?:[A-Z][\w'-]{0,20}(?: [\w'-]{1,20})?: )?"
    r"(?:(?:(?:so|and|but|or|then|now|ok|okay|well|also|sorry|please|hey|hi|hello|yes|no|excuse me)"
    r",?|\w{1,20},) ){0,3}"
    r"(?:(?:in|at|on|for|from|by|to|with|of|about|until|under|since|up to|into) )?"
    r"(?:what|whats|who|whom|whose|how|why|where|when|which|is|are|was|were|am|do|does|did|have|has|"
    r"had|can|could|may|might|must|shall|should|will|would|any|anything|anyone|need|want|"
    r"looking|ready|interested|curious|wondering|more|got|care|fancy|ever|really|"
    r"(?:is|are|do|does|did|would|could|can|have|has|should|wo|ca)n't (?:you|we|i|they|he|she))"
    r"(?:'s|'re|'d)?\b(?! not\b)",
    re.IGNORECASE,
)
# What only tells in the form of a question.
_TELLS = re.compile(
    r"do you know that\b|did you know\b(?! (?:who|what|where|when|why|how|if|whether|any))|"
    r"(?:is|was)(?:n't| it not| not it)\b|is it any wonder|"
    r"who (?:knew|would have thought)",
    re.IGNORECASE,
)
_ADDED = re.compile(
    r"(?:(?:[,;:.]| -)|(?<=[\w\"')\]])) (?:and |so )?"
    r"(?=(?:any (?:other |more |further )?questions|anything else|does (?:that|this|it) "
    r"(?:help|make sense|answer your question)|is (?:that|this) (?:clear|ok(?:ay)?|helpful)|"
    r"(?:would you like|do you (?:want|need|have)|can i|shall i|what about you|"
    r"how about you)\b[^.?!;:]{0,80}|right|correct|ok(?:ay)?|"
    r"(?:is|are|was|were|do|does|did|has|have|can|could|will|wo|ca)n't "
    r"(?:it|they|he|she|we|you|there)|"
    r"yes|no|true|agreed|got it)\?\Z)",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"(?:if|when|while|after|before|for|in|on|at|as|since|given|based on|assuming|considering|once|"
    r"regarding|speaking of|with|during|about)\b",
    re.IGNORECASE,
)
_STATES = re.compile(r"(?:;| - |: |, (?!or |and |if |whether |what |which |where |who |how |like |"
                     r"such |but ))(?P<rest>[^,;]*)")  # fmt: skip
_SHORT = 6


def is_question(plain: str) -> bool:
    """True if a sentence ends as a question; a question that it only quotes does not count."""
    bare = plain.rstrip(" *_)")
    if bare.endswith('"') and bare.startswith('"'):
        bare = bare.strip('"')
    bare = _QUOTED.sub("", bare).rstrip()
    return bare.rstrip("!").endswith(("?", "\u061f"))


def only_asks(plain: str) -> bool:
    """True if a sentence is a question as a whole: nothing is told before it, or by it."""
    if not is_question(plain):
        return False
    bare = plain.strip(" \"'*_(")
    if _TELLS.match(bare):
        return False
    head, comma, rest = bare.partition(", ")
    if comma and _SETTING.match(head) and _ASKS.match(rest):
        bare = rest
    if _ASKS.match(bare):
        return not any(_is_statement(m["rest"]) for m in _STATES.finditer(bare))
    return len(bare.split()) <= _SHORT and not asserts(bare.rstrip("?! "))


def added_question(plain: str) -> int | None:
    """Return where a question begins that was added to a statement ("..., right?")."""
    found = _ADDED.search(plain, max(0, len(plain) - 130)) if plain.endswith("?") else None
    return found.end() if found and found.start() > 0 else None


def _is_statement(part: str) -> bool:
    return asserts(part) and not _ASKS.match(part)
