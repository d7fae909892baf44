"""Responses that have no body: none of what an app puts there all the same gets out."""

import json
from typing import Any

import pytest

from tests.asgi.wire import BAD, JSON, Desk, Message, answering, reply, route

TEXT = json.dumps(reply(BAD)).encode()


@pytest.mark.parametrize(
    ("method", "status"), [("HEAD", 200), ("POST", 204), ("POST", 205), ("POST", 304)]
)
def test_body_where_there_is_none_is_not_sent(method: str, status: int) -> None:
    """One server sends it on for HEAD over HTTP/2, and all do for 205."""
    desk = Desk(app=answering(TEXT, status=status), gated=route(methods=("POST", "HEAD")))

    sent = desk.get(method=method)

    assert [message.get("body", b"") for message in sent.messages[1:]] == [b""]
    assert sent.messages[0]["status"] == status


def test_headers_of_a_bodiless_response_stay() -> None:
    """A HEAD tells the length of the GET; a proxy in front would stumble over another."""
    desk = Desk(app=answering(TEXT), gated=route(methods=("POST", "HEAD")))

    sent = desk.get(method="HEAD")

    assert dict(sent.messages[0]["headers"])[b"content-type"] == dict(JSON)[b"content-type"]


def test_unknown_message_in_place_of_a_body_is_not_sent() -> None:
    """A path to send is a body too."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.pathsend", "path": "/etc/passwd"})

    assert [m["type"] for m in Desk(app=app, gated=route()).get().messages] == [
        "http.response.start"
    ]


def test_empty_pieces_are_not_kept() -> None:
    """A million of them would cost memory that no bound on bytes sees."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": JSON})
        for _ in range(50):
            await send({"type": "http.response.body", "body": b"", "more_body": True})
        await send({"type": "http.response.body", "body": json.dumps(reply()).encode()})

    assert len(Desk(app=app, gated=route()).get().messages) == 2
