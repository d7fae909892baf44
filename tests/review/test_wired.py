"""The page beside a gated app, from a policy file: there if it says so, and in nobody's way."""

import asyncio
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.testclient import TestClient
from starlette.types import ASGIApp
from starlette.websockets import WebSocketDisconnect

from gatekeeper.errors import ConfigurationError, StoreError
from gatekeeper.front import gated
from gatekeeper.outcomes.records import texts_of
from gatekeeper.outcomes.store import Batch, Store
from gatekeeper.review.app import ReviewApp
from tests.asgi.wire import talk
from tests.outcomes.made import KEY, decision, made
from tests.outcomes.test_gated import POLICY
from tests.review.room import PATH, ROLES, TOKENS, entry, fields

STORED = POLICY.format(store_text="sampled")


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the key of the installation."""
    monkeypatch.setenv("GATEKEEPER_SECRET", KEY.decode())
    monkeypatch.delenv("GATEKEEPER_MODE", raising=False)


async def answer(request: Request) -> Response:
    """Say something that its context does not."""
    return JSONResponse(
        {"answer": "The lamp has 9 switches.", "contexts": ["The lamp has 3 switches."]}
    )


async def other(request: Request) -> Response:
    """Answer for every other path, so that it shows what came through."""
    return PlainTextResponse(f"app: {request.url.path}")


def wire(folder: Path, review: str = "[review]\n", metrics: str | None = "/metrics") -> ASGIApp:
    """Put a gate with a page in front of an app."""
    policy = folder / "gatekeeper.toml"
    policy.write_text(review + STORED, encoding="utf-8")
    people = "".join(entry(name, ROLES[name]) for name in TOKENS)
    (folder / "reviewers.toml").write_text(people, encoding="utf-8")
    everything = ["GET", "POST", "DELETE"]
    app = Starlette(
        routes=[
            Route("/answer", answer, methods=["POST"]),
            Route("/{rest:path}", other, methods=everything),
        ]
    )
    return gated(app, policy=policy, metrics=metrics, registry=CollectorRegistry())


def sign_in(client: TestClient, path: str = PATH) -> None:
    """Sign in as a reviewer."""
    assert client.post(f"{path}/sign-in", data={"token": TOKENS["ann"]}).status_code == 200


def samples(page: str, name: str) -> dict[str, float]:
    """Return the samples of a metric that are not 0, by their labels."""
    found = re.findall(rf"^gatekeeper_{name}{{(.*)}} (.*)$", page, re.MULTILINE)
    return {labels: float(value) for labels, value in found if float(value)}


def test_without_the_table_there_is_no_page(tmp_path: Path) -> None:
    """The path is the app's like any other."""
    client = TestClient(wire(tmp_path, review=""))

    assert client.get(PATH).text == f"app: {PATH}"


def test_label_moves_the_counters_and_undo_takes_it_back(tmp_path: Path) -> None:
    """From the store to the page of the counters, with the counters of the worker."""
    labelled = 'route="/answer",side="blocked",truth="wrong"'
    keep(tmp_path)
    client = TestClient(wire(tmp_path))
    sign_in(client)

    form = fields(client.get(PATH).text)
    shown = client.post(f"{PATH}/label", data={**form, "truth": "wrong"})
    before = client.get("/metrics").text
    client.post(f"{PATH}/decision/{form['decision']}/undo", data=fields(shown.text))
    after = client.get("/metrics").text

    assert "Cups are red." in shown.text
    assert samples(before, "adjudications_total") == {labelled: 1.0}
    assert samples(before, "adjudications_retracted_total") == {}
    assert samples(after, "adjudications_total") == {labelled: 1.0}
    assert samples(after, "adjudications_retracted_total") == {labelled: 1.0}


def keep(folder: Path) -> None:
    """Put a decision of now into the store of the policy."""
    one = decision(1, route="/answer")
    texts = texts_of(one)
    assert texts is not None
    store = Store.open(f"sqlite:///{folder / 'outcomes.db'}")
    store.write(Batch(decisions=[made(one, datetime.now(UTC))], texts={one.id: texts}))
    store.close()


