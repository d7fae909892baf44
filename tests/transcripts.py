"""Runs what documentation shows: blocks of Markdown, shell lines, a server in the background."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx

ROOT = Path(__file__).parent.parent

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ANY = "..."

# They fetch packages or start what never ends; the wheel test and the demo test run their like.
NOT_RUN = ("pip", "make", "git", "gatekeeper demo")

# Programs that are run with this interpreter, whatever is on the path; the rest goes to a shell.
OWN = {"gatekeeper": "gatekeeper.cli", "uvicorn": "uvicorn"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block: its language, its text, and the line it starts at."""

    language: str
    text: str
    line: int

    @property
    def file(self) -> str | None:
        """The name in a comment on the first line, such as ``# app.py``: the block is that file."""
        found = re.match(r"# (\w[\w.-]*\.\w+)\n", self.text)
        return found[1] if found else None


def blocks(markdown: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    for found in _FENCED.finditer(markdown):
        line = markdown.count("\n", 0, found.start()) + 1
        yield Block(language=found[1], text=found[2], line=line)


def commands(block: str) -> list[tuple[str, str]]:
    """Split a console block into commands and the output shown below each."""
    parts = re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.MULTILINE)[1:]
    split = (part.partition("\n") for part in parts)
    return [(command, output) for command, _, output in split]


def matches(shown: str, found: str) -> bool:
    """Tell whether output is as shown; ``...`` stands for anything, line ends are blanks."""
    pattern = ".*".join(re.escape(" ".join(part.split())) for part in shown.split(_ANY))
    loose = pattern.replace(r"\ ", r"\s*")
    return re.fullmatch(rf"\s*{loose}\s*", " ".join(found.split()), re.DOTALL) is not None


@dataclass(slots=True)
class Shell:
    """Runs the commands of one page in one folder; a server it starts lives until ``close``."""

    folder: Path
    servers: list[subprocess.Popen[str]] = field(default_factory=list)
    ports: dict[str, str] = field(default_factory=dict)

    def run(self, command: str) -> str | None:
        """Return what a command prints, None for a server or a command that is not run."""
        if command.startswith(NOT_RUN):
            return None
        words = shlex.split(command)
        if words[0] == "uvicorn":
            self._serve(words)
            return None
        for shown, real in self.ports.items():
            words = [word.replace(f":{shown}/", f":{real}/") for word in words]
        if words[0] == "curl":
            return self._curl(words)
        own = words[0] in OWN
        done = subprocess.run(
            self._own(words) if own else ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    def close(self) -> None:
        """End the servers."""
        for server in self.servers:
            server.terminate()
            server.communicate()

    def _curl(self, words: list[str]) -> str:
        """Make a request; ``-d @FILE`` and ``-o FILE`` mean files of the folder."""
        words = [
            (self.folder / word[1:]).read_text(encoding="utf-8") if word.startswith("@") else word
            for word in words
        ]
        if "-o" not in words:
            return curl(words).text
        at = words.index("-o")
        target = self.folder / words[at + 1]
        target.write_bytes(curl(words[:at] + words[at + 2 :]).content)
        return ""

    def _serve(self, words: list[str]) -> None:
        shown = words[words.index("--port") + 1] if "--port" in words else "8000"
        with socket.create_server(("127.0.0.1", 0)) as free:
            real = str(free.getsockname()[1])
        kept = [word for word in words if word not in ("--port", shown)]
        server = subprocess.Popen(
            self._own([*kept, "--port", real]),
            cwd=self.folder,
            env=self._environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        self.servers.append(server)
        self.ports[shown] = real
        log = []
        assert server.stderr is not None
        for line in server.stderr:
            log.append(line)
            if "Uvicorn running" in line:
                return
        raise AssertionError("".join(log))

    @staticmethod
    def _own(words: list[str]) -> list[str]:
        """Return the command line of one of our own programs."""
        return [sys.executable, "-m", OWN[words[0]], *words[1:]]

    @staticmethod
    def _environment() -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}


def curl(words: list[str]) -> httpx.Response:
    """Make the request of a curl line with options -s, -H and -d."""
    headers, data, url = {}, None, ""
    rest = iter(words[1:])
    for word in rest:
        if word == "-H":
            name, _, value = next(rest).partition(": ")
            headers[name] = value
        elif word == "-d":
            data = next(rest)
        elif not word.startswith("-"):
            url = word
    method = "GET" if data is None else "POST"
    with httpx.Client(timeout=60) as client:
        return client.request(method, url, headers=headers, content=data)


def is_json(text: str) -> bool:
    """Tell whether a text is JSON."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
