"""The layer over the real gate and the real scheduler, with a model whose scores are written."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from gatekeeper.asgi.middleware import GatekeeperMiddleware
from gatekeeper.asgi.services import Services
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits
from gatekeeper.gate import Gate, Settings
from gatekeeper.policy import Mode, Policy
from gatekeeper.scheduler import Scheduler
from gatekeeper.testing import FakeModel
from gatekeeper.verdict import Action
from tests.asgi.wire import Controlled, Recorder, answering, reply, route, talk

PASSAGE = "The office opens early on every Monday and the garden stays closed."
GOOD = "The office opens early on every Monday."
BAD = "The garden welcomes visitors with coffee."

# Tokens of the fake model are characters.
SETTINGS = Settings(
    thresholds=Thresholds(support=0.5, contradiction=0.9),
    limits=Limits(pair_tokens=100_000, joint_tokens=20_000),
)


class Whole:
    """A gate, a scheduler and a middleware as an app has them."""

    def __init__(self, model: FakeModel) -> None:
        self.model = model
        self.judge = Scheduler(model)
        self.telemetry = Recorder()
        self.services = Services(
            gate=Gate(model, self.judge, SETTINGS),
            judge=self.judge,
            controls=Controlled(),
            telemetry=self.telemetry,
        )

    def answer(self, answer: str, **changes: Any) -> Any:
        """Return what a client gets for an answer."""
        return asyncio.run(self.serve(answer, **changes))

    async def serve(self, answer: str, **changes: Any) -> Any:
        """Serve one request."""
        policy = Policy(routes=(replace(route(), **changes),))
        app = answering(reply(answer, PASSAGE))
        sent = await talk(GatekeeperMiddleware(app, policy=policy, services=self.services))
        await self.services.shadows.drain(10.0)
        return sent


@pytest.fixture
def whole() -> Iterator[Whole]:
    """Yield the whole, and end its thread."""
    whole = Whole(FakeModel())
    yield whole
    whole.judge.close()


def test_answers_are_told_apart(whole: Whole) -> None:
    """From bytes to bytes through segmenter, evidence, guard, worker thread and model."""
    good, bad = whole.answer(GOOD), whole.answer(BAD)

    assert good.json == reply(GOOD, PASSAGE)
    assert "withheld" in bad.json["answer"]
    assert [decision.verdict.outcome for decision in whole.telemetry.decisions] == [
        "SUPPORTED",
        "FLAGGED",
    ]
    assert whole.telemetry.last.pairs > 0
    assert whole.telemetry.last.pair_tokens > 0
    assert all(0.0 < decision.check_s < 5.0 for decision in whole.telemetry.decisions)


def test_flagged_claim_is_cut_from_between(whole: Whole) -> None:
    """Offsets of the segmenter are offsets into the answer as sent."""
    sent = whole.answer(f"{GOOD} {BAD} {GOOD}", on_flagged=Action.REDACT)

    assert sent.json["answer"] == f"{GOOD} [removed: not supported] {GOOD}"


def test_shadow_comes_to_the_same_verdict(whole: Whole) -> None:
    """What shadow shows is what enforcing will do."""
    sent = whole.answer(BAD, mode=Mode.SHADOW)

    assert sent.json == reply(BAD, PASSAGE)
    assert whole.telemetry.last.would is Action.WITHHOLD


def test_model_that_fails_is_answered_by_policy(whole: Whole) -> None:
    """Every waiter gets the fixed text; the next good pass works again."""
    whole.model.fails = True
    failed = whole.answer(GOOD)
    whole.model.fails = False

    assert failed.json["gatekeeper"]["reason"] == "model_error"
    assert whole.answer(GOOD).json == reply(GOOD, PASSAGE)


def test_closed_gate_still_answers(whole: Whole) -> None:
    """During shutdown nobody is left to write a long text; the block needs no worker."""
    whole.judge.close()

    sent = whole.answer(BAD * 1_000)

    assert sent.status == 422
    assert sent.json["gatekeeper"]["reason"] == "shutdown"
    assert whole.telemetry.last.action is Action.BLOCK


def test_many_at_once_are_each_decided(whole: Whole) -> None:
    """Passes are shared, verdicts are not."""

    async def run() -> list[Any]:
        return await asyncio.gather(*(whole.serve(BAD if n % 2 else GOOD) for n in range(30)))

    sent = asyncio.run(run())

    assert [("withheld" in one.json["answer"]) for one in sent] == [bool(n % 2) for n in range(30)]
    assert len(whole.telemetry.decisions) == len(whole.telemetry.begun) == 30
