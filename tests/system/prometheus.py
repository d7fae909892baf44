"""A Prometheus of the system, for one test run: takes a free port itself, asked over HTTP."""

import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from gatekeeper.observe.dashboards import ALERTS, RULES
from tests.system.serving import program

# JSON is YAML.
_CONFIG = {
    "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
}
JOB = "observed"

_LISTENING = re.compile(r'msg="Listening on" address=([\d.]+:\d+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One series of an answer: labels, and values by time."""

    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]

    @property
    def last(self) -> float:
        """The last value."""
        return self.points[-1][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prometheus:
    """Answers queries."""

    origin: str
    client: httpx.Client

    def ask(self, query: str, at: float | None = None) -> list[Series]:
        """Return what a query gives, now if nothing else is said."""
        when = {} if at is None else {"time": str(at)}
        return [_series(raw, [raw["value"]]) for raw in self._get("query", query=query, **when)]

    def over(self, query: str, *, end: float, seconds: float, step: float = 1.0) -> list[Series]:
        """Return what a query gave over some seconds."""
        span = {"start": str(end - seconds), "end": str(end), "step": str(step)}
        found = self._get("query_range", query=query, **span)
        return [_series(raw, raw["values"]) for raw in found]

    def raw(self, selector: str) -> list[Series]:
        """Return what was scraped, by a selector of a range."""
        return [_series(raw, raw["values"]) for raw in self._get("query", query=selector)]

    def number(self, query: str) -> float:
        """Return the value of a query that gives one series, 0 if it gives none."""
        found = self.ask(query)
        return found[0].last if found else 0.0

    def now(self) -> float:
        """Return the time as Prometheus has it."""
        return self.ask("vector(time())")[0].last

    def _get(self, what: str, **parameters: str) -> list[dict[str, Any]]:
        response = self.client.get(f"{self.origin}/api/v1/{what}", params=parameters)
        said = response.json()
        assert said["status"] == "success", f"{parameters}: {said}"
        found: list[dict[str, Any]] = said["data"]["result"]
        return found


def _series(raw: Mapping[str, Any], points: list[tuple[float, str]]) -> Series:
    values = tuple((float(at), float(value)) for at, value in points)
    return Series(labels=raw["metric"], points=values)


@contextmanager
def watching(address: str, rules: Path, folder: Path) -> Iterator[Prometheus]:
    """Scrape one address every second, with the rules that lie in a folder."""
    config = {
        **_CONFIG,
        "rule_files": [str(rules / RULES), str(rules / ALERTS)],
        "scrape_configs": [{"job_name": JOB, "static_configs": [{"targets": [address]}]}],
    }
    file = folder / "prometheus.yml"
    file.write_text(json.dumps(config), encoding="utf-8")
    command = [
        program("prometheus") or "prometheus",
        f"--config.file={file}",
        f"--storage.tsdb.path={folder / 'series'}",
        "--web.listen-address=127.0.0.1:0",
    ]
    log = folder / "prometheus.log"
    with log.open("w") as stream, httpx.Client(timeout=30.0) as client:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, text=True)
        try:
            prometheus = Prometheus(
                origin=f"http://{logged(log, _LISTENING, process)}", client=client
            )
            wait_for(lambda: _is_ready(prometheus), f"Prometheus to be ready, see {log}")
            yield prometheus
        finally:
            process.terminate()
            process.wait(20.0)


def _is_ready(prometheus: Prometheus) -> bool:
    return prometheus.client.get(f"{prometheus.origin}/-/ready").status_code == 200


def logged(log: Path, wanted: re.Pattern[str], process: "subprocess.Popen[str]") -> str:
    """Wait until a process has logged a pattern, and return its group.

    The port that a test looks for may be another's by the time a server takes it; one that a server
    was given by the system stands in its log.
    """

    def found() -> re.Match[str] | None:
        return wanted.search(log.read_text(encoding="utf-8", errors="replace"))

    wait_for(
        lambda: process.poll() is not None or found() is not None, f"{wanted.pattern!r} in {log}"
    )
    match = found()
    assert match is not None, f"ended with {process.poll()}, see {log}"
    return match[1]


def wait_for(
    condition: Callable[[], bool], what: str, *, within_s: float = 60.0, pause_s: float = 0.2
) -> None:
    """Ask again and again until it is so; ends by itself."""
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {within_s:.0f} s for {what}")
        time.sleep(pause_s)
