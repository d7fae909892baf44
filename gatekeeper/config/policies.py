"""Policies as they are loaded and checked: from ``gatekeeper.toml``, or made in Python."""

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

from gatekeeper.config.combinations import (
    MODE_VARIABLE,
    SECRET_VARIABLE,
    check_calibration,
    check_combinations,
    check_environment,
    check_paths,
    check_share,
    check_store,
    may_enforce,
)
from gatekeeper.config.files import MAX_POLICY_BYTES, Folder, read_text
from gatekeeper.config.places import Part
from gatekeeper.config.reader import Faults, Table
from gatekeeper.config.review import check_review
from gatekeeper.config.routes import read_policy
from gatekeeper.config.rules import check_route, check_top, import_resolvers
from gatekeeper.config.words import shown
from gatekeeper.errors import ConfigurationError, Fault
from gatekeeper.evaluation.calibration import Calibration
from gatekeeper.policy import Mode, Policy, Route

CalibrationOf = Callable[[Policy], Calibration | None]

_POSITION = re.compile(r"route\[(\d+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A policy file as far as it can be read; ``policy`` has stand-ins where faults are."""

    policy: Policy
    faults: tuple[Fault, ...]


def load_policy(
    path: Path,
    *,
    environment: Mapping[str, str] = os.environ,
    calibration_of: CalibrationOf | None = None,
) -> Policy:
    """Read, check and return a policy; paths in it are absolute afterwards.

    Args:
        path: The policy file, TOML.
        environment: Where GATEKEEPER_MODE and GATEKEEPER_SECRET are looked up.
        calibration_of: Gives the calibration for the scorer that a policy asks for, None if
            there is none for its fingerprint. Without it nothing is said about calibration.

    Raises:
        ConfigurationError: With every fault of the file.
    """
    draft = read_draft(path, environment=environment, calibration_of=calibration_of)
    if draft.faults:
        raise ConfigurationError(str(path), draft.faults)
    return draft.policy


def read_draft(
    path: Path,
    *,
    environment: Mapping[str, str] = os.environ,
    calibration_of: CalibrationOf | None = None,
    imports: bool = True,
) -> Draft:
    """Read a policy file and return it with its faults.

    Args:
        path: The policy file, TOML.
        environment: As for ``load_policy``.
        calibration_of: As for ``load_policy``.
        imports: False leaves the functions that routes name unimported.
    """
    faults = Faults()
    text = read_text(path, place="file", faults=faults, limit=MAX_POLICY_BYTES)
    raw = {} if text is None else _parse(text, faults)
    if faults.all:
        return Draft(policy=Policy(routes=()), faults=tuple(faults.all))
    policy, places = read_policy(Table(raw, "", faults), Folder(path=path.absolute().parent))
    parts = [Part(place=place, faults=faults, in_file=True) for place in places]
    top = Part(place="", faults=faults, in_file=True)
    check_environment(environment, top)
    _check(policy, top, parts, has_secret=bool(environment.get(SECRET_VARIABLE)))
    for route, part in zip(policy.routes, parts, strict=True):
        if imports:
            import_resolvers(route, part)
    if calibration_of is not None:
        forced = forced_mode(environment)
        _check_calibrations(policy, parts, forced, calibration_of(policy))
    return Draft(policy=policy, faults=_in_order(faults))


def check_policy(
    policy: Policy,
    *,
    calibration: Calibration | None,
    secret: bytes | None,
    forced: Mode | None = None,
) -> list[Fault]:
    """Return every fault of a policy made in Python; relative paths start from where one is.

    Args:
        policy: The policy.
        calibration: The one for the running scorer, None if there is none for its fingerprint.
        secret: The installation's secret, None if it has none.
        forced: The mode that GATEKEEPER_MODE sets for every route.
    """
    faults = Faults()
    parts = [
        Part(place=f"route[{position}] {shown(route.path)}", faults=faults, in_file=False)
        for position, route in enumerate(policy.routes)
    ]
    _check(policy, Part(place="", faults=faults, in_file=False), parts, has_secret=bool(secret))
    for route, part in zip(policy.routes, parts, strict=True):
        import_resolvers(route, part)
    _check_calibrations(policy, parts, forced, calibration)
    return list(_in_order(faults))


def forced_mode(environment: Mapping[str, str]) -> Mode | None:
    """Return the mode that GATEKEEPER_MODE sets for every route; None for none or no mode."""
    word = environment.get(MODE_VARIABLE, "")
    return Mode(word) if word in tuple(Mode) else None


def uncalibrated_paths(policy: Policy, calibration: Calibration | None) -> frozenset[str]:
    """Return the paths that may not be enforced with the calibration of the running scorer."""
    return frozenset(route.path for route in policy.routes if not may_enforce(route, calibration))


def order_faults(
    route: Route, place: str, *, calibration: Calibration | None, has_secret: bool
) -> list[Fault]:
    """Return what keeps a run-time order from being kept: the same rules as for the policy file.

    Args:
        route: The route with the mode and share that the order would give it.
        place: Its place in the policy.
        calibration: The one for the running scorer, None if there is none for its fingerprint.
        has_secret: Whether the installation has a secret.
    """
    part = Part(place=place, faults=Faults(), in_file=True)
    check_share(route, part, has_secret=has_secret)
    check_calibration(route, part, mode=route.mode, calibration=calibration)
    return part.faults.all


def policy_hash(policy: Policy) -> str:
    """Return sha256 over everything a policy says, hexadecimal; equal policies have equal ones."""
    return hashlib.sha256(json.dumps(_plain(policy)).encode()).hexdigest()


def _check(policy: Policy, top: Part, parts: Sequence[Part], *, has_secret: bool) -> None:
    check_top(policy, top)
    check_store(policy, top, has_secret=has_secret)
    for route, part in zip(policy.routes, parts, strict=True):
        check_route(route, part)
        check_combinations(route, part, has_secret=has_secret)
    check_paths(policy, parts)
    check_review(policy, top)


def _check_calibrations(
    policy: Policy, parts: Sequence[Part], forced: Mode | None, calibration: Calibration | None
) -> None:
    for route, part in zip(policy.routes, parts, strict=True):
        check_calibration(route, part, mode=forced or route.mode, calibration=calibration)


def _parse(text: str, faults: Faults) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        faults.note("file", f"no TOML: {error}", "TOML")
        return {}


def _in_order(faults: Faults) -> tuple[Fault, ...]:
    """Order faults by route: reading and checking find them in two rounds."""

    def position(fault: Fault) -> int:
        found = _POSITION.match(fault.place)
        return int(found[1]) if found else -1

    return tuple(sorted(faults.all, key=position))


def _plain(value: object) -> object:
    """Return a value as JSON can hold it, in one order, with the names of its classes."""
    if is_dataclass(value):
        held = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {"": type(value).__name__, **held}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in sorted(value.items())}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
