"""``gatekeeper demo``: a help desk with a gate in front, and what to ask it."""

import importlib
import secrets
import tempfile
from pathlib import Path

import click

from gatekeeper.cli.show import say
from gatekeeper.demo.tour import lines, review_lines

HOST = "127.0.0.1"
NEVER_ANSWERED = 1


@click.command("demo")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Where to listen on this machine; 0 for a free port.",
)
@click.pass_context
def command(context: click.Context, *, port: int) -> None:
    """Serve a help desk with a gate in front and print what to ask it.

    Every printed line says what will come back. Exit code: 0 when it was ended by Ctrl-C, 1 if
    it could not start.
    """
    try:
        server = importlib.import_module("gatekeeper.demo.serve")
        desk = importlib.import_module("gatekeeper.demo.gated")
    except ModuleNotFoundError as error:
        message = f'the demo needs {error.name}: pip install "gatekeeper-claims[serve,outcomes]"'
        raise click.ClickException(message) from error
    try:
        listener = server.listen(HOST, port)
    except OSError as error:
        found = (error.strerror or "an error").lower()
        raise click.ClickException(f"port {port} can't be had: {found}; try --port 0") from error
    token = secrets.token_urlsafe(32)
    with listener, tempfile.TemporaryDirectory(prefix="gatekeeper-") as folder:
        app = desk.gated_help_desk(Path(folder), token)
        served = server.serve(app, listener, ready=lambda base: _announce(base, token))
    context.exit(0 if served else NEVER_ANSWERED)


def _announce(base: str, token: str) -> None:
    say(f"Serving at {base}; Ctrl-C ends it. In another terminal:\n")
    for line in (*lines(base), *review_lines(base, token)):
        say(line)
