"""From the tables of the policy file to frozen policy objects.

Types, words and required keys are seen to here; ranges and combinations in ``rules``, which holds
for policies made in Python as well.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from gatekeeper.config.files import Folder, read_text
from gatekeeper.config.keys import (
    MODES,
    ON_FLAGGED,
    ON_NO_CLAIMS,
    OUTCOMES_KEYS,
    POLICY_BOUNDS,
    POLICY_KEYS,
    PROCESS_BOUND,
    REACTIONS,
    REASONS,
    ROUTE_BOUNDS,
    ROUTE_KEYS,
    SHAPES,
    TARGETS_KEYS,
    TRIP_KEYS,
)
from gatekeeper.config.outcomes import read_outcomes
from gatekeeper.config.reader import Table
from gatekeeper.config.review import read_review
from gatekeeper.config.sources import CONTEXT_EXAMPLE, MESSAGES, read_share_key, read_sources
from gatekeeper.config.words import listed, nearest, shown
from gatekeeper.policy import (
    Bounds,
    Expose,
    LastMessage,
    Mode,
    Policy,
    Reactions,
    Route,
    Shape,
    StreamMode,
    Targets,
    Trip,
)
from gatekeeper.verdict import Action

# The defaults of optional keys are those of the classes: one place for each.
_ROUTE = Route(
    path="",
    answer="",
    context=(),
    mode=Mode.SHADOW,
    on_flagged=Action.WITHHOLD,
    on_unresolved=Reactions(default=Action.WITHHOLD),
    on_not_checked=Reactions(default=Action.WITHHOLD),
)
_TARGETS = Targets(false_block=0.05, accepted_error=0.1)
_TRIP = Trip(blocked_share=0.5, of_last=200)

_AT_TOP = "at the top of the file, before the first [[route]]"

_REQUIRED = {
    "path": ("the path the server routes by", '"/v1/answer"'),
    "mode": (listed(MODES), '"shadow"'),
    "context": ("where the evidence comes from", CONTEXT_EXAMPLE),
    "on_flagged": (listed(ON_FLAGGED), '"withhold"'),
    "on_unresolved": ("what happens when a check can't be finished", '{ default = "withhold" }'),
    "on_not_checked": ("what happens when nothing is checked", '{ default = "withhold" }'),
}


def read_policy(top: Table, folder: Folder) -> tuple[Policy, tuple[str, ...]]:
    """Return the policy of a file, stand-ins where a fault was noted, and the routes' places."""
    elsewhere = {
        **dict.fromkeys(ROUTE_KEYS, "under [[route]]"),
        **dict.fromkeys(OUTCOMES_KEYS, "under [outcomes]"),
    }
    top.refuse_unknown(POLICY_KEYS, elsewhere)
    bounds = _bounds(top, Bounds(), POLICY_BOUNDS)
    if not top.raw.get("route"):
        top.faults.note("route", "nothing", "at least one route", "write a [[route]] table")
    entries = [_named(entry) for entry in top.tables("route", "[[route]]")]
    policy = Policy(
        routes=tuple(_route(entry, folder, bounds) for entry in entries),
        model=top.text("model"),
        model_sha256=top.text("model_sha256"),
        calibration=_located(top.text("calibration"), folder),
        outcomes=read_outcomes(top, folder),
        review=read_review(top, folder),
        probes_per_minute=top.number("probes_per_minute", Policy(routes=()).probes_per_minute),
    )
    return policy, tuple(entry.place for entry in entries)


def _located(name: str | None, folder: Folder) -> str | None:
    return None if name is None else folder.locate(name)


def _named(entry: Table) -> Table:
    """Add the path to the place of a route: people know it by that."""
    path = entry.raw.get("path")
    place = f"{entry.place} {shown(path)}" if isinstance(path, str) else entry.place
    return Table(entry.raw, place, entry.faults)


def _route(entry: Table, folder: Folder, bounds: Bounds) -> Route:
    entry.refuse_unknown(ROUTE_KEYS, dict.fromkeys(POLICY_KEYS, _AT_TOP))
    for key, (expected, example) in _REQUIRED.items():
        if key not in entry.raw:
            entry.missing(key, expected, example)
    route = Route(
        path=entry.text("path") or "",
        answer=_answer(entry),
        context=read_sources(entry, folder),
        mode=entry.choice("mode", MODES, _ROUTE.mode),
        on_flagged=entry.choice("on_flagged", ON_FLAGGED, _ROUTE.on_flagged),
        on_unresolved=_reactions(entry, "on_unresolved"),
        on_not_checked=_reactions(entry, "on_not_checked"),
        on_no_claims=entry.choice("on_no_claims", ON_NO_CLAIMS, _ROUTE.on_no_claims),
        question=_question(entry),
        boilerplate=_boilerplate(entry, folder),
    )
    return _with_rollout(entry, _with_limits(entry, route, bounds))


def _with_limits(entry: Table, route: Route, bounds: Bounds) -> Route:
    """Add what a check may cost and how its outcome is told."""
    methods = entry.texts("methods")
    return replace(
        route,
        methods=_ROUTE.methods if methods is None else methods,
        budget_s=_seconds(entry, "budget_ms", _ROUTE.budget_s),
        bounds=_bounds(entry, bounds, ROUTE_BOUNDS),
        max_in_flight_per_key=_optional_integer(entry, "max_in_flight_per_key"),
        expose=entry.choice("expose", {str(word): word for word in Expose}, _ROUTE.expose),
        stream=entry.choice("stream", {str(word): word for word in StreamMode}, _ROUTE.stream),
        stream_answer=entry.text("stream_answer"),
        max_hold_s=float(entry.number("max_hold_s", _ROUTE.max_hold_s)),
        keep_alive_s=float(entry.number("keep_alive_s", _ROUTE.keep_alive_s)),
        block_status=entry.integer("block_status", _ROUTE.block_status),
        withheld_text=_given(entry.text("withheld_text"), _ROUTE.withheld_text),
    )


