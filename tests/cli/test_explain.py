"""``gatekeeper explain``: saved traffic through the real gate, told step by step."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from gatekeeper.asgi.jsontext import Number
from gatekeeper.cli import cli
from gatekeeper.cli.gates import Opened
from gatekeeper.cli.trails import follow
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.errors import ConfigurationError, InputError
from gatekeeper.evaluation.calibration import Fit
from gatekeeper.gate import Gate, Settings
from gatekeeper.testing import FakeJudge, FakeModel
from tests.config.policies import toml
from tests.own_model import own_model

ANSWER = "The lamp is green. The door is small."
GREEN = "The lamp is green and small."


class Explain:
    """Runs the command on files in a folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys
        self.skip: frozenset[int] = frozenset()
        self.max_tokens = 2048
        self.judge: FakeJudge | None = None
        self.models: list[Path | None] = []
        self.calibrations: list[Path | None] = []

    def open(self, folder: Path | None, *, tested: bool, calibration: Path | None = None) -> Opened:
        """Open a gate over a fake model."""
        self.models.append(folder)
        self.calibrations.append(calibration)
        model = FakeModel(max_tokens=self.max_tokens)
        self.judge = FakeJudge(model, skip=self.skip)
        marks = Thresholds(support=0.5, contradiction=0.9)
        gate = Gate(model, self.judge, Settings(thresholds=marks))
        return Opened(gate=gate, fit=Fit.OWN)

    def __call__(
        self,
        changes: dict[str, str | None],
        response: object,
        *words: str,
        request: object = None,
        path: str = "/v1/answer",
        top: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        """Return what the command prints."""
        (self.folder / "gatekeeper.toml").write_text(toml(changes, **top), encoding="utf-8")
        files = {"--response": response, **({} if request is None else {"--request": request})}
        for name, body in files.items():
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            (self.folder / name.strip("-")).write_bytes(data)
        options = [word for name in files for word in (name, str(self.folder / name.strip("-")))]
        config = str(self.folder / "gatekeeper.toml")
        arguments = ["explain", "-c", config, "--path", path, *options, *words]
        cli.main(arguments, standalone_mode=False, obj=self.open)
        return self.capsys.readouterr().out

    def json(self, *arguments: Any, **more: Any) -> Mapping[str, Any]:
        """Return what the command prints with --json."""
        found = json.loads(self(*arguments, "--json", **more))
        assert isinstance(found, dict)
        return found


@pytest.fixture
def explain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Explain:
    """Run the command in a folder, without settings from outside."""
    monkeypatch.delenv("GATEKEEPER_MODE", raising=False)
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    return Explain(tmp_path, capsys)


IN_RESPONSE: dict[str, str | None] = {
    "context": '[{ response = "/contexts/*", text = "/text", id = "/id" }]'
}
RESPONSE = {"answer": ANSWER, "contexts": [{"id": "kb-1", "text": GREEN}]}


def test_tells_the_whole_way_of_an_answer(explain: Explain) -> None:
    """Whoever asks why an answer was withheld gets each step that led there."""
    told = explain(IN_RESPONSE, RESPONSE).splitlines()

    for line in (
        "route[0] /v1/answer: shadow, share 1 (set by policy)",
        "request: POST (gated: POST), 0 bytes",
        f"response: 200 application/json, {len(json.dumps(RESPONSE))} bytes",
        f"answer: /answer is a string of {len(ANSWER)} characters",
        "context[0] response: /contexts/* is an object with the keys id, text",
        f"passage kb-1: {GREEN}",
        "segment [0, 19) claim: The lamp is green.",
        f"pair 0.90 for, 0.05 against: The lamp is green. | {GREEN}",
        f"pair 0.10 for, 0.05 against: The door is small. | {GREEN}",
        "action when off: RELEASE",
        "action when shadow: RELEASE (would WITHHOLD)",
        "action when enforce: WITHHOLD",
        "goes out when enforced: 200",
    ):
        assert line in told
    assert any(line.startswith("FLAGGED: ") for line in told)
    assert "could not be verified" in told[-1]
    assert ANSWER not in told[-1]
    assert explain.judge is not None
    assert explain.judge.is_closed


def test_the_same_as_one_object(explain: Explain) -> None:
    """Scripts get what people get, with whole texts."""
    changes = {**IN_RESPONSE, "question": '{ request = "/q" }'}
    assert "question asked: Which?" in explain(changes, RESPONSE, request={"q": "Which?"})

    told = explain.json(changes, RESPONSE, request={"q": "Which?"})

    assert (told["verdict"], told["action"], told["mode"]) == ("FLAGGED", "WITHHOLD", "shadow")
    assert told["actions"] == {"off": "RELEASE", "shadow": "RELEASE", "enforce": "WITHHOLD"}
    assert [claim["status"] for claim in told["claims"]] == ["SUPPORTED", "UNSUPPORTED"]
    assert told["passages"] == [{"id": "kb-1", "text": GREEN}]
    assert told["question"] == "Which?"
    assert told["pointers"]["question"]["found"]
    assert [segment["kind"] for segment in told["segments"]] == ["claim", "claim"]
    assert told["pairs"][0] == {
        "premise": GREEN,
        "hypothesis": "The lamp is green.",
        "support": 0.9,
        "contradiction": 0.05,
        "unresolved": None,
    }
    body = json.loads(told["response"]["body"])
    assert (told["response"]["status"], body["contexts"]) == (200, RESPONSE["contexts"])
    assert body["answer"] != ANSWER


def test_pointer_that_leads_nowhere_says_how_far_it_led(explain: Explain) -> None:
    """A renamed field is the commonest reason for nothing being checked."""
    told = explain(
        {"answer": '"/data/text"', "context": '[{ request = "/docs/*" }]'},
        {"data": {"answer": ANSWER}},
        request=[],
    )

    assert "answer: /data/text leads nowhere; at /data is an object with the keys answer" in told
    assert "context[0] request: /docs/* leads nowhere; at the top is an empty list" in told
    assert "NOT_CHECKED (shape)" in told
    assert "evidence: the check never got that far" in told
    assert "action when enforce: BLOCK" in told


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["-H", "content-type: text/html"], "content_type"),
        (["-H", "Content-Encoding: br"], "encoding"),
        (["--method", "PUT"], "method"),
        (["--status", "500"], "status"),
        (["-H", "content-type: text/event-stream"], "shape"),
        (["-H", "content-type: application/json-seq"], "stream"),
    ],
)
def test_heads_count_as_in_front_of_the_app(
    explain: Explain, words: list[str], reason: str
) -> None:
    """The reason is found by the middleware itself, not by a second set of rules."""
    told = explain.json({}, RESPONSE, *words)

    assert (told["verdict"], told["reason"]) == ("NOT_CHECKED", reason)


