"""Audit of the segmenter on answers where a person has marked the claims.

    omitted   marked, and less than half of it lies in claims
    merged    one claim over several marked ones
    invented  a claim where nothing is marked

Claims are slices of the answer, so none can be altered: no qualifier, negation or referent of a
slice gets lost in a rewriting. Agreement in one domain says nothing of another.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

from gatekeeper.evaluation.run import Evaluated
from gatekeeper.evaluation.spans import is_covered, match
from gatekeeper.verdict import ClaimStatus, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Counts over answers with marked claims that were checked; ``answers`` is their number."""

    answers: int = 0
    marked: int = 0
    extracted: int = 0
    supported: int = 0
    omitted: int = 0
    merged: int = 0
    invented: int = 0

    @property
    def omission_rate(self) -> Fraction | None:
        """Omitted of the marked claims; None where none is marked."""
        return Fraction(self.omitted, self.marked) if self.marked else None

    @property
    def precision(self) -> Fraction | None:
        """Supported of the extracted claims; None where none was extracted."""
        return Fraction(self.supported, self.extracted) if self.extracted else None

    @property
    def pessimistic_precision(self) -> Fraction | None:
        """The same with omitted claims counted as not supported."""
        total = self.extracted + self.omitted
        return Fraction(self.supported, total) if total else None

    def __add__(self, other: "Audit") -> "Audit":
        mine, theirs = asdict(self), asdict(other)
        return Audit(**{name: mine[name] + theirs[name] for name in mine})


def audit(evaluated: Sequence[Evaluated]) -> Audit | None:
    """Audit the answers that have marked claims; None where there are none.

    Answers that were not checked have no claims to look at and are left out.
    """
    marked = [
        item
        for item in evaluated
        if item.row.claims is not None and item.verdict.outcome is not Outcome.NOT_CHECKED
    ]
    return sum(map(audit_of, marked), Audit()) if marked else None


def audit_of(item: Evaluated) -> Audit:
    """Audit one answer, whose marks are taken for all the claims in it."""
    answer, marks, claims = item.row.answer, item.row.claims or (), item.verdict.claims
    over = [sum(match(claim, mark, answer) for mark in marks) for claim in claims]
    return Audit(
        answers=1,
        marked=len(marks),
        extracted=len(claims),
        supported=sum(claim.status is ClaimStatus.SUPPORTED for claim in claims),
        omitted=sum(not is_covered(mark, claims, answer) for mark in marks),
        merged=sum(number > 1 for number in over),
        invented=sum(number == 0 for number in over),
    )


def audit_record(found: Audit | None) -> dict[str, object] | None:
    """Return the audit as ``gatekeeper evaluate --json`` holds it; None where nothing is marked."""
    if found is None:
        return None
    rates = {
        "omission_rate": found.omission_rate,
        "precision": found.precision,
        "pessimistic_precision": found.pessimistic_precision,
    }
    shown = {name: None if rate is None else float(rate) for name, rate in rates.items()}
    return {**asdict(found), "altered": 0, **shown}
