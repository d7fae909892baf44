"""Formulas of two quantities: "Q = V / t" says in letters what "volume divided by time" says.

Pure. An entailment model can't read a formula. Where a sentence of the evidence says it in words,
with the letters as initials in the same places, the sentence is shown with the formula behind it.
"""

import re
from dataclasses import dataclass

_FORMULA = re.compile(
    r"\$?(?<![\w\\])(?P<name>[A-Za-z])\s?=\s?"
    r"(?:\\frac\{(?P<top>[A-Za-z])\}\{(?P<bottom>[A-Za-z])\}"
    r"|(?P<one>[A-Za-z])\s?(?P<sign>/|\*|\+|-|\u00d7|\u00b7|\\times|\\cdot)\s?(?P<two>[A-Za-z]))"
    r"(?!\w)\s?(?![-+*/^(=])\$?"
)
_SIGNS = {
    "/": r"divided by|per|over",
    "*": r"times|multiplied by",
    "+": r"plus|and",
    "-": r"minus|less",
}
_SAME = {"\u00d7": "*", "\u00b7": "*", "\\times": "*", "\\cdot": "*"}
_MAX_TEXT = 4000  # characters of a claim, and of a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A formula as written, and the pattern of the words that say the same."""

    text: str
    said: re.Pattern[str]

    def stands(self, sentence: str) -> bool:
        """True if a sentence says it in words."""
        return self.said.search(sentence[:_MAX_TEXT]) is not None


def formula(plain: str) -> Formula | None:
    """Return the formula of a claim, None if it has none or more than one."""
    found = list(_FORMULA.finditer(plain[:_MAX_TEXT]))
    if len(found) != 1:
        return None
    groups = found[0].groupdict()
    sign = groups["sign"] or "/"
    one, two = groups["one"] or groups["top"], groups["two"] or groups["bottom"]
    # What is worked out is named by its letter, or by a word of the claim ("flow").
    names = {
        re.escape(word) for word in re.findall(r"[a-z]{3,40}", plain[: found[0].start()].lower())
    }
    subject = "|".join((*sorted(names), rf"{groups['name'].lower()}\w{{0,40}}"))
    said = (
        rf"\b(?:{subject})\s(?:is|equals|=)\s(?:the\s)?{one.lower()}\w{{0,40}}\s"
        rf"(?:{_SIGNS[_SAME.get(sign, sign)]})\s(?:the\s)?{two.lower()}\w{{0,40}}\b"
    )
    return Formula(text=found[0].group().strip(), said=re.compile(said, re.IGNORECASE))