def test_compressed_and_broken_bodies(explain: Explain) -> None:
    """Traffic is saved as it went over the wire."""
    packed = gzip.compress(json.dumps(RESPONSE).encode())

    told = explain.json(IN_RESPONSE, packed, "-H", "content-encoding: gzip")
    assert told["verdict"] == "FLAGGED"
    assert told["pointers"]["answer"]["found"]

    told = explain.json(IN_RESPONSE, b"{")
    fault = "the body can't be read: shape: no JSON at line 1, column 2"
    assert told["pointers"]["answer"] == {"found": False, "fault": fault}
    assert f"answer: {fault}" in explain(IN_RESPONSE, b"{")


@pytest.mark.parametrize(
    ("body", "words", "why"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n{}", [], "shape: no JSON at line 1, it begins with the head; "),
        (b'{"b": {"c": 1}, "a": 1, "a": 2}', [], "shape: the key 'a' twice in one object"),
        (b'{"a": NaN}', [], "shape: NaN, which is no JSON"),
        (b'{"a": "\xff"}', [], "shape: no UTF-8, the byte 0xff at offset 7"),
        (b"[" * 100 + b"]" * 100, [], "shape: nested deeper than bounds.json_depth = 64"),
        (b"[" * 99_000 + b"]" * 99_000, [], "shape: nested deeper than bounds.json_depth = 64"),
        (b"", [], "shape: it is empty"),
        (b"x", ["-H", "content-encoding: gzip"], "encoding: gzip"),
    ],
)
def test_body_that_is_no_json_says_what_it_is(
    explain: Explain, body: bytes, words: list[str], why: str
) -> None:
    """A file saved with its head looks like a broken gate until someone says so."""
    told = explain(IN_RESPONSE, body, *words)

    assert f"answer: the body can't be read: {why}" in told


