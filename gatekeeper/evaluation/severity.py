"""How bad a flagged answer is: for evaluation and review, never for the live decision.

A claim is critical when the data marks it, or when it holds a value of a kind that was named for
the evaluation. Without either none is critical, and the result says so. Severity stands beside the
share of supported claims and the list of claims, never instead of them.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gatekeeper.core.values import Kind, extract
from gatekeeper.evaluation.run import Evaluated
from gatekeeper.evaluation.spans import match
from gatekeeper.verdict import ClaimStatus, ClaimVerdict


class Severity(StrEnum):
    """From nothing wrong to nothing right; the order of the rules is another."""

    NONE = "none"
    MINOR = "minor"
    MAJOR = "major"
    COMPLETE = "complete"
    UNDECIDED = "undecided"


class Critical(StrEnum):
    """Kinds of claims that can be named as critical."""

    MONEY = "money"
    DURATION = "duration"
    DATE = "date"
    DOSAGE = "dosage"
    IDENTIFIER = "identifier"
    URL = "url"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """The status of a claim and whether it is critical."""

    status: ClaimStatus
    critical: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityTable:
    """Answers by severity, and how critical claims fared.

    ``undefined`` answers have no claims. ``is_marked`` is False where neither the data nor a kind
    says what is critical: then no claim is.
    """

    counts: Mapping[Severity, int]
    undefined: int
    critical: int
    critical_supported: int
    is_marked: bool
    kinds: tuple[Critical, ...]


_KINDS = {
    Critical.MONEY: Kind.MONEY,
    Critical.DURATION: Kind.DURATION,
    Critical.DATE: Kind.DATE,
    Critical.IDENTIFIER: Kind.IDENTIFIER,
    Critical.URL: Kind.URL,
}
# What is dispensed is weighed or poured.
_DISPENSED = frozenset({"mass", "volume"})
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot)\b|n[\u2019']t\b",
    re.IGNORECASE,
)
_WRONG = frozenset({ClaimStatus.CONTRADICTED, ClaimStatus.CONFLICTING})


def severity(claims: Sequence[Weighed]) -> Severity | None:
    """Return the severity of an answer; None without claims.

    Undecided where it hangs on how unresolved claims turn out: all supported or all unsupported
    are the ends, and where the two agree so does what lies between.
    """
    if not claims:
        return None
    best, worst = (
        _decided([_resolved(claim, to) for claim in claims])
        for to in (ClaimStatus.SUPPORTED, ClaimStatus.UNSUPPORTED)
    )
    return best if best is worst else Severity.UNDECIDED


def weigh(item: Evaluated, kinds: Collection[Critical] = ()) -> list[Weighed]:
    """Return the claims of an answer with what the data, and the kinds named, say of each."""
    marks = [mark for mark in item.row.claims or () if mark.critical]
    answer = item.row.answer
    return [
        Weighed(
            status=claim.status,
            critical=any(match(claim, mark, answer) for mark in marks) or _holds(claim, kinds),
        )
        for claim in item.verdict.claims
    ]


def severity_table(
    evaluated: Sequence[Evaluated], kinds: Collection[Critical] = ()
) -> SeverityTable:
    """Count answers by severity."""
    weighed = [weigh(item, kinds) for item in evaluated]
    found = Counter(map(severity, weighed))
    critical = [claim for claims in weighed for claim in claims if claim.critical]
    in_data = any(mark.critical for item in evaluated for mark in item.row.claims or ())
    return SeverityTable(
        counts={level: found[level] for level in Severity},
        undefined=found[None],
        critical=len(critical),
        critical_supported=sum(claim.status is ClaimStatus.SUPPORTED for claim in critical),
        is_marked=in_data or bool(kinds),
        kinds=tuple(kind for kind in Critical if kind in kinds),
    )


def severity_record(table: SeverityTable) -> dict[str, object]:
    """Return the table as ``gatekeeper evaluate --json`` holds it."""
    return {
        "answers": {str(level): count for level, count in table.counts.items()},
        "undefined": table.undefined,
        "critical_claims": table.critical if table.is_marked else None,
        "critical_supported": table.critical_supported if table.is_marked else None,
        "critical_kinds": [str(kind) for kind in table.kinds],
        "marking": "as marked" if table.is_marked else "nothing is marked: no claim is critical",
    }


def _resolved(claim: Weighed, to: ClaimStatus) -> Weighed:
    if claim.status is not ClaimStatus.UNRESOLVED:
        return claim
    return Weighed(status=to, critical=claim.critical)


def _decided(claims: Sequence[Weighed]) -> Severity:
    """Return the severity of claims that are all resolved: the first rule that fits."""
    failed = [claim for claim in claims if claim.status is not ClaimStatus.SUPPORTED]
    if not failed:
        return Severity.NONE
    if len(failed) == len(claims):
        return Severity.COMPLETE
    is_major = len(failed) > 1 or failed[0].critical or failed[0].status in _WRONG
    return Severity.MAJOR if is_major else Severity.MINOR


def _holds(claim: ClaimVerdict, kinds: Collection[Critical]) -> bool:
    if not kinds:
        return False
    if Critical.NEGATION in kinds and _NEGATION.search(claim.text):
        return True
    values = extract(claim.text)
    wanted = {_KINDS[kind] for kind in kinds if kind in _KINDS}
    if any(value.kind in wanted for value in values):
        return True
    return Critical.DOSAGE in kinds and any(
        reading.kind is Kind.QUANTITY and reading.unit in _DISPENSED
        for value in values
        for reading in value.readings
    )
