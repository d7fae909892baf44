"""Policy files: what is read from them, and every fault at once with its place."""

from dataclasses import replace
from pathlib import Path

import pytest

from gatekeeper.config import forced_mode, load_policy, read_draft, uncalibrated_paths
from gatekeeper.errors import ConfigurationError, GatekeeperError
from gatekeeper.evaluation.calibration import Calibration
from gatekeeper.policy import (
    Bounds,
    Expose,
    LastMessage,
    Mode,
    Policy,
    Reactions,
    Route,
    Shape,
    ShareKey,
    StateSource,
    StreamMode,
    Targets,
    Trip,
)
from gatekeeper.verdict import Action
from tests.config.policies import OWN, PLACE, SECRET, faults, load, route, toml
from tests.config.slips import BROKEN_RULES, MISREAD

PUBLIC = replace(OWN, source="public")


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
        ({"question": '{ role = "user" }'}, "question", LastMessage(role="user")),
        (
            {"question": '{ request = "/chat", role = "user" }'},
            "question",
            LastMessage(role="user", pointer="/chat"),
        ),
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
        ({"stream_answer": '"/delta/text"'}, "stream_answer", "/delta/text"),
        ({"max_hold_s": "2.5"}, "max_hold_s", 2.5),
        ({"keep_alive_s": "0"}, "keep_alive_s", 0.0),
        ({"answer": None, "shape": '"openai-responses"'}, "answer", Shape.OPENAI_RESPONSES),
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
        probes_per_minute="1.5",
    )

    found = load(tmp_path, text)

    assert (found.model, found.model_sha256) == ("models/mine", digest)
    assert (found.outcomes, found.probes_per_minute) == (None, 1.5)
    assert load(tmp_path, toml()).probes_per_minute == 12


@pytest.mark.parametrize(("changes", "key", "found", "advice"), MISREAD)
def test_fault_has_place_finding_and_advice(
    tmp_path: Path, changes: dict[str, str | None], key: str, found: str, advice: str
) -> None:
    """One slip is one fault, and its text is enough to mend it."""
    [fault] = faults(tmp_path, toml(changes))

    assert (fault.place, fault.found) == (f"{PLACE}.{key}", found)
    assert fault.instead.startswith(advice)
    assert bool(fault.instead) == bool(advice)


@pytest.mark.parametrize(("changes", "key", "found", "advice"), BROKEN_RULES)
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
        ({"retention_days": "30"}, "retention_days", "it belongs under [outcomes]"),
        ({"model": '" "'}, "model", ""),
        ({"model_sha256": '"ABC"'}, "model_sha256", ""),
        ({"probes_per_minute": "61"}, "probes_per_minute", ""),
        ({"probes_per_minute": "0.99"}, "probes_per_minute", ""),
        ({"probes_per_minute": "nan"}, "probes_per_minute", ""),
        ({"probes_per_minute": "-1"}, "probes_per_minute", ""),
        ({"probes_per_minute": '"12"'}, "probes_per_minute", "write probes_per_minute = 12"),
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


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("v1/answer", "/v1/answer"),
        ("http://localhost:8000/v1/answer?x=1", "/v1/answer"),
        ("https://example.org", "/"),
        ("v1#part", "/v1"),
    ],
)
def test_path_of_an_address_is_named(tmp_path: Path, path: str, meant: str) -> None:
    """People copy the address they call; the advice must be one they can copy back."""
    [fault] = faults(tmp_path, toml({"path": f'"{path}"'}))

    assert fault.instead == f'write path = "{meant}"'


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
    assert all(fault.instead.startswith('write mode = "shadow", or ') for fault in shown)


def test_uncalibrated_paths(tmp_path: Path) -> None:
    """The same rule holds for modes that are set at run time."""
    text = toml({"path": '"/a"'}, {"path": '"/b"', "accept_public_calibration": "true"})
    policy = load(tmp_path, text)

    assert uncalibrated_paths(policy, None) == {"/a", "/b"}
    assert uncalibrated_paths(policy, PUBLIC) == {"/a"}
    assert uncalibrated_paths(policy, OWN) == set()
