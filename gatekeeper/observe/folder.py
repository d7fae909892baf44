"""The folder that several workers share their counts in, found or missed before anything counts.

The Prometheus client decides once, when it is first imported, whether it writes to a folder. This
module doesn't import it, so it can be used before that.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from gatekeeper.errors import MetricsError

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

# Servers by the variable or option they take a number of workers from.
_WORKERS = re.compile(r"(?:--workers[= ]|-w[= ]?)(\d+)")
_VARIABLES = ("WEB_CONCURRENCY", "GRANIAN_WORKERS")


class MetricsMode(StrEnum):
    """Whose counts a page shows: all there are, those of all workers, or only one of many's."""

    SINGLE = "single"
    MULTIPROCESS = "multiprocess"
    UNSHARED = "unshared"


def prepare(folder: Path | None = None) -> MetricsMode:
    """Make the shared folder ready and say how this process counts.

    Call it in a worker or its parent before the client is imported, if ``folder`` is given; the
    variable in the environment wins over it.

    Raises:
        MetricsError: If the folder can't be written to, or the client was imported too early.
    """
    named = os.environ.get(VARIABLE)
    if named is None and folder is not None:
        if "prometheus_client" in sys.modules:
            raise MetricsError(
                "prometheus_client was imported before its folder was known",
                f"set {VARIABLE} in the environment of the server",
            )
        named = os.environ[VARIABLE] = str(folder)
    if named is None:
        alone = workers_expected(sys.argv, os.environ) <= 1
        return MetricsMode.SINGLE if alone else MetricsMode.UNSHARED
    path = Path(named)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MetricsError(
            f"{path} can't be made ({error.strerror})", f"point {VARIABLE} at a folder"
        ) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise MetricsError(f"{path} can't be written to", f"point {VARIABLE} at a folder that can")
    return MetricsMode.MULTIPROCESS


def workers_expected(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Return how many workers the server seems to have been asked for; 1 if nothing says so.

    Read from the command line (uvicorn, hypercorn, granian and gunicorn take ``--workers`` or
    ``-w``; their children keep it) and from the variables those servers read.
    """
    line = " ".join((*arguments[1:], environment.get("GUNICORN_CMD_ARGS", "")))
    asked = [int(number) for number in _WORKERS.findall(line)]
    asked += [
        int(number) for name in _VARIABLES if (number := environment.get(name, "")).isdecimal()
    ]
    return max(asked, default=1)
