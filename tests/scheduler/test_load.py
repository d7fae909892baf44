"""A small version of the load benchmark: what must hold whatever the machine does."""

import asyncio

from benchmarks.load import Bench, SlowFake, in_bursts, steadily
from gatekeeper.build import UNCALIBRATED
from gatekeeper.scheduler import LineBounds
from gatekeeper.verdict import Outcome

BUDGET_S = 0.5


def test_load_beyond_capacity() -> None:
    """Every check is answered and counted, none in a pass that began too late, and it is over.

    How many are decided, and how late, depends on the machine: the benchmark measures that.
    """
    bench = Bench(lambda: SlowFake(token_s=6e-5), UNCALIBRATED)

    async def main() -> None:
        await bench.start()
        seen = await in_bursts(bench, checks=240, burst=120, budget_s=BUDGET_S)
        seen += await steadily(bench, checks=120, rate=120.0, budget_s=BUDGET_S)
        assert any(check.verdict.outcome is not Outcome.UNRESOLVED for check in seen)
        assert any(check.verdict.reason == "overload" for check in seen)
        after = await bench.check(0, budget_s=10.0)
        assert after.verdict.outcome is not Outcome.UNRESOLVED

    asyncio.run(main())
    bench.scheduler.close()

    assert [bench.total(name) for name in ("requests", "checks", "actions")] == [361] * 3
    assert bench.late_starts() == 0
    statistics = bench.scheduler.statistics()
    assert statistics.most_queue_pairs <= LineBounds().pairs
    assert (statistics.queue_calls, statistics.queue_pairs, statistics.queue_tokens) == (0, 0, 0)