def _with_rollout(entry: Table, route: Route) -> Route:
    """Add how far the route is enforced and what takes it back."""
    return replace(
        route,
        share=float(entry.number("share", _ROUTE.share)),
        share_key=read_share_key(entry),
        targets=_targets(entry),
        trip=_trip(entry),
        uncalibrated=entry.choice("uncalibrated", {"shadow": Mode.SHADOW}, None),
        accept_public_calibration=entry.flag("accept_public_calibration"),
    )


def _answer(entry: Table) -> str | Shape:
    """Return where the answer stands: one of two keys has to say."""
    has = [key for key in ("answer", "shape") if key in entry.raw]
    if len(has) == 1:
        shape = entry.choice("shape", SHAPES, Shape.PLAIN)
        return shape if has == ["shape"] else entry.text("answer") or ""
    found = "answer and shape" if has else "neither answer nor shape"
    example = 'write answer = "/answer" or shape = "openai-chat"'
    entry.faults.note(entry.at("answer"), found, "one of the two", example)
    return ""


def _question(entry: Table) -> str | LastMessage | None:
    question = entry.table("question", '{ request = "/question" }')
    if question is None:
        return None
    question.refuse_unknown(("request", "role"))
    if not question.raw:
        question.missing("request", "a pointer into the request", '"/question"')
    pointer, role = question.text("request"), question.text("role")
    if role is None:
        return pointer
    return LastMessage(role=role, pointer=MESSAGES if pointer is None else pointer)


def _boilerplate(entry: Table, folder: Folder) -> tuple[str, ...]:
    """Return the texts that are no claims: a list, or a file with one a line."""
    if not isinstance(entry.raw.get("boilerplate"), str):
        return entry.texts("boilerplate") or ()
    path = Path(folder.locate(str(entry.raw["boilerplate"])))
    text = read_text(path, place=entry.at("boilerplate"), faults=entry.faults)
    return tuple(line.strip() for line in (text or "").splitlines() if line.strip())


def _reactions(entry: Table, key: str) -> Reactions:
    """Return a table from reason to action; it must have a default, so it is total."""
    table = entry.table(key, '{ default = "withhold" }')
    stand_in = Reactions(default=Action.WITHHOLD)
    if table is None:
        return stand_in
    if "default" not in table.raw:
        table.missing("default", listed(REACTIONS[key]), '"withhold"')
    own, other = REASONS[key], next(word for word in REASONS if word != key)
    for reason in table.raw:
        if reason != "default" and reason not in own:
            advice = _reason_advice(reason, own, other)
            table.faults.note(table.at(reason), "an unknown reason", "a known one", advice)
    return Reactions(
        default=table.choice("default", REACTIONS[key], stand_in.default),
        by_reason=MappingProxyType(
            {
                reason: table.choice(reason, REACTIONS[key], stand_in.default)
                for reason in own
                if reason in table.raw
            }
        ),
    )


def _reason_advice(reason: str, own: Sequence[str], other: str) -> str:
    if reason in REASONS[other]:
        return f"it belongs to {other}"
    meant = nearest(reason, own)
    return f"did you mean {meant}?" if meant else f"the reasons here are {', '.join(own)}"


def _targets(entry: Table) -> Targets | None:
    table = entry.table("targets", "{ false_block = 0.05, accepted_error = 0.10 }")
    if table is None:
        return None
    table.refuse_unknown(TARGETS_KEYS)
    for key, example in (("false_block", "0.05"), ("accepted_error", "0.10")):
        if key not in table.raw:
            table.missing(key, "a rate between 0 and 1", example)
    return Targets(
        false_block=float(table.number("false_block", _TARGETS.false_block)),
        accepted_error=float(table.number("accepted_error", _TARGETS.accepted_error)),
        confidence=float(table.number("confidence", _TARGETS.confidence)),
    )


def _trip(entry: Table) -> Trip | None:
    table = entry.table("trip", "{ blocked_share = 0.5, of_last = 200 }")
    if table is None:
        return None
    table.refuse_unknown(TRIP_KEYS)
    for key, example in (("blocked_share", "0.5"), ("of_last", "200")):
        if key not in table.raw:
            table.missing(key, "a number", example)
    return Trip(
        blocked_share=float(table.number("blocked_share", _TRIP.blocked_share)),
        of_last=table.integer("of_last", _TRIP.of_last),
        to=table.choice("to", MODES, _TRIP.to),
    )


def _bounds(entry: Table, given: Bounds, known: Sequence[str]) -> Bounds:
    """Return bounds: those given, and over them what the table at ``bounds`` says."""
    table = entry.table("bounds", "{ held_bytes = 4000000 }")
    if table is None:
        return given
    table.refuse_unknown(known, {PROCESS_BOUND: f"to bounds {_AT_TOP}"})
    whole = {
        key: table.integer(key, getattr(given, key)) for key in known if not key.endswith("_ms")
    }
    return replace(
        given,
        **whole,
        resolver_s=_seconds(table, "resolver_ms", given.resolver_s),
        send_s=_seconds(table, "send_ms", given.send_s),
    )


def _seconds(table: Table, key: str, stand_in: float) -> float:
    return table.number(key, stand_in * 1000) / 1000


def _optional_integer(entry: Table, key: str) -> int | None:
    return entry.integer(key, 1) if key in entry.raw else None


def _given(text: str | None, stand_in: str) -> str:
    return stand_in if text is None else text
