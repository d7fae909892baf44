"""Policy files: what is read from them, and every fault at once with its place."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gatekeeper.config import (
    check_policy,
    forced_mode,
    load_policy,
    policy_hash,
    read_draft,
    uncalibrated_paths,
)
from gatekeeper.errors import ConfigurationError, GatekeeperError
from gatekeeper.evaluation.calibration import Calibration
from gatekeeper.policy import (
    Bounds,
    Expose,
    FileSource,
    Mode,
    Policy,
    Reactions,
    RequestSource,
    ResolverSource,
    ResponseSource,
    Route,
    Shape,
    ShareKey,
    StateSource,
    StreamMode,
    Targets,
    Trip,
)
from gatekeeper.verdict import Action
from tests.config.policies import SECRET, faults, load, toml

PLACE = 'route[0] "/v1/answer"'
OWN = Calibration(source="own", fingerprint="f", support_threshold=0.5, contradiction_threshold=0.9)
PUBLIC = replace(OWN, source="public")


def route(folder: Path, changes: dict[str, str | None], **environment: str) -> Route:
    """Return the one route of a valid file."""
    return load(folder, toml(changes), environment=environment).routes[0]


def test_smallest_file_gives_the_defaults_of_the_objects(tmp_path: Path) -> None:
    """A default written down twice is two defaults one day."""
    assert load(tmp_path, toml()) == Policy(
        routes=(
            Route(
                path="/v1/answer",
                answer="/answer",
                context=(StateSource(name="passages"),),
                mode=Mode.SHADOW,
                on_flagged=Action.WITHHOLD,
                on_unresolved=Reactions(default=Action.WITHHOLD),
                on_not_checked=Reactions(default=Action.WITHHOLD),
            ),
        )
    )


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"path": '"/v2"'}, "path", "/v2"),
        ({"methods": '["GET", "POST"]'}, "methods", ("GET", "POST")),
        ({"mode": '"off"'}, "mode", Mode.OFF),
        ({"mode": '"enforce"'}, "mode", Mode.ENFORCE),
        ({"answer": '"/data/0/text"'}, "answer", "/data/0/text"),
        ({"answer": '""'}, "answer", ""),
        ({"answer": None, "shape": '"openai-chat"'}, "answer", Shape.OPENAI_CHAT),
        ({"answer": None, "shape": '"plain"'}, "answer", Shape.PLAIN),
        ({"question": '{ request = "/q" }'}, "question", "/q"),
        ({"boilerplate": '["Ask us."]'}, "boilerplate", ("Ask us.",)),
        ({"budget_ms": "150"}, "budget_s", 0.15),
        ({"on_flagged": '"block"'}, "on_flagged", Action.BLOCK),
        ({"on_no_claims": '"block"'}, "on_no_claims", Action.BLOCK),
        ({"on_flagged": '"redact"', "stream": '"whole"'}, "on_flagged", Action.REDACT),
        (
            {"on_unresolved": '{ default = "redact" }', "stream": '"whole"'},
            "on_unresolved",
            Reactions(default=Action.REDACT),
        ),
        ({"expose": '"verdict"'}, "expose", Expose.VERDICT),
        ({"expose": '"none"'}, "expose", Expose.NONE),
        ({"stream": '"release_then_stop"'}, "stream", StreamMode.RELEASE_THEN_STOP),
        (
            {"targets": "{ false_block = 0.05, accepted_error = 0.1, confidence = 0.9 }"},
            "targets",
            Targets(false_block=0.05, accepted_error=0.1, confidence=0.9),
        ),
        (
            {"trip": '{ blocked_share = 0.25, of_last = 50, to = "off" }'},
            "trip",
            Trip(blocked_share=0.25, of_last=50, to=Mode.OFF),
        ),
        ({"uncalibrated": '"shadow"'}, "uncalibrated", Mode.SHADOW),
        ({"accept_public_calibration": "true"}, "accept_public_calibration", True),
        ({"withheld_text": '"No."'}, "withheld_text", "No."),
        ({"block_status": "503"}, "block_status", 503),
        ({"max_in_flight_per_key": "4"}, "max_in_flight_per_key", 4),
        ({"share": "1"}, "share", 1.0),
    ],
)
def test_each_key_reaches_the_policy(
    tmp_path: Path, changes: dict[str, str | None], field: str, value: object
) -> None:
    """A setting that changes nothing is a promise that isn't kept."""
    assert getattr(route(tmp_path, changes), field) == value


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{ header = "x-user" }', ShareKey(header="x-user")),
        ('{ request = "/user/id" }', ShareKey(request="/user/id")),
        ('{ state = "tenant" }', ShareKey(state="tenant")),
    ],
)
def test_share_with_its_key(tmp_path: Path, text: str, key: ShareKey) -> None:
    """A share is kept where the key and the secret are there."""
    found = route(tmp_path, {"share": "0.25", "share_key": text}, **SECRET)

    assert (found.share, found.share_key) == (0.25, key)


