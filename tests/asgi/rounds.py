"""Everything a client can send, or bring an app to send, to get out unchecked.

One row each: what is tried, on an enforced route whose policy withholds by default, and what comes
of it. ``docs/http.md`` shows the rows as a table; a test keeps the two the same.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gatekeeper.policy import Bounds, RequestSource, Shape
from gatekeeper.verdict import UnresolvedReason
from tests.asgi.wire import BAD, FACT, App, Message, answering, reply

JSON = json.dumps(reply(BAD)).encode()


@dataclass(frozen=True, kw_only=True)
class Round:
    """One try. ``reason`` is the counted one, "flagged" where the answer was checked and caught.

    ``sent`` are arguments of the request, ``route`` changes of the policy, ``refused`` what the
    judge says. ``status`` and ``action`` are the outcome.
    """

    tried: str
    app: App
    reason: str
    action: str = "WITHHOLD"
    status: int = 200
    sent: Mapping[str, Any] = field(default_factory=dict)
    route: Mapping[str, Any] = field(default_factory=dict)
    refused: UnresolvedReason | None = None

    @property
    def counter(self) -> str:
        """The counter that shows it."""
        if self.reason == "flagged":
            return 'gatekeeper_checks_total{verdict="FLAGGED"}'
        kind = "unresolved" if self.reason in set(UnresolvedReason) else "not_checked"
        return f'gatekeeper_{kind}_total{{reason="{self.reason}"}}'


def blocked(tried: str, app: App, reason: str, **more: Any) -> Round:
    """Return a try with nothing to put a text into."""
    return Round(tried=tried, app=app, reason=reason, action="BLOCK", status=422, **more)


def header(name: str, value: str) -> dict[str, Any]:
    """Return a request with one header."""
    return {"headers": [(name, value)]}


def sending(*messages: Message) -> App:
    """Return an app that sends these messages, whatever it is asked."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        for message in messages:
            await send(message)

    return app


def obliging() -> App:
    """Return an app that serves whatever the request asks for: ranges, codings, files."""

    async def app(scope: Message, receive: Any, send: Any) -> None:
        asked = dict(scope["headers"])
        if "http.response.pathsend" in (scope.get("extensions") or {}):
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.pathsend", "path": "/answer.json"})
        elif b"range" in asked:
            part = answering(JSON[5:], status=206, headers=[("content-range", "bytes 5-/99")])
            await part(scope, receive, send)
        elif b"br" in asked.get(b"accept-encoding", b""):
            packed = answering(b"\x8b", headers=[("content-encoding", "br")])
            await packed(scope, receive, send)
        else:
            await answering(JSON)(scope, receive, send)

    return app


def chat(*contents: object) -> str:
    """Return a completion with a choice a content."""
    choices = [{"message": {"content": content}} for content in contents]
    return json.dumps({"choices": choices, "contexts": [FACT]})


def start(*headers: tuple[bytes, bytes], status: int = 200, **more: Any) -> Message:
    """Return the first message of a response."""
    return {"type": "http.response.start", "status": status, "headers": list(headers), **more}


OPENAI = {"answer": Shape.OPENAI_CHAT}
FROM_REQUEST = {"context": (RequestSource(pointer="/ticket"),)}
PLAIN_JSON = (b"content-type", b"application/json")

