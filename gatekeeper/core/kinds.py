"""Which segments assert nothing, and what they are instead.

Closed lists over the normalised segment, deterministic. A pattern has to match the segment as a
whole: "not mentioned in the brochure, but it is 4 per day" must keep its claim, and "the pass
does not include meals" is no refusal. When unsure a segment is a claim: a claim that was exempt
is never checked. A value makes a claim of any form; steps and imperatives are claims.
"""

import re

from gatekeeper.core.characters import has_pictures, has_words
from gatekeeper.core.clauses import ends_open, has_finite_verb
from gatekeeper.core.courtesies import (
    LONG,
    is_advice,
    is_answer,
    is_assent,
    is_greeting,
    is_meta,
    is_opinion,
)
from gatekeeper.core.predicates import asserts, turns
from gatekeeper.core.questions import only_asks
from gatekeeper.core.refusals import is_refusal
from gatekeeper.core.units import Form
from gatekeeper.core.values import extract
from gatekeeper.verdict import SegmentKind

_ALWAYS_CLAIMS = frozenset((Form.CODE, Form.TABLE_ROW, Form.RECORD))
_LONGEST_HEADER = 2000  # characters
_KINDS = (
    (is_greeting, SegmentKind.GREETING),
    (is_meta, SegmentKind.META),
    (is_opinion, SegmentKind.OPINION),
    (is_advice, SegmentKind.ADVICE),
    (only_asks, SegmentKind.QUESTION),
    (is_refusal, SegmentKind.REFUSAL),
)
# A lead-in that waits for what is listed may have a verb: it is read with every item.
_ANNOUNCES = re.compile(
    r"(?:\b(?:these|the following|following|such|like this|as follows|below|steps|here|"
    r"ways|reasons|factors|things|options|examples)(?: [\w-]+){0,4}\Z)"
    r"|\A(?:sure, |yes, )?(?:here|these|this|the following|below)(?:'s| is| are)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"(?:what|who|how|where|when|which|whether)\b", re.IGNORECASE)
# Half a sentence: what stands below it is read with it.
_CONDITION = re.compile(r"(?:if|unless|when|while|once|as long as|in case)\b", re.IGNORECASE)
_WHY = re.compile(r"why\b", re.IGNORECASE)
_VERDICTS = re.compile(
    r"(?:yes|no|true|false|correct|incorrect|right|wrong|never|always|nobody|everyone|everybody|"
    r"absolutely|definitely|certainly|of course)",
    re.IGNORECASE,
)


def has_value(text: str) -> bool:
    """True if the value guard finds a value in a normalised text that may be judged."""
    return any(not value.weak for value in extract(text))


def kind_of(plain: str, form: Form) -> SegmentKind:
    """Return the kind of a segment from its normalised text and its form.

    An assent is a claim here: only what stands beside it can tell that it answers nothing.
    """
    if form is Form.LAYOUT or not has_words(plain):
        return SegmentKind.LAYOUT
    longest = _LONGEST_HEADER if form is Form.TABLE_HEADER else LONG
    if form in _ALWAYS_CLAIMS or len(plain) > longest or is_assent(plain):
        return SegmentKind.CLAIM
    if form is Form.TABLE_HEADER:
        kind = SegmentKind.CLAIM if _has_sentence(plain) else SegmentKind.HEADING
    elif _is_heading(plain, form):
        kind = SegmentKind.META if is_meta(plain) else SegmentKind.HEADING
    else:
        kind = next((kind for test, kind in _KINDS if test(plain)), SegmentKind.CLAIM)
    # The guard reads a text far slower than the lists do, so it comes last.
    is_claim = kind is SegmentKind.CLAIM or has_value(plain)
    return SegmentKind.CLAIM if is_claim else kind


def is_opening(plain: str) -> bool:
    """True for an assent that may only open an answer ("Sure!", but not "Absolutely.")."""
    return is_assent(plain) and not is_answer(plain)


def _has_sentence(row: str) -> bool:
    """True if a cell of a header is a sentence; "Dogs allowed" is said by the rows."""
    return any(has_finite_verb(cell.strip()) and not _ASKS.match(cell.strip())
               for cell in row.split("|"))  # fmt: skip


def _is_heading(plain: str, form: Form) -> bool:
    """True for a heading or lead-in; a whole sentence set as a heading still asserts."""
    bare = plain.rstrip(": ")
    if _CONDITION.match(bare) and plain.endswith(":") and "," not in bare:
        return form is Form.LEAD_IN or turns(bare) or not asserts(bare)
    if form is Form.LEAD_IN:
        return ends_open(bare) or _ANNOUNCES.search(bare) is not None or not asserts(bare)
    if form is Form.HEADING:
        return _is_title(bare)
    return plain.endswith(":") and len(plain.split()) <= 8 and not asserts(bare)


def _is_title(bare: str) -> bool:
    if _VERDICTS.fullmatch(bare) or has_pictures(bare):
        return False
    if _ASKS.match(bare):
        return ", " not in bare
    return not asserts(bare) or (_WHY.match(bare) is not None and len(bare.split()) < 5)
