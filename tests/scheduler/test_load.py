"""A small version of the load benchmark: what must hold whatever the machine does."""

import asyncio
import json
from pathlib import Path

from benchmarks.load import BODY, DECIDED, ROUTE, counted
from benchmarks.watched import POLICY, SlowFake, Watched
from gatekeeper.scheduler import LineBounds
from tests.asgi.wire import talk

BURST = 120


def test_load_beyond_capacity(tmp_path: Path) -> None:
    """Every request is answered and counted, none in a pass that began too late, and it is over.

    How many are decided, and how late, depends on the machine: the benchmark measures that.
    """
    policy = tmp_path / "gatekeeper.toml"
    text = POLICY.read_text(encoding="utf-8")
    policy.write_text(text.replace("budget_ms = 200\n", "budget_ms = 1000\n"), encoding="utf-8")
    app = Watched(SlowFake, policy)

    async def ask() -> None:
        sent = await talk(app, path=ROUTE, body=json.dumps(BODY).encode())
        assert sent.status == 200

    async def main() -> str:
        await app.scheduler.start()
        for _ in range(2):
            await asyncio.gather(*(ask() for _ in range(BURST)))
        reasons = [reason for reason, _ in app.page()["decisions"]]
        assert DECIDED & set(reasons)
        assert "overload" in reasons
        await ask()
        assert {reason for reason, _ in app.page()["decisions"]} <= DECIDED
        return (await talk(app, path="/metrics", method="GET")).body.decode()

    page = asyncio.run(main())
    app.scheduler.close()

    assert counted(page) == dict.fromkeys(("requests", "checks", "actions"), 2 * BURST + 1)
    assert app.scheduler.late_starts() == 0
    statistics = app.scheduler.statistics()
    assert statistics.most_queue_pairs <= LineBounds().pairs
    assert (statistics.queue_calls, statistics.queue_pairs, statistics.queue_tokens) == (0, 0, 0)
