"""``gatekeeper explain``: what the gate does with a saved exchange, and why."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

import click

from gatekeeper.asgi.paths import Paths
from gatekeeper.cli.configfile import config_option
from gatekeeper.cli.gates import open_gate
from gatekeeper.cli.replay import Saved, replay
from gatekeeper.cli.show import say, visible
from gatekeeper.cli.stories import Story, lines, record
from gatekeeper.config.combinations import SECRET_VARIABLE, degraded_for
from gatekeeper.config.modefile import mode_path, read_mode_file
from gatekeeper.config.policies import forced_mode, uncalibrated_paths
from gatekeeper.config.scorer import load_with_scorer
from gatekeeper.config.standing import Standing, Surroundings, stand
from gatekeeper.errors import InputError
from gatekeeper.evaluation.calibration import Calibration
from gatekeeper.policy import Policy, Route, Shape

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
NO_ROUTE = "NOT_CHECKED: no_route"


@click.command("explain")
@config_option
@click.option("--path", required=True, help="The path of the request, without query.")
@click.option("--method", default="POST", help="Its method.  [default: POST]")
@click.option("--request", type=_FILE, help="The request body as it was sent.")
@click.option("--response", type=_FILE, required=True, help="The app's response body, as sent.")
@click.option("--status", type=click.IntRange(200, 599), default=200, help="[default: 200]")
@click.option("-H", "--header", "headers", multiple=True, help='Of the response, "name: value".')
@click.option("--state", type=_FILE, help="JSON object: what the app left in request.state.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--model", type=_FOLDER, help="A model folder; without it that of the policy.")
@click.pass_context
def command(  # noqa: PLR0913 - click hands over one argument an option
    context: click.Context,
    *,
    config: Path,
    path: str,
    method: str,
    request: Path | None,
    response: Path,
    status: int,
    headers: tuple[str, ...],
    state: Path | None,
    as_json: bool,
    model: Path | None,
) -> None:
    """Tell why a saved answer was checked, or was not, and what would go out.

    The exchange runs through the gate as if enforced. Exit code: 0 told, 2 wrong usage,
    unreadable input or an invalid policy, 1 a fault of the model.
    """
    sys.path.insert(0, str(Path.cwd()))  # resolvers are found as a server started here finds them
    policy, scorer = load_with_scorer(config)
    route = Paths((route.path, route) for route in policy.routes).find({"path": path})
    if route is None:
        _tell_no_route(policy, path, as_json=as_json)
        return
    saved = Saved(
        path=path,
        method=method,
        request=b"" if request is None else request.read_bytes(),
        status=status,
        headers=tuple(_headers(route, headers)),
        response=response.read_bytes(),
        state={} if state is None else _state(state),
    )
    gate = open_gate(
        context, model or scorer.folder, calibration=None if model else scorer.calibration_file
    ).gate
    try:
        heard = asyncio.run(replay(route, gate, saved))
    finally:
        gate.close()
    story = Story(
        route=route,
        position=policy.routes.index(route),
        standing=_standing(policy, route, scorer.fitted, config),
        lacks=degraded_for(scorer.fitted),
        thresholds=gate.thresholds,
        saved=saved,
        heard=heard,
    )
    _tell(story, as_json=as_json)


def _tell(story: Story, *, as_json: bool) -> None:
    if as_json:
        say(json.dumps(record(story)))
        return
    for line in lines(story):
        say(line)


def _tell_no_route(policy: Policy, path: str, *, as_json: bool) -> None:
    """Name the nearest paths: a typing error in a path is how most gates come to check nothing."""
    known = [route.path for route in policy.routes]
    near = get_close_matches(path, known, n=3, cutoff=0.3) or known[:3]
    if as_json:
        say(json.dumps({"verdict": "NOT_CHECKED", "reason": "no_route", "nearest": near}))
        return
    say(f"{NO_ROUTE}: no route has the path {visible(path)}; it passes untouched and uncounted")
    say(f"nearest: {', '.join(map(visible, near))}")


def _standing(
    policy: Policy, route: Route, calibration: Calibration | None, config: Path
) -> Standing:
    around = Surroundings(
        forced=forced_mode(os.environ),
        has_secret=bool(os.environ.get(SECRET_VARIABLE)),
        uncalibrated=uncalibrated_paths(policy, calibration),
    )
    return stand(route, read_mode_file(mode_path(config)).override(route.path), around)


def _headers(route: Route, given: Sequence[str]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the response's headers; without a content type the one that fits the route."""
    named = [header.partition(":") for header in given]
    for name, colon, value in named:
        if not colon or not name.strip():
            raise InputError("--header", repr(name), '"name: value"')
        yield name.strip().encode("latin-1", "replace"), value.strip().encode("latin-1", "replace")
    if not any(name.strip().lower() == "content-type" for name, _, _ in named):
        plain = route.answer is Shape.PLAIN
        yield b"content-type", b"text/plain" if plain else b"application/json"


def _state(path: Path) -> dict[str, object]:
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(str(path), f"no JSON ({error})", "a JSON object") from error
    if not isinstance(value, dict):
        raise InputError(str(path), "no object", "a JSON object")
    return value
