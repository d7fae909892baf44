"""Passages come from the places the route names, joined in order, all of them or none."""

import json
from pathlib import Path
from typing import Any

import pytest

from gatekeeper.asgi.evidence import prepare
from gatekeeper.errors import InputError
from gatekeeper.policy import (
    Bounds,
    FileSource,
    LastMessage,
    RequestSource,
    ResolverSource,
    ResponseSource,
    StateSource,
)
from gatekeeper.testing import FakeGate
from gatekeeper.verdict import Evidence, Passage
from tests.asgi import sources
from tests.asgi.wire import GOOD, Desk, Message, answering, by_words, reply, route

HERE = "tests.asgi.sources"


def gathered(*context: Any, response: Any = None, **request: Any) -> tuple[Evidence | None, str]:
    """Return the evidence the gate was given, and the reason if it was given none."""
    question = request.pop("question", None)
    bounds = request.pop("bounds", Bounds(resolver_s=0.05))
    gate = FakeGate(by_words)
    gated = route(context=context, question=question, bounds=bounds)
    desk = Desk(app=answering(response or reply()), gated=gated, gate=gate)
    desk.get(**request)
    asked = gate.asked[0].evidence if gate.asked else None
    return asked, desk.telemetry.last.verdict.reason or ""


def pairs(*context: Any, **request: Any) -> list[tuple[str, str]]:
    """Return ids and texts of the passages."""
    found, _ = gathered(*context, **request)
    assert found is not None
    return [(passage.id, passage.text) for passage in found.passages]


def test_sources_are_joined_in_their_order(tmp_path: Path) -> None:
    """A passage without an id is named by its position over all sources."""
    facts = tmp_path / "facts.md"
    facts.write_text("One fact.\nStill it.\n\n \nAnother.\n", encoding="utf-8")
    state = {"chunks": ["from state", {"t": "named"}]}
    response = {
        "answer": GOOD,
        "docs": [{"body": {"text": "a"}, "key": 7}, {"body": {"text": "b"}}],
    }

    found = pairs(
        ResponseSource(pointer="/docs/*", text="/body/text", id="/key"),
        RequestSource(pointer="/ticket"),
        StateSource(name="first"),
        FileSource(path=str(facts)),
        ResolverSource(target=f"{HERE}:passages"),
        response=response,
        body=b'{"ticket":"from the request"}',
        state={"first": ["from state"], **state},
    )

    assert found == [
        ("7", "a"),
        ("1", "b"),
        ("2", "from the request"),
        ("3", "from state"),
        ("4", "One fact.\nStill it."),
        ("5", "Another."),
        ("law", "It is the law."),
        ("7", "It is free."),
    ]


def test_resolver_sees_the_exchange() -> None:
    """It can look up what the app looked up, and no more is promised."""
    sources.seen.clear()

    pairs(
        ResolverSource(target=f"{HERE}:passages"),
        body=b"ticket=9",
        headers=[("X-Tenant", "t")],
        state={"user": "u"},
        query_string=b"a=b",
    )

    exchange = sources.seen[0]
    assert (exchange.path, exchange.query, exchange.request) == ("/answer", b"a=b", b"ticket=9")
    assert exchange.headers == ((b"x-tenant", b"t"),)
    assert exchange.answers == (GOOD,)
    assert json.loads(exchange.response) == reply()
    assert exchange.state["user"] == "u"


def test_resolver_may_return_objects() -> None:
    """A search client gives objects with id and text; to rewrap them is work for nobody."""
    found = pairs(ResolverSource(target=f"{HERE}:named"))

    assert found == [("7", "It is named."), ("1", "It is not.")]


@pytest.mark.parametrize(("name", "text"), [("later", "It is late."), ("lazily", "It is lazy.")])
def test_resolvers_may_be_written_as_one_likes(name: str, text: str) -> None:
    """A coroutine runs in a loop of its own, off the server's."""
    assert pairs(ResolverSource(target=f"{HERE}:{name}")) == [("0", text)]


@pytest.mark.parametrize(
    "name",
    [
        *("broken", "hanging"),
        *("one_text", "one_object", "nothing", "number", "tuples", "textless"),
    ],
)
def test_resolver_that_fails_leaves_the_answer_unresolved(name: str) -> None:
    """Its error is an answer to us, not a crash, and never half the evidence."""
    found = gathered(ResponseSource(pointer="/contexts/*"), ResolverSource(target=f"{HERE}:{name}"))

    assert found == (None, "resolver_error")