def test_reactions_by_reason(tmp_path: Path) -> None:
    """Each reason that is named has its own action, all others the default."""
    found = route(
        tmp_path,
        {
            "on_unresolved": '{ default = "block", overload = "release" }',
            "on_not_checked": '{ default = "withhold", method = "release" }',
        },
    )

    assert found.on_unresolved.action("overload") is Action.RELEASE
    assert found.on_unresolved.action("budget") is Action.BLOCK
    assert found.on_not_checked.action("method") is Action.RELEASE
    assert found.on_not_checked.action("size") is Action.WITHHOLD


def test_every_kind_of_source(tmp_path: Path) -> None:
    """All sources of the design can be written, and paths of files start from the policy file."""
    (tmp_path / "facts.md").write_text("We close at five.", encoding="utf-8")
    found = route(
        tmp_path,
        {
            "context": """[
              { response = "/contexts/*", text = "/text", id = "/id" },
              { request = "/ticket" },
              { request = "/chat", roles = ["tool"] },
              { roles = ["system", "tool"] },
              { state = "passages", text = "/body" },
              { resolver = "json:dumps" },
              { file = "facts.md" },
            ]"""
        },
    )

    assert found.context == (
        ResponseSource(pointer="/contexts/*", text="/text", id="/id"),
        RequestSource(pointer="/ticket"),
        RequestSource(pointer="/chat", roles=("tool",)),
        RequestSource(pointer="/messages", roles=("system", "tool")),
        StateSource(name="passages", text="/body"),
        ResolverSource(target="json:dumps"),
        FileSource(path=str(tmp_path / "facts.md")),
    )


def test_boilerplate_file_has_a_text_a_line(tmp_path: Path) -> None:
    """Blank lines and a byte order mark are no boilerplate."""
    (tmp_path / "b.txt").write_text("\ufeffAsk us.\n\n  Yours  \n", encoding="utf-8")

    assert route(tmp_path, {"boilerplate": '"b.txt"'}).boilerplate == ("Ask us.", "Yours")


def test_bounds_of_the_file_and_of_a_route(tmp_path: Path) -> None:
    """What a route says goes over what the file says, that over the default."""
    text = toml(
        {"bounds": "{ passages = 5, resolver_ms = 250 }"},
        {"path": '"/b"'},
        bounds="{ passages = 7, json_depth = 9, send_ms = 1000, process_bytes = 5000000 }",
    )

    first, second = (route.bounds for route in load(tmp_path, text).routes)

    common = Bounds(json_depth=9, send_s=1.0, process_bytes=5_000_000)
    assert first == replace(common, passages=5, resolver_s=0.25)
    assert second == replace(common, passages=7)


@pytest.mark.parametrize(
    "key",
    [
        "request_bytes",
        "held_bytes",
        "decoded_bytes",
        "decoded_ratio",
        "json_depth",
        "passages",
        "evidence_chars",
    ],
)
def test_each_bound_reaches_the_policy(tmp_path: Path, key: str) -> None:
    """Every bound of the table can be set."""
    found = route(tmp_path, {"bounds": f"{{ {key} = 17 }}"})

    assert getattr(found.bounds, key) == 17


def test_top_level_keys(tmp_path: Path) -> None:
    """The keys that hold for all routes reach the policy."""
    digest = "0123456789abcdef" * 4
    text = toml(
        model='"models/mine"',
        model_sha256=f'"{digest}"',
        store_text='"sampled"',
        retention_days="7",
    )

    found = load(tmp_path, text)

    assert (found.model, found.model_sha256) == ("models/mine", digest)
    assert (found.store_text, found.retention_days) == ("sampled", 7)


