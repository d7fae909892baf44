"""An edit: words of a sentence that give way to others, and what that does to its truth."""

import re
from dataclasses import dataclass

ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
NOT_ENTAILMENT = "not_entailment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Words that give way to others, and the labels both directions get.

    ``forward``: the premise keeps ``old``, the claim says ``new``. ``backward``: the premise says
    ``new``, the claim keeps ``old``; None where that label would be a matter of taste.
    """

    kind: str
    old: str
    new: str
    forward: str
    backward: str | None

    def apply(self, text: str) -> str | None:
        """Return the text with ``old`` replaced by ``new``, None unless ``old`` is there once."""
        pattern = bounded(self.old)
        if len(re.findall(pattern, text)) != 1:
            return None
        return re.sub(pattern, lambda _: self.new, text)


def bounded(words: str) -> str:
    """Return a pattern for words that are not parts of longer words."""
    before = r"(?<!\w)" if words[:1].isalnum() else ""
    after = r"(?!\w)" if words[-1:].isalnum() else ""
    return before + re.escape(words) + after
