"""What people's own clients make of a gated stream, over real sockets and through a real proxy."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.streams.stage import WITHHELD
from tests.system.clients import (
    HELPERS,
    NODE_FOLDER,
    Asked,
    Client,
    Told,
    by_browser,
    by_curl,
    by_httpx,
    by_javascript,
    by_openai,
)
from tests.system.desk import FALSE, sayings, text
from tests.system.serving import PATIENCE_S, program, proxying, serving

CLIENTS: dict[str, Client] = {
    "curl": by_curl,
    "httpx": by_httpx,
    "openai": by_openai,
    "openai-js": by_javascript,
    "eventsource": by_browser,
}
NEEDS = {"curl": "curl", "openai-js": "node", "eventsource": "chromium"}
SPOKEN = [
    ("curl", "chat"),
    ("curl", "events"),
    ("curl", "lines"),
    ("curl", "plain"),
    ("httpx", "chat"),
    ("httpx", "responses"),
    ("httpx", "events"),
    ("httpx", "said"),
    ("httpx", "lines"),
    ("httpx", "plain"),
    ("openai", "chat"),
    ("openai", "responses"),
    ("openai-js", "chat"),
    ("openai-js", "responses"),
    ("eventsource", "events"),
]
# Protocols whose frames nginx passes on at once although it buffers: it is told so in a header.
UNBUFFERED = ("chat", "responses", "events", "said")

_runs = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Serve the desk; yields its address."""
    with serving("--log-level", "info") as origin:
        yield origin


@pytest.fixture(scope="module", autouse=True)
def helpers() -> Iterator[None]:
    """End the programs that were kept."""
    yield
    HELPERS.close()


