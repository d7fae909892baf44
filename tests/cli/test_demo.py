"""``gatekeeper demo``: what can go wrong before it serves."""

import socket
import sys
from collections.abc import Callable

import pytest

from gatekeeper.cli import main
from gatekeeper.demo.serve import listen
from gatekeeper.demo.tour import TOUR


def test_port_in_use_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The commonest fault of a demo needs its cure beside it."""
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]

        code = main(["demo", "--port", str(port)])

    assert code == 1
    said = capsys.readouterr().err
    assert f"port {port} can't be had: address already in use" in said
    assert "try --port 0" in said


def test_missing_server_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uvicorn is an extra: without it the user needs one line, not a traceback."""
    monkeypatch.delitem(sys.modules, "gatekeeper.demo.serve")
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    code = main(["demo"])

    assert code == 1
    said = capsys.readouterr().err
    assert 'the demo needs uvicorn: pip install "gatekeeper-claims[serve,outcomes]"' in said


def test_prints_the_tour_once_it_serves(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines for a server that is not there yet would fail in the reader's hands."""

    def serve(_app: object, listener: socket.socket, *, ready: Callable[[str], None]) -> bool:
        listener.close()
        ready("http://127.0.0.1:1")
        return True

    monkeypatch.setattr("gatekeeper.demo.serve.serve", serve)

    code = main(["demo", "--port", "0"])

    assert code == 0
    said = capsys.readouterr().out
    assert said.startswith("Serving at http://127.0.0.1:1; ")
    assert said.count("   curl -s") == len(TOUR)
