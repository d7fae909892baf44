"""How soon a sentence is released once it is complete; and random streams, many of them.

    python -m benchmarks.streams --out benchmarks/results/streams.json
    python -m benchmarks.streams --random 100000 [--first 0]

The first sends chat streams word by word through middleware, scheduler and the shipped model. The
time from the message that completes a sentence to its release, and from the app's last byte to
the end, is given in units of a check of that sentence alone, which runs right before: the two
alternate. The second examines random streams, good and damaged, with a model that is a fake.
"""

import argparse
import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.loop import interval
from benchmarks.machine import describe
from gatekeeper.asgi.middleware import GatekeeperMiddleware
from gatekeeper.asgi.services import Services
from gatekeeper.build import open_gate
from gatekeeper.core.segment import segments
from gatekeeper.demo.documents import documents, script
from gatekeeper.demo.retrieval import Index
from gatekeeper.gate import Gate
from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.policy import Policy
from gatekeeper.verdict import Evidence, Outcome, Passage
from tests.asgi.wire import Controlled, Message, Recorder, silent_after_request
from tests.asgi.wire import scope as request_scope
from tests.streams.examining import examine_many
from tests.streams.stage import route
from tests.streams.writing import Style, chat

PASSAGES = 3
BUDGET_S = 30.0
WORD_S = 0.01  # a fast language model
PROCESSES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An answer of two sentences or more, all supported by its passages."""

    passages: tuple[Passage, ...]
    sentences: tuple[str, ...]

    @property
    def evidence(self) -> Evidence:
        """What the answer rests on."""
        return Evidence(passages=self.passages)


@dataclass(slots=True, kw_only=True)
class Times:
    """Clock readings of one stream, in seconds.

    ``complete`` is when the app sent the first word of the second sentence, ``ended`` when it sent
    its last message.
    """

    complete: float = 0.0
    released: float = 0.0
    ended: float = 0.0
    closed: float = 0.0


@dataclass(slots=True, kw_only=True)
class Ratios:
    """What is measured, one value a run: seconds, and in units of a check alone."""

    seconds: list[float] = field(default_factory=list)
    units: list[float] = field(default_factory=list)

    def add(self, seconds: float, unit_s: float) -> None:
        """Add a run."""
        self.seconds.append(seconds)
        self.units.append(seconds / unit_s)

    def summary(self) -> dict[str, object]:
        """Return medians with a 95 % interval."""
        return {
            "in_checks_of_that_sentence_alone": spread(self.units),
            "ms": spread([1000 * seconds for seconds in self.seconds]),
        }


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the median, its 95 % interval from the order of the values, and the extremes."""
    ordered = sorted(values)
    low, high = interval(len(ordered))
    places = {"low": low, "high": high, "min": 0, "max": -1}
    return {
        "median": round(median(ordered), 3),
        **{name: round(ordered[n], 3) for name, n in places.items()},
    }


async def answers(gate: Gate) -> list[Told]:
    """Return the demo's replies that hold, with the pages that retrieval finds for them."""
    index = Index([document for document in documents() if not document.is_ticket])
    found = []
    for reply in script().replies:
        pages = index.search(reply.asks, most=PASSAGES)
        told = Told(
            passages=tuple(Passage(id=page.id, text=page.text) for page in pages),
            sentences=tuple(reply.says[one.start : one.end] for one in segments(reply.says)),
        )
        verdict = await gate.check(reply.says, told.evidence)
        is_claim = all(one.is_claim for one in segments(reply.says))
        if verdict.outcome is Outcome.SUPPORTED and is_claim and len(told.sentences) > 1:
            found.append(told)
    return found


async def alone_s(gate: Gate, sentence: str, told: Told) -> float:
    """Return how long the check of one sentence takes."""
    began = time.monotonic()
    await gate.check(sentence, told.evidence)
    return time.monotonic() - began


async def streamed(gate: Gate, told: Told) -> Times:
    """Stream an answer word by word; returns when what came."""
    times, recorder = Times(), Recorder()
    first = len(told.sentences[0].strip())
    shown = b""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        scope["state"]["passages"] = [passage.text for passage in told.passages]
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        said = 0
        for frame in chat([_words("".join(told.sentences))], Style()):
            said += sum(len(text) for _, text in frame.deltas)
            if said > first and not times.complete:
                times.complete = time.monotonic()
            await send({"type": "http.response.body", "body": frame.raw, "more_body": True})
            await asyncio.sleep(WORD_S)
        times.ended = time.monotonic()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def send(message: Any) -> None:
        nonlocal shown
        shown += message.get("body", b"")
        if not times.released and _text(shown).startswith(told.sentences[0].strip()):
            times.released = time.monotonic()
        if "body" in message and not message.get("more_body"):
            times.closed = time.monotonic()

    gated = GatekeeperMiddleware(
        app,
        policy=Policy(routes=(route("chat", budget_s=BUDGET_S),)),
        services=Services(gate=gate, judge=gate.judge, controls=Controlled(), telemetry=recorder),
    )
    asked: Message = request_scope("/chat/0")
    await gated(asked, silent_after_request(), send)
    if recorder.last.verdict.outcome is not Outcome.SUPPORTED or not times.released:
        raise RuntimeError(f"not released sentence by sentence: {recorder.last.verdict.outcome}")
    return times


def _words(text: str) -> list[str]:
    words = text.split(" ")
    return [words[0], *(f" {word}" for word in words[1:])]


def _text(body: bytes) -> str:
    """Return the text in whole chat events."""
    found = ""
    for event in body.split(b"\n\n")[:-1]:
        if event.startswith(b"data: {"):
            for choice in json.loads(event[6:])["choices"]:
                found += choice["delta"].get("content") or ""
    return found


async def measure(runs: int) -> dict[str, object]:
    """Alternate between a check alone and a stream."""
    gate = open_gate()
    release, end = Ratios(), Ratios()
    try:
        told = await answers(gate)
        for one in told[:3]:  # what is slow once
            await streamed(gate, one)
        for run in range(runs):
            one = told[run % len(told)]
            first_s = await alone_s(gate, one.sentences[0], one)
            last_s = await alone_s(gate, one.sentences[-1], one)
            times = await streamed(gate, one)
            release.add(times.released - times.complete, first_s)
            end.add(times.closed - times.ended, last_s)
    finally:
        gate.close()
    return {
        "runs": runs,
        "answers": len(told),
        "first_release": release.summary(),
        "end": end.summary(),
        "load_average": round(os.getloadavg()[0], 1),
    }


def examined(first: int, count: int) -> Counter[str]:
    """Examine random streams in several processes; returns what came of them."""
    share = -(-count // PROCESSES)
    share += share % 2  # they are played in pairs
    firsts = range(first, first + count, share)
    counts = [min(share, first + count - one) for one in firsts]
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        return sum(pool.map(examine_many, firsts, counts), Counter[str]())


def main() -> None:
    """Measure, or examine random streams; the result file keeps what the other way gave."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--random", type=int, metavar="COUNT", help="examine so many streams")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()

    results: dict[str, object] = {}
    if options.random:
        found = dict(sorted(examined(options.first, options.random).items()))
        results["random"] = {"first": options.first, "streams": options.random, "hold": found}
    else:
        results |= {"machine": describe(), SHIPPED_MODEL: asyncio.run(measure(options.runs))}
    if options.out:
        there = json.loads(options.out.read_bytes()) if options.out.exists() else {}
        text = json.dumps(there | results, indent=2)
        options.out.write_text(f"{text}\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
