"""What a route may say, key by key: ranges, pointers, names, files and functions.

These rules hold for policies from a file and from Python alike. ``combinations`` has the rules
that need more than one key.
"""

import importlib
import re
from pathlib import Path

from gatekeeper.config import pointers
from gatekeeper.config.files import read_text
from gatekeeper.config.outcomes import check_outcomes
from gatekeeper.config.places import Part
from gatekeeper.config.words import listed, nearest, shown
from gatekeeper.policy import (
    Bounds,
    Expose,
    FileSource,
    LastMessage,
    Mode,
    Policy,
    RequestSource,
    ResolverSource,
    ResponseSource,
    Route,
    Shape,
    Source,
    StateSource,
    StreamMode,
)
from gatekeeper.verdict import Action

ROLES = ("system", "developer", "user", "assistant", "tool", "function")

# Letters of a field name and of a method, RFC 9110 section 5.6.2.
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_TARGET = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_SHA256 = re.compile(r"[0-9a-f]{64}")

# What people write in a pointer for the last item of a list; a pointer can't say that.
_FROM_THE_END = frozenset({"-1", "-", "*"})

# Objects from Python may hold plain words where a word of the policy belongs.
_WORDS = {
    "mode": Mode,
    "on_flagged": Action,
    "on_no_claims": Action,
    "expose": Expose,
    "stream": StreamMode,
}

# A nested parser recurses; ten times what any answer needs is far from Python's own limit.
_DEEPEST = 500
_LONGEST_TEXT = 2_000
_LARGEST = 2**40
# One a second tells of a fault at once; more would only take time from answers.
_MOST_PROBES = 60
# Fewer decisions say nothing about a share.
_TRIP_WINDOW = (10, 100_000)
_COUNTED = (
    "request_bytes",
    "held_bytes",
    "held_events",
    "event_bytes",
    "process_bytes",
    "decoded_bytes",
    "decoded_ratio",
    "passages",
    "evidence_chars",
)


def check_top(policy: Policy, part: Part) -> None:
    """Check what holds for the whole policy."""
    if policy.model_sha256 is not None and not _SHA256.fullmatch(policy.model_sha256):
        found = shown(policy.model_sha256)
        part.note("model_sha256", found, "64 hexadecimal digits in lower case")
    if policy.model is not None and not policy.model.strip():
        part.note("model", "an empty string", "the name or folder of a model")
    # Fewer than one a minute would look like none to whoever asks whether a worker is stuck.
    if not (policy.probes_per_minute == 0 or 1 <= policy.probes_per_minute <= _MOST_PROBES):
        expected = f"0 or 1 to {_MOST_PROBES}"
        part.note("probes_per_minute", shown(policy.probes_per_minute), expected)
    if policy.outcomes is not None:
        check_outcomes(policy.outcomes, part.below("outcomes"))


def check_route(route: Route, part: Part) -> None:
    """Check each key of a route by itself."""
    _check_words(route, part)
    check_path(route.path, part)
    _check_methods(route, part)
    _check_pointers(route, part)
    _check_numbers(route, part)
    _check_bounds(route.bounds, part.below("bounds"))
    _check_share_key(route, part)
    _check_texts(route, part)
    for position, source in enumerate(route.context):
        _check_source(source, part.below(f"context[{position}]"), route.bounds)
    if not route.context:
        example = 'write context = [{ response = "/contexts/*" }]'
        part.note("context", "no source", "at least one", example)


def import_resolvers(route: Route, part: Part) -> None:
    """Import the functions a route names; their modules run as any import does."""
    for position, source in enumerate(route.context):
        if isinstance(source, ResolverSource) and _TARGET.fullmatch(source.target):
            fault = _resolver_fault(source.target)
            if fault is not None:
                place = part.below(f"context[{position}]")
                place.note("resolver", fault, "a function that can be imported")


def _check_words(route: Route, part: Part) -> None:
    for key, kind in _WORDS.items():
        value: object = getattr(route, key)
        if not isinstance(value, kind):
            part.note(key, shown(value), f"a {kind.__name__}")
    for key in ("on_unresolved", "on_not_checked"):
        reactions = getattr(route, key)
        named = {"default": reactions.default, **reactions.by_reason}
        for reason, action in named.items():
            if not isinstance(action, Action):
                part.below(key).note(reason, shown(action), "an Action")