# What is wrong, where, what is found there, and the advice (its beginning).
CASES: list[tuple[dict[str, str | None], str, str, str]] = [
    ({"mode": '"Shadow"'}, "mode", '"Shadow"', 'write mode = "shadow"'),
    ({"mode": '"enforced"'}, "mode", '"enforced"', 'write mode = "enforce"'),
    ({"mode": "1"}, "mode", "1", ""),
    ({"mode": '"on"'}, "mode", '"on"', ""),
    ({"on_flagged": '"RELEASE"'}, "on_flagged", '"RELEASE"', ""),
    ({"on_no_claims": '"redact"'}, "on_no_claims", '"redact"', ""),
    ({"stream": '"by-sentence"'}, "stream", '"by-sentence"', 'write stream = "by_sentence"'),
    ({"expose": '"ids"'}, "expose", '"ids"', 'write expose = "id"'),
    ({"uncalibrated": '"enforce"'}, "uncalibrated", '"enforce"', ""),
    (
        {"answer": None, "shape": '"openai_chat"'},
        "shape",
        '"openai_chat"',
        'write shape = "openai-chat"',
    ),
    (
        {"budget": "200"},
        "budget",
        "an unknown key",
        "write budget_ms = 200000, it counts milliseconds",
    ),
    (
        {"budget_s": "0.2"},
        "budget_s",
        "an unknown key",
        "write budget_ms = 200, it counts milliseconds",
    ),
    ({"on_flaged": '"block"'}, "on_flaged", "an unknown key", "did you mean on_flagged?"),
    (
        {"GATEKEEPER_SECRET": '"hunter2"'},
        "GATEKEEPER_SECRET",
        "an unknown key",
        "take it out: a secret comes from the environment, GATEKEEPER_SECRET",
    ),
    ({'"a b\\u001b"': "1"}, '"a b\\u001b"', "an unknown key", "the keys here are path"),
    ({"share": '"0.5"'}, "share", '"0.5"', "write share = 0.5"),
    ({"share": '"half"'}, "share", '"half"', ""),
    ({"share": "true"}, "share", "true", ""),
    ({"budget_ms": "nan"}, "budget_ms", "nan", ""),
    ({"block_status": "422.5"}, "block_status", "422.5", ""),
    (
        {"block_status": "999999999999999999999999999999"},
        "block_status",
        "999999999999999999999999999999",
        "",
    ),
    ({"methods": '"POST"'}, "methods", '"POST"', 'write methods = ["POST"]'),
    ({"withheld_text": "[]"}, "withheld_text", "an empty list", 'write withheld_text = "..."'),
    (
        {"accept_public_calibration": '"true"'},
        "accept_public_calibration",
        '"true"',
        "write accept_public_calibration = true",
    ),
    ({"accept_public_calibration": "1"}, "accept_public_calibration", "1", ""),
    ({"context": '{ state = "p" }'}, "context", "a table", "write context = ["),
    ({"context": '["p"]'}, "context[0]", '"p"', "write ["),
    ({"targets": "0.05"}, "targets", "0.05", "write targets = {"),
    ({"trip": '"shadow"'}, "trip", '"shadow"', "write trip = {"),
    ({"bounds": "2000-01-01"}, "bounds", "a date or time", "write bounds = {"),
    (
        {"question": '"/question"'},
        "question",
        '"/question"',
        'write question = { request = "/question" }',
    ),
    ({"mode": None}, "mode", "nothing", 'write mode = "shadow"'),
    (
        {"answer": None},
        "answer",
        "neither answer nor shape",
        'write answer = "/answer" or shape = "openai-chat"',
    ),
    ({"shape": '"plain"'}, "answer", "answer and shape", "write answer"),
    ({"context": None}, "context", "nothing", "write context = ["),
    ({"context": "[]"}, "context", "no source", "write context = ["),
    ({"on_flagged": None}, "on_flagged", "nothing", 'write on_flagged = "withhold"'),
    (
        {"on_unresolved": None},
        "on_unresolved",
        "nothing",
        'write on_unresolved = { default = "withhold" }',
    ),
    ({"on_not_checked": None}, "on_not_checked", "nothing", "write on_not_checked"),
    (
        {"on_unresolved": '{ budget = "release" }'},
        "on_unresolved.default",
        "nothing",
        'write default = "withhold"',
    ),
    (
        {"on_unresolved": '"withhold"'},
        "on_unresolved",
        '"withhold"',
        'write on_unresolved = { default = "withhold" }',
    ),
    (
        {"targets": "{ false_block = 0.05 }"},
        "targets.accepted_error",
        "nothing",
        "write accepted_error = 0.10",
    ),
    ({"trip": "{ of_last = 200 }"}, "trip.blocked_share", "nothing", "write blocked_share = 0.5"),
    ({"question": "{}"}, "question.request", "nothing", 'write request = "/question"'),
    (
        {"on_unresolved": '{ default = "withhold", overlaod = "release" }'},
        "on_unresolved.overlaod",
        "an unknown reason",
        "did you mean overload?",
    ),
    (
        {"on_unresolved": '{ default = "withhold", stream = "release" }'},
        "on_unresolved.stream",
        "an unknown reason",
        "it belongs to on_not_checked",
    ),
    (
        {"on_not_checked": '{ default = "withhold", off = "release" }'},
        "on_not_checked.off",
        "an unknown reason",
        "the reasons here are method",
    ),
    (
        {"on_not_checked": '{ default = "witthold" }'},
        "on_not_checked.default",
        '"witthold"',
        'write default = "withhold"',
    ),
]


