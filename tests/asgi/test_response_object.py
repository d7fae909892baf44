"""A response of the Responses API in one body: each part of a message is an answer."""

import json
from typing import Any

import pytest

from gatekeeper.policy import Reactions, Shape
from gatekeeper.verdict import Action, UnresolvedReason
from tests.asgi.wire import BAD, FACT, GOOD, Desk, answering, route

CALL = {"id": "fc", "type": "function_call", "name": "refund", "arguments": "{}"}


def message(*texts: str, **more: Any) -> dict[str, Any]:
    """Return a message of an output."""
    parts = [
        {"type": "output_text", "text": text, "annotations": [{"type": "url_citation"}]}
        for text in texts
    ]
    return {"id": "m", "type": "message", "role": "assistant", "content": parts, **more}


def response(*items: Any, **more: Any) -> dict[str, Any]:
    """Return a response with an output."""
    output = list(items)
    return {"id": "r", "status": "completed", "output": output, "contexts": [FACT], **more}


def ask(body: Any, **changes: Any) -> tuple[Any, Desk]:
    """Return what the client gets, and the desk."""
    gated = route(answer=Shape.OPENAI_RESPONSES, **changes)
    desk = Desk(app=answering(body), gated=gated)
    return desk.get().json, desk


def test_supported_response_comes_as_it_was() -> None:
    """Every part of every message was read; what a search or a reasoning without words is not."""
    silent = [{"type": "reasoning", "summary": []}, {"type": "web_search_call", "id": "w"}]
    sent = response(*silent, message(GOOD, GOOD), message(GOOD), instructions="Be kind.")

    body, desk = ask(sent)

    assert body == sent
    assert len(desk.telemetry.last.verdict.claims) == 3


def test_flagged_part_is_withheld_with_what_cites_it() -> None:
    """Good parts stay; the response says that it is not whole."""
    body, desk = ask(response(message(GOOD, BAD)))

    good, withheld = body["output"][0]["content"]
    assert good == message(GOOD)["content"][0]
    assert withheld == {
        "type": "output_text",
        "text": desk.gated.withheld_text,
        "annotations": [],
    }
    assert body["status"] == "incomplete"
    assert body["incomplete_details"] == {"reason": "content_filter"}
    assert body["gatekeeper"]["counts"] == {"SUPPORTED": 1, "UNSUPPORTED": 1}


def test_refusal_is_text() -> None:
    """It may state what the passages don't."""
    refusal = {"type": "refusal", "refusal": BAD}

    body, desk = ask(response(message(content=[refusal])))

    assert body["output"][0]["content"] == [
        {"type": "refusal", "refusal": desk.gated.withheld_text}
    ]


def test_call_beside_a_text_is_an_answer_of_its_own() -> None:
    """It acts, and nothing was checked about it, so the policy says whether it may go."""
    body, desk = ask(response(message(GOOD), CALL))

    assert desk.telemetry.last.verdict.reason == "no_text"
    assert "refund" not in json.dumps(body)


@pytest.mark.parametrize("items", [(message(BAD), CALL), (message(BAD),), (CALL,), ()])
def test_response_that_was_not_looked_at_keeps_nothing(items: tuple[Any, ...]) -> None:
    """When there is no room for a check, a call is replaced as a text is."""
    desk = Desk(app=answering(response(*items)), gated=route(answer=Shape.OPENAI_RESPONSES))
    desk.judge.refuses = UnresolvedReason.OVERLOAD

    body = desk.get().json

    texts = [item["content"][0]["text"] for item in body["output"]]
    assert texts == [desk.gated.withheld_text] * max(1, len(items))
    assert {item["type"] for item in body["output"]} == {"message"}
    assert body["status"] == "incomplete"


def test_released_calls_hide_no_flagged_text() -> None:
    """A policy that lets calls pass still withholds what is said beside them."""
    calls = Reactions(default=Action.WITHHOLD, by_reason={"no_text": Action.RELEASE})

    body, _ = ask(response(message(BAD), CALL), on_not_checked=calls)

    assert body["output"][1] == CALL
    assert BAD not in json.dumps(body)


@pytest.mark.parametrize("items", [(), (CALL,), (message(),)])
def test_response_without_a_text_is_no_text(items: tuple[Any, ...]) -> None:
    """Never supported, for nothing was said."""
    _, desk = ask(response(*items))

    assert desk.telemetry.last.verdict.reason == "no_text"


@pytest.mark.parametrize(
    "body",
    [
        [],
        {"output": None},
        {"output": "text"},
        response("text"),
        response({"type": "reasoning", "summary": [{"text": BAD}]}),
        response(message(content=[{"type": "output_audio", "transcript": BAD}])),
        response(message(content=[{"type": "output_text", "text": 7}])),
        response(message(GOOD), message(content=BAD)),
        response(message(GOOD), message(content={"text": BAD})),
        response(message(GOOD, text=BAD)),
        response(message(content=[{"type": "output_text", "text": GOOD, "refusal": BAD}])),
        response(message(GOOD), {"type": "web_search_call", "content": BAD}),
        response(message(GOOD), {"type": "reasoning", "summary": [], "text": BAD}),
        response(message(GOOD), {"type": "announcement", "text": BAD}),
        response(message(GOOD), output_text=BAD),
    ],
)
def test_what_may_say_more_is_a_shape(body: Any) -> None:
    """A client may show what stands in a place that is not read."""
    sent, desk = ask(body)

    assert desk.telemetry.last.verdict.reason == "shape"
    assert BAD not in json.dumps(sent)


@pytest.mark.parametrize("body", [response(*[CALL] * 129), response(message(*["Hi."] * 129))])
def test_too_many_answers_are_a_size(body: Any) -> None:
    """Each of them is a check."""
    _, desk = ask(body)

    assert desk.telemetry.last.verdict.reason == "size"
