"""Telemetry may fail; a request may not because of it."""

import pytest

from gatekeeper.observe.telemetry import Observers
from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision, Telemetry
from gatekeeper.verdict import Action, NotCheckedReason, Verdict

DECISION = Decision(
    id="d-1",
    route="/a",
    mode=Mode.SHADOW,
    enforced=False,
    verdict=Verdict(not_checked=NotCheckedReason.SHAPE),
    action=Action.RELEASE,
    would=Action.WITHHOLD,
    check_s=0.0,
    added_s=0.0,
    evidence_words=0,
    pairs=0,
    pair_tokens=0,
)


class Sink:
    """Keeps what it was told; raises afterwards if it is to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.told: list[object] = []
        self._error = error

    def began(self, route: str, mode: Mode) -> None:
        """Keep a beginning."""
        self._keep(("began", route, mode))

    def decided(self, decision: Decision) -> None:
        """Keep a decision."""
        self._keep(decision)

    def shadow_dropped(self, route: str, reason: str) -> None:
        """Keep a drop."""
        self._keep(("dropped", route, reason))

    def websocket(self) -> None:
        """Keep a websocket."""
        self._keep("websocket")

    def _keep(self, what: object) -> None:
        self.told.append(what)
        if self._error is not None:
            raise self._error


def tell_all(telemetry: Telemetry) -> None:
    """Make every call there is."""
    telemetry.began("/a", Mode.SHADOW)
    telemetry.decided(DECISION)
    telemetry.shadow_dropped("/a", "memory")
    telemetry.websocket()


@pytest.mark.parametrize("error", [OSError(28, "no space left"), ValueError("odd"), None])
def test_sink_that_fails_harms_nobody(error: Exception | None) -> None:
    """A full disk must not fail an answer, nor keep the other sink from being told."""
    failures: list[tuple[str, BaseException]] = []
    broken, sound = Sink(error), Sink()

    tell_all(Observers([broken, sound], failed=lambda *what: failures.append(what)))

    expected = [("began", "/a", Mode.SHADOW), DECISION, ("dropped", "/a", "memory"), "websocket"]
    assert broken.told == sound.told == expected
    assert failures == [("telemetry_failed", error)] * (0 if error is None else 4)
