"""A path that the app doesn't have is noticed when the gate is put in front of it."""

from typing import Any

import pytest
from fastapi import APIRouter, FastAPI
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Host, Mount, Route

from gatekeeper.asgi.known import unmatched


async def answer(request: Request) -> Response:
    """Answer nothing."""
    return Response()


def fast() -> FastAPI:
    """Return an app with one route of its own and one of a router."""
    app, router = FastAPI(), APIRouter(prefix="/api")
    app.add_api_route("/v1/answer", answer, methods=["POST"])
    router.add_api_route("/ask", answer, methods=["POST"])
    app.include_router(router)
    return app


def slow(*routes: Any) -> Starlette:
    """Return an app with the same routes, the second one below a mount."""
    mount = Mount("/api", routes=[Route("/ask", answer, methods=["POST"])])
    return Starlette(routes=[Route("/v1/answer", answer, methods=["POST"]), mount, *routes])


@pytest.mark.parametrize(
    "app",
    [
        fast(),
        slow(),
        GZipMiddleware(GZipMiddleware(slow())),
        Starlette(routes=[Mount("/", app=fast())]),
        Starlette(routes=[Mount("/", app=GZipMiddleware(slow()))]),
    ],
    ids=["fastapi", "starlette", "wrapped", "mounted", "mounted and wrapped"],
)
def test_mistyped_path_is_found(app: Any) -> None:
    """With a typo every answer passes, nothing is counted, and nobody would know."""
    paths = ["/v1/answer", "/api/ask", "/v1/answer/", "/api/aks", "/v1", "/api"]

    assert unmatched(app, paths) == ["/api/aks", "/v1", "/api"]


def test_route_by_another_method_is_known() -> None:
    """The policy's methods are the policy's business: here it is about the path."""
    app = Starlette(routes=[Route("/v1/answer", answer, methods=["GET"])])

    assert unmatched(app, ["/v1/answer"]) == []


async def bare(scope: Any, receive: Any, send: Any) -> None:
    """Be an app without routes to show."""


@pytest.mark.parametrize(
    "app", [bare, slow(Host("api.example.org", app=bare)), slow(Mount("/files", app=bare))]
)
def test_what_an_app_does_not_say_is_no_fault(app: Any) -> None:
    """A warning that is wrong teaches people to pass over the one that is right."""
    assert unmatched(app, ["/files/answer"]) == []
