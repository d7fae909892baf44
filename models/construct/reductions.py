"""Rewordings that a sentence entails: a detail left out, "said that" left out, a lead-in cut."""

import random
import re
from dataclasses import dataclass

# The last part of a sentence that could be left out; what stands before it is read greedily.
_DETAIL = re.compile(
    r"(?<=\A)(?P<head>.{12,})(?P<part>,? (?:(?:in|on|at|during|for|with|from|near|by|through|"
    r"since|until|after|before|because of|due to|according to|including|such as|along with|"
    r"as part of|thanks to) [^,.;:]{3,70}"
    r"|(?:which|who|whose|where|because|since|while|so that|in order to) [^.;:]{8,120}))(?=\.|\Z)"
)
_APPOSITION = re.compile(
    r"(?<=[a-z]),"
    r"(?: (?:who|which|whose|where|aged)\b[^,.;:]{3,80}| (?:a|an|the) [^,.;:]{3,60}),"
    r"(?= (?:is|are|was|were|has|had|have|will|can|\w+ed)\b)"
)
_LEAD = re.compile(
    r"\A(?:In|On|At|After|Before|During|Since|By|For|With|From|However|Moreover|Furthermore|"
    r"In addition|Additionally|Meanwhile|Finally|Then|So|Also|Therefore|As a result)\b"
    r"[^,]{0,60}, (?=[a-zA-Z])"
)
_SAID = re.compile(
    r"\A(?:[A-Z][\w .'-]{1,50}|We|I|He|She|They|It) "
    r"(?:(?:said|says|reported|stated|announced|confirmed|added) (?:that )?"
    r"(?=(?:the|he|she|it|they|there|this|we|his|her|its|their|[A-Z]\w*) )"
    r"|(?:noted|notes|explained|found|find|showed|show|demonstrate|observe) that "
    r"(?=(?:the|a|an|he|she|it|they|there|[A-Z]\w*) ))"
)
_PARTS = (("detail", _DETAIL), ("apposition", _APPOSITION), ("lead", _LEAD), ("said", _SAID))
# Words that change what a cut does: negation, condition, comparison, possibility.
_BROKEN = re.compile(
    r"\b(?:not|n't|no|only|never|without|if|unless|may|might|could|would|all|every|each|any|than|"
    r"between|both|either|neither)\b|n't"
)
# Words that ask for what was cut off behind them.
_STRANDED = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|the|a|an|of|to|and|or|its|their|depends?|based|consists?|"
    r"belongs?|live[sd]?|deal[st]?|rel(?:y|ies)|differs?|responsible|interested|able|used|known|"
    r"such|consistent|well|about|much|known|located|born|made|put|came|come|went|go|"
    r"look(?:ed|ing)?|ask(?:ed)?|wait(?:ing)?)|-)\Z"
)
LEAST_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """A sentence without a part of it; ``part`` is what was left out."""

    kind: str
    text: str
    part: str


def reductions(sentence: str) -> list[Reduction]:
    """Return what is left of a sentence once a part that adds a fact of its own is cut."""
    if _BROKEN.search(sentence):
        return []
    found = []
    for kind, pattern in _PARTS:
        hit = pattern.search(sentence)
        if not hit:
            continue
        start = hit.start("part") if kind == "detail" else hit.start()
        rest = sentence[:start] + sentence[hit.end() :]
        if start == 0:
            rest = rest[:1].upper() + rest[1:]
        stranded = kind == "detail" and _STRANDED.search(sentence[:start].rstrip(" ,"))
        if len(rest.split()) >= LEAST_WORDS and not stranded:
            found.append(Reduction(kind=kind, text=rest, part=sentence[start : hit.end()]))
    return found


def reduced(sentence: str, draw: random.Random) -> Reduction | None:
    """Return one of the reductions of a sentence, None if there is none."""
    found = reductions(sentence)
    return draw.choice(found) if found else None


def finished(text: str) -> str:
    """Return a text with one capital at its start and one stop at its end."""
    text = re.sub(r"\s+", " ", text).strip(" ,;:")
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", '."', ".)")) else f"{text}."
