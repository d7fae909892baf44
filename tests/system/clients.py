"""Clients that people use, each asked for one stream and telling what it made of it.

A client of a stepwise run lets the app go on whenever it has a sentence; see ``desk``.
"""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote, urlencode

import httpx
import openai

from tests.streams.reading import READERS
from tests.system.serving import PATHS, PATIENCE_S, program, read_until

# Where ``make test-system`` has installed the JavaScript client.
NODE_FOLDER = Path(os.environ.get("GATEKEEPER_SYSTEM") or ".")

_DEBUGGED = re.compile(r"listening on ws://([\d.:]+)/")
# A connection a request: servers close theirs after a crash of an app. There is no TLS here.
_http = httpx.Client(
    timeout=PATIENCE_S,
    verify=False,  # noqa: S501
    limits=httpx.Limits(max_keepalive_connections=0),
)


@dataclass(slots=True, kw_only=True)
class Told:
    """What a client made of a stream: its text, the words it was ended with, or its error."""

    text: str = ""
    ends: list[str] = field(default_factory=list)
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One stream to ask for. ``prefix`` chooses the mode of the route."""

    origin: str
    kind: str
    scenario: str
    run: str
    prefix: str = ""

    @property
    def path(self) -> str:
        """The path that the kind is served under."""
        return self.prefix + PATHS[self.kind]

    @property
    def url(self) -> str:
        """All of it as a URL."""
        return f"{self.origin}{self.path}?{self.query}"

    @property
    def query(self) -> str:
        """Scenario and run."""
        return urlencode({"scenario": self.scenario, "run": self.run})


class Goer:
    """Lets the app go on, once a sentence that is over."""

    def __init__(self, asked: Asked) -> None:
        self._url = f"{asked.origin}/go?run={asked.run}"
        self._told = 0

    def take(self, text: str) -> None:
        """Take all of the text so far."""
        while text.count(".") > self._told:
            self._told += 1
            _http.post(self._url).raise_for_status()


def by_httpx(asked: Asked) -> Told:
    """Stream with httpx and read the frames by the protocol's rules."""
    goer, body = Goer(asked), b""
    told = Told()
    try:
        with _http.stream("GET", asked.url) as response:
            for piece in response.iter_bytes():
                body += piece
                goer.take(READERS[asked.kind](body).text())
            told.error = None if response.status_code == 200 else str(response.status_code)
    except httpx.RemoteProtocolError as error:
        told.error = type(error).__name__
    return _read(told, asked.kind, body)


def by_curl(asked: Asked) -> Told:
    """Stream with curl."""
    goer, body = Goer(asked), b""
    command = ["curl", "--no-buffer", "--silent", "--fail-with-body", asked.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while piece := os.read(process.stdout.fileno(), 65536):
            body += piece
            goer.take(READERS[asked.kind](body).text())
    error = None if process.returncode == 0 else f"exit {process.returncode}"
    return _read(Told(error=error), asked.kind, body)


def _read(told: Told, kind: str, body: bytes) -> Told:
    read = READERS[kind](body)
    told.text, told.ends = read.text(), read.ends
    return told


def by_openai(asked: Asked) -> Told:
    """Stream with OpenAI's client for Python."""
    goer, told = Goer(asked), Told()
    client = openai.OpenAI(
        base_url=f"{asked.origin}{asked.prefix}/v1",
        api_key="none",
        max_retries=0,
        timeout=PATIENCE_S,
        default_query={"run": asked.run},
    )
    try:
        with client:
            for text, end in (_chat if asked.kind == "chat" else _responses)(client, asked):
                told.text += text
                told.ends += [end] if end else []
                goer.take(told.text)
    except openai.OpenAIError as error:
        told.error = f"{type(error).__name__} {getattr(error, 'status_code', '')}".strip()
    return told


def _chat(client: openai.OpenAI, asked: Asked) -> Iterator[tuple[str, str | None]]:
    """Yield texts and finish reasons."""
    stream = client.chat.completions.create(
        model="m-1", messages=[{"role": "user", "content": asked.scenario}], stream=True
    )
    for chunk in stream:
        for choice in chunk.choices:
            yield choice.delta.content or "", choice.finish_reason


def _responses(client: openai.OpenAI, asked: Asked) -> Iterator[tuple[str, str | None]]:
    """Yield texts and the event that ends a response."""
    for event in client.responses.create(model="m-1", input=asked.scenario, stream=True):
        if event.type == "response.output_text.delta":
            yield event.delta, None
        elif event.type in ("response.completed", "response.incomplete", "response.failed"):
            yield "", event.type


class Helpers:
    """Programs that take long to start, kept for all tests of a run."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.node = lru_cache(self._node)
        self.browser = lru_cache(self._browser)

    def close(self) -> None:
        """End what was started."""
        self._stack.close()

    def _node(self) -> "subprocess.Popen[str]":
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            ["node", "ask.mjs"], cwd=NODE_FOLDER, stdin=pipe, stdout=pipe, text=True
        )
        self._stack.enter_context(process)
        self._stack.callback(process.terminate)
        return process

    def _browser(self) -> str:
        """Start a browser without a window; returns the address of its debugging port."""
        profile = self._stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
        options = ("headless", "no-sandbox", "disable-gpu", "disable-dev-shm-usage")
        more = ("disable-background-networking", "no-first-run", "remote-debugging-port=0")
        command = [program("chromium") or "chromium", *(f"--{one}" for one in (*options, *more))]
        process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._stack.callback(process.wait, PATIENCE_S)
        self._stack.callback(process.terminate)
        found = read_until(process, _DEBUGGED)
        return f"http://{found}"


HELPERS = Helpers()


def by_javascript(asked: Asked) -> Told:
    """Stream with OpenAI's client for JavaScript."""
    node = HELPERS.node()
    assert node.stdin is not None
    assert node.stdout is not None
    job = {
        "base": f"{asked.origin}{asked.prefix}/v1",
        "kind": asked.kind,
        "scenario": asked.scenario,
        "run": asked.run,
        "origin": asked.origin,
    }
    node.stdin.write(json.dumps(job) + "\n")
    node.stdin.flush()
    return Told(**json.loads(node.stdout.readline()))


def by_browser(asked: Asked) -> Told:
    """Stream with the EventSource of a page in a browser without a window."""
    query = urlencode({"path": asked.path, "scenario": asked.scenario, "run": asked.run})
    page = quote(f"{asked.origin}/page?{query}", safe="")
    _http.put(f"{HELPERS.browser()}/json/new?{page}").raise_for_status()
    events = _http.get(f"{asked.origin}/reported?run={asked.run}").json()
    told = Told()
    for event in events:
        told.text += _text_of(event)
        if event["name"] != "message":
            told.ends.append(event["name"])
    return told


def _text_of(event: dict[str, str]) -> str:
    """Return the text of an event as a page would show it."""
    if event["name"] != "message":
        return ""
    delta = json.loads(event["data"]).get("delta")
    return str(delta["text"]) if isinstance(delta, dict) else ""


Client = Callable[[Asked], Told]