@pytest.mark.parametrize(("changes", "key", "found", "advice"), CASES)
def test_fault_has_place_finding_and_advice(
    tmp_path: Path, changes: dict[str, str | None], key: str, found: str, advice: str
) -> None:
    """One slip is one fault, and its text is enough to mend it."""
    [fault] = faults(tmp_path, toml(changes))

    assert (fault.place, fault.found) == (f"{PLACE}.{key}", found)
    assert fault.instead.startswith(advice)
    assert bool(fault.instead) == bool(advice)


RULES: list[tuple[dict[str, str | None], str, str, str]] = [
    # Numbers, and the unit that was meant.
    ({"share": "50"}, "share", "50", "write share = 0.5 for 50 %"),
    ({"share": "-0.1"}, "share", "-0.1", ""),
    ({"share": "1000"}, "share", "1000", ""),
    ({"budget_ms": "0.2"}, "budget_ms", "0.2", "write budget_ms = 200, it counts milliseconds"),
    ({"budget_ms": "0"}, "budget_ms", "0", ""),
    ({"budget_ms": "60001"}, "budget_ms", "60001", ""),
    ({"block_status": "200"}, "block_status", "200", ""),
    ({"max_in_flight_per_key": "0"}, "max_in_flight_per_key", "0", ""),
    (
        {"targets": "{ false_block = 5, accepted_error = 0.1 }"},
        "targets.false_block",
        "5",
        "write false_block = 0.05 for 5 %",
    ),
    (
        {"targets": "{ false_block = 0.05, accepted_error = 0 }"},
        "targets.accepted_error",
        "0",
        "",
    ),
    (
        {"targets": "{ false_block = 0.05, accepted_error = 0.1, confidence = 95 }"},
        "targets.confidence",
        "95",
        "write confidence = 0.95 for 95 %",
    ),
    (
        {"trip": "{ blocked_share = 50, of_last = 200 }"},
        "trip.blocked_share",
        "50",
        "write blocked_share = 0.5 for 50 %",
    ),
    ({"trip": "{ blocked_share = 0.5, of_last = 1 }"}, "trip.of_last", "1", ""),
    (
        {"trip": '{ blocked_share = 0.5, of_last = 200, to = "enforce" }'},
        "trip.to",
        '"enforce"',
        'write to = "shadow"',
    ),
    ({"bounds": "{ passages = 0 }"}, "bounds.passages", "0", ""),
    ({"bounds": "{ json_depth = 501 }"}, "bounds.json_depth", "501", ""),
    (
        {"bounds": "{ resolver_ms = 0.5 }"},
        "bounds.resolver_ms",
        "0.5",
        "write resolver_ms = 500, it counts milliseconds",
    ),
    ({"bounds": "{ send_ms = 0 }"}, "bounds.send_ms", "0", ""),
    ({"bounds": "{ process_bytes = 1 }"}, "bounds.process_bytes", "an unknown key", "it belongs"),
    (
        {"bounds": "{ held_bytes = 300_000_000 }"},
        "bounds.held_bytes",
        "300,000,000, more than all requests together may hold",
        "",
    ),
    # Paths and methods.
    ({"methods": "[]"}, "methods", "an empty list", 'write methods = ["POST"]'),
    ({"methods": '["post"]'}, "methods", '"post"', 'write "POST"'),
    ({"methods": '["PO ST"]'}, "methods", '"PO ST"', ""),
    ({"methods": '["HEAD"]'}, "methods", '"HEAD"', "take it out"),
    # Pointers.
    ({"answer": '"answer"'}, "answer", '"answer"', 'write "/answer"'),
    (
        {"answer": '"$.choices[0].text"'},
        "answer",
        '"$.choices[0].text"',
        'write "/choices/0/text"',
    ),
    ({"answer": '"data.text"'}, "answer", '"data.text"', 'write "/data/text"'),
    ({"answer": '"/a~2b"'}, "answer", '"/a~2b"', 'write "~" as "~0"'),
    ({"answer": '"/a/*"'}, "answer", '"/a/*"', ""),
    ({"answer": '"plain"'}, "answer", '"plain"', 'write shape = "plain"'),
    ({"question": '{ request = "q" }'}, "question.request", '"q"', 'write "/q"'),
    (
        {"context": '[{ response = "contexts" }]'},
        "context[0].response",
        '"contexts"',
        'write "/contexts"',
    ),
    (
        {"context": '[{ state = "p", text = "t" }]'},
        "context[0].text",
        '"t"',
        'write "/t"',
    ),
    # Sources.
    (
        {"context": '[{ respons = "/c" }]'},
        "context[0]",
        "no source",
        'did you mean response for "respons"?',
    ),
    ({"context": "[{}]"}, "context[0]", "no source", "write ["),
    (
        {"context": '[{ state = "p", file = "f" }]'},
        "context[0]",
        "state and file",
        "write a table for each",
    ),
    ({"context": "[{ state = 1 }]"}, "context[0].state", "a number", "write state"),
    ({"context": '[{ state = "" }]'}, "context[0].state", '""', ""),
    (
        {"context": '[{ state = "p", roles = ["tool"] }]'},
        "context[0].roles",
        "an unknown key",
        "the keys here are state, text, id",
    ),
    ({"context": '[{ roles = ["tol"] }]'}, "context[0].roles", '"tol"', 'write "tool"'),
    ({"context": '[{ roles = ["xyz"] }]'}, "context[0].roles", '"xyz"', ""),
    ({"context": '[{ resolver = "json.dumps" }]'}, "context[0].resolver", '"json.dumps"', "write"),
    ({"context": '[{ resolver = "no" }]'}, "context[0].resolver", '"no"', ""),
    ({"boilerplate": '["a", " "]'}, "boilerplate", "an empty text", "take it out"),
    ({"withheld_text": '" "'}, "withheld_text", "an empty text", ""),
    ({"withheld_text": f'"{"x" * 2001}"'}, "withheld_text", "2,001 characters", ""),
    # Share keys.
    ({"share_key": "{}"}, "share_key", "none of them", "write share_key"),
    (
        {"share_key": '{ header = "a", state = "b" }'},
        "share_key",
        "header and state",
        "write share_key",
    ),
    ({"share_key": '{ header = "x user" }'}, "share_key.header", '"x user"', ""),
    ({"share_key": '{ request = "id" }'}, "share_key.request", '"id"', 'write "/id"'),
    ({"share_key": '{ state = "" }'}, "share_key.state", '""', ""),
    ({"share_key": '{ haeder = "x" }'}, "share_key.haeder", "an unknown key", "did you mean"),
    # Combinations.
    ({"share": "0.5"}, "share_key", "nothing", 'write share_key = { header = "x-user" }'),
    (
        {"on_flagged": '"redact"'},
        "on_flagged",
        '"redact" with stream = "by_sentence"',
        'write stream = "whole"',
    ),
    (
        {"on_no_claims": '"annotate"', "stream": '"release_then_stop"'},
        "on_no_claims",
        '"annotate" with stream = "release_then_stop"',
        'write stream = "whole"',
    ),
    (
        {"on_not_checked": '{ default = "withhold", method = "annotate" }'},
        "on_not_checked.method",
        '"annotate" with stream = "by_sentence"',
        'write stream = "whole"',
    ),
    (
        {"answer": None, "shape": '"plain"', "context": '[{ response = "/c" }]'},
        "context[0].response",
        "a pointer into a response of plain text",
        "",
    ),
]