@pytest.mark.parametrize(
    ("passage", "keys", "fault"),
    [
        (
            {"doc_id": 1, "body": GREEN},
            'text = "/text"',
            "/text leads nowhere in passage 0, an object with the keys doc_id, body",
        ),
        (
            {"body": GREEN},
            'id = "/id"',
            'passage 0 is an object with the keys body, no string; write text = "/..."',
        ),
        ({"n": 7}, 'text = "/n"', "/n in passage 0 is a number, no string"),
    ],
)
def test_passage_without_its_text_is_shown(
    explain: Explain, passage: object, keys: str, fault: str
) -> None:
    """The pointer to the list is right and nothing is checked: the slip is one level down."""
    changes: dict[str, str | None] = {"context": f'[{{ response = "/contexts/*", {keys} }}]'}

    told = explain(changes, {"answer": ANSWER, "contexts": [passage]})

    assert f"context[0].text: {fault}" in told.splitlines()
    assert "NOT_CHECKED (shape)" in told


def test_list_of_passages_is_looked_through(explain: Explain) -> None:
    """One bad passage among good ones spoils the check, so it is the one that is named."""
    changes: dict[str, str | None] = {"context": '[{ response = "/a/*/b", text = "/t" }]'}
    good, bad = {"t": GREEN}, {"u": GREEN}

    told = explain(changes, {"answer": ANSWER, "a": [{"b": [good]}, {"c": 1}, {"b": bad}]})

    assert "context[0].text: /t leads nowhere in passage 1" in told
    assert "context[0].text" not in explain(changes, {"answer": ANSWER, "a": [{"b": good}]})
    assert "context[0].text" not in explain(
        {"context": '[{ response = "/a/*" }]'}, {"answer": ANSWER, "a": 7}
    )


def test_state_that_holds_no_passages_is_told(explain: Explain, tmp_path: Path) -> None:
    """A name misspelt in app or policy gives no passage and no error."""
    told = explain({}, RESPONSE)
    assert (
        "context[0] state: nothing named passages; give it with --state FILE (keys there: none)"
        in told.splitlines()
    )

    state = tmp_path / "state.json"
    state.write_text(json.dumps({"pasages": [GREEN]}), encoding="utf-8")
    assert "(keys there: pasages)" in explain({}, RESPONSE, "--state", str(state))

    state.write_text(json.dumps({"passages": [{"body": GREEN}]}), encoding="utf-8")
    told = explain({}, RESPONSE, "--state", str(state))
    assert "context[0] state: passages is a list of 1" in told.splitlines()
    assert "context[0].text: passage 0 is an object with the keys body, no string" in told


def test_chat_is_told_as_far_as_its_first_choice(explain: Explain) -> None:
    """A chat has its places as well: the answer, the question, the messages."""
    changes: dict[str, str | None] = {
        "answer": None,
        "shape": '"openai-chat"',
        "question": '{ role = "user" }',
        "context": '[{ roles = ["system"] }]',
    }
    messages = [{"role": "system", "content": GREEN}, {"role": "user", "content": "Which?"}]
    chat = {"choices": [{"message": {"role": "assistant", "content": "The lamp is green."}}]}

    told = explain(changes, chat, request={"messages": messages}).splitlines()

    for line in (
        "answer: /choices/0/message/content is a string of 18 characters",
        "question: /messages is a list of 2",
        "context[0] request: /messages is a list of 2",
        "question asked: Which?",
        f"passage 0: {GREEN}",
        "marks: support 0.5, contradiction 0.9",
    ):
        assert line in told
    assert "question: the body can't be read: there is none; give it with --request FILE" in (
        explain(changes, chat)
    )