@pytest.fixture(scope="module", params=["on", "off"])
def nginx(
    request: pytest.FixtureRequest, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Put nginx in front of the desk, buffering or not; yields its address."""
    need("nginx")
    buffering = request.param == "on"
    with proxying(server, tmp_path_factory.mktemp("nginx"), buffering=buffering) as origin:
        yield origin


def need(name: str) -> None:
    """Skip a test whose program is not there."""
    if program(name) is None:
        pytest.skip(f"{name} is not installed")
    if name == "node" and not (NODE_FOLDER / "node_modules" / "openai").is_dir():
        pytest.skip("the openai package for JavaScript is not installed")


def ask(client: str, origin: str, kind: str, scenario: str, prefix: str = "") -> Told:
    """Have a client ask for a scenario in a run of its own."""
    if client in NEEDS:
        need(NEEDS[client])
    run = f"run-{next(_runs)}"
    asked = Asked(origin=origin, kind=kind, scenario=scenario, run=run, prefix=prefix)
    return CLIENTS[client](asked)


def expected(scenario: str) -> str:
    """Return what a client should have of a scenario in the end."""
    name = scenario.partition("-")[0]
    if name not in FALSE:
        return text(name)
    kept = " ".join(saying.text for saying in sayings(name)[: FALSE[name]])
    return f"{kept}\n\n{WITHHELD}" if kept else WITHHELD


def spaced(text: str) -> str:
    """Return a text with its blanks made alike: plain text keeps the one behind a sentence."""
    return " ".join(text.split())


def is_withheld(kind: str, told: Told) -> bool:
    """Tell whether the protocol has told a client that the answer is not the app's."""
    match kind:
        case "chat":
            return "content_filter" in told.ends
        case "responses":
            return told.ends == ["response.incomplete"]
        case "plain":
            return told.text.endswith(WITHHELD)
        case _:
            return "gatekeeper" in told.ends


@pytest.mark.parametrize(("client", "kind"), SPOKEN)
@pytest.mark.parametrize("scenario", ["true", "first", "middle", "last"])
def test_client_gets_what_is_supported(server: str, client: str, kind: str, scenario: str) -> None:
    """Sentence by sentence: each is on the client's screen before the app writes the one after."""
    told = ask(client, server, kind, f"{scenario}-stepwise")

    assert told.error is None
    assert spaced(told.text) == spaced(expected(scenario))
    assert is_withheld(kind, told) == (scenario in FALSE)


@pytest.mark.parametrize(("client", "kind"), SPOKEN)
def test_gate_cannot_be_told_from_none(server: str, client: str, kind: str) -> None:
    """A stream that is released is the app's to a client, down to the words it is ended with."""
    bare = ask(client, server, kind, "true", "/bare")

    assert bare.error is None
    assert ask(client, server, kind, "true") == bare
    assert ask(client, server, kind, "true", "/whole") == bare
    assert ask(client, server, kind, "true", "/early") == bare


@pytest.mark.parametrize(("client", "kind"), SPOKEN)
def test_client_gets_an_end_when_the_app_dies(server: str, client: str, kind: str) -> None:
    """In the middle of an answer: what was supported stays, and nobody waits for the rest."""
    told = ask(client, server, kind, "dies-stepwise")

    first, _, third = (saying.text for saying in sayings("dies"))
    assert told.error is None
    assert told.text.startswith(first)
    assert told.text.endswith(WITHHELD)
    assert third not in told.text
    assert is_withheld(kind, told)


@pytest.mark.parametrize(("client", "kind"), [("httpx", kind) for kind in UNBUFFERED])
def test_withheld_whole_stream_is_one_in_the_protocol(server: str, client: str, kind: str) -> None:
    """Held to its end, a stream is replaced by a stream: clients read no other shape here."""
    told = ask(client, server, kind, "middle", "/whole")

    assert told.error is None
    assert told.text == WITHHELD


@pytest.mark.parametrize("client", ["httpx", "openai", "openai-js", "eventsource"])
@pytest.mark.parametrize("scenario", ["true-stepwise", "middle-stepwise", "dies-stepwise"])
def test_stream_passes_nginx_at_once(nginx: str, client: str, scenario: str) -> None:
    """Buffering or not, a sentence is there before the next is written, and the end is an end."""
    kind = "events" if client in ("httpx", "eventsource") else "chat"

    told = ask(client, nginx, kind, scenario)

    assert told.error is None
    assert is_withheld(kind, told) == (scenario != "true-stepwise")
    if scenario != "dies-stepwise":
        assert told.text == expected(scenario)


@pytest.mark.parametrize("kind", ["lines", "plain"])
def test_other_streams_pass_nginx(nginx: str, kind: str) -> None:
    """A proxy that buffers may hold them, but passes all of them on in the end."""
    for scenario in ("true", "middle"):
        told = ask("httpx", nginx, kind, scenario)
        assert told.error is None
        assert spaced(told.text) == spaced(expected(scenario))


@pytest.mark.parametrize("kind", ["chat", "events", "lines", "plain"])
def test_client_that_leaves_ends_the_work(server: str, kind: str) -> None:
    """The app is told, the check is dropped, and the decision says that nobody was there."""
    run = f"run-{next(_runs)}"
    asked = Asked(origin=server, kind=kind, scenario="true-stepwise", run=run)
    before = counted(server, "client_gone")

    with httpx.stream("GET", asked.url, timeout=PATIENCE_S) as response:
        first = next(response.iter_bytes())
    assert first

    wait_for(lambda: counted(server, "client_gone") > before)
    wait_for(lambda: run in counts(server)["left"])


def counts(server: str) -> dict[str, Any]:
    """Return what the gate has counted."""
    found: dict[str, Any] = httpx.get(f"{server}/counts", timeout=PATIENCE_S).json()
    return found


def counted(server: str, verdict: str) -> int:
    """Return how many decisions had a verdict or reason."""
    return sum(one["verdict"] == verdict for one in counts(server)["decided"])


def wait_for(condition: Callable[[], bool]) -> None:
    """Ask until it is so; each question is a request."""
    for _ in range(2_000):
        if condition():
            return
    raise AssertionError("it never came to be so")


def test_every_stream_is_decided_once(server: str) -> None:
    """After all that came before, nothing is counted twice or not at all."""
    wait_for(lambda: counts(server)["begun"] == len(counts(server)["decided"]))

    assert counts(server)["begun"] > 0
