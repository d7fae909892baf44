"""A request can't leave its route by spelling the path another way."""

import pytest
from starlette._utils import get_route_path

from gatekeeper.asgi.paths import Paths

PATHS = Paths([("/v1/answer", "first"), ("/v1/answer/", "second"), ("/", "root")])


def find(path: str, root_path: str = "") -> str | None:
    """Find the route of a path."""
    return PATHS.find({"type": "http", "path": path, "root_path": root_path})


@pytest.mark.parametrize(
    "path",
    ["/v1/answer", "/v1/answer/", "//v1///answer", "/v1/answer\n", "/V1/Answer", "/v1/answer//\n"],
)
def test_spellings_some_framework_routes_alike_are_one_path(path: str) -> None:
    """Starlette passes a line feed, others squeeze slashes or ignore case."""
    assert find(path) == "first"


@pytest.mark.parametrize(
    "path",
    [
        "/v1%2Fanswer",
        "/v1/answer?x",
        "/v1/answer#x",
        "/v1/./answer",
        "/x/../v1/answer",
        "/v1/%2e/answer",
        "/v1/%2561nswer",
    ],
)
def test_spellings_that_an_app_may_pass_on_are_one_path(path: str) -> None:
    """A proxy behind the gate decodes again, resolves dots and cuts off what looks like a query."""
    assert find(path) == "first"


@pytest.mark.parametrize("path", ["/v1/answers", "/v1", "/v1/answer/x", "/x", "/v1/./x", "/v1/50%"])
def test_other_paths_are_not_gated(path: str) -> None:
    """A gate in vain costs nothing, but other endpoints are not its business."""
    assert find(path) is None


@pytest.mark.parametrize(
    ("path", "root_path"),
    [
        ("/api/v1/answer", "/api"),
        ("/v1/answer", "/api"),
        ("/apis/v1/answer", "/api"),
        ("/api", "/api"),
        ("/v1/answer", ""),
        ("/api//v1/answer", "/api"),
    ],
)
def test_mount_prefix_is_removed_as_starlette_does(path: str, root_path: str) -> None:
    """The gate and the router must agree on what the path is."""
    scope = {"type": "http", "path": path, "root_path": root_path}

    assert find(path, root_path) == find(get_route_path(scope))
    assert (find(path, root_path) == "first") == (path not in {"/apis/v1/answer", "/api"})


def test_root_is_a_path() -> None:
    """An app may answer at its very root, with or without a mount."""
    assert find("/") == find("/api", "/api") == "root"