def test_boilerplate_of_the_route_is_no_claim(explain: Explain) -> None:
    """What the gate in front of the app passes over is not told as a claim."""
    told = explain({**IN_RESPONSE, "boilerplate": '["The door is small."]'}, RESPONSE)

    assert "segment [19, 37) boilerplate: The door is small." in told
    assert "SUPPORTED: " in told


def test_evidence_from_elsewhere_is_shown_as_passages(explain: Explain, tmp_path: Path) -> None:
    """A file has no place in the exchange to be looked up; what it gave is told all the same."""
    (tmp_path / "facts.md").write_text(GREEN, encoding="utf-8")

    told = explain({"context": '[{ file = "facts.md" }]'}, RESPONSE)

    assert "context[0]" not in told
    assert f"passage 0: {GREEN}" in told


def test_model_of_the_policy_is_the_one_that_runs(explain: Explain, tmp_path: Path) -> None:
    """Another model's verdict explains nothing; a folder is looked for beside the policy."""
    own_model(tmp_path)

    explain(IN_RESPONSE, RESPONSE, top={"model": '"./model"'})
    assert explain.models == [tmp_path / "model"]

    explain(IN_RESPONSE, RESPONSE, "--model", str(tmp_path))
    assert explain.models[1:] == [tmp_path]

    with pytest.raises(ConfigurationError, match="model: found"):
        explain(IN_RESPONSE, RESPONSE, top={"model": '"nope"'})


def test_mode_that_may_not_be_enforced_is_told(explain: Explain) -> None:
    """The policy says enforce, and the answer went out: here is why."""
    changes: dict[str, str | None] = {"mode": '"enforce"', "uncalibrated": '"shadow"'}

    told = explain(changes, RESPONSE)

    assert "shadow, share 1 (set by policy; wanted enforce: a public calibration only)" in told
    record = explain.json(changes, RESPONSE)
    assert (record["mode"], record["degraded"]) == ("shadow", True)
    assert record["thresholds"] == {"support": 0.5, "contradiction": 0.9}


def test_plain_text_with_passages_from_the_state(explain: Explain, tmp_path: Path) -> None:
    """What the app put into request.state can be given beside the bodies."""
    (tmp_path / "state.json").write_text(json.dumps({"passages": [GREEN]}), encoding="utf-8")
    changes: dict[str, str | None] = {"answer": None, "shape": '"plain"'}

    told = explain(changes, b"The lamp is green.", "--state", str(tmp_path / "state.json"))

    assert "response: 200 text/plain, 18 bytes" in told
    assert f"passage 0: {GREEN}" in told
    assert "action when enforce: RELEASE" in told
    assert told.splitlines()[-1] == "The lamp is green."


def test_no_passage_is_told(explain: Explain) -> None:
    """Evidence that was looked for and not there is a finding."""
    told = explain({}, RESPONSE)

    assert "evidence: no passage" in told
    assert "NOT_CHECKED (no_context)" in told


def test_unresolved_pairs_give_their_reason(explain: Explain) -> None:
    """A pair without a score is told as that, never as a score."""
    explain.skip = frozenset({0})

    assert "pair budget: The lamp is green." in explain(IN_RESPONSE, RESPONSE)
    pair = explain.json(IN_RESPONSE, RESPONSE)["pairs"][0]
    assert (pair["support"], pair["unresolved"]) == (None, "budget")


def test_claim_that_is_too_long_for_the_model_has_no_pairs(explain: Explain) -> None:
    """The reason stands in the verdict; there was nothing to ask the model."""
    explain.max_tokens = 10

    told = explain.json(IN_RESPONSE, RESPONSE)

    assert (told["reason"], told["pairs"]) == ("claim_too_long", [])


def test_path_without_a_route_names_the_nearest(explain: Explain) -> None:
    """A typing error in a path looks like a gate that does nothing."""
    told = explain({}, RESPONSE, path="/v1/answers")
    assert told.startswith("NOT_CHECKED: no_route")
    assert "nearest: /v1/answer" in told
    assert explain.judge is None

    record = explain.json({}, RESPONSE, path="/zzz")
    assert record == {"verdict": "NOT_CHECKED", "reason": "no_route", "nearest": ["/v1/answer"]}


