"""A gated app that says what the client wants said, on a route that enforces and one that watches.

Run as ``tests.system.observed:app``, with the policy file in ``OBSERVED_POLICY``.
"""

import asyncio
import os
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from gatekeeper.front import gated

ENFORCED = "/v1/enforced"
WATCHED = "/v1/watched"
ROUTES = (ENFORCED, WATCHED)
METRICS = "/metrics"
WORKER = "/worker"

# In the body of a request: seconds that the answer takes.
HOLD = "hold"

_ROUTE = """
[[route]]
path = "{path}"
mode = "{mode}"
accept_public_calibration = true
answer = "/answer"
context = [{{ response = "/contexts/*" }}]
budget_ms = 20000
on_flagged = "withhold"
on_unresolved = {{ default = "release" }}
on_not_checked = {{ default = "release", shape = "release" }}
targets = {{ false_block = 0.05, accepted_error = 0.10, confidence = 0.95 }}
"""

# Texts are kept, for the test labels by them; each decision waits for review.
POLICY = (
    """
[outcomes]
store_text = "sampled"
retention_days = 1
keep = { blocked = 1, accepted_low = 1, accepted_high = 1, unchecked = 1 }
"""
    + _ROUTE.format(path=ENFORCED, mode="enforce")
    + _ROUTE.format(path=WATCHED, mode="shadow")
)


# A language model takes its time, in which a worker may be killed.
_WRITING_S = 0.05


class _Desk:
    """The endpoints, and how many answers are being written."""

    def __init__(self) -> None:
        self._writing = 0

    async def say(self, request: Request) -> Response:
        """Say what the client wants said."""
        body = await request.json()
        self._writing += 1
        try:
            await asyncio.sleep(body.pop(HOLD, _WRITING_S))
        finally:
            self._writing -= 1
        return JSONResponse(body)

    async def worker(self, _: Request) -> Response:
        """Tell which process answers, and how many answers it is at."""
        return PlainTextResponse(f"{os.getpid()} {self._writing}")


def _gated() -> Starlette:
    desk = _Desk()
    bare = Starlette(
        routes=[
            *(Route(path, desk.say, methods=["POST"]) for path in ROUTES),
            Route(WORKER, desk.worker),
        ]
    )
    front: Starlette = gated(bare, policy=Path(os.environ["OBSERVED_POLICY"]), metrics=METRICS)  # type: ignore[assignment]
    return front


def __getattr__(name: str) -> Starlette:
    """Make the app when a server asks for it, not when a test asks for the names of its routes."""
    if name == "app":
        return _gated()
    raise AttributeError(name)
