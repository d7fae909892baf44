"""What is sent in place of a held response: bodies and headers that describe each other.

Every header that spoke of the old body goes; the new one is never cached and its length is its
length. Released responses keep their bytes and, beside our own, their headers.
"""

import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING

from gatekeeper.asgi.checks import Findings, Material, open_payload
from gatekeeper.asgi.payload import Payload
from gatekeeper.asgi.request import Headers
from gatekeeper.asgi.response import Head
from gatekeeper.asgi.rulings import Ruling, redacted
from gatekeeper.policy import Route, Shape
from gatekeeper.verdict import Action

if TYPE_CHECKING:
    from starlette.types import Message

Facts = Mapping[str, object]

PREFIX = b"gatekeeper-"

# Validators, digests, signatures, lengths and codings of the body that was (RFC 9110, 9530, 9421).
_OF_THE_BODY = frozenset(
    {
        b"content-length",
        b"content-encoding",
        b"content-range",
        b"content-md5",
        b"content-digest",
        b"repr-digest",
        b"digest",
        b"etag",
        b"last-modified",
        b"accept-ranges",
        b"transfer-encoding",
        b"trailer",
        b"signature",
        b"signature-input",
        b"cache-control",
        b"expires",
        b"age",
    }
)
# nginx, and what took after it, then passes a stream on as it comes.
_BUFFERING = b"x-accel-buffering"
# A body that holds no more is rewritten on the spot; see ``is_light``.
_LIGHT_BYTES = 16 * 1024
_LIGHT_VALUES = 500
_NOT_SEPARATORS = bytes(sorted(set(range(256)) - set(b"[]{},")))
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_OF_ITS_KIND = frozenset(
    {b"content-type", b"content-language", b"content-location", b"content-disposition"}
)


def released(start: "Message", facts: Facts) -> "Message":
    """Return the start of a response that is delivered as it came, with our headers if any."""
    if not facts:
        return start
    kept = [item for item in start.get("headers", ()) if not item[0].lower().startswith(PREFIX)]
    return {**start, "headers": kept + _ours(facts)}


def streamed(head: Head, facts: Facts) -> "Message":
    """Return the start of a stream whose end is not known: nothing in it may speak of its bytes.

    Trailers are not announced: they could only speak of the app's own bytes.
    """
    headers = _kept(head.headers, _OF_THE_BODY | {_BUFFERING})
    headers += [(b"cache-control", b"no-store"), (_BUFFERING, b"no"), *_ours(facts)]
    return {"type": "http.response.start", "status": head.status, "headers": headers}


def blocked(route: Route, head: Head | None, facts: Facts) -> list["Message"]:
    """Return the messages of a problem report (RFC 9457) that says nothing of the answer."""
    problem: dict[str, object] = {
        "type": "about:blank",
        "title": _PHRASES.get(route.block_status, "Blocked"),
        "status": route.block_status,
        "detail": route.withheld_text,
    }
    if facts:
        problem["gatekeeper"] = facts
    body = json.dumps(problem, ensure_ascii=False, separators=(",", ":")).encode()
    headers = [] if head is None else _kept(head.headers, _OF_THE_BODY | _OF_ITS_KIND)
    headers.append((b"content-type", b"application/problem+json"))
    return _messages(route.block_status, headers, body, facts)


def changed(head: Head, body: bytes, route: Route, facts: Facts) -> list["Message"]:
    """Return the messages of a response whose body was written anew, in UTF-8."""
    headers = _kept(head.headers, _OF_THE_BODY)
    if route.answer is Shape.PLAIN:
        headers = _kept(headers, {b"content-type"})
        headers.append((b"content-type", f"{head.media}; charset=utf-8".encode("latin-1")))
    return _messages(head.status, headers, body, facts)


def is_light(material: Material) -> bool:
    """Tell whether a body is rewritten in less time than it takes to hand it over.

    It is bounded in bytes and in what separates values, so that the worst takes a millisecond.
    """
    body = material.response
    return (
        material.coding in ("", "identity")
        and len(body) <= _LIGHT_BYTES
        and len(body.translate(None, _NOT_SEPARATORS)) <= _LIGHT_VALUES
    )


def rewrite(
    material: Material, findings: Findings, ruling: Ruling, facts: Facts, written: list[bytes]
) -> Iterator[None]:
    """Change the payload as ruled and write it, in steps.

    Raises:
        UncheckableError: If the body can't be read, so that there is no place for a text.
    """
    if findings.payload is None:
        yield from open_payload(material, findings, [])
    payload = findings.payload
    assert payload is not None  # noqa: S101 - open_payload sets it or raises
    for n in range(len(payload.texts)):
        _change(payload, n, ruling, material.route)
        yield
    if facts:
        payload.note(dict(facts))
    for piece in payload.write():
        written.append(piece)
        yield


def _change(payload: Payload, n: int, ruling: Ruling, route: Route) -> None:
    verdict, action = ruling.of(n)
    if action is Action.WITHHOLD:
        payload.withhold(n, route.withheld_text)
    elif action is Action.REDACT:
        payload.redact(n, redacted(payload.texts[n] or "", verdict, route))


def _messages(status: int, headers: Headers, body: bytes, facts: Facts) -> list["Message"]:
    headers = [
        *headers,
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *_ours(facts),
    ]
    return [
        {"type": "http.response.start", "status": status, "headers": headers},
        {"type": "http.response.body", "body": body},
    ]


def _kept(headers: Headers, dropped: frozenset[bytes] | set[bytes]) -> Headers:
    return [
        (name, value)
        for name, value in headers
        if name.lower() not in dropped and not name.lower().startswith(PREFIX)
    ]


def _ours(facts: Facts) -> Headers:
    """Write the facts as headers: ``gatekeeper-id``, ``-verdict``, ``-reason``, ``-counts``.

    Without claims there is nothing to count: an empty header is one that some proxies drop.
    """
    said = {name: _flat(value) for name, value in facts.items()}
    return [(PREFIX + name.encode(), value.encode()) for name, value in said.items() if value]


def _flat(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={count}" for name, count in value.items())
    return str(value)