def check_path(path: str, part: Part) -> None:
    """Check that a path is one, as an app sees it; its key is ``path``."""
    if not path.startswith("/"):
        advice = f"write path = {shown(_path_of(path))}"
        part.note("path", shown(path), "a path that begins with /", advice)
    elif set("?#") & set(path):
        part.note("path", shown(path), "a path without query or fragment")
    elif set("{}*") & set(path):
        part.note("path", shown(path), "one exact path; patterns are not known here")
    elif "%" in path:
        part.note("path", shown(path), "the path as the app sees it, decoded once")


def _path_of(address: str) -> str:
    """Return the path of an address, or of a path that lacks its first slash."""
    _, scheme, rest = address.partition("://")
    path = rest.partition("/")[2] if scheme else address
    return "/" + path.partition("?")[0].partition("#")[0]


def _check_methods(route: Route, part: Part) -> None:
    if not route.methods:
        part.note("methods", "an empty list", "at least one method", 'write methods = ["POST"]')
    for method in route.methods:
        if not _TOKEN.fullmatch(method):
            part.note("methods", shown(method), "a method name")
        elif method != method.upper():
            advice = f'write "{method.upper()}"'
            part.note("methods", shown(method), "a method in capitals, as HTTP has it", advice)
        elif method == "HEAD":
            part.note("methods", '"HEAD"', "a method whose response has a body", "take it out")


def _check_pointers(route: Route, part: Part) -> None:
    if not isinstance(route.answer, Shape):
        if route.answer in tuple(Shape):
            advice = f'write shape = "{route.answer}"'
            part.note("answer", shown(route.answer), "a pointer", advice)
        _check_pointer(part, "answer", route.answer)
    if route.stream_answer is not None:
        _check_pointer(part, "stream_answer", route.stream_answer)
    if route.question is not None:
        _check_question(route.question, part.below("question"))


def _check_question(question: str | LastMessage, part: Part) -> None:
    pointer = question.pointer if isinstance(question, LastMessage) else question
    if _FROM_THE_END & {*pointer.split("/")}:
        advice = 'for the last message of a chat write question = { role = "user" }'
        part.note("request", shown(pointer), "a pointer to one place, counted from 0", advice)
    _check_pointer(part, "request", pointer)
    if isinstance(question, LastMessage):
        _check_role(question.role, "role", part)


def _check_pointer(part: Part, key: str, pointer: str, *, each: bool = False) -> None:
    fault = pointers.fault_of(pointer, each=each)
    if fault is not None:
        part.note(key, shown(pointer), *fault)


def _check_numbers(route: Route, part: Part) -> None:
    part.fraction("share", route.share, ends=True)
    part.duration("budget_ms", route.budget_s, 0.001, 60)
    part.within("max_hold_s", route.max_hold_s, 0.1, 600)
    if route.keep_alive_s != 0:
        part.within("keep_alive_s", route.keep_alive_s, 0.01, 600)
    part.within("block_status", route.block_status, 400, 599)
    if route.max_in_flight_per_key is not None:
        part.within("max_in_flight_per_key", route.max_in_flight_per_key, 1, 1_000_000)
    if route.targets is not None:
        targets = part.below("targets")
        targets.fraction("false_block", route.targets.false_block, ends=False)
        targets.fraction("accepted_error", route.targets.accepted_error, ends=False)
        targets.fraction("confidence", route.targets.confidence, ends=False)
    if route.trip is not None:
        trip = part.below("trip")
        trip.fraction("blocked_share", route.trip.blocked_share, ends=False)
        trip.within("of_last", route.trip.of_last, *_TRIP_WINDOW)
        if route.trip.to is Mode.ENFORCE:
            trip.note("to", '"enforce"', listed(("off", "shadow")), 'write to = "shadow"')


def _check_bounds(bounds: Bounds, part: Part) -> None:
    for key in _COUNTED:
        part.within(key, getattr(bounds, key), 1, _LARGEST)
    part.within("json_depth", bounds.json_depth, 1, _DEEPEST)
    part.duration("resolver_ms", bounds.resolver_s, 0.001, 60)
    part.duration("send_ms", bounds.send_s, 0.1, 600)


