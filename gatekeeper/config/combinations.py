"""What can't be honoured together: rules over several keys, routes, the environment, calibration.

A combination that can't be kept is refused at start: a route that only looks enforced would be
found out by the answer that got through.
"""

from collections.abc import Mapping, Sequence

from gatekeeper.asgi.paths import Paths
from gatekeeper.config.places import Part
from gatekeeper.config.words import nearest, shown
from gatekeeper.evaluation.calibration import Calibration
from gatekeeper.policy import Mode, Policy, ResponseSource, Route, Shape, StreamMode
from gatekeeper.verdict import Action

MODE_VARIABLE = "GATEKEEPER_MODE"
SECRET_VARIABLE = "GATEKEEPER_SECRET"  # noqa: S105 - the name of the variable, not its value

# As many bytes as a guesser can't try; a generated one is longer anyway.
_SHORTEST_SECRET = 16

_WHOLE_ONLY = frozenset({Action.REDACT, Action.ANNOTATE})


def check_environment(environment: Mapping[str, str], part: Part) -> None:
    """Check what the environment says; the secret itself never gets into a fault."""
    mode = environment.get(MODE_VARIABLE)
    if mode and mode not in tuple(Mode):
        meant = nearest(mode, tuple(Mode))
        advice = f"set {MODE_VARIABLE}={meant}" if meant else ""
        part.note(MODE_VARIABLE, shown(mode), "off, shadow or enforce", advice)
    secret = environment.get(SECRET_VARIABLE)
    if secret and len(secret.encode(errors="surrogateescape")) < _SHORTEST_SECRET:
        expected = f"at least {_SHORTEST_SECRET} bytes"
        part.note(SECRET_VARIABLE, "a short secret", expected, "generate one: openssl rand -hex 32")


def check_paths(policy: Policy, parts: Sequence[Part]) -> None:
    """Refuse a second route for a path, however it is spelt: it would never be reached."""
    paths = Paths((route.path, position) for position, route in enumerate(policy.routes))
    for position, route in enumerate(policy.routes):
        earlier = paths.find({"path": route.path})
        if earlier is not None and earlier != position:
            found = f"the path of route[{earlier}] again"
            parts[position].note("path", found, "one route a path", "join the two")


def check_store(policy: Policy, part: Part, *, has_secret: bool) -> None:
    """Refuse to store without a key: unkeyed hashes of short answers can be tried one by one."""
    if policy.outcomes is not None and not has_secret:
        found = f"a table without {SECRET_VARIABLE} in the environment"
        advice = "set it to the one value of all workers; a new one: openssl rand -hex 32"
        part.note("outcomes", found, "a secret", advice)


def check_combinations(route: Route, part: Part, *, has_secret: bool) -> None:
    """Check a route's keys against each other."""
    check_share(route, part, has_secret=has_secret)
    _check_actions(route, part)
    _check_shape(route, part)
    if route.bounds.held_bytes > route.bounds.process_bytes:
        found = f"{route.bounds.held_bytes:,}, more than all requests together may hold"
        expected = f"at most process_bytes = {route.bounds.process_bytes:,}"
        part.below("bounds").note("held_bytes", found, expected)


def may_enforce(route: Route, calibration: Calibration | None) -> bool:
    """Tell whether a route may act on verdicts with the calibration of the running scorer."""
    if calibration is None:
        return False
    return calibration.source != "public" or route.accept_public_calibration


def degraded_for(calibration: Calibration | None) -> str:
    """Say what a route that may not be enforced lacks with the calibration there is."""
    return "no calibration for this scorer" if calibration is None else "a public calibration only"


def check_calibration(
    route: Route, part: Part, *, mode: Mode, calibration: Calibration | None
) -> None:
    """Refuse to enforce on marks that were fitted for another scorer, or for nobody's data.

    Args:
        route: The route.
        part: Its place.
        mode: The mode it would start in.
        calibration: The one for the running scorer, None if there is none.
    """
    if mode is not Mode.ENFORCE or route.uncalibrated is Mode.SHADOW:
        return
    if may_enforce(route, calibration):
        return
    if calibration is None:
        found = '"enforce" without a calibration for this scorer'
        advice = 'write mode = "shadow", or uncalibrated = "shadow" to start all the same'
        part.note("mode", found, "a calibration for its fingerprint", advice)
    else:
        found = '"enforce" on a calibration fitted to public data'
        advice = 'write mode = "shadow", or accept_public_calibration = true if that is enough'
        part.note("mode", found, "one fitted to your own data", advice)


def check_share(route: Route, part: Part, *, has_secret: bool) -> None:
    """Refuse a share that would put a user now on one side, now on the other."""
    if route.share >= 1:
        return
    if route.share_key is None:
        expected = f"what keeps a user on one side, for share = {shown(route.share)}"
        advice = 'write share_key = { header = "x-user" }'
        part.note("share_key", "nothing", expected, advice, rests_on="share")
    if not has_secret:
        found = f"{shown(route.share)} without {SECRET_VARIABLE} in the environment"
        advice = "set it to the one value of all workers; a new one: openssl rand -hex 32"
        part.note("share", found, "a secret", advice)


def _check_actions(route: Route, part: Part) -> None:
    if route.on_flagged is Action.RELEASE:
        advice = 'write mode = "shadow" to watch only'
        part.note("on_flagged", '"release"', "withhold, block, redact or annotate", advice)
    named: dict[str, Action] = {"on_no_claims": route.on_no_claims}
    for key in ("on_unresolved", "on_not_checked"):
        reactions = getattr(route, key)
        named[f"{key}.default"] = reactions.default
        named.update({f"{key}.{reason}": did for reason, did in reactions.by_reason.items()})
    for key, action in named.items():
        if action is Action.REDACT and not key.startswith("on_unresolved"):
            found = '"redact" where there is no claim to cut'
            part.note(key, found, "withhold, block, annotate or release")
    _check_whole(route, part, {"on_flagged": route.on_flagged, **named})


def _check_whole(route: Route, part: Part, actions: Mapping[str, Action]) -> None:
    if route.stream is StreamMode.WHOLE:
        return
    for key, action in actions.items():
        if action in _WHOLE_ONLY:
            found = f'"{action.lower()}" with stream = "{route.stream}"'
            expected = "an action that can be taken while an answer is streaming"
            part.note(key, found, expected, 'write stream = "whole"', rests_on="stream")


def _check_shape(route: Route, part: Part) -> None:
    if isinstance(route.answer, Shape) and route.stream_answer is not None:
        found = f'a pointer beside shape = "{route.answer}"'
        part.note("stream_answer", found, "no such key: the shape says where texts stand")
    if route.answer is not Shape.PLAIN:
        return
    for position, source in enumerate(route.context):
        if isinstance(source, ResponseSource):
            found = "a pointer into a response of plain text"
            expected = "a source outside the response: request, state, resolver or file"
            part.below(f"context[{position}]").note("response", found, expected)
