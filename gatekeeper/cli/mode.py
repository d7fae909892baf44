"""``gatekeeper mode``: show what holds for the routes, or change it while workers run."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from gatekeeper.cli.configfile import config_option
from gatekeeper.cli.show import say, tell, visible
from gatekeeper.config.combinations import MODE_VARIABLE, SECRET_VARIABLE, degraded_for
from gatekeeper.config.controls import remarks_on
from gatekeeper.config.modefile import (
    Change,
    ModeFile,
    Override,
    Tripped,
    change_mode_file,
    mode_path,
    read_mode_file,
)
from gatekeeper.config.policies import (
    Draft,
    forced_mode,
    order_faults,
    policy_hash,
    uncalibrated_paths,
)
from gatekeeper.config.scorer import read_with_scorer
from gatekeeper.config.standing import Says, Surroundings, stand
from gatekeeper.config.words import shown
from gatekeeper.errors import ConfigurationError, InputError
from gatekeeper.evaluation.calibration import Calibration
from gatekeeper.policy import Mode, Policy, Route

RESET = "reset"
UNSET = "policy"
_WORDS = (*map(str, Mode), RESET, UNSET)


@click.command("mode")
@click.argument("path", metavar="[ROUTE]", required=False)
@click.argument("word", metavar=f"[{'|'.join(_WORDS)}]", type=click.Choice(_WORDS), required=False)
@click.option("--share", type=click.FloatRange(0, 1), help="Enforced share of the users, 0 to 1.")
@config_option
def command(path: str | None, word: str | None, *, share: float | None, config: Path) -> None:
    """Show the modes of the routes, or change one while workers run.

    A change is written to the run-time file beside the policy and seen by every worker within a
    second. "reset" ends a trip; "policy" leaves mode and share to the policy file again. The
    policy file is not touched.
    """
    # No imports: a route must be switchable from a shell that can't import the app.
    draft, scorer = read_with_scorer(config, imports=False)
    fitted = None if scorer is None else scorer.fitted
    _warn(draft, config)
    if path is not None:
        route = _route(draft.policy, path)
        if word is None and share is None:
            raise click.UsageError(f"give ROUTE one of {', '.join(_WORDS)}, or a --share")
        change = _change(draft.policy, path, word, share)
        if word == Mode.ENFORCE or share is not None:
            wanted = change(read_mode_file(mode_path(config))).override(path)
            _refuse(draft.policy, route, wanted, fitted, config)
        change_mode_file(mode_path(config), change)
    for line in _lines(draft.policy, read_mode_file(mode_path(config)), fitted):
        say(line)


def _warn(draft: Draft, config: Path) -> None:
    """A route must be switchable although the policy on disk is being worked on."""
    for fault in draft.faults:
        tell(f"{config}: {visible(str(fault))}")


def _route(policy: Policy, path: str) -> Route:
    route = policy.route(path)
    if route is None:
        known = ", ".join(visible(route.path) for route in policy.routes) or "none"
        raise InputError("ROUTE", repr(path), f"a route of the policy ({known})")
    return route


def _refuse(
    policy: Policy, route: Route, said: Override, fitted: Calibration | None, config: Path
) -> None:
    """Refuse an order that the policy file could not give either."""
    wanted = replace(
        route,
        mode=route.mode if said.mode is None else said.mode,
        share=route.share if said.share is None else said.share,
    )
    place = f"route[{policy.routes.index(route)}] {shown(route.path)}"
    has_secret = bool(os.environ.get(SECRET_VARIABLE))
    faults = order_faults(wanted, place, calibration=fitted, has_secret=has_secret)
    if faults:
        raise ConfigurationError(str(config), faults)


def _change(policy: Policy, path: str, word: str | None, share: float | None) -> Change:
    """Return the change of the run-time file; the hash says for which policy it was made."""

    def change(file: ModeFile) -> ModeFile:
        said = file.override(path)
        if word == RESET:
            said = replace(said, trip=None, resets=said.resets + 1)
        elif word == UNSET:
            said = replace(said, mode=None, share=None)
        elif word is not None:
            said = replace(said, mode=Mode(word))
        if share is not None:
            said = replace(said, share=share)
        return replace(file.with_override(path, said), policy=policy_hash(policy))

    return change


def _lines(policy: Policy, file: ModeFile, fitted: Calibration | None) -> Iterator[str]:
    """Yield a line a route: mode, share, and who says so."""
    # The secret is in the environment of the workers, who say so if they miss it.
    around = Surroundings(
        forced=forced_mode(os.environ),
        has_secret=True,
        uncalibrated=uncalibrated_paths(policy, fitted),
    )
    width = max((len(visible(route.path)) for route in policy.routes), default=0)
    for route in policy.routes:
        said = file.override(route.path)
        standing = stand(route, said, around)
        control = standing.control
        wanted = f"; wanted enforce: {degraded_for(fitted)}" if standing.degraded else ""
        reason = _REASONS[standing.says] + wanted + _trip_text(route.path, said.trip)
        name = f"{visible(route.path):<{width}}"
        yield f"{name}  {control.mode:<7}  share {control.share:g}  ({reason})"
    yield from (f"note: {remark}" for remark in remarks_on(file, policy, around))
    if file.policy and file.policy != policy_hash(policy):
        yield "note: the policy was edited since the run-time file; that still holds"


def _trip_text(path: str, trip: Tripped | None) -> str:
    if trip is None:
        return ""
    when = f"tripped {visible(trip.at)}: {trip.blocked} of {trip.of} blocked"
    return f"; {when}, end it with `gatekeeper mode {visible(path)} {RESET}`"


_REASONS = {
    Says.ENVIRONMENT: f"{MODE_VARIABLE} in this shell; workers have their own environment",
    Says.TRIP: "a trip",
    Says.FILE: "run-time file",
    Says.POLICY: "policy file",
}
