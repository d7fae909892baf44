"""Servers for system tests: uvicorn with the desk, nginx in front of it; all end with a test."""

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0

# Where the desk serves each kind of stream.
PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "events": "/events",
    "said": "/said",
    "lines": "/lines",
    "plain": "/plain",
}

_ADDRESS = re.compile(r"running on (http://[\d.]+:\d+)")

# One worker in the foreground, all files below a folder of its own.
_NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass {upstream};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering {buffering};
    }}
  }}
}}
"""


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """Serve the desk on a free port; yields its address."""
    command = [sys.executable, "-m", "uvicorn", "tests.system.desk:app", "--port", "0", *options]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        yield read_until(process, _ADDRESS)
    finally:
        end(process)


def read_until(process: "subprocess.Popen[str]", wanted: re.Pattern[str]) -> str:
    """Read a log until a pattern stands in it, and go on reading it lest the process block."""
    assert process.stderr is not None
    log = []
    for line in process.stderr:
        log.append(line)
        if found := wanted.search(line):
            threading.Thread(target=_drain, args=[process.stderr], daemon=True).start()
            return found[1]
    raise RuntimeError(f"{process.args!r} did not start:\n" + "".join(log))


def _drain(log: IO[str]) -> None:
    with log:
        log.read()


@contextmanager
def proxying(upstream: str, folder: Path, *, buffering: bool) -> Iterator[str]:
    """Put nginx in front of a server; yields its address."""
    port = free_port()
    file = folder / "nginx.conf"
    text = _NGINX.format(
        folder=folder, port=port, upstream=upstream, buffering="on" if buffering else "off"
    )
    file.write_text(text, encoding="utf-8")
    nginx = program("nginx") or "nginx"
    process = subprocess.Popen(
        [nginx, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        wait_until_open(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        end(process)


def wait_until_open(port: int, process: "subprocess.Popen[str]") -> None:
    """Connect until somebody listens, or the process that should has ended."""
    while process.poll() is None:
        with socket.socket() as probe:
            probe.settimeout(PATIENCE_S)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
    raise RuntimeError(f"{process.args!r} ended with {process.returncode}")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def program(name: str) -> str | None:
    """Return where a program of the system is; some are on no ordinary user's path."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def end(process: "subprocess.Popen[str]") -> None:
    """End a process, by force if it does not end by itself."""
    process.terminate()
    try:
        process.wait(PATIENCE_S / 3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(PATIENCE_S / 3)
