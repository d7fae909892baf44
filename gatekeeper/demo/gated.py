"""The help desk with its gate, a store of its decisions and a page to label them on."""

import os
import secrets
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry

from gatekeeper.config.combinations import SECRET_VARIABLE
from gatekeeper.demo.app import help_desk
from gatekeeper.front import gated
from gatekeeper.review.people import digest

if TYPE_CHECKING:
    from starlette.types import ASGIApp

METRICS = "/metrics"
REVIEW = "/gatekeeper/review"

_POLICY = "gatekeeper.toml"
_REVIEWERS = """\
[[reviewer]]
name = "you"
role = "admin"
sha256 = "{sha256}"
"""


def gated_help_desk(folder: Path, token: str) -> "ASGIApp":
    """Return the help desk behind its gate, with counters of its own under /metrics.

    Args:
        folder: An empty folder for the policy and what is stored.
        token: What the reviewer signs in with.
    """
    os.environ.setdefault(SECRET_VARIABLE, secrets.token_urlsafe(32))
    policy = folder / _POLICY
    policy.write_bytes((files("gatekeeper.demo") / _POLICY).read_bytes())
    people = _REVIEWERS.format(sha256=digest(token))
    (folder / "reviewers.toml").write_text(people, encoding="utf-8")
    return gated(help_desk(), policy=policy, metrics=METRICS, registry=CollectorRegistry())
