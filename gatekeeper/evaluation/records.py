"""Verdicts as JSON objects: one shape for the command line and for evaluation rows."""

from gatekeeper.verdict import ClaimVerdict, Verdict


def verdict_record(verdict: Verdict, *, elapsed_s: float) -> dict[str, object]:
    """Return what ``gatekeeper check --json`` prints; offsets count code points of the answer.

    ``action`` is null: without a policy nothing is done with an answer. ``model`` is the scorer
    fingerprint. ``faithfulness`` is a number, [low, high] with unresolved claims, or null.
    """
    return {
        "verdict": str(verdict.outcome),
        "action": None,
        "reason": verdict.reason,
        "faithfulness": verdict.faithfulness,
        "score": verdict.score,
        "claims": [claim_record(claim) for claim in verdict.claims],
        "model": verdict.fingerprint,
        "elapsed_ms": round(elapsed_s * 1000, 3),
    }


def claim_record(claim: ClaimVerdict) -> dict[str, object]:
    """Return a claim as an object; ``support`` and ``contradiction`` are null when not scored."""
    return {
        "text": claim.text,
        "start": claim.start,
        "end": claim.end,
        "status": str(claim.status),
        "support": claim.support,
        "contradiction": claim.contradiction,
        "passages": list(claim.passages),
        "premises": [
            {"passage": premise.passage, "start": premise.start, "end": premise.end}
            for premise in claim.premises
        ],
        "reason": claim.reason,
    }
