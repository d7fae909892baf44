"""A gate under more load than it can carry: who is decided, who is told not to wait, how late.

    python -m benchmarks.load --out benchmarks/results/load.json [--model models/minilm-l6-nli]

Checks come in bursts of concurrent ones, then steadily at three times what the gate can carry;
each has a budget. Lateness is the time from a check's deadline to the moment its caller knows
more, in units of the longest single pass: a pass that runs can't be stopped. Without ``--model``
a fake one takes as long a token as a six-layer model on two cores.
"""

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import median

from prometheus_client import CollectorRegistry

from benchmarks.machine import describe
from gatekeeper.build import UNCALIBRATED, thresholds_of
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.errors import UnavailableError
from gatekeeper.gate import Gate, Settings
from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision, EncodedPair, Model, PairScore, Priority, Usage
from gatekeeper.runtime.session import load
from gatekeeper.scheduler import LineBounds, Scheduler, Statistics
from gatekeeper.testing import FakeModel
from gatekeeper.verdict import (
    Action,
    ClaimStatus,
    ClaimVerdict,
    Evidence,
    Outcome,
    Passage,
    UnresolvedReason,
    Verdict,
)

ROUTE = "/v1/answer"
BUDGET_S = 0.2

EVIDENCE = Evidence(
    passages=(
        Passage(
            id="returns",
            text="Goods may be returned within 14 days of delivery. The customer pays for the "
            "parcel. Opened software is not taken back. Refunds are made to the card that paid.",
        ),
        Passage(
            id="delivery",
            text="Parcels leave the warehouse on the next working day. Delivery takes two to four "
            "days. Islands and mountain villages take two days longer.",
        ),
    )
)
ANSWER = (
    "Goods may be returned within 14 days of delivery. The customer pays for the parcel. "
    "Case {number} was sent on the next working day."
)


class SlowFake(FakeModel):
    """A fake model whose passes take time, as a real one's do, without the interpreter's lock."""

    def __init__(self, *, token_s: float) -> None:
        super().__init__()
        self._token_s = token_s

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode at some four characters a token, as a word-piece vocabulary does."""
        pair = super().encode(premise, hypothesis)
        if pair is None:
            return None
        return EncodedPair(ids=pair.ids[::4], type_ids=pair.type_ids[::4])

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Take the time, then say the same of every pair."""
        self.passes.append(len(pairs))
        time.sleep(self._token_s * len(pairs) * max(pair.tokens for pair in pairs))
        return [PairScore(entailment=0.9, contradiction=0.05)] * len(pairs)


class Watched:
    """A model that notes the passes that start after the deadline of a pair in them.

    ``deadlines`` is filled by the judge, by the identity of the pair.
    """

    def __init__(self, model: Model, deadlines: dict[int, float]) -> None:
        self._model = model
        self._deadlines = deadlines
        self.fingerprint = model.fingerprint
        self.encode = model.encode
        self.unknown_words = model.unknown_words
        self.late_s: list[float] = []

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Look at the clock, then run the model."""
        began = time.monotonic()
        self.late_s += [
            began - deadline
            for pair in pairs
            if (deadline := self._deadlines.get(id(pair), inf)) <= began
        ]
        return self._model.score(pairs)


class WatchedScheduler(Scheduler):
    """A scheduler that tells a watched model which pair has to run when."""

    def __init__(self, load: Callable[[], Model]) -> None:
        self._deadlines: dict[int, float] = {}
        self.watched: list[Watched] = []
        super().__init__(load=lambda: self._watch(load()))

    def _watch(self, model: Model) -> Model:
        self.watched.append(Watched(model, self._deadlines))
        return self.watched[-1]

    async def score(
        self,
        pairs: Sequence[EncodedPair],
        *,
        deadline: float | None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> list[PairScore | UnresolvedReason]:
        """Note the deadline of each pair for as long as it is waited for."""
        self._deadlines |= {id(pair): inf if deadline is None else deadline for pair in pairs}
        try:
            return await super().score(pairs, deadline=deadline, priority=priority, usage=usage)
        finally:
            for pair in pairs:
                self._deadlines.pop(id(pair), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What became of one check: its verdict, and how long after its deadline that was known."""

    verdict: Verdict
    late_s: float


class Bench:
    """A gate with counters around it, as a server has them."""

    def __init__(self, model: Callable[[], Model], thresholds: Thresholds) -> None:
        self.scheduler = WatchedScheduler(model)
        self._thresholds = thresholds
        self._registry = CollectorRegistry()
        self.metrics = WorkerMetrics([ROUTE], registry=self._registry, strict=True)

    async def start(self) -> None:
        """Load the model."""
        await self.scheduler.start()
        self._gate = Gate(
            self.scheduler.model, self.scheduler, Settings(thresholds=self._thresholds)
        )

    async def check(self, number: int, *, budget_s: float | None) -> Seen:
        """Have one answer checked and counted."""
        self.metrics.began(ROUTE, Mode.ENFORCE)
        usage, began = Usage(), time.monotonic()
        deadline = None if budget_s is None else began + budget_s
        try:
            answer = ANSWER.format(number=number)
            verdict = await self._gate.check(answer, EVIDENCE, deadline=deadline, usage=usage)
        except UnavailableError as error:
            verdict = unresolved(error.reason)
        ended = time.monotonic()
        self.metrics.decided(decision(number, verdict, ended - began))
        return Seen(verdict=verdict, late_s=0.0 if deadline is None else ended - deadline)

    def late_starts(self) -> int:
        """Return how many pairs were in passes that started too late for them."""
        return sum(len(model.late_s) for model in self.scheduler.watched)

    def total(self, name: str) -> int:
        """Return the sum of a counter over all its labels."""
        samples = (sample for family in self._registry.collect() for sample in family.samples)
        return int(sum(s.value for s in samples if s.name == f"gatekeeper_{name}_total"))


