"""A check that breaks is unresolved for the client; whoever runs the server is told why."""

import asyncio
from dataclasses import dataclass, field

import pytest

from gatekeeper.policy import Bounds, Mode, ResolverSource
from gatekeeper.protocols import Priority, Usage
from gatekeeper.testing import FakeGate
from gatekeeper.verdict import Evidence, Verdict
from tests.asgi.wire import Desk, answering, reply, route

HERE = "tests.asgi.sources"


@dataclass
class Heard:
    """Keeps what broke."""

    events: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    def __call__(self, event: str, error: BaseException, **facts: str) -> None:
        """Keep one event."""
        self.events.append((event, type(error).__name__, facts))


class Breaking(FakeGate):
    """A gate whose check raises."""

    async def check(
        self,
        answer: str,
        evidence: Evidence,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> Verdict:
        """Raise after a turn of the loop."""
        await asyncio.sleep(0)
        raise ZeroDivisionError(answer)


@pytest.mark.parametrize(
    ("name", "error"),
    [("broken", "ZeroDivisionError"), ("hanging", "TimeoutError"), ("one_text", "InputError")],
)
def test_failed_resolver_is_told_of(name: str, error: str) -> None:
    """All answers of the route go unchecked; without an event nobody could find out why."""
    heard, target = Heard(), f"{HERE}:{name}"
    gated = route(context=(ResolverSource(target=target),), bounds=Bounds(resolver_s=0.05))

    sent = Desk(app=answering(reply()), gated=gated, options={"failed": heard}).get()

    assert sent.json["gatekeeper"]["reason"] == "resolver_error"
    assert heard.events == [
        ("resolver_failed", error, {"route": "/answer", "resolver": target}),
    ]


@pytest.mark.parametrize("mode", [Mode.ENFORCE, Mode.SHADOW])
def test_broken_check_is_told_of(mode: Mode) -> None:
    """It shows as a fault of the model; the event tells a fault of the code from it."""
    heard = Heard()
    desk = Desk(
        app=answering(reply()),
        gated=route(mode=mode),
        gate=Breaking({}),
        options={"failed": heard},
    )

    desk.get()

    assert desk.telemetry.last.verdict.reason == "model_error"
    assert heard.events == [("check_failed", "ZeroDivisionError", {"route": "/answer"})]
