"""The example that asks the gate inside an endpoint, over verdicts written down."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from starlette.applications import Starlette
from starlette.testclient import TestClient

from gatekeeper.testing import FakeGate, write_verdict
from gatekeeper.verdict import UnresolvedReason

# By its path: other distributions install a package named examples.
_SPEC = spec_from_file_location(
    "regenerate", Path(__file__).parents[2] / "examples" / "regenerate.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
regenerate = module_from_spec(_SPEC)
_SPEC.loader.exec_module(regenerate)

RIGHT, WRONG = regenerate.DRAFT


def said(gate: FakeGate) -> str:
    """Return what the endpoint says with a gate in its place."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.gate = gate
        yield

    app = Starlette(routes=regenerate.app.routes, lifespan=lifespan)
    with TestClient(app) as client:
        reply = client.post("/answer", json={"question": "How do I return a device?"})
    return str(reply.json()["answer"])


def test_second_draft_leaves_out_what_did_not_hold() -> None:
    """That is the example's point: one more try, told what was wrong."""
    first = f"{RIGHT} {WRONG}"
    gate = FakeGate({first: write_verdict(first, flagged=[WRONG]), RIGHT: write_verdict(RIGHT)})

    assert said(gate) == RIGHT
    assert [asked.answer for asked in gate.asked] == [first, RIGHT]
    assert all(asked.deadline is not None for asked in gate.asked)


def test_right_draft_is_shown_at_once() -> None:
    """A second call of the language model costs money and seconds."""
    gate = FakeGate(lambda answer, _evidence: write_verdict(answer))

    assert said(gate) == f"{RIGHT} {WRONG}"
    assert len(gate.asked) == 1


def test_second_draft_that_does_not_hold_is_not_shown() -> None:
    """There is no third try."""
    first = f"{RIGHT} {WRONG}"
    gate = FakeGate(
        {
            first: write_verdict(first, flagged=[WRONG]),
            RIGHT: write_verdict(RIGHT, flagged=[RIGHT]),
        }
    )

    assert said(gate) == regenerate.FALLBACK


def test_open_answer_is_not_shown() -> None:
    """What could not be decided in time is no answer."""
    late = UnresolvedReason.BUDGET
    gate = FakeGate(lambda answer, _evidence: write_verdict(answer, unresolved=late))

    assert said(gate) == regenerate.FALLBACK


def test_example_runs_on_the_shipped_model() -> None:
    """An example that works only with fakes would be a lie."""
    with TestClient(regenerate.app) as client:
        reply = client.post("/answer", json={"question": "How do I return a device?"})

    assert reply.json() == {"answer": RIGHT}
