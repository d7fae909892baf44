"""What ``doctor`` looks at in a policy: faults, modes, store, what goes out unchecked.

The environment is that of the shell it is run in; workers may have another.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from itertools import groupby
from pathlib import Path

from gatekeeper.cli.probes import Finding, Look, State, findings, model_looks
from gatekeeper.cli.storelooks import review_findings, store_findings
from gatekeeper.config.combinations import MODE_VARIABLE, SECRET_VARIABLE, may_enforce
from gatekeeper.config.controls import remarks_on
from gatekeeper.config.exposure import Exposure, not_reached, released_unchecked
from gatekeeper.config.modefile import ModeFile, mode_path, read_mode_file
from gatekeeper.config.policies import Draft, forced_mode, uncalibrated_paths
from gatekeeper.config.scorer import Scorer, read_with_scorer
from gatekeeper.config.standing import Says, Standing, Surroundings, stand
from gatekeeper.errors import ConfigurationError, InputError
from gatekeeper.policy import Mode, Policy, Route

_SOURCES = {
    Says.ENVIRONMENT: f"{MODE_VARIABLE} in this shell",
    Says.TRIP: "a trip",
    Says.FILE: "run-time file",
    Says.POLICY: "policy file",
}


def policy_findings(path: Path, environment: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Yield what is found in a policy file, and of the model it asks for."""
    draft, scorer = read_with_scorer(path, environment=environment)
    policy = draft.policy
    looks: tuple[tuple[str, Look], ...] = (
        ("policy", lambda: _faults(path, draft)),
        ("mode", lambda: standings(policy, scorer, _mode_file(path), environment)),
        ("unchecked", lambda: exposures(policy)),
        ("store", lambda: _store(draft)),
        ("review", lambda: review_findings(policy.review)),
        ("metrics", lambda: metrics(environment)),
    )
    yield from findings(looks)
    if scorer is not None:  # of a model that is not there the fault has said enough
        yield from findings(model_looks(scorer.folder, scorer.calibration_file))


def _faults(path: Path, draft: Draft) -> Iterator[Finding]:
    for fault in draft.faults:
        yield Finding(state=State.FAIL, name="policy", text=str(fault))
    if not draft.faults:
        text = f"{path} without a fault, routes: {len(draft.policy.routes)}"
        yield Finding(state=State.OK, name="policy", text=text)


def _store(draft: Draft) -> Iterator[Finding]:
    """Yield what is found in a store that the policy names without a fault."""
    if not any(fault.place.startswith("outcomes") for fault in draft.faults):
        routes = [route.path for route in draft.policy.routes]
        now_ms = round(datetime.now(UTC).timestamp() * 1000)
        yield from store_findings(draft.policy.outcomes, routes, now_ms)


def _mode_file(path: Path) -> ModeFile:
    """Read the run-time file; its faults become one line."""
    try:
        return read_mode_file(mode_path(path))
    except ConfigurationError as error:
        faults = "; ".join(map(str, error.faults))
        raise InputError(error.source, faults, "a run-time file") from error


def standings(
    policy: Policy, scorer: Scorer | None, file: ModeFile, environment: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield what holds for each route, who says so, and with which calibration it is enforced."""
    fitted = None if scorer is None else scorer.fitted
    around = Surroundings(
        forced=forced_mode(environment),
        has_secret=bool(environment.get(SECRET_VARIABLE)),
        uncalibrated=uncalibrated_paths(policy, fitted),
    )
    for route in policy.routes:
        standing = stand(route, file.override(route.path), around)
        yield _mode(route, standing)
        if standing.control.mode is Mode.ENFORCE or standing.degraded:
            yield _calibration(route, scorer)
    for remark in remarks_on(file, policy, around):
        yield Finding(state=State.WARN, name="mode", text=remark)


def _mode(route: Route, standing: Standing) -> Finding:
    control = standing.control
    share = f", share {control.share:g}" if control.mode is Mode.ENFORCE else ""
    text = f"{route.path}: {control.mode}{share}, says {_SOURCES[standing.says]}"
    if standing.degraded:
        text += "; it asks for enforce, for which a calibration is missing"
    state = State.WARN if standing.degraded or control.tripped else State.OK
    return Finding(state=state, name="mode", text=text)


def _calibration(route: Route, scorer: Scorer | None) -> Finding:
    name, fitted = "calibrated", None if scorer is None else scorer.fitted
    if fitted is None:
        text = f"{route.path}: no calibration for the running fingerprint"
        return Finding(state=State.WARN, name=name, text=text)
    text = f"{route.path}: {fitted.source}, for {fitted.fingerprint:.12}"
    if may_enforce(route, fitted):
        return Finding(state=State.OK, name=name, text=text)
    text += "; not accepted without accept_public_calibration"
    return Finding(state=State.WARN, name=name, text=text)


def exposures(policy: Policy) -> Iterator[Finding]:
    """Yield the reasons for which answers go out unchecked, and those that only seem to be such.

    A reason that a client can bring about is a warning: it is a way round the gate.
    """
    for entries, text in (
        (released_unchecked(policy), "released unchecked"),
        (not_reached(policy), "not reached by the default, withheld"),
    ):
        for (route, table), group in groupby(entries, lambda entry: (entry.route, entry.table)):
            found = list(group)
            ways = any(entry.by_client and entry.reached for entry in found)
            yield Finding(
                state=State.WARN if ways else State.OK,
                name="unchecked",
                text=f"{route} {table}: {text}: {_reasons(found)}",
            )


def _reasons(entries: Sequence[Exposure]) -> str:
    way = " (clients can cause it)"
    return ", ".join(
        entry.reason + (way if entry.by_client and entry.reached else "") for entry in entries
    )


def metrics(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield whose counts a metrics page would show, as far as this shell can tell."""
    folder = import_module("gatekeeper.observe.folder")
    workers = folder.workers_expected((), environment)
    named = environment.get(folder.VARIABLE)
    if named is not None:
        state, text = _shared(Path(named), folder.VARIABLE)
    elif workers > 1:
        state = State.WARN
        text = f"unshared: {workers} workers and no {folder.VARIABLE}, so nothing is counted"
    else:
        state, text = State.OK, f"single: one worker; several need {folder.VARIABLE}"
    yield Finding(state=state, name="metrics", text=text)


def _shared(folder: Path, variable: str) -> tuple[State, str]:
    if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
        return State.FAIL, f"{variable} = {folder} can't be written to"
    return State.OK, f"multiprocess: {variable} = {folder}"
