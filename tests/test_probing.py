"""Known answers all day long: through the real gate, evenly, in nobody's way."""

import asyncio
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from gatekeeper.build import open_gate
from gatekeeper.config.scorer import load_with_scorer
from gatekeeper.errors import ModelFileError, UnavailableError
from gatekeeper.front import gated
from gatekeeper.observe.declared import Expected
from gatekeeper.observe.folder import MetricsMode
from gatekeeper.observe.logs import EventLog
from gatekeeper.observe.page import scraped
from gatekeeper.parts import Parts
from gatekeeper.probing import Probe, Prober, known_answers
from gatekeeper.protocols import Priority, Usage
from gatekeeper.runtime.manifest import model_folder, read_manifest
from gatekeeper.runtime.session import Session, load
from gatekeeper.testing import FakeCheck, FakeGate, write_verdict
from gatekeeper.verdict import Evidence, Outcome, UnresolvedReason, Verdict

PATIENCE_S = 60.0
GOOD = Probe(passage="The lamp is blue.", answer="It is blue.", expected=Expected.SUPPORTED)
BAD = Probe(passage="The lamp is blue.", answer="It is red.", expected=Expected.FLAGGED)


class Pauses:
    """Pauses that end at once: notes how long each is, and ends the thread after some."""

    def __init__(self, number: int) -> None:
        self.seconds: list[float] = []
        self.done = threading.Event()
        self._number = number

    def __call__(self, seconds: float) -> bool:
        """Note a pause; True after the last one."""
        self.seconds.append(seconds)
        if len(self.seconds) <= self._number:
            return False
        self.done.set()
        return True


async def ready() -> None:
    """Be loaded."""


def right(answer: str, evidence: Evidence) -> Verdict:
    """Judge the two probes of these tests rightly."""
    return write_verdict(answer, flagged=[answer] if "red" in answer else [])