@pytest.mark.parametrize(("changes", "key", "found", "advice"), RULES)
def test_rule_has_place_finding_and_advice(
    tmp_path: Path, changes: dict[str, str | None], key: str, found: str, advice: str
) -> None:
    """What can't be honoured is refused at the start, with what to write instead."""
    [fault] = faults(tmp_path, toml(changes), environment=SECRET)

    assert (fault.place, fault.found) == (f"{PLACE}.{key}", found)
    assert fault.instead.startswith(advice)
    assert bool(fault.instead) == bool(advice)


@pytest.mark.parametrize(
    ("top", "place", "advice"),
    [
        ({"mode": '"shadow"'}, "mode", "it belongs under [[route]]"),
        ({"modle": '"x"'}, "modle", "did you mean model?"),
        ({"secret_key": '"hunter2"'}, "secret_key", "take it out"),
        ({"retention_days": "0"}, "retention_days", ""),
        ({"model": '" "'}, "model", ""),
        ({"model_sha256": '"ABC"'}, "model_sha256", ""),
        ({"store_text": '"all"'}, "store_text", ""),
        ({"bounds": "{ passages = 0 }"}, f"{PLACE}.bounds.passages", ""),
    ],
)
def test_faults_at_the_top(tmp_path: Path, top: dict[str, str], place: str, advice: str) -> None:
    """Keys for all routes have places of their own."""
    [fault] = faults(tmp_path, toml(**top))

    assert fault.place == place
    assert fault.instead.startswith(advice)
    assert "hunter2" not in str(fault)


@pytest.mark.parametrize("path", ["v1/answer", "/a?b", "/a#b", "/a/{id}", "/a/*", "/a%20b"])
def test_path_is_one_exact_path(tmp_path: Path, path: str) -> None:
    """A pattern that never matches would leave the route ungated without a word."""
    [fault] = faults(tmp_path, toml({"path": f'"{path}"'}))

    assert (fault.place, fault.found) == (f'route[0] "{path}".path', f'"{path}"')


