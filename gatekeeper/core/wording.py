"""Why a claim got its status, in words for people. Pure."""

from gatekeeper.core.aggregate import Finding
from gatekeeper.core.plan import ClaimPlan
from gatekeeper.verdict import ClaimStatus

_BY_STATUS = {
    ClaimStatus.UNSUPPORTED: "follows from no passage",
    ClaimStatus.CONFLICTING: "one passage supports it, another contradicts it",
    ClaimStatus.CONTRADICTED: "the passage says otherwise",
}


def reason_of(finding: Finding, claim: ClaimPlan) -> str:
    """Say what decided; names value, rule and passage where the guard did."""
    if finding.unresolved is not None:
        return str(finding.unresolved)
    if claim.ruling.reason:
        return claim.ruling.reason
    if finding.status is ClaimStatus.SUPPORTED:
        copied = claim.planned[finding.decided_by[0]].verbatim
        return "stands in the passage word for word" if copied else "follows from the passage"
    return _BY_STATUS[finding.status]
