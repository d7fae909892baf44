"""Whose counts a process keeps, found out before anything is counted."""

import os
import sys
from pathlib import Path

import pytest

from gatekeeper.errors import MetricsError
from gatekeeper.observe.folder import VARIABLE, MetricsMode, prepare, workers_expected


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        (["uvicorn", "app:app"], {}, 1),
        (["uvicorn", "app:app", "--workers", "4"], {}, 4),
        (["uvicorn", "--workers=2", "app:app"], {}, 2),
        (["gunicorn", "-w", "3", "app:app"], {}, 3),
        (["gunicorn", "app:app"], {"GUNICORN_CMD_ARGS": "-w4 --bind x"}, 4),
        (["uvicorn", "app:app"], {"WEB_CONCURRENCY": "8"}, 8),
        (["granian", "app:app"], {"GRANIAN_WORKERS": "2"}, 2),
        (["uvicorn", "app:app"], {"WEB_CONCURRENCY": "many"}, 1),
    ],
)
def test_workers_expected(arguments: list[str], environment: dict[str, str], expected: int) -> None:
    """Each server is asked in its own way, and one that is missed means wrong numbers."""
    assert workers_expected(arguments, environment) == expected


def test_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """One worker needs no folder."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.delenv("WEB_CONCURRENCY", raising=False)
    monkeypatch.setattr("sys.argv", ["uvicorn", "app:app"])

    assert prepare() is MetricsMode.SINGLE


def test_folder_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The client writes into the folder but does not make it."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "new" / "one"))

    assert prepare() is MetricsMode.MULTIPROCESS
    assert (tmp_path / "new" / "one").is_dir()


def test_folder_that_can_not_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder that is a file is found at the start, not at the first request."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))

    with pytest.raises(MetricsError, match="can't be made"):
        prepare()


def test_folder_that_can_not_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder of another user's is found at the start; counts would be lost one by one."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr("os.access", lambda _path, _mode: False)

    with pytest.raises(MetricsError, match="can't be written to"):
        prepare()


def test_folder_given_before_the_client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The configuration may name the folder as long as nothing has imported the client."""
    monkeypatch.setenv(VARIABLE, "taken back when the test ends")
    monkeypatch.delenv(VARIABLE)
    monkeypatch.delitem(sys.modules, "prometheus_client", raising=False)

    assert prepare(tmp_path / "shared") is MetricsMode.MULTIPROCESS
    assert os.environ[VARIABLE] == str(tmp_path / "shared")


def test_folder_given_after_the_client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """After that it would be ignored without a word."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setitem(sys.modules, "prometheus_client", sys)

    with pytest.raises(MetricsError, match="imported before its folder"):
        prepare(tmp_path)
