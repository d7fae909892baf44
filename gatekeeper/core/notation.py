"""One notation: what the guard proved is shown to the model in the words of the claim.

Pure. An entailment model reads digits as pieces of text: to it "2 kilometres" and "2,000 metres"
are strangers. Where the guard found a value of the claim stated in another notation or derived,
the premise gets the claim's form of it as an apposition. The claim is never rewritten, and the
model keeps the last word: an apposition says that the value is right, not that the claim is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gatekeeper.core.values import FactIndex, Finding, Relation, Value
from gatekeeper.core.values.match import agreement

_PROVED = (Relation.STATED, Relation.DERIVED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Apposition:
    """A form of a value to add to an evidence line, after ``old`` (a value, or the whole line)."""

    line: int
    old: str
    new: str

    def put_into(self, premise: str) -> str:
        """Return a premise that holds the line with the form added, once."""
        return premise.replace(self.old, self.new, 1)


def appositions(findings: Sequence[Finding], facts: FactIndex) -> tuple[Apposition, ...]:
    """Return the forms to add, in the order of the findings; none where the words are the same."""
    found = []
    for finding in findings:
        value, line = finding.value, finding.sentence
        if finding.relation not in _PROVED or value is None or line is None:
            continue
        fact = facts.facts[line]
        if value.text.casefold() in fact.text.casefold():
            continue
        source = _source(value, fact.values)
        if source is None:
            bare = fact.text.rstrip(" .!")
            found.append(Apposition(line=line, old=bare, new=f"{bare}, {value.text}"))
        else:
            new = f"{source.text} ({value.text})"
            found.append(Apposition(line=line, old=source.text, new=new))
    return tuple(found)


def _source(value: Value, among: Sequence[Value]) -> Value | None:
    """Return the evidence value that is the claim's in another form; None if it is worked out."""
    return next((other for other in among if agreement(value, other) is not None), None)