@pytest.mark.parametrize("path", [None, "1"])
def test_route_without_a_path_is_called_by_its_position(tmp_path: Path, path: str | None) -> None:
    """There must be a place to name even where there is no name."""
    [first, *_] = faults(tmp_path, toml({"path": path}))

    assert first.place == "route[0].path"


def test_every_fault_at_once_in_the_order_of_the_routes(tmp_path: Path) -> None:
    """Mending a file one fault a start is a bad morning: reading, values, combinations, all."""
    text = toml(
        {"mode": '"Shadow"', "share": "0.5", "context": '[{ file = "gone.md" }, { sate = "x" }]'},
        {"budget_ms": "0.2", "on_flagged": '"redact"', "on_unresolved": None},
        {"answer": '"x"', "mode": '"enforce"'},
        modle='"x"',
    )

    found = faults(tmp_path, text, calibration_of=lambda _: None)

    assert [fault.place.replace(' "/v1/answer"', "") for fault in found] == [
        "modle",
        "route[0].context[1]",
        "route[0].mode",
        "route[0].context[0].file",
        "route[0].share_key",
        "route[0].share",
        "route[1].on_unresolved",
        "route[1].budget_ms",
        "route[1].on_flagged",
        "route[1].path",
        "route[2].answer",
        "route[2].path",
        "route[2].mode",
    ]


@pytest.mark.parametrize("spelling", ["/v1/answer/", "//v1/answer", "/V1/Answer"])
def test_one_path_in_two_spellings_is_one_route(tmp_path: Path, spelling: str) -> None:
    """The middleware takes them for one, so the second route would never be reached."""
    [fault] = faults(tmp_path, toml({}, {"path": f'"{spelling}"'}))

    assert (fault.place, fault.found) == (
        f'route[1] "{spelling}".path',
        "the path of route[0] again",
    )


def test_error_shows_file_count_and_every_fault(tmp_path: Path) -> None:
    """What a person sees at a failed start is this text."""
    path = tmp_path / "gatekeeper.toml"
    path.write_text(toml({"mode": '"Shadow"', "budget_ms": "0"}), encoding="utf-8")

    with pytest.raises(ConfigurationError) as caught:
        load_policy(path, environment={})

    assert isinstance(caught.value, GatekeeperError)
    assert (caught.value.source, len(caught.value.faults)) == (str(path), 2)
    assert str(caught.value).splitlines() == [
        f"{path}: 2 faults",
        (
            f'  {PLACE}.mode: found "Shadow", expected "off", "shadow" or "enforce"; '
            'write mode = "shadow"'
        ),
        f"  {PLACE}.budget_ms: found 0, expected 1 to 60000 milliseconds",
    ]


def test_valid_file_loads(tmp_path: Path) -> None:
    """The usual way gives the same policy as the lenient one."""
    path = tmp_path / "gatekeeper.toml"
    path.write_text(toml(), encoding="utf-8")

    assert load_policy(path, environment={}) == read_draft(path, environment={}).policy


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "nothing"),
        (b"[[route]", "no TOML: "),
        (b"a = " + b"[" * 5000, "no TOML: "),
        (b"# \xff", "with the byte 0xff at offset 2"),
        (b"#" * 1_000_001, "with more than 1,000,000 bytes"),
        (b"route = []", "nothing"),
        (b"route = {}", "nothing"),
        (b"route = 1", "1"),
        (b"route = [1]", "1"),
    ],
)
def test_file_that_is_no_policy(tmp_path: Path, data: bytes, found: str) -> None:
    """Whatever stands in the file, the answer is a fault and never a traceback."""
    path = tmp_path / "gatekeeper.toml"
    path.write_bytes(data)

    draft = read_draft(path, environment={})

    assert draft.policy.routes == ()
    assert any(found in fault.found for fault in draft.faults)


def test_missing_file_is_a_fault(tmp_path: Path) -> None:
    """A wrong -c says which file it looked for."""
    with pytest.raises(ConfigurationError, match="no such file"):
        load_policy(tmp_path / "gone.toml", environment={})


def test_path_that_no_system_call_takes_is_a_fault(tmp_path: Path) -> None:
    """A NUL in a file name raises ValueError below, not OSError."""
    [fault] = faults(tmp_path, toml({"context": r'[{ file = "a\u0000b" }]'}))

    assert fault.place == f"{PLACE}.context[0].file"
    assert "null" in fault.found


