"""What a policy lets through unchecked, and what its defaults look like they let through."""

from collections.abc import Iterator
from dataclasses import dataclass

from gatekeeper.config.keys import REASONS
from gatekeeper.policy import CLIENT_REASONS, HELD_BACK, Policy, Reactions, Route
from gatekeeper.verdict import Action, NotCheckedReason

# Redaction cuts the open claims out: what is left was checked.
_STOPPED = HELD_BACK | {Action.REDACT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """A reason for which an answer of a route goes out unchecked, or seems to.

    ``by_client``: whoever sends the request can bring it about. ``reached`` is False where the
    default would release it but never does so for a reason of the client's: name it to get it.
    """

    route: str
    table: str
    reason: str
    action: Action
    by_client: bool
    reached: bool


def released_unchecked(policy: Policy) -> tuple[Exposure, ...]:
    """Return every reason for which a route, when enforced, delivers what it has not checked."""
    return tuple(entry for entry in _exposures(policy) if entry.reached)


def not_reached(policy: Policy) -> tuple[Exposure, ...]:
    """Return the reasons that a delivering default does not reach: they are withheld."""
    return tuple(entry for entry in _exposures(policy) if not entry.reached)


def _exposures(policy: Policy) -> Iterator[Exposure]:
    for route in policy.routes:
        for table in REASONS:
            yield from _of_table(route, table)


def _of_table(route: Route, table: str) -> Iterator[Exposure]:
    reactions: Reactions = getattr(route, table)
    for reason in REASONS[table]:
        done = reactions.action(reason)
        said = reactions.by_reason.get(reason, reactions.default)
        if reason == NotCheckedReason.STATUS and reason not in reactions.by_reason:
            done = said = Action.RELEASE  # an error of the app's own, see core.decide
        if said not in _STOPPED:
            yield Exposure(
                route=route.path,
                table=table,
                reason=reason,
                action=said,
                by_client=reason in CLIENT_REASONS,
                reached=done not in _STOPPED,
            )
