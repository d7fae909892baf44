"""The help desk without a gate: what it takes, what it answers, what it leaves for a gate."""

import json

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from gatekeeper.demo.app import help_desk

QUESTION = "How long is the warranty on my Air 2?"


class StateWatch:
    """Passes requests on and keeps the state the app left behind."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.state: dict[str, object] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on."""
        scope["state"] = {}
        await self._app(scope, receive, send)
        self.state = Request(scope).state._state


def test_answer_comes_with_its_pages() -> None:
    """A gate that reads evidence from the response needs it there."""
    reply = TestClient(help_desk()).post("/v1/answer", json={"question": QUESTION}).json()

    assert reply["answer"].startswith("The warranty lasts 3 years")
    assert "warranty" in [context["id"] for context in reply["contexts"]]
    assert all(context["text"].startswith("# ") for context in reply["contexts"])


def test_invention_is_chosen_by_the_request() -> None:
    """The tour must be able to ask for an error by name."""
    body = {"question": QUESTION, "invent": "number"}

    reply = TestClient(help_desk()).post("/v1/answer", json=body).json()

    assert "lasts 11 years" in reply["answer"]


def test_chat_keeps_its_pages_on_the_server() -> None:
    """Evidence in the state is never sent to the client."""
    watch = StateWatch(help_desk())

    body = {"model": "any", "messages": [{"role": "user", "content": QUESTION}]}
    reply = TestClient(watch).post("/v1/chat/completions", json=body).json()

    (choice,) = reply["choices"]
    assert choice["message"]["role"] == "assistant"
    assert choice["message"]["content"].startswith("The warranty lasts 3 years")
    assert "contexts" not in reply
    passages = watch.state["passages"]
    assert isinstance(passages, list)
    assert passages[0]["id"] == "warranty"


def test_chat_streams_the_same_answer_word_by_word() -> None:
    """A client that streams puts the pieces together and has the answer."""
    body = {"messages": [{"role": "user", "content": QUESTION}], "stream": True}

    reply = TestClient(help_desk()).post("/v1/live/chat/completions", json=body)

    assert reply.headers["content-type"].startswith("text/event-stream")
    *events, done = reply.text.strip().split("\n\n")
    choices = [json.loads(event[6:])["choices"][0] for event in events]
    text = "".join(choice["delta"].get("content", "") for choice in choices)
    assert text.startswith("The warranty lasts 3 years")
    assert choices[-1]["finish_reason"] == "stop"
    assert done == "data: [DONE]"


def test_ticket_summary_leaves_the_ticket_in_the_state() -> None:
    """The whole ticket is the evidence, whatever the summary shows."""
    watch = StateWatch(help_desk())

    reply = TestClient(watch).post("/v1/ticket-summary", json={"ticket": "T-4101"}).json()

    assert "W-20931" in reply["summary"]
    assert str(watch.state["ticket"]).startswith("# Ticket T-4101")


def test_unknown_ticket_is_not_found() -> None:
    """A client error must not look like an answer."""
    reply = TestClient(help_desk()).post("/v1/ticket-summary", json={"ticket": "T-1"})

    assert (reply.status_code, reply.json()) == (404, {"error": "no ticket T-1"})


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/v1/answer", b"{", "no JSON"),
        ("/v1/answer", b"\xff\xfe", "no JSON"),
        ("/v1/answer", b"[]", "no JSON object"),
        ("/v1/answer", b"{}", '"question"'),
        ("/v1/answer", b'{"question": " "}', '"question"'),
        ("/v1/answer", b'{"question": "x", "invent": "all"}', "none, number, policy, step"),
        ("/v1/chat/completions", b'{"messages": []}', '"messages"'),
        ("/v1/chat/completions", b'{"messages": ["x"]}', '"messages"'),
        ("/v1/chat/completions", b'{"messages": [{"content": null}]}', '"messages"'),
        ("/v1/ticket-summary", b'{"ticket": 4101}', '"ticket"'),
    ],
)
def test_bad_request_says_what_is_missing(path: str, body: bytes, says: str) -> None:
    """Whoever changes a curl line by hand must see what went wrong."""
    reply = TestClient(help_desk()).post(path, content=body)

    assert reply.status_code == 400
    assert says in reply.json()["error"]


def test_health_needs_no_question() -> None:
    """A load balancer asks it each second."""
    reply = TestClient(help_desk()).get("/healthz")

    assert (reply.status_code, reply.json()) == (200, {"status": "ok"})