ROUNDS: Sequence[Round] = (
    Round(tried="the plain request", app=answering(JSON), reason="flagged"),
    Round(
        tried="two slashes: `//answer`",
        app=answering(JSON),
        reason="flagged",
        sent={"path": "//answer"},
    ),
    Round(
        tried="a slash at the end: `/answer/`",
        app=answering(JSON),
        reason="flagged",
        sent={"path": "/answer/"},
    ),
    Round(
        tried="a line feed at the end: `/answer%0A`, which Starlette routes",
        app=answering(JSON),
        reason="flagged",
        sent={"path": "/answer\n"},
    ),
    Round(
        tried="other letters: `/Answer`",
        app=answering(JSON),
        reason="flagged",
        sent={"path": "/Answer"},
    ),
    Round(
        tried="the mount prefix: `/api/answer` under `/api`",
        app=answering(JSON),
        reason="flagged",
        sent={"path": "/api/answer", "root_path": "/api"},
    ),
    Round(
        tried="headers that look like ours",
        app=answering(JSON),
        reason="flagged",
        sent={"headers": [("gatekeeper-mode", "off"), ("gatekeeper-verdict", "SUPPORTED")]},
    ),
    Round(
        tried="`Accept-Encoding: br`: narrowed, the app answers plain",
        app=obliging(),
        reason="flagged",
        sent=header("accept-encoding", "br"),
    ),
    Round(
        tried="`Range`: removed, the app answers whole",
        app=obliging(),
        reason="flagged",
        sent=header("range", "bytes=5-"),
    ),
    Round(
        tried="a server that sends files by path: extension removed",
        app=obliging(),
        reason="flagged",
        sent={"extensions": {"http.response.pathsend": {}}},
    ),
    Round(
        tried="gzip",
        app=answering(gzip.compress(JSON), headers=[("content-encoding", "gzip")]),
        reason="flagged",
    ),
    Round(
        tried="gzip in two members",
        app=answering(
            gzip.compress(JSON[:20]) + gzip.compress(JSON[20:]),
            headers=[("content-encoding", "gzip")],
        ),
        reason="flagged",
    ),
    Round(
        tried="a byte order mark before the JSON",
        app=answering(b"\xef\xbb\xbf" + JSON),
        reason="flagged",
    ),
    Round(
        tried="a body in many messages without a length",
        app=answering(JSON, pieces=9),
        reason="flagged",
    ),
    Round(
        tried="n > 1, one choice good",
        app=answering(chat("Fine.", BAD)),
        reason="flagged",
        route=OPENAI,
    ),
    Round(
        tried="n > 1, one choice a tool call",
        app=answering(chat(None, BAD)),
        reason="flagged",
        route=OPENAI,
        action="BLOCK",
        status=422,
    ),
    blocked(
        "an app that codes with br all the same",
        answering(b"\x8b", headers=[("content-encoding", "br")]),
        "encoding",
    ),
    blocked(
        "gzip cut short",
        answering(gzip.compress(JSON)[:-4], headers=[("content-encoding", "gzip")]),
        "encoding",
    ),
    blocked(
        "gzip with something after it",
        answering(gzip.compress(JSON) + b"x", headers=[("content-encoding", "gzip")]),
        "encoding",
    ),
    blocked(
        "a gzip bomb",
        answering(gzip.compress(bytes(9_000_000)), headers=[("content-encoding", "gzip")]),
        "size",
    ),
    blocked(
        "an answer past the bound", answering(JSON), "size", route={"bounds": Bounds(held_bytes=20)}
    ),
    blocked(
        "a request past the bound, with evidence in it",
        answering(JSON),
        "size",
        sent={"body": b'{"ticket":"' + b"x" * 99},
        route={**FROM_REQUEST, "bounds": Bounds(request_bytes=20)},
    ),
    blocked("more passages than the bound", answering(reply(BAD, *map(str, range(999)))), "size"),
    blocked("n = 129", answering(chat(*["Fine."] * 128, BAD)), "size", route=OPENAI),
    blocked("a key twice in the answer", answering(b'{"answer":"Fine.","answer":"90"}'), "shape"),
    blocked(
        "a key twice in the request, with evidence in it",
        answering(JSON),
        "shape",
        sent={"body": b'{"ticket":"a","ticket":"b"}'},
        route=FROM_REQUEST,
    ),
    blocked("JSON nested past the bound", answering(b"[" * 99 + b"]" * 99), "shape"),
    blocked("JSON in UTF-16", answering(JSON.decode().encode("utf-16")), "shape"),
    blocked("NaN in the JSON", answering(b'{"answer":"90","n":NaN}'), "shape"),
    blocked("the answer under another name", answering({"text": BAD}), "shape"),
    blocked(
        "a completion of the older kind",
        answering({"choices": [{"text": BAD}]}),
        "shape",
        route=OPENAI,
    ),
    blocked("tool calls alone", answering(chat(None)), "no_text", route=OPENAI),
    blocked("an empty answer", answering(reply("  ")), "no_text"),
    blocked(
        "a part of the answer (206) without being asked",
        answering(JSON[5:], status=206, headers=[("content-range", "bytes 5-/99")]),
        "range",
    ),
    Round(
        tried="a stream of events",
        app=answering(b"data: " + JSON + b"\n\n", content_type="text/event-stream"),
        reason="flagged",
    ),
    Round(
        tried="a stream of lines",
        app=answering(JSON + b"\n", content_type="application/x-ndjson"),
        reason="flagged",
    ),
    blocked(
        "a stream of events of another kind",
        answering("data: 90\n\n", content_type="text/event-stream"),
        "shape",
    ),
    blocked(
        "a key twice in an event",
        answering('data: {"answer":"Fine.","answer":"90"}\n\n', content_type="text/event-stream"),
        "shape",
    ),
    blocked(
        "a stream of events in gzip",
        answering(
            gzip.compress(b"data: " + JSON + b"\n\n"),
            content_type="text/event-stream",
            headers=[("content-encoding", "gzip")],
        ),
        "encoding",
    ),
    blocked(
        "a stream of parts (`multipart/x-mixed-replace`)",
        answering(JSON, content_type="multipart/x-mixed-replace; boundary=x"),
        "stream",
    ),
    blocked("HTML", answering("<p>90", content_type="text/html"), "content_type"),
    blocked("no content type", answering(JSON, content_type=None), "content_type"),
    blocked(
        "two content types",
        answering(JSON, headers=[("Content-Type", "text/html")]),
        "content_type",
    ),
    blocked("GET, where the route names POST", answering(JSON), "method", sent={"method": "GET"}),
    blocked(
        "a body by another message (`http.response.pathsend`)",
        sending(start(PLAIN_JSON), {"type": "http.response.pathsend", "path": "/x"}),
        "message_type",
    ),
    blocked(
        "a message nobody knows in place of a start",
        sending({"type": "http.response.debug"}),
        "message_type",
    ),
    blocked(
        "half an answer, then a crash of the app",
        sending(
            start(PLAIN_JSON), {"type": "http.response.body", "body": JSON[:20], "more_body": True}
        ),
        "app_error",
    ),
    Round(
        tried="another language",
        app=answering(reply("Rückgabe binnen 90 Tagen.")),
        reason="language",
    ),
    Round(
        tried="no passages",
        app=answering({"answer": "No context 90.", "contexts": []}),
        reason="no_context",
    ),
    Round(
        tried="parallel load past the capacity",
        app=answering(JSON),
        reason="overload",
        refused=UnresolvedReason.OVERLOAD,
    ),
    Round(
        tried="an answer too long for the budget",
        app=answering(JSON),
        reason="budget",
        refused=UnresolvedReason.BUDGET,
    ),
    Round(
        tried="many requests at once from one client",
        app=answering(JSON),
        reason="overload",
        route={"max_in_flight_per_key": 0},
    ),
    Round(
        tried="HEAD: no body, whatever is sent",
        app=answering(b""),
        reason="method",
        action="RELEASE",
        sent={"method": "HEAD"},
    ),
    Round(
        tried="`If-None-Match`: 304, no body",
        app=answering(b"", status=304, content_type=None),
        reason="status",
        action="RELEASE",
        status=304,
    ),
    Round(
        tried="a fault of the app's own (404)",
        app=answering({"detail": "x"}, status=404),
        reason="status",
        action="RELEASE",
        status=404,
    ),
)
