"""The program ``gatekeeper``.

Exit codes: 0 done, or a verdict that lets the answer pass; 1 a model fault, a failed check of
``doctor`` or ``models verify``, bad lines in ``evaluate`` or ``calibrate``, or no threshold found;
2 wrong usage, unreadable input or output that can't be written; 3 FLAGGED, or a route not ready;
4 UNRESOLVED or NOT_CHECKED, or readiness unknown; 130 interrupted. A store that is away is 1.

Commands are imported when they are asked for, so that ``gatekeeper --help`` stays quick.
"""

import io
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, cast

import click

from gatekeeper import __version__
from gatekeeper.cli.show import discard_output, tell
from gatekeeper.errors import ConfigurationError, GatekeeperError, InputError

if TYPE_CHECKING:
    from gatekeeper.cli.gates import Opener

MODEL_FAULT = 1
INTERRUPTED = 130

# Name and the line for the list of commands; each module holds a ``command``. A test keeps the
# line equal to the command's own help.
COMMANDS = {
    "calibrate": "Find a threshold whose error rate is below a target, with confidence.",
    "check": "Check one answer against its context.",
    "dashboards": "Write a Grafana dashboard, Prometheus rules and alerts, and tests of them.",
    "demo": "Serve a help desk with a gate in front and print what to ask it.",
    "doctor": "Look for what would keep the gate from working here.",
    "evaluate": "Run the gate over labelled data and count what it gets right.",
    "explain": "Tell why a saved answer was checked, or was not, and what would go out.",
    "labels": "Take decisions out to be labelled, and labels in, as CSV.",
    "mode": "Show the modes of the routes, or change one while workers run.",
    "models": "List and verify models.",
    "plan": "Work out what a gate does at given rates, what it costs, how many labels it takes.",
    "purge": "Delete stored texts and decisions that are past their days.",
    "readiness": "Say whether enforcing a route now meets its targets.",
    "review": "Give people tokens for the review page.",
    "show": "Show what the outcome store knows of a decision.",
}

# Where a module of a command's name holds something else.
_MODULES = {"show": "decisions"}


class _Lazy(click.Group):
    """A group that imports a command when it is named, not when commands are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = _MODULES.get(cmd_name, cmd_name)
        return cast("click.Command", import_module(f"gatekeeper.cli.{name}").command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gatekeeper", message="%(prog)s %(version)s")
def cli() -> None:
    """Check every claim of an answer against the context it should come from."""


def main(arguments: Sequence[str] | None = None, *, open_gate: "Opener | None" = None) -> int:
    """Run the program and return its exit code; faults become one message on standard error.

    Args:
        arguments: Without the program's name; None for those of the process.
        open_gate: Stands in for ``gatekeeper.build.open_gate``, in tests.
    """
    try:
        code = cli.main(arguments, "gatekeeper", standalone_mode=False, obj=open_gate)
    except click.exceptions.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        tell(*_usage(error))
        return error.exit_code
    except GatekeeperError as error:
        tell(*_lines(error))
        at_input = isinstance(error, InputError | ConfigurationError)
        return click.UsageError.exit_code if at_input else MODEL_FAULT
    except OSError as error:
        # No name: the standard output, which may be a file on a disk that is full.
        place = "standard output" if error.filename is None else error.filename
        tell(f"gatekeeper: {place}: {(error.strerror or 'an error').lower()}")
        discard_output()
        return click.UsageError.exit_code
    return code if isinstance(code, int) else 0


def _usage(error: click.ClickException) -> list[str]:
    """Return click's message; a name that was typed in may stand in it as it is."""
    shown = io.StringIO()
    error.show(file=shown)
    return shown.getvalue().rstrip("\n").split("\n")


def _lines(error: GatekeeperError) -> list[str]:
    """Return the message of a fault; only a list of faults has lines of its own."""
    text = f"gatekeeper: {error}"
    return text.split("\n") if isinstance(error, ConfigurationError) else [text]