def test_run_time_mode_is_told(explain: Explain, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mode on file need not be the one that holds."""
    monkeypatch.setenv("GATEKEEPER_MODE", "off")

    assert "/v1/answer: off, share 1 (set by environment)" in explain({}, RESPONSE)


def test_foreign_text_is_shown_harmlessly(explain: Explain) -> None:
    """Saved traffic may hold anything, also in keys and header lines, and at any length."""
    hostile = {"answer": "\x1b[31m The lamp is green.", "contexts": [{"id": "\x1b", "text": GREEN}]}

    told = explain(IN_RESPONSE, hostile, "-H", "content-type: application/json; a=\x1b")

    assert "\x1b" not in told
    assert "x..." in explain({}, {"answer": "x" * 5000})


@pytest.mark.parametrize("words", [["-H", "nonsense"], ["-H", ": x"]])
def test_header_that_is_none_is_refused(explain: Explain, words: list[str]) -> None:
    """A header that is left out would change the verdict."""
    with pytest.raises(InputError, match="--header"):
        explain({}, RESPONSE, *words)


@pytest.mark.parametrize("text", ["[1]", "{"])
def test_state_that_is_no_object_is_refused(explain: Explain, tmp_path: Path, text: str) -> None:
    """The file is checked before a model is loaded."""
    (tmp_path / "state.json").write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match="a JSON object"):
        explain({}, RESPONSE, "--state", str(tmp_path / "state.json"))
    assert explain.judge is None


@pytest.mark.parametrize(
    ("response", "words"),
    [
        ({**RESPONSE, "gatekeeper": {"id": "4f", "verdict": "FLAGGED"}}, []),
        ({"type": "about:blank", "status": 502, "gatekeeper": {"id": "4f"}}, []),
        ({**RESPONSE, "answer": "Nothing to say."}, []),
        (RESPONSE, ["-H", "Gatekeeper-Id: 4f"]),
    ],
)
def test_what_the_gate_sent_is_told_as_that(
    explain: Explain, response: object, words: list[str]
) -> None:
    """Its own notice instead of the answer gets a verdict too, which explains nothing."""
    changes = {**IN_RESPONSE, "withheld_text": '"Nothing to say."'}
    line = "response: this is what the gate sent, not the app; save the app's response before it"

    assert line in explain(changes, response, *words).splitlines()
    assert line not in explain(changes, RESPONSE)
    assert explain.json(changes, response, *words)["pointers"]["response"]["found"] is False
    plain = {**changes, "answer": None, "shape": '"plain"', "context": '[{ state = "passages" }]'}
    assert line in explain(plain, b"Nothing to say.").splitlines()


def test_invalid_policy_is_told_as_a_start_would(explain: Explain) -> None:
    """Explaining a policy that no worker would run explains nothing."""
    with pytest.raises(ConfigurationError):
        explain({"mode": '"on"'}, RESPONSE)


@pytest.mark.parametrize(
    ("document", "pointer", "followed", "there"),
    [
        ({"a": [{"b": "x"}]}, "/a/*/b", "/a/*/b", "a string of 1 characters"),
        ({"a": [{"b": "x"}]}, "/a/0/c", "/a/0", "an object with the keys b"),
        ({"a": {}}, "/a/b", "/a", "an empty object"),
        ({"a": []}, "/a/*", "/a", "an empty list"),
        ({"a": [1, 2]}, "/a", "/a", "a list of 2"),
        ({"a": None}, "/a/b", "/a", "null"),
        ({"a": True}, "/a", "/a", "true or false"),
        ({"a": Number("1.50")}, "/a", "/a", "a number"),
        ({"a/b": "x"}, "/a~1b", "/a~1b", "a string of 1 characters"),
        (dict.fromkeys("abcdefghijklmn"), "/z", "", None),
        ("x", "", "", "a string of 1 characters"),
    ],
)
def test_trail(document: object, pointer: str, followed: str, there: str | None) -> None:
    """What stands where a pointer stops is what one needs to mend it."""
    trail = follow(document, pointer)

    assert (trail.followed, trail.is_found) == (followed, followed == pointer)
    assert trail.there == (
        there or "an object with the keys a, b, c, d, e, f, g, h, i, j, k, l and 2 more"
    )
