"""A request of somebody who is signed in, and the responses it can get."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from types import MappingProxyType

from starlette.requests import Request
from starlette.responses import Response

from gatekeeper.review.refusals import NO_HEADERS, RefusedError
from gatekeeper.review.seals import Session

NO_FACTS: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Who asks for what. ``base`` is the path of the page as a browser has to ask for it.

    ``id`` is the decision in the path, "" without one; ``form`` what a page has sent, checked to be
    one of this session.
    """

    request: Request
    session: Session
    base: str
    id: str = ""
    form: Mapping[str, list[str]] = field(default_factory=lambda: MappingProxyType({}))


def json_response(
    value: object, status: int = 200, headers: Mapping[str, str] = NO_HEADERS
) -> Response:
    """Return a value as JSON, in ASCII: a lone surrogate has no other form."""
    return Response(json.dumps(value), status, headers, "application/json")


def problem(refused: RefusedError, more: Mapping[str, object] = NO_FACTS) -> Response:
    """Return a problem report (RFC 9457) that says what was found, what expected, what to do.

    Args:
        refused: The refusal.
        more: Members that are the request's own.
    """
    said = {
        "type": "about:blank",
        "title": HTTPStatus(refused.status).phrase,
        "status": refused.status,
        "detail": str(refused),
        "found": refused.found,
        "expected": refused.expected,
        "advice": refused.advice,
        **more,
    }
    body = json.dumps(said)
    return Response(body, refused.status, refused.headers, "application/problem+json")


def see_other(path: str) -> Response:
    """Send a browser on to a path of the page."""
    return Response("", 303, {"location": path})
