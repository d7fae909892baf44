"""A chat completion says nothing in a place that is not read, and nothing twice."""

import json
from typing import Any

import pytest

from gatekeeper.policy import Expose, Reactions, Shape
from gatekeeper.verdict import Action, NotCheckedReason, UnresolvedReason
from tests.asgi.wire import BAD, FACT, GOOD, Desk, answering, route

CALL = [{"id": "t", "function": {"name": "say", "arguments": BAD}}]
CALLS_PASS = Reactions(default=Action.WITHHOLD, by_reason={"no_text": Action.RELEASE})


def choice(content: Any, beside: Any = None, **message: Any) -> dict[str, Any]:
    """Return a choice with more members in it and in its message."""
    return {"index": 0, "message": {"role": "assistant", "content": content, **message}} | (
        beside or {}
    )


def desk_of(*choices: dict[str, Any], **changes: Any) -> Desk:
    """Return a desk whose app answers with these choices."""
    body = {"id": "c", "choices": choices, "contexts": [FACT], "usage": {"n": 1}}
    return Desk(app=answering(body), gated=route(answer=Shape.OPENAI_CHAT, **changes))


@pytest.mark.parametrize("content", [GOOD, "Hello."])
@pytest.mark.parametrize(
    "member",
    [
        {"reasoning": BAD},
        {"reasoning_content": BAD},
        {"reasoning_details": [{"text": BAD}]},
        {"thinking_blocks": [{"thinking": BAD}]},
        {"provider_specific_fields": {"x": BAD}},
        {"parsed": {"x": BAD}},
        {"audio": {"transcript": BAD}},
        {"annotations": [{"title": BAD}]},
        {"not_known": 90},
        {"not_known": False},
    ],
)
def test_member_of_a_message_that_is_not_read_is_a_shape(
    content: str, member: dict[str, Any]
) -> None:
    """Any of them can carry a claim beside a supported or harmless content."""
    desk = desk_of(choice(content, **member))

    assert desk.get().status == 422
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.SHAPE


@pytest.mark.parametrize("member", [{"text": BAD}, {"token_ids": [90]}, {"delta": {"x": BAD}}])
def test_member_of_a_choice_that_is_not_read_is_a_shape(member: dict[str, Any]) -> None:
    """A client may show it as well."""
    desk = desk_of(choice(GOOD, beside=member))

    assert desk.get().status == 422
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.SHAPE


@pytest.mark.parametrize("calls", [{"tool_calls": CALL}, {"function_call": {"arguments": BAD}}])
@pytest.mark.parametrize("content", [GOOD, "Hello."])
def test_calls_beside_a_text_are_not_checked(content: str, calls: dict[str, Any]) -> None:
    """Their arguments are not read."""
    desk = desk_of(choice(content, **calls))

    assert BAD not in desk.get().body.decode()
    assert desk.telemetry.last.verdict.not_checked is NotCheckedReason.NO_TEXT
    assert desk.telemetry.last.action is Action.BLOCK


def test_calls_pass_by_name() -> None:
    """An app with tools must be able to use them."""
    sent = choice(GOOD, tool_calls=CALL)

    assert desk_of(sent, on_not_checked=CALLS_PASS).get().json["choices"] == [sent]


@pytest.mark.parametrize("action", [Action.WITHHOLD, Action.REDACT])
def test_calls_that_pass_take_no_flagged_text_along(action: Action) -> None:
    """The text beside them was read, and what it says they may say too."""
    desk = desk_of(choice(BAD, tool_calls=CALL), on_not_checked=CALLS_PASS, on_flagged=action)

    sent = desk.get()

    assert sent.status == 200
    assert BAD not in sent.body.decode()
    assert desk.telemetry.last.action is action


def test_what_is_null_or_empty_says_nothing() -> None:
    """Servers send members they have no value for."""
    empty: dict[str, Any] = {
        "tool_calls": [],
        "annotations": [],
        "audio": None,
        "parsed": {},
        "reasoning": "",
    }
    sent = choice(GOOD, {"token_ids": None, "stop_reason": "x", "logprobs": {}}, name="a", **empty)

    assert desk_of(sent).get().json["choices"] == [sent]


@pytest.mark.parametrize(
    ("action", "reason", "text"),
    [
        (Action.WITHHOLD, "content_filter", route().withheld_text),
        (Action.REDACT, "stop", f"{GOOD}\n[removed: not supported]"),
    ],
)
def test_replaced_choice_keeps_what_is_listed(action: Action, reason: str, text: str) -> None:
    """What is new in an API tomorrow goes too; order and all other values stay."""
    beside = {"finish_reason": "stop", "native_finish_reason": BAD, "stop_reason": BAD}
    flagged = choice(
        f"{GOOD}\n{BAD}", beside | {"logprobs": [BAD]}, refusal=None, name=BAD, parsed=None
    )
    desk = desk_of(flagged, on_flagged=action, expose=Expose.NONE)

    sent = json.dumps(desk.get().json)

    message = {"role": "assistant", "content": text, "refusal": None}
    left = {"index": 0, "message": message, "finish_reason": reason}
    assert sent == json.dumps({"id": "c", "choices": [left], "contexts": [FACT], "usage": {"n": 1}})


def test_choice_withheld_for_lack_of_time_loses_its_calls() -> None:
    """One verdict for all choices withholds the calls with the text."""
    desk = desk_of(choice(GOOD, tool_calls=CALL))
    desk.judge.refuses = UnresolvedReason.OVERLOAD

    sent = desk.get()

    assert sent.json["choices"][0]["finish_reason"] == "content_filter"
    assert BAD not in sent.body.decode()
