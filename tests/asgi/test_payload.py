"""Answers are found where their shape has them, all of them, and replaced with what they carry."""

import json
from typing import Any

import pytest

from gatekeeper.policy import Reactions, Shape
from gatekeeper.testing import FakeGate, write_verdict
from gatekeeper.verdict import Action, NotCheckedReason
from tests.asgi.wire import BAD, FACT, GOOD, Desk, answering, by_words, route

CHAT = route(answer=Shape.OPENAI_CHAT)


def chat(*messages: Any, **more: Any) -> dict[str, Any]:
    """Return a completion with one choice a message."""
    choices = [
        {
            "index": n,
            "message": {"role": "assistant", **message},
            "finish_reason": "stop",
            "logprobs": {"content": [{"token": "Re"}]},
        }
        for n, message in enumerate(messages)
    ]
    return {"id": "c", "choices": choices, "usage": {"n": 1}, "contexts": [FACT], **more}


def ask(body: Any, **changes: Any) -> tuple[Any, Desk]:
    """Return what the client gets, and the desk."""
    gated = route(answer=Shape.OPENAI_CHAT, **changes)
    desk = Desk(app=answering(body), gated=gated)
    return desk.get().json, desk


def test_chat_that_is_supported_comes_as_it_was() -> None:
    """Every choice was read."""
    body, desk = ask(chat({"content": GOOD}, {"content": GOOD}))

    assert body == chat({"content": GOOD}, {"content": GOOD})
    assert len(desk.telemetry.last.verdict.claims) == 2


def test_flagged_choice_is_withheld_with_all_it_carries() -> None:
    """Log-probabilities spell the answer out, tool calls act on it; good choices stay."""
    bad = {"content": BAD, "tool_calls": [{"id": "t"}], "reasoning_content": "", "refusal": None}
    calls = Reactions(default=Action.WITHHOLD, by_reason={"no_text": Action.RELEASE})
    body, desk = ask(chat({"content": GOOD}, bad), on_not_checked=calls)

    good, withheld = body["choices"]
    assert good == chat({"content": GOOD})["choices"][0]
    assert withheld == {
        "index": 1,
        "message": {
            "role": "assistant",
            "content": desk.gated.withheld_text,
            "refusal": None,
        },
        "finish_reason": "content_filter",
    }
    assert body["usage"] == {"n": 1}
    assert desk.telemetry.last.action is Action.WITHHOLD


@pytest.mark.parametrize("reactions", [Action.RELEASE, Action.WITHHOLD])
def test_choice_without_text_hides_no_other(reactions: Action) -> None:
    """A client that asks for n = 2 must not get a flagged answer beside a tool call."""
    tool = {"content": None, "tool_calls": [{"id": "t"}]}
    gated = {"on_not_checked": Reactions(default=reactions)}

    body, desk = ask(chat(tool, {"content": BAD}), **gated)

    assert BAD not in json.dumps(body)
    assert desk.telemetry.last.verdict.outcome == "FLAGGED"


def test_tool_calls_alone_are_no_text() -> None:
    """Never supported, for nothing was said."""
    _, desk = ask(chat({"content": None, "tool_calls": [{"id": "t"}]}))

    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.NO_TEXT
    assert desk.telemetry.last.action is Action.BLOCK


def test_unchecked_choice_makes_the_answer_unchecked() -> None:
    """A supported choice beside it must not speak for it."""
    _, desk = ask(chat({"content": GOOD}, {"content": ""}))

    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.NO_TEXT


@pytest.mark.parametrize("action", [Action.WITHHOLD, Action.REDACT])
def test_content_parts_and_refusals_are_text(action: Action) -> None:
    """What a client may show is read, and replaced in its own form."""
    parts = [{"type": "text", "text": f"{GOOD}\n"}, {"type": "text", "text": BAD}]
    body, _ = ask(chat({"content": parts}, {"content": None, "refusal": BAD}), on_flagged=action)

    one, two = (choice["message"] for choice in body["choices"])
    assert one["content"][0]["type"] == "text"
    assert len(one["content"]) == 1
    assert two["refusal"] is None
    assert BAD not in json.dumps(body)
    assert (GOOD in json.dumps(body)) == (action is Action.REDACT)
    assert not any("logprobs" in choice for choice in body["choices"])


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"choices": []},
        {"choices": "x"},
        {"choices": ["x"]},
        {"choices": [{"text": BAD}]},
        {"choices": [{"delta": {"content": BAD}}]},
        {"choices": [{"message": {"content": 7}}]},
        {"choices": [{"message": {"content": [{"type": "image"}]}}]},
        {"choices": [{"message": {"content": ["x"]}}]},
        {"choices": [{"message": {"content": [{"type": "text", "text": None}]}}]},
        {"choices": [{"message": {"content": GOOD, "refusal": ["x"]}}]},
        {"choices": [{"message": {"content": GOOD}}, {"message": BAD}]},
    ],
)
def test_other_shapes_are_not_guessed_at(body: Any) -> None:
    """A renamed field must not switch the gate off."""
    desk = Desk(app=answering(json.dumps(body)), gated=CHAT)

    assert desk.get().status == 422
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.SHAPE


@pytest.mark.parametrize("content", ["utf-16", "latin-1", "utf-7"])
def test_json_in_another_charset_is_a_shape(content: str) -> None:
    """A client that believes the header reads another answer than we do."""
    app = answering({"answer": GOOD}, content_type=f"application/json; charset={content}")
    desk = Desk(app=app)

    desk.get()

    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.SHAPE


@pytest.mark.parametrize(
    ("content_type", "body", "reason"),
    [
        ("text/plain", GOOD.encode(), None),
        ("text/plain; charset=utf-8", b"\xef\xbb\xbf" + GOOD.encode(), None),
        ("Text/Markdown;charset=US-ASCII", GOOD.encode(), None),
        ("text/plain; charset=utf-16", GOOD.encode("utf-16"), "shape"),
        ("text/plain; charset=utf-8; charset=latin-1", GOOD.encode(), "shape"),
        ("text/plain", b"\xff", "shape"),
        ("text/plain", b" \n", "no_text"),
        ("text/html", GOOD.encode(), "content_type"),
        ("application/json", GOOD.encode(), "content_type"),
    ],
)
def test_plain_text_is_read_by_its_charset(
    content_type: str, body: bytes, reason: str | None
) -> None:
    """Only encodings that all clients read alike."""
    gate = FakeGate(by_words)
    gated = route(answer=Shape.PLAIN, context=())
    desk = Desk(app=answering(body, content_type=content_type), gated=gated, gate=gate)

    desk.get()

    assert desk.telemetry.last.verdict.reason == reason
    assert [asked.answer for asked in gate.asked] == ([] if reason else [GOOD])


def test_answer_with_half_an_emoji_is_checked() -> None:
    """The tokenizer takes no lone surrogate; the client gets what was sent."""
    answer = "Fine \ud83d."
    gate = FakeGate({"Fine \ufffd.": write_verdict("Fine \ufffd.")})
    desk = Desk(app=answering(json.dumps({"answer": answer})), gate=gate)

    assert desk.get().json["answer"] == answer
    assert desk.telemetry.last.action is Action.RELEASE


def test_large_answer_is_written_in_slices() -> None:
    """Ten thousand rows beside the answer come back as they were."""
    rows = [{"n": n} for n in range(10_000)]
    desk = Desk(app=answering({"answer": BAD, "contexts": [FACT], "rows": rows}))

    assert desk.get().json["rows"] == rows
