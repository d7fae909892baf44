"""Recorded streams cut anywhere: what a client gets must not depend on it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gatekeeper.protocols import Decision
from tests.streams.instant import run
from tests.streams.recorded import Recorded, load
from tests.streams.sayings import Scripted
from tests.streams.stage import Seen, Stage, Step, route


class Got(NamedTuple):
    """What a client got of a stream and what was decided, as far as it must not depend on cuts."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    action: str | None
    outcome: str
    reason: str | None
    claims: tuple[tuple[int, int, str], ...]


def stage(recorded: Recorded, false: frozenset[str] = frozenset(), **changes: Any) -> Stage:
    """Return a gate in front of a recorded stream, with a model to which sentences are false."""
    lane = route(recorded.kind, **changes)
    return Stage(routes=[lane], model=Scripted(false), passages=[recorded.passage])


def got(seen: Seen, decision: Decision) -> Got:
    """Return what is compared."""
    verdict = decision.verdict
    return Got(
        status=seen.status,
        headers=tuple(sorted(seen.headers.items())),
        body=seen.body,
        action=decision.action,
        outcome=verdict.outcome,
        reason=verdict.reason,
        claims=tuple((claim.start, claim.end, claim.status) for claim in verdict.claims),
    )


def play(on: Stage, kind: str, steps: Sequence[Step]) -> Got:
    """Play one stream to its end."""
    seen = run(on.play(kind, steps))
    assert seen.raised is None, seen.raised
    return got(seen, on.last)


def cuts(raw: bytes) -> Iterator[list[bytes]]:
    """Yield a stream cut in two at every byte, then cut everywhere."""
    for at in range(1, len(raw)):
        yield [raw[:at], raw[at:]]
    yield [raw[at : at + 1] for at in range(len(raw))]


def cut_everywhere(name: str, false: frozenset[str]) -> int:
    """Play all cuts of a recorded stream; returns how many there were.

    Raises:
        AssertionError: If one of them gives a client anything else than the whole does.
    """
    (recorded,) = (one for one in load() if one.name == name)
    on = stage(recorded, false)
    expected = play(on, recorded.kind, [recorded.raw])
    number = 0
    for number, steps in enumerate(cuts(recorded.raw), 1):
        found = play(on, recorded.kind, steps)
        assert found == expected, f"{name}, cut {number}, false: {sorted(false)}: {found}"
        on.telemetry.begun.clear()
        on.telemetry.decisions.clear()
    return number