class Hurried(Prober):
    """A prober whose pauses a test makes."""

    def __init__(self, pauses: Pauses, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._pauses = pauses

    def pause(self, seconds: float) -> bool:
        """Go on at once, or end."""
        return self._pauses(seconds)


class NotingGate(FakeGate):
    """Notes how urgent each check is."""

    def __init__(self, judge: Callable[[str, Evidence], Verdict]) -> None:
        super().__init__(judge)
        self.priorities: list[Priority] = []

    def open(
        self,
        evidence: Evidence,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> FakeCheck:
        """Note the priority."""
        self.priorities.append(priority)
        return super().open(evidence, deadline=deadline)


class Probed:
    """A prober over a gate that answers as told, and what it counted."""

    def __init__(
        self,
        judge: Callable[[str, Evidence], Verdict] = right,
        *,
        probes: int = 4,
        rates: Sequence[float] = (12,),
        loaded: Callable[[], Awaitable[None]] = ready,
        counted: Callable[[Expected, Outcome], None] | None = None,
    ) -> None:
        self.gate = NotingGate(judge)
        self.pauses = Pauses(probes)
        self.counts: Counter[tuple[Expected, Outcome]] = Counter()
        wanted = iter([*rates])
        self.prober = Hurried(
            self.pauses,
            self.gate,
            (GOOD, BAD),
            per_minute=lambda: next(wanted, rates[-1]),
            counted=counted or (lambda *pair: self.counts.update([pair])),
            ready=loaded,
            log=EventLog(),
        )

    def run(self) -> None:
        """Probe until the pauses say that it is enough."""
        self.prober.start()
        assert self.pauses.done.wait(PATIENCE_S)
        self.prober.close()


def test_each_known_answer_is_judged_rightly_by_the_shipped_model() -> None:
    """A probe that is wrong from the start would teach people to look away."""
    manifest = read_manifest(model_folder("minilm-l6-nli"))
    gate = open_gate(threads=1)
    probes = known_answers(manifest)
    counts: Counter[tuple[Expected, Outcome]] = Counter()
    pauses = Pauses(len(probes))
    prober = Hurried(
        pauses,
        gate,
        probes,
        per_minute=lambda: 12,
        counted=lambda *pair: counts.update([pair]),
        ready=ready,
        log=EventLog(),
    )

    prober.start()
    assert pauses.done.wait(PATIENCE_S)
    prober.close()
    gate.close()

    assert len(set(probes)) == 9
    assert set(counts) == {
        (Expected.SUPPORTED, Outcome.SUPPORTED),
        (Expected.FLAGGED, Outcome.FLAGGED),
    }
    assert counts.total() == len(probes)


def test_probes_are_the_clearest_pairs() -> None:
    """Who sets a strict threshold, or a lenient one, must not be woken for it."""
    manifest = read_manifest(model_folder("minilm-l6-nli"))

    asked = {(one.passage, one.answer) for one in known_answers(manifest)}

    scores: dict[tuple[bool, bool], list[float]] = {}
    for pair in manifest.self_test:
        is_asked = (pair.premise, pair.hypothesis) in asked
        scores.setdefault((pair.label == "entailment", is_asked), []).append(pair.entailment)
    assert min(scores[True, True]) >= max(scores[True, False])
    assert max(scores[False, True]) <= min(scores[False, False])


def test_good_and_bad_ones_take_turns() -> None:
    """In any minute both kinds are asked, or a gate that lets everything pass looks well."""
    probes = known_answers(read_manifest(model_folder("minilm-l6-nli")))

    assert [probe.expected for probe in islice(probes, 6)] == 3 * [
        Expected.SUPPORTED,
        Expected.FLAGGED,
    ]


def test_probes_are_spread_evenly() -> None:
    """A burst each minute would be felt by whoever asks just then; so would all workers at once."""
    first, second = Probed(), Probed()
    first.run()
    second.run()

    assert first.pauses.seconds[1:] == [5.0, 5.0, 5.0, 5.0]
    assert 0 <= first.pauses.seconds[0] < 5.0
    assert first.pauses.seconds[0] != second.pauses.seconds[0]
    assert first.counts == {
        (Expected.SUPPORTED, Outcome.SUPPORTED): 2,
        (Expected.FLAGGED, Outcome.FLAGGED): 2,
    }


def test_probes_yield_to_users() -> None:
    """They go at the priority of shadow, and do not wait for ever behind other work."""
    probed = Probed(probes=1)
    probed.run()

    [asked] = probed.gate.asked
    assert probed.gate.priorities == [Priority.SHADOW]
    assert asked.deadline is not None


def test_rate_of_the_running_policy_holds() -> None:
    """Who switches probes off or on at run time need not restart anything."""
    off = Probed(rates=(0,))
    off.run()
    # One in four pauses of five seconds each; the first comes earlier.
    slow = Probed(rates=(3,), probes=40)
    slow.run()
    # Once a minute, until somebody wants more.
    more = Probed(rates=(1, 1, 12), probes=3)
    more.run()

    assert off.counts == {}
    assert slow.counts.total() == 10
    assert max(slow.pauses.seconds) == 5.0
    assert more.counts.total() == 3


@pytest.mark.parametrize("reason", [UnresolvedReason.OVERLOAD, UnresolvedReason.WARMING])
def test_probe_without_a_verdict_is_counted(
    reason: UnresolvedReason, caplog: pytest.LogCaptureFixture
) -> None:
    """A gate too busy for its probes is not one that judges wrongly, and not one that is well."""
    probed = Probed(lambda *_: write_verdict("It is blue.", unresolved=reason), probes=2)

    probed.run()

    assert probed.counts == {
        (Expected.SUPPORTED, Outcome.UNRESOLVED): 1,
        (Expected.FLAGGED, Outcome.UNRESOLVED): 1,
    }
    assert "probe" not in caplog.text


def test_wrong_verdict_is_counted_and_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    """At twelve a minute a log that repeats itself hides everything else."""
    lenient = iter([False, True, False, True, False, False, False, True])
    probed = Probed(
        lambda answer, evidence: (
            write_verdict(answer) if next(lenient) else right(answer, evidence)
        ),
        probes=8,
    )

    probed.run()

    assert probed.counts[Expected.FLAGGED, Outcome.SUPPORTED] == 3
    told = [line for line in caplog.messages if "probe_judged_wrong" in line]
    assert len(told) == 2
    assert '"expected": "flagged"' in told[0]
    assert "red" not in caplog.text


def test_error_ends_nothing_and_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    """A fault in a probe is a fault in the gate: it must be seen, and cost no answer."""
    fails = iter([True, True, True, False, True, True])

    def judge(answer: str, evidence: Evidence) -> Verdict:
        if next(fails):
            raise ZeroDivisionError("It is blue.")
        return right(answer, evidence)

    probed = Probed(judge, probes=6)

    probed.run()

    assert probed.counts[Expected.SUPPORTED, Outcome.UNRESOLVED] == 3
    assert probed.counts[Expected.FLAGGED, Outcome.UNRESOLVED] == 2
    assert len([line for line in caplog.messages if "probe_failed" in line]) == 2
    assert "blue" not in caplog.text


def test_counter_that_fails_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """A folder without room must not end the probes, nor fill the log."""

    def refuse(_expected: Expected, _outcome: Outcome) -> None:
        raise OSError("no space left")

    probed = Probed(probes=4, counted=refuse)

    probed.run()

    assert len(probed.gate.asked) == 4
    assert len([line for line in caplog.messages if "probe_failed" in line]) == 1


def test_gate_that_can_not_be_loaded_is_probed_all_the_same() -> None:
    """Its probes have no verdict, and that is what tells of it."""

    async def never() -> None:
        raise ModelFileError(Path("model.onnx"), "nothing", "a model")

    no_verdict = write_verdict("It is blue.", unresolved=UnresolvedReason.MODEL_ERROR)
    probed = Probed(lambda *_: no_verdict, probes=2, loaded=never)

    probed.run()

    assert probed.counts.total() == 2


POLICY = """
{top}
[outcomes]
store_text = "none"
retention_days = 30

[[route]]
path = "/answer"
mode = "shadow"
answer = "/answer"
context = [{{ response = "/contexts/*" }}]
budget_ms = 5000
on_flagged = "withhold"
on_unresolved = {{ default = "withhold" }}
on_not_checked = {{ default = "withhold" }}
"""


class Served:
    """Apps behind a gate whose probes are as many as a test wants, at once."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, probes: int) -> None:
        self.pauses = Pauses(probes)
        self.registry = CollectorRegistry()
        self._policy = folder / "gatekeeper.toml"
        patch.setenv("GATEKEEPER_SECRET", "0123456789abcdef0123456789abcdef")
        patch.setattr("gatekeeper.parts.Prober", self._prober)

    def app(self, top: str = "") -> ASGIApp:
        """Return the app."""
        self._policy.write_text(POLICY.format(top=top), encoding="utf-8")
        app = Starlette(routes=[Route("/answer", answer, methods=["POST"])])
        return gated(app, policy=self._policy, registry=self.registry)

    def total(self, name: str) -> float:
        """Return the sum of a metric's samples."""
        families = self.registry.collect()
        samples = [sample for family in families for sample in family.samples]
        return sum(one.value for one in samples if one.name == f"gatekeeper_{name}_total")

    def _prober(self, *given: Any, **named: Any) -> Prober:
        return Hurried(self.pauses, *given, **named)


async def answer(request: Request) -> Response:
    """Say what follows from a page."""
    return JSONResponse({"answer": "The lamp is blue.", "contexts": ["The lamp is blue."]})


def threads() -> set[threading.Thread]:
    """Return what probes; apps of other tests may not have been shut down."""
    return {one for one in threading.enumerate() if one.name == "gatekeeper-probes"}


def test_probes_are_counted_and_are_no_decisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the gate asks itself must not pass for traffic, nor get into a rate."""
    served = Served(tmp_path, monkeypatch, probes=6)

    with TestClient(served.app("probes_per_minute = 30")):
        assert served.pauses.done.wait(PATIENCE_S)

    assert served.pauses.seconds[1:] == 6 * [2.0]
    for expected, verdict in (("supported", "SUPPORTED"), ("flagged", "FLAGGED")):
        labels = {"expected": expected, "verdict": verdict}
        assert served.registry.get_sample_value("gatekeeper_probes_total", labels) == 3.0
    assert served.total("probes") == 6.0
    for name in ("requests", "checks", "actions", "pairs", "claims"):
        assert served.total(name) == 0.0
    assert (tmp_path / "outcomes.db").stat().st_size == 0


def test_probes_begin_with_the_first_load_where_there_is_no_lifespan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some servers say nothing at the start; the gate is loaded by the first request then."""
    served = Served(tmp_path, monkeypatch, probes=1)
    client = TestClient(served.app())
    before = [*served.pauses.seconds]

    client.post("/answer", json={})

    assert served.pauses.done.wait(PATIENCE_S)
    assert before == []


def test_shutdown_ends_the_probes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause of seconds must not hold up a server that is told to end."""
    served = Served(tmp_path, monkeypatch, probes=1)
    monkeypatch.setattr("gatekeeper.parts.Prober", Prober)
    before = threads()

    with TestClient(served.app("probes_per_minute = 1")):
        during = threads() - before

    assert len(during) == 1
    assert threads() <= before


def test_shutdown_while_the_model_is_loaded_leaves_no_probes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The load that ends during the shutdown would begin what nobody is left to end."""
    monkeypatch.setenv("GATEKEEPER_SECRET", "0123456789abcdef0123456789abcdef")
    file = tmp_path / "gatekeeper.toml"
    file.write_text(POLICY.format(top=""), encoding="utf-8")
    parts = Parts(file, *load_with_scorer(file), CollectorRegistry())
    begun, closing = threading.Event(), threading.Event()

    def load_slowly(folder: Path) -> Session:
        begun.set()
        assert closing.wait(PATIENCE_S)
        return load(folder)

    monkeypatch.setattr("gatekeeper.parts.load", load_slowly)
    before = threads()

    async def shut_down() -> None:
        loaded = asyncio.create_task(parts.scheduler.start())
        await asyncio.to_thread(begun.wait, PATIENCE_S)
        first, *others = parts.closes
        first()
        closing.set()
        for close in others:
            await asyncio.to_thread(close)
        with pytest.raises(UnavailableError):
            await loaded

    asyncio.run(shut_down())

    assert parts.scheduler.statistics().loads == 1
    assert threads() <= before


def test_wanted_rate_is_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who switches probes off by a reload must not be told that they stopped."""
    monkeypatch.setenv("GATEKEEPER_SECRET", "0123456789abcdef0123456789abcdef")
    file = tmp_path / "gatekeeper.toml"
    file.write_text(POLICY.format(top=""), encoding="utf-8")
    parts = Parts(file, *load_with_scorer(file), CollectorRegistry())

    def wanted() -> float | None:
        states = scraped(MetricsMode.SINGLE, CollectorRegistry(), parts.collectors)
        return states.get_sample_value("gatekeeper_probes_wanted")

    before = wanted()
    file.write_text(POLICY.format(top="probes_per_minute = 0"), encoding="utf-8")
    parts.controls.poll()

    assert (before, wanted()) == (12.0, 0.0)


FORKS = """
import os
from queue import SimpleQueue
from gatekeeper.observe.logs import EventLog
from gatekeeper.parts import Parts
from gatekeeper.probing import Prober
from tests.test_probing import BAD, GOOD, NotingGate, ready, right

counted = [SimpleQueue()]
prober = Prober(
    NotingGate(right), (GOOD, BAD), per_minute=lambda: 60_000, ready=ready, log=EventLog(),
    counted=lambda *_: counted[0].put(os.getpid()),
)
prober.start()
assert counted[0].get() == os.getpid()
child = os.fork()
if child == 0:
    counted[0] = SimpleQueue()
    prober.start()
    assert counted[0].get() == os.getpid()
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
print("ends")
"""


def test_thread_is_replaced_after_a_fork_and_keeps_no_process_alive() -> None:
    """A worker made by a fork has no threads; and one that was told to end has to end."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKS],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert (done.stdout, done.stderr, done.returncode) == ("ends\n", "", 0)
