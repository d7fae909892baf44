"""On real servers a gate that watches can't be told from no gate, and one that enforces works."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from tests.asgi.matrix import PATHS
from tests.asgi.wire import GOOD, reply

ROOT = Path(__file__).parents[2]
APP = "tests.asgi.matrix:app"

COMMANDS = {
    "uvicorn": ["uvicorn", APP, "--port", "{port}", "--log-level", "critical"],
    "hypercorn": ["hypercorn", APP, "--bind", "127.0.0.1:{port}"],
    "granian": ["granian", "--interface", "asgi", "--port", "{port}", APP],
}

# Set by the server for each response.
OF_THE_MOMENT = {b"date"}

SENT: list[tuple[str, dict[str, Any]]] = [
    *(("GET", {"url": path}) for path in PATHS),
    ("HEAD", {"url": "/json"}),
    ("HEAD", {"url": "/stream"}),
    ("HEAD", {"url": "/file"}),
    ("POST", {"url": "/echo", "content": b"x" * 100_000}),
    ("GET", {"url": "/file", "headers": {"range": "bytes=10-19"}}),
    ("GET", {"url": "/file", "headers": {"range": "bytes=0-1,5-9"}}),
    ("GET", {"url": "/file", "headers": {"range": "bytes=999999-"}}),
    ("DELETE", {"url": "/json"}),
    ("OPTIONS", {"url": "/json"}),
    ("GET", {"url": "/json/"}),
    ("GET", {"url": "//json"}),
    ("GET", {"url": "/json%0A"}),
]


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module", params=sorted(COMMANDS))
def server(request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    """Serve the matrix on a port of its own; yields a client that waits until it is up."""
    port = free_port()
    command = [part.format(port=port) for part in COMMANDS[request.param]]
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        # A connection a request: servers close theirs after a crash, some time after it.
        one = httpx.Limits(max_keepalive_connections=0)
        transport = httpx.HTTPTransport(retries=8, verify=False, limits=one)
        with httpx.Client(transport=transport, base_url=f"http://127.0.0.1:{port}") as client:
            yield client
    finally:
        process.terminate()
        process.wait(20)


def ask(server: httpx.Client, variant: str, method: str, **request: Any) -> tuple[Any, ...]:
    """Return status, headers and raw bytes, and how the body ended."""
    headers = {"x-variant": variant, "accept-encoding": "gzip", **request.pop("headers", {})}
    body, end = [], "whole"
    url = server.base_url.copy_with(raw_path=request.pop("url").encode())
    with server.stream(method, url, headers=headers, **request) as response:
        try:
            for piece in response.iter_raw():
                body.append(piece)  # noqa: PERF402 - what came before the error is wanted
        except httpx.RemoteProtocolError:
            end = "cut"
    kept = [item for item in response.headers.raw if item[0].lower() not in OF_THE_MOMENT]
    return response.status_code, kept, b"".join(body), end


def boundary(seen: tuple[Any, ...]) -> tuple[Any, ...]:
    """Take the random boundary out of a response of several ranges."""
    status, headers, body, end = seen
    types = [value for name, value in headers if name.lower() == b"content-type"]
    mark = types[0].partition(b"boundary=")[2] if types else b""
    if not mark:
        return seen
    cut = [(name, value.replace(mark, b"")) for name, value in headers]
    return status, cut, body.replace(mark, b""), end


@pytest.mark.parametrize(
    ("method", "request_of"), SENT, ids=[f"{m} {r['url']} {r.get('headers', '')}" for m, r in SENT]
)
def test_watching_gate_cannot_be_told_from_none(
    server: httpx.Client, method: str, request_of: dict[str, Any]
) -> None:
    """Status, headers and bytes are the app's, whatever kind of response it makes."""
    expected = boundary(ask(server, "bare", method, **request_of))

    assert boundary(ask(server, "off", method, **request_of)) == expected
    assert boundary(ask(server, "shadow", method, **request_of)) == expected


@pytest.mark.parametrize(
    "path", ["/json", "/html", "/stream", "/packed", "/204", "/304", "/breaks"]
)
@pytest.mark.parametrize("order", ["in", "over"])
def test_watching_gate_works_with_compression(server: httpx.Client, order: str, path: str) -> None:
    """In front of a compressing middleware and behind one."""
    expected = ask(server, f"bare {order} gzip", "GET", url=path)

    assert ask(server, f"shadow {order} gzip", "GET", url=path) == expected


def test_enforcing_gate_answers_for_the_app(server: httpx.Client) -> None:
    """What is withheld never reaches the socket, and the connection stays in order."""
    headers = {"x-variant": "enforce"}
    keeping = httpx.HTTPTransport(verify=False)
    with httpx.Client(base_url=server.base_url, headers=headers, transport=keeping) as kept:
        for path in ("/json", "/stream", "/packed", "/later", "/fast/answer", "/json%0A"):
            withheld = kept.get(path)
            assert "withheld" in withheld.json()["answer"]
            assert withheld.headers["cache-control"] == "no-store"
        for path in ("/html", "/file", "/events"):
            assert kept.get(path).status_code == 422
        assert kept.head("/json").status_code == 200
        assert kept.get("/204").status_code == 204
        assert kept.get("/good").json() == reply(GOOD)
    assert server.get("/breaks", headers=headers).status_code == 422
    assert server.get("/fails", headers=headers).status_code == 500


def test_websocket_is_passed_on_and_counted(server: httpx.Client) -> None:
    """A gate in front of an app is in front of its sockets too."""
    before = counted(server)["websockets"]
    url = server.base_url.copy_with(scheme="ws", path="/ws")
    with connect(str(url), additional_headers={"x-variant": "shadow"}) as websocket:
        websocket.send("x")
        assert websocket.recv() == "echo x"

    assert counted(server)["websockets"] == before + 1


@pytest.mark.parametrize("path", ["/json", "/stream", "/echo"])
def test_client_that_hangs_up_while_it_waits_is_counted(server: httpx.Client, path: str) -> None:
    """Its check is dropped at once, not when its budget of half a minute has run out."""
    before = counted(server)
    line = f"POST {path} HTTP/1.1\r\nhost: x\r\nx-variant: silent\r\ncontent-length: 1\r\n\r\nx"
    address = (server.base_url.host, server.base_url.port or 80)
    with socket.create_connection(address) as hasty:
        hasty.sendall(line.encode())
        wait_for(lambda: counted(server)["begun"] > before["begun"])

    wait_for(lambda: counted(server)["gone"] > before["gone"])


def wait_for(condition: Callable[[], bool]) -> None:
    """Ask until it is so; each question is a request."""
    for _ in range(1_000):
        if condition():
            return
    raise AssertionError("it never came to be so")


def test_every_request_is_decided_once(server: httpx.Client) -> None:
    """After all that came before, nothing is counted twice or not at all."""
    seen = counted(server)

    assert seen["begun"] == seen["decided"] > 0
    assert seen["ran"] > 0


def counted(server: httpx.Client) -> dict[str, int]:
    """Return what the gate has counted on this server."""
    seen: dict[str, int] = server.get("/", headers={"x-variant": "counts"}).json()
    return seen
