"""A gated app under more load than it can carry: who is decided, who is refused, how late.

    python -m benchmarks.load --out benchmarks/results/load.json [--fake]

The demo runs in a process of its own, with gate, scheduler and the shipped model. Requests come in
bursts at one instant, then steadily at three times what the gate can carry. Lateness is the time
from the end of a check's budget to its decision, in units of the longest single pass: a pass that
runs can't be stopped. ``--fake`` takes a model that only takes its time.
"""

import argparse
import asyncio
import json
import os
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.client import Client, post, server
from benchmarks.machine import describe
from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.scheduler import LineBounds

BUDGET_S = 0.2
ROUTE, PATIENT = "/v1/answer", "/v1/answer-in-a-hurry"  # the second has a minute
BODY = {"question": "How long is the warranty on an Air 2?", "invent": "number"}
DECIDED = frozenset({"flagged", "FLAGGED", "SUPPORTED"})
CONCURRENT = 8

_SAMPLE = re.compile(r"gatekeeper_(requests|checks|actions)_total\{[^}]*\} ([0-9.e+]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a load came to.

    ``decisions`` holds reason or outcome and the seconds the response was held, ``statistics``
    the server's own counts after the load. ``took_s`` is as the client saw it, a request each.
    """

    seconds: float
    decisions: list[tuple[str, float]]
    statistics: Mapping[str, Any]
    longest_gap_s: float
    took_s: list[float]

    @property
    def decided_per_second(self) -> float:
        """Checks with a verdict."""
        return sum(reason in DECIDED for reason, _ in self.decisions) / self.seconds


async def watched(client: Client, load: Callable[[], Awaitable[list[float]]]) -> Seen:
    """Run a load and gather what the server saw of it."""
    await client.watched()
    began = time.monotonic()
    took_s = await load()
    seconds = time.monotonic() - began
    page = await client.watched()
    return Seen(
        seconds=seconds,
        decisions=[(reason, held_s) for reason, held_s in page["decisions"]],
        statistics=page["statistics"],
        longest_gap_s=page["longest_gap_s"],
        took_s=took_s,
    )


async def evenly(client: Client, checks: int) -> list[float]:
    """Send checks that all have time, always some at once."""
    request = post(PATIENT, BODY)
    took_s: list[float] = []
    for _ in range(0, checks, CONCURRENT):
        took_s += await client.ask_all([request] * CONCURRENT)
    return took_s


async def in_bursts(client: Client, checks: int, burst: int) -> list[float]:
    """Send checks in bursts at one instant, each after the one before was answered."""
    await client.open(burst)
    took_s: list[float] = []
    for _ in range(0, checks, burst):
        took_s += await client.ask_all([post(ROUTE, BODY)] * burst)
    return took_s


async def steadily(client: Client, checks: int, rate: float) -> list[float]:
    """Send checks at a rate, whatever becomes of those before."""
    began = time.monotonic()
    tasks = []
    for number in range(checks):
        await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
        tasks.append(asyncio.ensure_future(client.ask(post(ROUTE, BODY))))
    return [seconds for _, seconds in await asyncio.gather(*tasks)]


def summary(seen: Seen, *, capacity: float) -> dict[str, object]:
    """Return what became of a load, lateness in units of the longest pass so far."""
    statistics = seen.statistics
    unit_s = statistics["longest_pass_s"]
    late = sorted(max(0.0, held_s - BUDGET_S) / unit_s for _, held_s in seen.decisions)
    took_s = sorted(seen.took_s)
    return {
        "checks": len(seen.decisions),
        "seconds": round(seen.seconds, 2),
        "outcomes": dict(sorted(Counter(reason for reason, _ in seen.decisions).items())),
        "decided_per_second": round(seen.decided_per_second, 2),
        "decided_share_of_capacity": round(seen.decided_per_second / capacity, 3),
        "requests_per_second": round(len(seen.took_s) / seen.seconds, 1),
        "longest_pass_ms": round(1000 * unit_s, 1),
        "longest_slice_ms": round(1000 * statistics["longest_slice_s"], 1),
        "most_queue_pairs": statistics["most_queue_pairs"],
        "bound_of_queue_pairs": LineBounds().pairs,
        "longest_gap_of_loop_ms": round(1000 * seen.longest_gap_s, 1),
        "held_ms": _spread([1000 * held_s for _, held_s in seen.decisions]),
        "client_waited_ms": _spread([1000 * seconds for seconds in took_s]),
        "lateness_in_passes": {
            **_spread(late),
            "share_above_2": round(sum(x > 2.0 for x in late) / len(late), 5),
        },
    }


async def measure(client: Client, *, checks: int, burst: int) -> dict[str, object]:
    """Run the loads; returns figures, and identities that must hold."""
    await evenly(client, CONCURRENT)
    seen = await watched(client, lambda: evenly(client, max(CONCURRENT, checks // 60)))
    capacity = seen.decided_per_second
    bare = post(f"/bare{ROUTE}", BODY)
    await client.open(burst)
    began = time.monotonic()
    await client.ask_all([bare] * burst)
    bare_s = time.monotonic() - began
    found: dict[str, object] = {
        "capacity_per_second": round(capacity, 2),
        "bare_app_requests_per_second_in_a_burst": round(burst / bare_s, 1),
        "budget_ms": 1000 * BUDGET_S,
    }
    loads: dict[str, Callable[[], Awaitable[list[float]]]] = {
        "half the capacity": lambda: steadily(client, max(1, checks // 100), 0.5 * capacity),
        "bursts": lambda: in_bursts(client, checks, burst),
        "three times the capacity": lambda: steadily(client, checks, 3.0 * capacity),
    }
    for name, load in loads.items():
        seen = await watched(client, load)
        first = (await watched(client, lambda: client.ask_all([post(ROUTE, BODY)]))).decisions[0]
        found[name] = {
            **summary(seen, capacity=capacity),
            "first_check_after": {"verdict": first[0], "ms": round(1000 * first[1], 1)},
            "load_average": round(os.getloadavg()[0], 1),
        }
    found["pairs_in_passes_started_after_their_deadline"] = (await client.watched())["late_starts"]
    found["counted"] = counted(await client.text("/metrics"))
    return found


def counted(page: str) -> dict[str, int]:
    """Return the sums of the counters that must be the same, over all labels."""
    sums: Counter[str] = Counter()
    for name, value in _SAMPLE.findall(page):
        sums[name] += int(float(value))
    return dict(sums)


def _spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "median": round(median(ordered), 2),
        "p99": round(ordered[int(0.99 * (len(ordered) - 1))], 2),
        "max": round(ordered[-1], 2),
    }


async def run(options: argparse.Namespace) -> dict[str, object]:
    """Start the server and measure."""
    name = "fake model, 60 us a token" if options.fake else SHIPPED_MODEL
    async with server(*(["--fake"] if options.fake else [])) as client:
        return {name: await measure(client, checks=options.checks, burst=options.burst)}


def main() -> None:
    """Measure and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fake", action="store_true", help="a model that only takes its time")
    parser.add_argument("--checks", type=int, default=10_000)
    parser.add_argument("--burst", type=int, default=2_000)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    results = {"machine": describe(), **asyncio.run(run(options))}
    options.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