def test_chat_messages_are_picked_by_role() -> None:
    """The system prompt of a chat holds the retrieved text; the user's words are no evidence."""
    messages = [
        {"role": "system", "content": "You know this."},
        {"role": "user", "content": "Trust me: refunds take 90 days."},
        {"role": "tool", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": None},
    ]
    body = json.dumps({"messages": messages}).encode()
    moved = json.dumps({"chat": {"log": messages}}).encode()

    source = RequestSource(roles=("system", "tool"))
    elsewhere = RequestSource(pointer="/chat/log", roles=("system", "tool"))

    assert pairs(source, body=body) == [("0", "You know this."), ("1", "ab")]
    assert pairs(elsewhere, body=moved) == [("0", "You know this."), ("1", "ab")]


def test_question_comes_from_the_request() -> None:
    """It is asked along and is no evidence; one that is no text is none."""
    source = ResponseSource(pointer="/contexts/*")
    for body, expected in [
        (b'{"q":"How?\\ud83d"}', "How?\ufffd"),
        (b'{"q":7}', None),
        (b"{}", None),
    ]:
        found, _ = gathered(source, question="/q", body=body)

        assert found is not None
        assert found.question == expected


def test_question_of_a_chat_is_its_last_message_with_the_role() -> None:
    """The last thing the user said is what was asked, pictures beside it or not."""
    source = ResponseSource(pointer="/contexts/*")
    parts = [{"type": "image_url"}, "?", {"type": "text", "text": "How "}, {"text": "long?"}]
    for messages, expected in [
        ([said("Hi."), said("How?"), said("So.", "assistant")], "How?"),
        ([said(parts)], "How long?"),
        ([said("Hi."), said(None)], None),
        ([said("So.", "assistant"), 7], None),
        ("Hi.", None),
    ]:
        body = json.dumps({"messages": messages}).encode()
        found, _ = gathered(source, question=LastMessage(role="user"), body=body)

        assert found is not None
        assert found.question == expected


def said(content: object, role: str = "user") -> dict[str, object]:
    """Return a message of a chat."""
    return {"role": role, "content": content}


@pytest.mark.parametrize("contexts", [None, [], [""], "absent"])
def test_place_without_passages_gives_none(contexts: object) -> None:
    """The gate then says no_context: retrieval found nothing, or the app renamed its field."""
    response = {"answer": GOOD, "contexts": contexts}
    if contexts == "absent":
        del response["contexts"]

    found, _ = gathered(ResponseSource(pointer="/contexts/*"), response=response)

    assert found is not None
    assert not "".join(passage.text for passage in found.passages)


@pytest.mark.parametrize(
    ("context", "sent"),
    [
        (ResponseSource(pointer="/took"), {}),
        (ResponseSource(pointer="/answer/*"), {}),
        (ResponseSource(pointer="/contexts/*", text="/text"), {}),
        (RequestSource(pointer="/x"), {"body": b"not json"}),
        (RequestSource(pointer="/x"), {"body": b'{"x":"a","x":"b"}'}),
        (RequestSource(pointer="/x"), {"body": b"[" * 100 + b"]" * 100}),
        (RequestSource(pointer="/x"), {"body": b'{"x":[{"y":1}]}'}),
        (RequestSource(roles=("system",)), {"body": b'{"messages":"x"}'}),
        (RequestSource(roles=("system",)), {"body": b'{"messages":["x"]}'}),
        (
            RequestSource(roles=("system",)),
            {"body": b'{"messages":[{"role":"system","content":[{"type":"image_url"}]}]}'},
        ),
        (StateSource(name="x"), {"state": {"x": 7}}),
        (StateSource(name="x"), {"state": {"x": [{"text": "a"}]}}),
    ],
)
def test_value_that_is_no_passage_is_a_shape_nobody_planned_for(context: Any, sent: Any) -> None:
    """Guessing would check the answer against something else."""
    assert gathered(context, **sent) == (None, "shape")


@pytest.mark.parametrize(
    ("bounds", "context", "sent"),
    [
        (
            Bounds(passages=2),
            ResponseSource(pointer="/contexts/*"),
            {"response": reply(GOOD, *"abc")},
        ),
        (Bounds(passages=2), StateSource(name="x"), {"state": {"x": ["a"] * 1_000_000}}),
        (Bounds(evidence_chars=9), ResponseSource(pointer="/contexts/*"), {}),
        (Bounds(request_bytes=9), RequestSource(pointer="/x"), {"body": b'{"x":"abcdef"}'}),
        (
            Bounds(request_bytes=9),
            ResolverSource(target=f"{HERE}:passages"),
            {"body": b"0123456789"},
        ),
    ],
)
def test_past_a_bound_nothing_is_checked(bounds: Bounds, context: Any, sent: Any) -> None:
    """Half the evidence would flag what the other half supports."""
    assert gathered(context, bounds=bounds, **sent) == (None, "size")


def test_state_may_hold_passages() -> None:
    """An app in Python can say it in the gate's own words; numbers name passages too."""
    state = {"x": (Passage(id="p", text="a"), "b"), "y": {"t": "c", "n": 5}}

    found = pairs(StateSource(name="x"), StateSource(name="y", text="/t", id="/n"), state=state)

    assert found == [("p", "a"), ("1", "b"), ("5", "c")]


def test_app_that_has_not_read_its_request_is_read_for() -> None:
    """Evidence in the request is there although the app answered early; it can still read it."""
    read: list[Message] = []

    async def app(scope: Message, receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(reply()).encode()})
        read.append(await receive())

    gated = route(context=(RequestSource(pointer="/x"),))
    gate = FakeGate(by_words)
    Desk(app=app, gated=gated, gate=gate).get(body=b'{"x":"late"}')

    assert gate.asked[0].evidence.passages == (Passage(id="0", text="late"),)
    assert read[0]["body"] == b'{"x":"late"}'


@pytest.mark.parametrize(
    "source",
    [
        FileSource(path="/no/such/file"),
        ResolverSource(target="no_such_module:f"),
        ResolverSource(target="json:no_such_function"),
        ResolverSource(target=":f"),
        ResolverSource(target=f"{HERE}:NO_FUNCTION"),
    ],
)
def test_source_that_cannot_be_had_is_said_at_once(source: Any) -> None:
    """Not at the first request that needs it."""
    with pytest.raises(InputError):
        prepare(route(context=(source,)))
