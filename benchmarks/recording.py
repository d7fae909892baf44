"""What storing decisions adds to a response: blocks with and without the store, in turn.

    python -m benchmarks.recording --out benchmarks/results/recording.json

Two gated apps in one process and loop, equal but for the table [outcomes], enforce the same route
with the shipped model; requests come one after the other. The figure is the ratio of medians.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry

from benchmarks.loop import spread
from benchmarks.machine import describe
from gatekeeper.front import gated

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Message = MutableMapping[str, Any]
App = Callable[[Any, Any, Any], Awaitable[None]]

_ROUTE = """
[[route]]
path = "/answer"
mode = "enforce"
accept_public_calibration = true
answer = "/answer"
context = [{ response = "/contexts/*" }]
budget_ms = 60000
on_flagged = "withhold"
on_unresolved = { default = "withhold" }
on_not_checked = { default = "withhold" }
"""
_STORED = '[outcomes]\nstore_text = "sampled"\nretention_days = 30\nkeep = { accepted_high = 1 }\n'
_SAYS = json.dumps(
    {
        "answer": "The lamp has a warranty of two years. It is blue and weighs 900 grams.",
        "contexts": ["The lamp has a warranty of two years.", "The lamp is blue. It weighs 900 g."],
    }
).encode()


async def answering(scope: Message, receive: Any, send: Any) -> None:
    """Answer every request alike."""
    if scope["type"] == "lifespan":
        while True:
            kind = (await receive())["type"]
            await send({"type": f"{kind}.complete"})
            if kind == "lifespan.shutdown":
                return
    head = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": _SAYS})


@asynccontextmanager
async def started(app: App) -> "AsyncIterator[App]":
    """Start an app as a server does, and stop it."""
    inbox: asyncio.Queue[Message] = asyncio.Queue()
    outbox: asyncio.Queue[Message] = asyncio.Queue()
    task = asyncio.ensure_future(app({"type": "lifespan", "state": {}}, inbox.get, outbox.put))
    await inbox.put({"type": "lifespan.startup"})
    reply = await outbox.get()
    if reply["type"] != "lifespan.startup.complete":
        raise RuntimeError(str(reply))
    yield app
    await inbox.put({"type": "lifespan.shutdown"})
    await task


async def took_s(app: App) -> float:
    """Send one request and return the seconds until its last byte."""
    done = asyncio.get_running_loop().create_future()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/answer",
        "raw_path": b"/answer",
        "query_string": b"",
        "root_path": "",
        "headers": [],
    }
    asked = iter([{"type": "http.request", "body": b"{}", "more_body": False}])
    gone = asyncio.Event()

    async def receive() -> Message:
        for message in asked:
            return message
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body"):
            done.set_result(time.perf_counter())

    began = time.perf_counter()
    await app(scope, receive, send)
    return float(await done) - began


async def measure(folder: Path, *, blocks: int, requests: int) -> dict[str, object]:
    """Alternate between both apps."""
    apps: dict[str, App] = {}
    async with AsyncExitStack() as stack:
        for name, table in (("without", ""), ("with", _STORED)):
            policy = folder / f"{name}.toml"
            policy.write_text(table + _ROUTE, encoding="utf-8")
            app = gated(answering, policy=policy, registry=CollectorRegistry())
            apps[name] = await stack.enter_async_context(started(app))
        times: dict[str, list[float]] = {name: [] for name in apps}
        for app in apps.values():  # the first of each pays for what later ones find ready
            await took_s(app)
        for number in range(blocks):
            name = ("without", "with")[number % 2]
            times[name] += [await took_s(apps[name]) for _ in range(requests)]
    return {
        "blocks": blocks,
        "requests_a_block": requests,
        "ratio_of_medians": round(median(times["with"]) / median(times["without"]), 4),
        "milliseconds": {name: spread(values) for name, values in times.items()},
        "load_average": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Measure and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--requests", type=int, default=100)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    os.environ["GATEKEEPER_SECRET"] = os.urandom(32).hex()
    os.environ.pop("GATEKEEPER_MODE", None)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(Path(folder), blocks=options.blocks, requests=options.requests))
    results = {"machine": describe(), **found}
    options.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