@pytest.mark.parametrize(
    ("data", "bounds", "found"),
    [
        (b" \n", "{}", "without text"),
        (b"\xff", "{}", "with the byte 0xff at offset 0"),
        (b"x" * 101, "{ evidence_chars = 100 }", "with 101 characters"),
        (b"x" * 1_000_001, "{}", "with more than 1,000,000 bytes"),
    ],
)
def test_house_facts_that_cannot_be_used(
    tmp_path: Path, data: bytes, bounds: str, found: str
) -> None:
    """House facts that are missing or cut would be missed in each verdict."""
    (tmp_path / "facts.md").write_bytes(data)

    [fault] = faults(tmp_path, toml({"context": '[{ file = "facts.md" }]', "bounds": bounds}))

    assert fault.place == f"{PLACE}.context[0].file"
    assert fault.found.endswith(found)


def test_missing_boilerplate_is_one_fault(tmp_path: Path) -> None:
    """The empty stand-in has nothing wrong with it."""
    [fault] = faults(tmp_path, toml({"boilerplate": '"gone.txt"'}))

    assert fault.place == f"{PLACE}.boilerplate"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("", "No module named 'resolver_under_test'"),
        ("x = 1", "has no attribute 'find'"),
        ("find = 1", "which can't be called"),
        ("raise KeyError('hunter2')", "importing it raised KeyError"),
        ("find = (", "importing it raised SyntaxError"),
    ],
)
def test_resolver_that_cannot_be_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, found: str
) -> None:
    """Evidence that can't be fetched is found out at the start, whatever the module does."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "resolver_under_test", raising=False)
    if source:
        (tmp_path / "resolver_under_test.py").write_text(source, encoding="utf-8")

    text = toml({"context": '[{ resolver = "resolver_under_test:find" }]'})
    [fault] = faults(tmp_path, text)

    assert fault.place == f"{PLACE}.context[0].resolver"
    assert found in fault.found
    assert "hunter2" not in str(fault)


def test_reading_without_imports_runs_no_code_of_the_user(tmp_path: Path) -> None:
    """Switching a route must work from a shell that can't import the app."""
    path = tmp_path / "gatekeeper.toml"
    path.write_text(toml({"context": '[{ resolver = "gone:find" }]'}), encoding="utf-8")

    assert read_draft(path, environment={}, imports=False).faults == ()
    assert len(read_draft(path, environment={}).faults) == 1


@pytest.mark.parametrize(
    ("environment", "place", "instead"),
    [
        ({"GATEKEEPER_MODE": "Enforce"}, "GATEKEEPER_MODE", "set GATEKEEPER_MODE=enforce"),
        ({"GATEKEEPER_MODE": "on"}, "GATEKEEPER_MODE", ""),
        ({"GATEKEEPER_SECRET": "hunter2"}, "GATEKEEPER_SECRET", "generate one"),
    ],
)
def test_environment_is_checked_and_the_secret_not_shown(
    tmp_path: Path, environment: dict[str, str], place: str, instead: str
) -> None:
    """A mode nobody understands must not count as none; a secret must not land in a log."""
    [fault] = faults(tmp_path, toml(), environment=environment)

    assert fault.place == place
    assert fault.instead.startswith(instead)
    assert "hunter2" not in str(fault)


@pytest.mark.parametrize(("word", "mode"), [("", None), ("on", None), ("off", Mode.OFF)])
def test_forced_mode(word: str, mode: Mode | None) -> None:
    """An empty variable is none."""
    assert forced_mode({"GATEKEEPER_MODE": word}) is mode


@pytest.mark.parametrize(
    ("changes", "environment", "calibration", "found"),
    [
        ({}, {}, None, None),
        ({"mode": '"enforce"'}, {}, OWN, None),
        ({"mode": '"enforce"'}, {}, None, "without a calibration for this scorer"),
        ({"mode": '"enforce"'}, {}, PUBLIC, "on a calibration fitted to public data"),
        ({"mode": '"enforce"', "accept_public_calibration": "true"}, {}, PUBLIC, None),
        (
            {"mode": '"enforce"', "accept_public_calibration": "true"},
            {},
            None,
            "without a calibration for this scorer",
        ),
        ({"mode": '"enforce"', "uncalibrated": '"shadow"'}, {}, None, None),
        ({}, {"GATEKEEPER_MODE": "enforce"}, None, "without a calibration for this scorer"),
        ({"mode": '"enforce"'}, {"GATEKEEPER_MODE": "shadow"}, None, None),
    ],
)
def test_enforcing_needs_a_calibration(
    tmp_path: Path,
    changes: dict[str, str | None],
    environment: dict[str, str],
    calibration: Calibration | None,
    found: str | None,
) -> None:
    """Blocking people's answers by marks fitted to something else is nobody's policy."""
    shown = faults(
        tmp_path, toml(changes), environment=environment, calibration_of=lambda _: calibration
    )

    assert [fault.place for fault in shown] == ([f"{PLACE}.mode"] if found else [])
    assert all(fault.found.endswith(found or "") for fault in shown)