def _check_share_key(route: Route, part: Part) -> None:
    key = route.share_key
    if key is None:
        return
    given = [name for name in ("header", "request", "state") if getattr(key, name) is not None]
    if len(given) != 1:
        found = " and ".join(given) if given else "none of them"
        advice = 'write share_key = { header = "x-user" }'
        part.note("share_key", found, "one of header, request, state", advice)
    below = part.below("share_key")
    if key.header is not None and not _TOKEN.fullmatch(key.header):
        below.note("header", shown(key.header), "the name of a header")
    if key.request is not None:
        _check_pointer(below, "request", key.request)
    if key.state is not None and not key.state:
        below.note("state", shown(key.state), "a name in request.state")


def _check_texts(route: Route, part: Part) -> None:
    text = route.withheld_text
    if not text.strip() or len(text) > _LONGEST_TEXT:
        found = f"{len(text):,} characters" if text.strip() else "an empty text"
        part.note("withheld_text", found, f"a text of at most {_LONGEST_TEXT:,} characters")
    if not all(line.strip() for line in route.boilerplate):
        part.note("boilerplate", "an empty text", "texts as they stand in answers", "take it out")
    if route.uncalibrated not in (None, Mode.SHADOW):
        part.note("uncalibrated", shown(str(route.uncalibrated)), '"shadow" or no such key')


def _check_source(source: Source, part: Part, bounds: Bounds) -> None:
    match source:
        case ResponseSource():
            _check_pointer(part, "response", source.pointer, each=True)
            _check_inner(source.text, source.id, part)
        case RequestSource():
            _check_request(source, part)
            _check_inner(source.text, source.id, part)
        case StateSource():
            if not source.name:
                part.note("state", '""', "a name in request.state")
            _check_inner(source.text, source.id, part)
        case ResolverSource():
            if not _TARGET.fullmatch(source.target):
                advice = _target_advice(source.target)
                part.note("resolver", shown(source.target), '"package.module:function"', advice)
        case _:
            _check_file(source, part, bounds)


def _check_inner(text: str | None, name: str | None, part: Part) -> None:
    for key, pointer in (("text", text), ("id", name)):
        if pointer is not None:
            _check_pointer(part, key, pointer)


def _check_request(source: RequestSource, part: Part) -> None:
    if source.pointer is None and not source.roles:
        part.note("request", "nothing", "a pointer, or roles of chat messages")
    if source.pointer is not None:
        _check_pointer(part, "request", source.pointer, each=True)
    for role in source.roles:
        _check_role(role, "roles", part)


def _check_role(role: str, key: str, part: Part) -> None:
    if role not in ROLES:
        meant = nearest(role, ROLES)
        part.note(key, shown(role), listed(ROLES), f'write "{meant}"' if meant else "")


def _target_advice(target: str) -> str:
    module, _, name = target.rpartition(".")
    written = f"{module}:{name}"
    return f'write "{written}"' if _TARGET.fullmatch(written) else ""


def _check_file(source: FileSource, part: Part, bounds: Bounds) -> None:
    # The rule is about the file, not the key: it must speak although nothing else is wrong.
    text = read_text(Path(source.path), place=f"{part.place}.file", faults=part.faults)
    if text is None:
        return
    if not text.strip():
        part.note("file", f"{shown(source.path)} without text", "at least one passage")
    elif len(text) > bounds.evidence_chars:
        found = f"{shown(source.path)} with {len(text):,} characters"
        part.note("file", found, f"at most bounds.evidence_chars = {bounds.evidence_chars:,}")


def _resolver_fault(target: str) -> str | None:
    """Return why a resolver can't be called, None if it can."""
    module, _, name = target.partition(":")
    try:
        found: object = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        # The app's own module is half there while it builds the middleware, hence the hint.
        return f"{shown(target)}, but {error}; a module still being imported has no functions yet"
    except Exception as error:  # noqa: BLE001 - a user's module may raise anything as it is run
        return f"{shown(target)}, but importing it raised {type(error).__name__}"
    return None if callable(found) else f"{shown(target)}, which can't be called"
