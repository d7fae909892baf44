"""There is no way round: every try has a reason, a counter and an outcome, and the docs say so."""

from pathlib import Path

import pytest

from gatekeeper.testing import FakeGate, write_verdict
from gatekeeper.verdict import Evidence, NotCheckedReason, Outcome, Verdict
from tests.asgi.rounds import ROUNDS, Round
from tests.asgi.wire import Desk, by_words, route

DOCS = Path(__file__).parents[2] / "docs" / "http.md"


def multilingual(answer: str, evidence: Evidence) -> Verdict:
    """Refuse German and answers without evidence, as the gate does."""
    if answer.startswith("R\u00fcck"):
        return write_verdict(answer, not_checked=NotCheckedReason.LANGUAGE)
    if not evidence.passages:
        return write_verdict(answer, not_checked=NotCheckedReason.NO_CONTEXT)
    return by_words(answer, evidence)


@pytest.mark.parametrize("row", ROUNDS, ids=[row.tried for row in ROUNDS])
def test_there_is_no_way_round(row: Round) -> None:
    """Nothing that claims anything reaches the client unchecked, and the try is counted."""
    desk = Desk(
        app=row.app,
        gated=route(**row.route),
        gate=FakeGate(multilingual),
        options={"new_id": lambda: "decision"},
    )
    desk.judge.refuses = row.refused

    sent = desk.get(**row.sent)

    decision = desk.telemetry.last
    assert (decision.verdict.reason or "flagged") == row.reason
    assert (decision.verdict.outcome is Outcome.FLAGGED) == (row.reason == "flagged")
    assert decision.action is not None
    assert (decision.action.value, sent.status) == (row.action, row.status)
    assert b"90" not in sent.body
    assert sent.is_ended
    assert int(sent.headers["content-length"]) == len(sent.body)


def table() -> str:
    """Return the rows as the documentation shows them."""
    lines = ["| what is tried | counted as | outcome |", "|---|---|---|"]
    for row in ROUNDS:
        outcome = f"{row.action}, {row.status}" if row.action != "RELEASE" else "passes untouched"
        lines.append(f"| {row.tried} | `{row.counter}` | {outcome} |")
    return "\n".join(lines)


def test_documentation_shows_these_rows() -> None:
    """A reader can rely on the table, for it is this test."""
    assert table() in DOCS.read_text(encoding="utf-8"), f"docs/http.md should hold\n{table()}"
