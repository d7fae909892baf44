"""The tour: a real server, every printed line sent as printed, and what comes back."""

import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import httpx
import pytest

from gatekeeper.demo.tour import TOUR, Stop, lines, review_lines
from tests.transcripts import curl

PATIENCE_S = 60.0

Send = Callable[[str], str]


@pytest.fixture(scope="module", params=["httpx", "curl"])
def send(request: pytest.FixtureRequest) -> Send:
    """Send a curl line: with a client of Python's, and with curl itself where there is one."""
    if request.param == "httpx":
        return lambda line: curl(shlex.split(line)).text
    if shutil.which("curl") is None:
        pytest.skip("no curl on this machine")
    return lambda line: (
        subprocess.run(shlex.split(line), capture_output=True, text=True, check=True).stdout
    )


@pytest.fixture(scope="module")
def printed(send: Send) -> Iterator[list[str]]:
    """Start the demo as a user does; what it prints. One server a way of sending: it counts."""
    del send
    command = [sys.executable, "-m", "gatekeeper.cli", "demo", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    wanted = 2 + len([*lines(""), *review_lines("", "")])
    text = [server.stdout.readline().rstrip("\n") for _ in range(wanted)]
    yield text
    server.send_signal(signal.SIGINT)
    _, errors = server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 0, errors
    assert "Traceback" not in errors


def test_printed_lines_do_what_they_say(printed: list[str], send: Send) -> None:
    """The first thing a user copies has to work, in order, to the letter."""
    base = printed[0].split()[2].rstrip(";")
    assert printed[2:-2] == list(lines(base))

    for stop in TOUR:
        assert f"   {stop.curl(base)}" in printed
        found = until_shown(stop, lambda stop=stop: send(stop.curl(base)))  # type: ignore[misc]
        assert_in_order(stop.shows, found)


def until_shown(stop: Stop, ask: Callable[[], str]) -> str:
    """Ask, and for counters ask again: those of checks in shadow come when there is time."""
    end = time.monotonic() + PATIENCE_S
    found = ask()
    while stop.body is None and stop.shows[-1] not in found and time.monotonic() < end:
        found = ask()
    return found


def assert_in_order(pieces: tuple[str, ...], text: str) -> None:
    """Check that all pieces stand in a text, one behind the other."""
    place = 0
    for piece in pieces:
        found = text.find(piece, place)
        assert found >= 0, f"{piece!r} not in {text[place:]!r}"
        place = found + len(piece)


def test_printed_token_opens_the_review_page(printed: list[str]) -> None:
    """Every decision of the tour waits there, and nothing says what the gate thought of it."""
    page, token = printed[-2].split()[-1], printed[-1].split()[-1]
    header = {"authorization": f"Bearer {token}"}

    assert httpx.get(f"{page}/api/next").status_code == 401
    item = httpx.get(f"{page}/api/next", headers=header).json()
    assert item["route"] in {stop.path for stop in TOUR}
    assert not {"verdict", "score", "side"} & set(item)


@pytest.mark.parametrize("stop", TOUR, ids=lambda stop: stop.title.partition(":")[0])
def test_status_is_as_printed(stop: Stop, status_of: Callable[[Stop], int]) -> None:
    """Curl -s shows no status, so the printed one is checked apart."""
    assert status_of(stop) == stop.status


@pytest.fixture
def status_of(printed: list[str]) -> Callable[[Stop], int]:
    """Ask for a status."""
    base = printed[0].split()[2].rstrip(";")
    return lambda stop: curl(shlex.split(stop.curl(base))).status_code


def test_every_outcome_has_a_stop() -> None:
    """A tour that leaves one out would leave it to be found in production."""
    titles = " ".join(stop.title for stop in TOUR)

    wanted = "Released Withheld Redacted Unresolved Not Ticket Faithful Counters"
    assert [word for word in wanted.split() if word not in titles] == []
