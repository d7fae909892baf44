"""A gated app with a review page that says what the client wants said, over two workers.

Run as ``tests.system.reviewed:app``, with the folder of its policy in ``REVIEWED_FOLDER``.
"""

import os
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gatekeeper.front import gated
from gatekeeper.review.people import digest

ANSWER = "/v1/answer"
METRICS = "/metrics"
REVIEW = "/gatekeeper/review"
TOKENS = {"ann": "gkr_ann-reviews-here", "eve": "gkr_eve-is-an-admin"}

_POLICY = f"""
[outcomes]
store_text = "sampled"
retention_days = 1
keep = {{ blocked = 1, accepted_low = 1, accepted_high = 1, unchecked = 1 }}

[review]

[[route]]
path = "{ANSWER}"
mode = "shadow"
answer = "/answer"
question = {{ request = "/question" }}
context = [{{ response = "/contexts/*", text = "/text", id = "/id" }}]
budget_ms = 20000
on_flagged = "withhold"
on_unresolved = {{ default = "withhold" }}
on_not_checked = {{ default = "withhold" }}
targets = {{ false_block = 0.05, accepted_error = 0.10 }}
"""


def prepare(folder: Path) -> dict[str, str]:
    """Write the policy and the people into a folder; return what the server's environment needs."""
    (folder / "gatekeeper.toml").write_text(_POLICY, encoding="utf-8")
    roles = {"ann": "review", "eve": "admin"}
    people = [
        f'[[reviewer]]\nname = "{name}"\nrole = "{roles[name]}"\nsha256 = "{digest(token)}"\n'
        for name, token in TOKENS.items()
    ]
    (folder / "reviewers.toml").write_text("\n".join(people), encoding="utf-8")
    (folder / "metrics").mkdir()
    return {
        "REVIEWED_FOLDER": str(folder),
        "GATEKEEPER_SECRET": "0123456789abcdef0123456789abcdef",
        "PROMETHEUS_MULTIPROC_DIR": str(folder / "metrics"),
    }


async def _echo(request: Request) -> Response:
    """Say what the client wants said."""
    return JSONResponse(await request.json())


def _gated() -> Starlette:
    bare = Starlette(routes=[Route(ANSWER, _echo, methods=["POST"])])
    policy = Path(os.environ["REVIEWED_FOLDER"]) / "gatekeeper.toml"
    front: Starlette = gated(bare, policy=policy, metrics=METRICS)  # type: ignore[assignment]
    return front


def __getattr__(name: str) -> Starlette:
    """Make the app when a server asks for it, not when a test asks for its names."""
    if name == "app":
        return _gated()
    raise AttributeError(name)
