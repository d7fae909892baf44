"""Does the loop keep ticking while checks run? The longest gap of a 1 ms timer, gate and bare app.

    python -m benchmarks.loop --out benchmarks/results/loop.json

In turns a gated and a bare app, in one process and loop, get the same requests at one instant.
All checks are decided: the route has a minute for each. Medians with a 95 % interval from the
order of the values (the binomial one, which supposes nothing about them).
"""

import argparse
import asyncio
import json
import os
from collections.abc import Sequence
from math import comb
from pathlib import Path
from statistics import median

from benchmarks.client import Client, post, server
from benchmarks.load import BODY, DECIDED, PATIENT
from benchmarks.machine import describe


async def gap_s(client: Client, request: bytes, count: int) -> tuple[float, int]:
    """Send requests at once; returns the longest gap until all are answered, and the verdicts."""
    await client.watched()
    await client.ask_all([request] * count)
    page = await client.watched()
    return page["longest_gap_s"], sum(reason in DECIDED for reason, _ in page["decisions"])


async def measure(*, alternations: int, checks: int) -> dict[str, object]:
    """Alternate between both apps."""
    gate, bare = post(PATIENT, BODY), post(f"/bare{PATIENT}", BODY)
    gaps: dict[str, list[float]] = {"gate": [], "bare": []}
    decided = 0
    async with server() as client:
        await client.open(checks)
        for request in (gate, bare):  # the first of each pays for what later ones find ready
            await gap_s(client, request, checks)
        for _ in range(alternations):
            gap, verdicts = await gap_s(client, gate, checks)
            gaps["gate"].append(gap)
            decided += verdicts
            gaps["bare"].append((await gap_s(client, bare, checks))[0])
    differences = [a - b for a, b in zip(gaps["gate"], gaps["bare"], strict=True)]
    return {
        "alternations": alternations,
        "checks_at_once": checks,
        "decided": decided,
        "longest_gap_ms": {
            **{name: spread(values) for name, values in gaps.items()},
            "gate minus bare": spread(differences),
        },
        "load_average": round(os.getloadavg()[0], 1),
    }


def spread(values_s: Sequence[float]) -> dict[str, float]:
    """Return median, its 95 % interval and the extremes, in milliseconds."""
    ordered = sorted(1000 * value for value in values_s)
    low, high = interval(len(ordered))
    return {
        "median": round(median(ordered), 2),
        "low": round(ordered[low], 2),
        "high": round(ordered[high], 2),
        "min": round(ordered[0], 2),
        "max": round(ordered[-1], 2),
    }


def interval(n: int) -> tuple[int, int]:
    """Return the positions in order of the 95 % interval of a median of ``n`` values.

    The chance that it lies below the value at position k, counted from 0, is
    P(Binomial(n, 1/2) <= k).
    """
    below, k = 0.0, 0
    while k < n // 2 and (below + comb(n, k) / 2**n) <= 0.025:
        below += comb(n, k) / 2**n
        k += 1
    low = max(0, k - 1)
    return low, n - 1 - low


def main() -> None:
    """Measure and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--alternations", type=int, default=24)
    parser.add_argument("--checks", type=int, default=50)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    found = asyncio.run(measure(alternations=options.alternations, checks=options.checks))
    results = {"machine": describe(), **found}
    options.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