@pytest.mark.parametrize(
    "path",
    [
        f"/{PATH}",
        f"{PATH}er",
        f"{PATH.upper()}",
        "/gatekeeper//review",
        "/gatekeeper/./review",
        "/x/../gatekeeper/review",
        "/gatekeeper/review\0",
        "/gatekeeper/review\n",
        "/gatekeeper%2freview",
        "/gatekeeper",
        "/",
    ],
)
def test_what_only_looks_like_the_path_is_the_apps(tmp_path: Path, path: str) -> None:
    """One spelling opens the page; every other one goes the way it went before."""
    sent = asyncio.run(talk(wire(tmp_path), path=path, method="GET"))

    assert b"Sign in" not in sent.body
    assert sent.body.startswith(b"app: ") or sent.status == 404


def test_gated_route_stays_gated(tmp_path: Path) -> None:
    """No spelling of its path leads through the page."""
    with TestClient(wire(tmp_path)) as client:
        below = client.post(f"{PATH}/%2e%2e/%2e%2e/answer", json={"question": "?"})
        page = client.get("/metrics").text
        inside = client.post("/answer", json={"question": "?"})
        after = client.get("/metrics").text

    assert below.status_code == 401
    assert "switches" not in below.text
    assert samples(page, "requests_total") == {}
    assert inside.json()["answer"] == "The lamp has 9 switches."
    assert samples(after, "requests_total") != {}


def test_mounted_app_has_its_page_below_the_prefix(tmp_path: Path) -> None:
    """Its links, forms and cookie have the prefix in front, and so have the counters."""
    outer = Starlette(routes=[Mount("/outer", wire(tmp_path))])
    client = TestClient(outer)

    sign_in(client, f"/outer{PATH}")
    page = client.get(f"/outer{PATH}")

    assert "Nothing waits for you" in page.text
    assert f'href="/outer{PATH}/progress"' in page.text
    assert client.get("/outer/metrics").text.startswith("# HELP")


@pytest.mark.parametrize("metrics", [PATH, f"{PATH}/metrics"])
def test_page_has_a_path_of_its_own(tmp_path: Path, metrics: str) -> None:
    """Counters that ask for a token are counters nobody scrapes."""
    with pytest.raises(ConfigurationError) as caught:
        wire(tmp_path, metrics=metrics)

    [fault] = caught.value.faults
    assert (fault.place, fault.found) == (
        "review.path",
        f'"{PATH}", where the counters are at "{metrics}"',
    )
    assert fault.instead == 'write another one, such as path = "/review"'


def test_websocket_on_the_path_goes_to_the_app(tmp_path: Path) -> None:
    """The page speaks HTTP only; what it is not asked for it does not take."""
    client = TestClient(wire(tmp_path))

    with pytest.raises(WebSocketDisconnect), client.websocket_connect(PATH):
        pass


def test_page_works_again_after_a_shutdown(tmp_path: Path) -> None:
    """A server that starts the app once more gets what it got before."""
    app = wire(tmp_path)
    client = TestClient(app)
    sign_in(client)
    pages = [page for page in closing(app) if isinstance(page, ReviewApp)]

    for page in pages:
        page.close()

    assert len(pages) == 1
    assert "Nothing waits" in client.get(PATH).text


def closing(app: Any) -> Iterator[object]:
    """Yield what a gated app serves beside itself."""
    for cell in app.__closure__:
        if isinstance(cell.cell_contents, dict):
            yield from cell.cell_contents.values()


def test_library_that_is_missing_is_named_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who opens a page learns then what it takes, not with the first reviewer."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for name in ("app", "pages"):
        monkeypatch.delitem(sys.modules, f"gatekeeper.review.{name}")

    with pytest.raises(StoreError, match="the library jinja2 is not installed") as caught:
        wire(tmp_path)

    assert 'pip install "gatekeeper-claims[outcomes]"' in str(caught.value)