def unresolved(reason: UnresolvedReason) -> Verdict:
    """Return the verdict on an answer that was not looked at."""
    claim = ClaimVerdict(
        start=0,
        end=1,
        text="",
        status=ClaimStatus.UNRESOLVED,
        support=None,
        contradiction=None,
        score=None,
        unresolved=reason,
    )
    return Verdict(claims=(claim,))


def decision(number: int, verdict: Verdict, seconds: float) -> Decision:
    """Return what a server would tell its counters."""
    action = Action.WITHHOLD if verdict.outcome is Outcome.UNRESOLVED else Action.RELEASE
    return Decision(
        id=str(number),
        route=ROUTE,
        mode=Mode.ENFORCE,
        enforced=True,
        verdict=verdict,
        action=action,
        would=action,
        check_s=seconds,
        added_s=seconds,
        evidence_words=60,
        pairs=0,
        pair_tokens=0,
    )


async def capacity(bench: Bench, *, checks: int, concurrent: int = 8) -> float:
    """Return checks a second with always some waiting, none of them with a deadline."""
    began = time.monotonic()
    for number in range(0, checks, concurrent):
        await asyncio.gather(*(bench.check(number + n, budget_s=None) for n in range(concurrent)))
    return checks / (time.monotonic() - began)


async def in_bursts(bench: Bench, *, checks: int, burst: int, budget_s: float) -> list[Seen]:
    """Send checks in bursts of concurrent ones, each after the one before was answered."""
    seen: list[Seen] = []
    for first in range(0, checks, burst):
        wave = (bench.check(first + n, budget_s=budget_s) for n in range(burst))
        seen += await asyncio.gather(*wave)
    return seen


async def steadily(bench: Bench, *, checks: int, rate: float, budget_s: float) -> list[Seen]:
    """Send checks at a rate, whatever becomes of those before."""
    began = time.monotonic()
    tasks = []
    for number in range(checks):
        ahead_s = began + number / rate - time.monotonic()
        if ahead_s > 0.0:
            await asyncio.sleep(ahead_s)
        tasks.append(asyncio.ensure_future(bench.check(number, budget_s=budget_s)))
    return list(await asyncio.gather(*tasks))


def summary(
    seen: Sequence[Seen], before: Statistics, after: Statistics, *, seconds: float
) -> dict[str, object]:
    """Return what became of a load, lateness in units of the longest pass in it or before."""
    unit_s = after.longest_pass_s
    late = sorted(max(0.0, check.late_s) / unit_s for check in seen)
    outcomes = Counter(check.verdict.reason or str(check.verdict.outcome) for check in seen)
    return {
        "checks": len(seen),
        "seconds": round(seconds, 2),
        "outcomes": dict(sorted(outcomes.items())),
        "decided_per_second": round(
            sum(check.verdict.outcome is not Outcome.UNRESOLVED for check in seen) / seconds, 1
        ),
        "passes": after.passes - before.passes,
        "pairs": after.pairs - before.pairs,
        "padded_token_share": round(after.padded_tokens / max(1, after.tokens), 3),
        "longest_pass_ms": round(1000 * unit_s, 2),
        "longest_slice_ms": round(1000 * after.longest_slice_s, 2),
        "most_queue_pairs": after.most_queue_pairs,
        "bound_of_queue_pairs": LineBounds().pairs,
        "lateness_in_passes": {
            "median": round(median(late), 2),
            "p99": round(late[int(0.99 * (len(late) - 1))], 2),
            "max": round(late[-1], 2),
            "share_above_2": round(sum(x > 2.0 for x in late) / len(late), 5),
        },
    }


async def measure(
    bench: Bench, *, checks: int, burst: int, budget_s: float = BUDGET_S
) -> dict[str, object]:
    """Run both loads; returns figures, and identities that must hold."""
    await bench.start()
    rate = await capacity(bench, checks=max(64, burst // 10))
    found: dict[str, object] = {"capacity_per_second": round(rate, 1), "budget_ms": 1000 * budget_s}
    loads: dict[str, Callable[[], Awaitable[list[Seen]]]] = {
        "bursts": lambda: in_bursts(bench, checks=checks, burst=burst, budget_s=budget_s),
        "three times the capacity": lambda: steadily(
            bench, checks=checks, rate=3.0 * rate, budget_s=budget_s
        ),
    }
    for name, run in loads.items():
        before, began = bench.scheduler.statistics(), time.monotonic()
        seen = await run()
        seconds = time.monotonic() - began
        after = bench.scheduler.statistics()
        first = await bench.check(0, budget_s=budget_s)
        found[name] = {
            **summary(seen, before, after, seconds=seconds),
            "first_check_after": {
                "verdict": str(first.verdict.outcome),
                "ms": round(1000 * (budget_s + first.late_s), 1),
            },
        }
    found["pairs_in_passes_started_after_their_deadline"] = bench.late_starts()
    found["counted"] = {name: bench.total(name) for name in ("requests", "checks", "actions")}
    return found


def main() -> None:
    """Measure and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder; default: a fake model")
    parser.add_argument("--checks", type=int, default=10_000)
    parser.add_argument("--burst", type=int, default=2_000)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    benches = {"fake model, 60 us a token": Bench(lambda: SlowFake(token_s=6e-5), UNCALIBRATED)}
    if options.model is not None:
        benches[options.model.name] = Bench(
            lambda: load(options.model), thresholds_of(options.model)
        )
    results: dict[str, object] = {"machine": describe()}
    for name, bench in benches.items():
        results[name] = asyncio.run(measure(bench, checks=options.checks, burst=options.burst))
        bench.scheduler.close()
        options.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
