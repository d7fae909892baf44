"""From verdicts to what is done: an action a choice, and one for the whole. Pure."""

from collections import Counter
from dataclasses import dataclass

from gatekeeper.core.decide import decide, together
from gatekeeper.policy import Expose, Route
from gatekeeper.verdict import Action, ClaimVerdict, NotCheckedReason, Verdict

MARKER = "[removed: not supported]"

# Where nothing is known of the body there is no place for a text in it: withholding is blocking.
_NO_PLACE = frozenset(
    {
        NotCheckedReason.METHOD,
        NotCheckedReason.STATUS,
        NotCheckedReason.CONTENT_TYPE,
        NotCheckedReason.ENCODING,
        NotCheckedReason.SIZE,
        NotCheckedReason.SHAPE,
        NotCheckedReason.NO_TEXT,
        NotCheckedReason.RANGE,
        NotCheckedReason.MESSAGE_TYPE,
        NotCheckedReason.STREAM,
        NotCheckedReason.APP_ERROR,
    }
)
_MILD_FIRST = (Action.RELEASE, Action.ANNOTATE, Action.REDACT, Action.WITHHOLD, Action.BLOCK)
# Parts of the app's own body do not reach the client.
REPLACED = frozenset({Action.REDACT, Action.WITHHOLD, Action.BLOCK})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What is done with an answer. ``action`` is the strictest of ``actions``, one a choice.

    ``verdict`` is that of all choices together; ``verdicts`` has one entry a choice, or a single
    one for them all when none could be told from the other.
    """

    verdict: Verdict
    verdicts: tuple[Verdict, ...]
    actions: tuple[Action, ...]

    @property
    def action(self) -> Action:
        """What is done with the response as a whole."""
        return max(self.actions, key=_MILD_FIRST.index)

    def of(self, n: int) -> tuple[Verdict, Action]:
        """Return verdict and action of choice ``n``."""
        place = n if n < len(self.verdicts) else 0
        return self.verdicts[place], self.actions[place]


def rule(route: Route, verdicts: tuple[Verdict, ...]) -> Ruling:
    """Decide each choice; every one must pass for the answer to pass."""
    actions = tuple(_action(route, verdict) for verdict in verdicts)
    strictest = max(
        zip(actions, verdicts, strict=True), key=lambda pair: _MILD_FIRST.index(pair[0])
    )
    whole = strictest[1]
    if len(verdicts) > 1:
        whole = together(verdicts, whole.fingerprint)
    return Ruling(verdict=whole, verdicts=verdicts, actions=actions)


def redacted(text: str, verdict: Verdict, route: Route) -> str:
    """Cut flagged claims out of a text, and open ones where the policy redacts those."""
    kept, end = [], 0
    for claim in _to_cut(route, verdict):
        cut = text[claim.start : claim.end]
        kept += [text[end : claim.start], MARKER]
        end = claim.end - (len(cut) - len(cut.rstrip()))
    return "".join([*kept, text[end:]])


def facts(decision: str, ruling: Ruling, expose: Expose) -> dict[str, object]:
    """Return what a response says about its check: id, verdict, reason and counts by status.

    A replaced answer always says all of it unless the policy exposes nothing.
    """
    if expose is Expose.NONE:
        return {}
    if expose is Expose.ID and ruling.action not in REPLACED:
        return {"id": decision}
    verdict = ruling.verdict
    counts = Counter(str(claim.status) for claim in verdict.claims)
    return {
        "id": decision,
        "verdict": str(verdict.outcome),
        "reason": verdict.reason or verdict.outcome.lower(),
        "counts": dict(sorted(counts.items())),
    }


def _action(route: Route, verdict: Verdict) -> Action:
    """Return the policy's action as it can be carried out."""
    action = decide(route, verdict)
    if action is Action.REDACT and not _to_cut(route, verdict):
        action = Action.WITHHOLD
    if action is Action.WITHHOLD and verdict.not_checked in _NO_PLACE:
        return Action.BLOCK
    return action


def _to_cut(route: Route, verdict: Verdict) -> list[ClaimVerdict]:
    return [
        claim
        for claim in verdict.claims
        if claim.is_flagged
        or (claim.unresolved and route.on_unresolved.action(claim.unresolved) is Action.REDACT)
    ]
