"""From verdict to action: what a route's policy does with an answer when it is enforced.

Pure and total: every verdict has an action under every policy. Shadow records the same action as
what it would have done; whether there is a place for a text is the HTTP layer's question.
"""

import hashlib
import hmac
from collections.abc import Sequence
from enum import StrEnum

from gatekeeper.policy import HELD_BACK, Reactions, Route
from gatekeeper.verdict import Action, NotCheckedReason, Outcome, UnresolvedReason, Verdict

# Nothing is gated there, so there is nothing to hold back.
_UNGATED = frozenset({str(NotCheckedReason.NO_ROUTE), str(NotCheckedReason.OFF)})

# The bits of a double's significand: the quotient below is exact and never rounds up to 1.0.
_DRAW_BITS = 53


class Side(StrEnum):
    """On which side of the gate a decision fell; rates are counted over the first two."""

    BLOCKED = "blocked"
    ACCEPTED = "accepted"
    UNCHECKED = "unchecked"


def decide(route: Route, verdict: Verdict) -> Action:
    """Return what the route's policy does with a verdict when it is enforced.

    A status outside 2xx is the app's own error and is released unless ``on_not_checked`` names
    ``status``. Where redaction would leave unresolved claims standing, ``on_unresolved`` is asked
    about each reason and wins if it holds back.
    """
    match verdict.outcome:
        case Outcome.SUPPORTED:
            return Action.RELEASE
        case Outcome.NO_CLAIMS:
            return route.on_no_claims
        case Outcome.FLAGGED:
            return _on_flagged(route, verdict)
        case Outcome.UNRESOLVED:
            return route.on_unresolved.action(str(verdict.reason))
    return _on_not_checked(route.on_not_checked, str(verdict.reason))


def side(action: Action, verdict: Verdict, *, cut: bool = False) -> Side:
    """Return the side of a decision.

    Args:
        action: What was done; in shadow what would have been.
        verdict: The finding on the answer.
        cut: True for a stream that was stopped before its end.
    """
    if cut or action in HELD_BACK or action is Action.REDACT:
        return Side.BLOCKED
    if verdict.outcome in (Outcome.SUPPORTED, Outcome.FLAGGED):
        return Side.ACCEPTED
    return Side.UNCHECKED


def together(verdicts: Sequence[Verdict], fingerprint: str) -> Verdict:
    """Join the verdicts of choices; what was not checked shows unless another choice is flagged."""
    flagged = any(verdict.outcome is Outcome.FLAGGED for verdict in verdicts)
    missing = {verdict.not_checked for verdict in verdicts}
    return Verdict(
        segments=tuple(segment for verdict in verdicts for segment in verdict.segments),
        claims=tuple(claim for verdict in verdicts for claim in verdict.claims),
        not_checked=None if flagged else next((r for r in NotCheckedReason if r in missing), None),
        fingerprint=fingerprint,
    )


def assigned(secret: bytes, route: str, key: str, share: float) -> bool:
    """Tell whether a key is in the enforced share of a route.

    A key has one fixed draw in [0, 1) a route, so raising the share keeps all who were in; 0.0
    takes nobody and 1.0 everybody. Without the secret nobody can choose a key by its side.

    Args:
        secret: Installation secret, the same in every worker.
        route: The path of the route.
        key: What stays on one side: a user, a tenant.
        share: Enforced fraction in [0, 1].
    """
    name = route.encode("utf-8", "surrogatepass")
    # The length of the route keeps ("/a", "bc") apart from ("/ab", "c"); the word keeps this
    # draw apart from other uses of the secret.
    message = b"share:%d:%s%s" % (len(name), name, key.encode("utf-8", "surrogatepass"))
    digest = hmac.new(secret, message, hashlib.sha256).digest()
    return (int.from_bytes(digest[:8]) >> (64 - _DRAW_BITS)) / (1 << _DRAW_BITS) < share


def _on_flagged(route: Route, verdict: Verdict) -> Action:
    if route.on_flagged is not Action.REDACT:
        return route.on_flagged
    left = {claim.unresolved for claim in verdict.claims}
    rest = (route.on_unresolved.action(reason) for reason in UnresolvedReason if reason in left)
    return next((action for action in rest if action in HELD_BACK), Action.REDACT)


def _on_not_checked(reactions: Reactions, reason: str) -> Action:
    if reason in _UNGATED:
        return Action.RELEASE
    if reason == NotCheckedReason.STATUS and reason not in reactions.by_reason:
        return Action.RELEASE
    return reactions.action(reason)