def test_uncalibrated_paths(tmp_path: Path) -> None:
    """The same rule holds for modes that are set at run time."""
    text = toml({"path": '"/a"'}, {"path": '"/b"', "accept_public_calibration": "true"})
    policy = load(tmp_path, text)

    assert uncalibrated_paths(policy, None) == {"/a", "/b"}
    assert uncalibrated_paths(policy, PUBLIC) == {"/a"}
    assert uncalibrated_paths(policy, OWN) == set()


ROUTE = Route(
    path="/v1/answer",
    answer="/answer",
    context=(StateSource(name="passages"),),
    mode=Mode.SHADOW,
    on_flagged=Action.WITHHOLD,
    on_unresolved=Reactions(default=Action.WITHHOLD),
    on_not_checked=Reactions(default=Action.WITHHOLD),
)


def python_faults(route: Route, *, secret: bytes | None = b"x" * 16) -> list[tuple[str, str, str]]:
    """Return the faults of a policy made in Python: key, finding, advice."""
    found = check_policy(Policy(routes=(route,)), calibration=OWN, secret=secret)
    return [(fault.place.removeprefix(f"{PLACE}."), fault.found, fault.instead) for fault in found]


def test_policy_from_python_without_a_fault() -> None:
    """The objects' own defaults pass their own check."""
    assert python_faults(ROUTE) == []


def test_policy_from_python_is_held_to_the_same_rules() -> None:
    """Two ways to write a policy must not be two sets of rules; names are those of the objects."""
    bad = replace(
        ROUTE,
        budget_s=200,
        on_flagged=Action.RELEASE,
        on_no_claims=Action.REDACT,
        uncalibrated=Mode.OFF,
        context=(RequestSource(), ResolverSource(target="gone:find")),
        share=0.5,
        bounds=Bounds(send_s=0.01),
    )

    assert [key for key, _, _ in python_faults(bad, secret=None)] == [
        "budget_s",
        "bounds.send_s",
        "uncalibrated",
        "context[0].request",
        "share_key",
        "share",
        "on_flagged",
        "on_no_claims",
        "context[1].resolver",
    ]
    assert python_faults(replace(ROUTE, budget_s=200)) == [
        ("budget_s", "200", "write budget_s = 0.2, it counts seconds")
    ]


def test_words_at_the_top_from_python() -> None:
    """What is stored of people's texts must not hang on a slip of the pen."""
    policy = Policy(routes=(ROUTE,), store_text="all")

    [fault] = check_policy(policy, calibration=None, secret=None)

    assert (fault.place, fault.found) == ("store_text", '"all"')


def test_enforcing_from_python_needs_a_calibration_too() -> None:
    """The forced mode counts as the route's own."""
    policy = Policy(routes=(ROUTE,))

    assert check_policy(policy, calibration=None, secret=None) == []
    forced = check_policy(policy, calibration=None, secret=None, forced=Mode.ENFORCE)
    assert [fault.place for fault in forced] == [f"{PLACE}.mode"]


def test_plain_words_in_place_of_enums_are_found() -> None:
    """A word that only looks like the enum is unequal to it where it counts."""
    words: dict[str, Any] = {
        "mode": "enforce",
        "on_flagged": "redact",
        "on_unresolved": Reactions(default=Action.BLOCK, by_reason={"budget": "release"}),  # type: ignore[dict-item]  # that is the case
    }

    assert [key for key, _, _ in python_faults(replace(ROUTE, **words))] == [
        "mode",
        "on_flagged",
        "on_unresolved.budget",
    ]


def test_hash_tells_policies_apart_and_nothing_else() -> None:
    """Workers compare policies by it: equal ones are equal, any change is one."""
    reasons = {"budget": Action.BLOCK, "overload": Action.RELEASE}
    one, other = (
        replace(ROUTE, on_unresolved=Reactions(default=Action.BLOCK, by_reason=dict(items)))
        for items in (reasons.items(), reversed(reasons.items()))
    )

    def hashed(route: Route) -> str:
        return policy_hash(Policy(routes=(route,)))

    assert hashed(one) == hashed(other)
    changed = [
        ROUTE,
        replace(ROUTE, budget_s=0.3),
        replace(ROUTE, bounds=Bounds(passages=3)),
        replace(ROUTE, context=(RequestSource(pointer="/a"),)),
        replace(ROUTE, context=(ResponseSource(pointer="/a"),)),
    ]
    assert len({hashed(route) for route in (one, *changed)}) == len(changed) + 1
