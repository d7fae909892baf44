"""One notation: what the guard proved is shown to the model in the words of the claim.

Pure. An entailment model reads digits as pieces of text: to it "2 kilometres" and "2,000 metres"
are strangers. Where the guard found a value of the claim stated in another notation or derived,
the premise gets the claim's form of it as an apposition. The claim is never rewritten, and the
model keeps the last word: an apposition says that the value is right, not that the claim is.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatekeeper.core.formulas import formula
from gatekeeper.core.values import Fact, FactIndex, Finding, Relation, Value
from gatekeeper.core.values.match import Match, agreement

_NEXT_WORD = re.compile(r"[ -][^\W\d_]+")
_MAX_FACTS = 4000  # sentences searched for a formula in words
_PROVED = (Relation.STATED, Relation.DERIVED)
# A bound that a stated value satisfies is another value, not another notation: "within 30 days
# (60 days)" would say what the evidence does not.
_NOTATIONS = (Match.SAME, Match.CONVERSION, Match.ROUNDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Apposition:
    """A form of a value to add to an evidence line, after ``old`` (a value, or the whole line)."""

    line: int
    old: str
    new: str

    def put_into(self, premise: str) -> str:
        """Return a premise that holds the line with the form added, once."""
        return premise.replace(self.old, self.new, 1)


def appositions(
    findings: Sequence[Finding], plain: str, facts: FactIndex
) -> tuple[Apposition, ...]:
    """Return the forms to add, in the order of the findings; none where the words are the same.

    Args:
        findings: What the guard found about a claim.
        plain: The claim in its own words.
        facts: The evidence.
    """
    found = []
    for finding in findings:
        value, line = finding.value, finding.sentence
        if finding.relation not in _PROVED or value is None or line is None:
            continue
        fact = facts.facts[line]
        if value.text.casefold() in fact.text.casefold():
            continue
        form = _form(value, plain, line, fact)
        if form is not None:
            found.append(form)
    return (*found, *_formulas(plain, facts))


def _formulas(plain: str, facts: FactIndex) -> Iterator[Apposition]:
    """Set a formula behind the sentence that says it in words."""
    written = formula(plain) if "=" in plain else None
    if written is not None:
        for line, fact in enumerate(facts.facts[:_MAX_FACTS]):
            if written.stands(fact.text):
                bare = fact.text.rstrip(" .!:")
                yield Apposition(line=line, old=bare, new=f"{bare}, {written.text}")
                return


def _form(value: Value, plain: str, line: int, fact: Fact) -> Apposition | None:
    """Set the claim's form beside the evidence value it equals, or behind what it follows from."""
    matches = [(agreement(value, other), other.text) for other in fact.values]
    for match, text in matches:
        if match in _NOTATIONS:
            return Apposition(line=line, old=text, new=f"{text} ({value.text})")
    if any(match is not None for match, _ in matches):
        return None
    bare = fact.text.rstrip(" .!:")
    return Apposition(line=line, old=bare, new=f"{bare}, {_counted(value, plain)}")


def _counted(value: Value, plain: str) -> str:
    """Return a value with the word for what it counts: "four" says nothing, "four tools" does."""
    word = _NEXT_WORD.match(plain, value.end)
    return f"{value.text}{word[0]}" if value.noun and word else value.text
