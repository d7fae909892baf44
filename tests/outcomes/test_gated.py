"""From a policy file to rows: the whole way of a decision, with planted words looked for after."""

import logging
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from sqlalchemy import select
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from gatekeeper.config.scorer import load_with_scorer
from gatekeeper.errors import StoreError
from gatekeeper.front import gated
from gatekeeper.observe.declared import StoreDropReason
from gatekeeper.observe.declared import Truth as Counted
from gatekeeper.outcomes import recorder
from gatekeeper.outcomes.schema import WEEKS
from gatekeeper.outcomes.store import Shown, Store
from gatekeeper.outcomes.words import Truth
from gatekeeper.parts import Parts
from gatekeeper.recording import first_cut
from tests.outcomes.made import KEY, decision

POLICY = """
[outcomes]
store_text = "{store_text}"
retention_days = 30
keep = {{ blocked = 1, accepted_low = 1, accepted_high = 1, unchecked = 1 }}

[[route]]
path = "/answer"
mode = "shadow"
answer = "/answer"
question = {{ request = "/question" }}
context = [{{ response = "/contexts/*" }}]
budget_ms = 5000
on_flagged = "withhold"
on_unresolved = {{ default = "withhold" }}
on_not_checked = {{ default = "withhold" }}
"""

# Names that stand in no word list, in every place a text can come from.
PLANTED = ("Zurbel", "Quonx", "Vlimp", "8675309", "zurbel-title")
SAYS = {
    "answer": "The Zurbel lamp has 8675309 switches. It costs 20 euros.",
    "contexts": ["The Quonx lamp has 3 switches."],
}


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the key of the installation."""
    monkeypatch.setenv("GATEKEEPER_SECRET", KEY.decode())
    monkeypatch.delenv("GATEKEEPER_MODE", raising=False)


async def answer(request: Request) -> Response:
    """Say something with names in it, or nothing that can be read."""
    question = (await request.json())["question"]
    return Response("{ Zurbel") if "broken" in question else JSONResponse(SAYS)


def serve(folder: Path, *, store_text: str, questions: tuple[str, ...]) -> str:
    """Serve questions in shadow and return the metrics page."""
    policy = folder / "gatekeeper.toml"
    policy.write_text(POLICY.format(store_text=store_text), encoding="utf-8")
    app = Starlette(routes=[Route("/answer", answer, methods=["POST"])])
    front = gated(app, policy=policy, metrics="/metrics", registry=CollectorRegistry())
    with TestClient(front) as client:
        for question in questions:
            client.post("/answer", json={"question": question})
        return client.get("/metrics").text


def shown(folder: Path) -> list[Shown]:
    """Return what the store holds."""
    store = Store.open(f"sqlite:///{folder / 'outcomes.db'}")
    with store.transaction() as connection:
        rows = connection.exec_driver_sql("SELECT id FROM gatekeeper_decisions").all()
    found = [one for row in rows if (one := store.show(row[0]))]
    store.close()
    return found


def test_planted_words_are_found_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With the defaults neither log, page nor store says a word of answers and passages."""
    caplog.set_level(logging.DEBUG)
    page = serve(tmp_path, store_text="none", questions=("Vlimp?", "broken Vlimp?"))

    [one, other] = sorted(shown(tmp_path), key=lambda found: found.decision.verdict)
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("outcomes.db*"))
    for word in PLANTED:
        assert word.encode() not in stored
        assert word not in caplog.text
        assert word not in page
    assert (one.decision.verdict, other.decision.verdict) == ("FLAGGED", "NOT_CHECKED")
    assert one.decision.claims[0].reason == "value_clash"
    assert one.decision.answer_hmac is not None
    assert one.texts is None
    assert 'gatekeeper_store_dropped_total{reason="entries"} 0.0' in page


def test_sampled_texts_are_those_of_the_answer(tmp_path: Path) -> None:
    """Reviewers need the words that were checked; with "sampled" they are in the store."""
    serve(tmp_path, store_text="sampled", questions=("How many?",))

    [one] = shown(tmp_path)
    assert one.texts is not None
    assert one.texts.answers == (SAYS["answer"],)
    assert one.texts.question == "How many?"
    assert [passage.text for passage in one.texts.passages] == SAYS["contexts"]


def test_store_that_can_be_none_is_refused_at_the_start(tmp_path: Path) -> None:
    """A folder that is not there is found before the first decision is lost."""
    policy = tmp_path / "gatekeeper.toml"
    text = POLICY.format(store_text="none")
    policy.write_text(text.replace("[outcomes]", '[outcomes]\nurl = "sqlite:///no/x.db"'))

    with pytest.raises(StoreError, match=r"no/x\.db"):
        gated(Starlette(), policy=policy, registry=CollectorRegistry())


def test_reasons_of_drops_are_those_of_the_counter() -> None:
    """A reason that the counter does not know would be an error in the writer's thread."""
    reasons = (recorder.ENTRIES, recorder.BYTES, recorder.REJECTED, recorder.SHUTDOWN)

    assert reasons == tuple(StoreDropReason)


def test_truths_are_those_of_the_counter() -> None:
    """A label that the counter does not know would be counted as another one."""
    assert list(map(str, Counted)) == list(map(str, Truth))


def test_first_cut_parts_the_range_of_accepted_scores() -> None:
    """Without scores of a week before, a third of the range above the threshold is low."""
    assert first_cut(0.4) == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("table", "kept"),
    [
        ('[outcomes]\nstore_text = "none"\nretention_days = 30\nkeep = { blocked = 0.75 }', 0.75),
        ("", 0.25),
    ],
)
def test_week_is_planned_by_the_policy_in_force(tmp_path: Path, table: str, kept: float) -> None:
    """Who raises a share for want of labels does not restart a server for it."""
    route = POLICY[POLICY.index("[[route]]") :].format()
    before = '[outcomes]\nstore_text = "none"\nretention_days = 30\nkeep = { blocked = 0.25 }'
    file = tmp_path / "gatekeeper.toml"
    file.write_text(f"{before}\n\n{route}", encoding="utf-8")
    parts = Parts(file, *load_with_scorer(file), CollectorRegistry())

    file.write_text(f"{table}\n\n{route}", encoding="utf-8")
    parts.controls.poll()
    parts.recorders[0].decided(decision(1, route="/answer"))
    for close in parts.closes:
        close()

    assert (parts.controls.policy.outcomes is None) == (not table)
    store = Store.open(f"sqlite:///{tmp_path / 'outcomes.db'}")
    with store.transaction() as connection:
        [planned] = connection.execute(select(WEEKS.c.keep_blocked)).scalars()
    store.close()
    assert planned == kept


def test_share_that_waits_for_monday_is_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A restart with more to keep keeps no more this week, and the log has to say so."""
    route = POLICY[POLICY.index("[[route]]") :].format()
    file = tmp_path / "gatekeeper.toml"

    def told(keep: str) -> list[int]:
        table = f'[outcomes]\nstore_text = "none"\nretention_days = 30\nkeep = {keep}'
        file.write_text(f"{table}\n\n{route}", encoding="utf-8")
        parts = Parts(file, *load_with_scorer(file), CollectorRegistry())
        caplog.clear()
        parts.recorders[0].decided(decision(1, route="/answer"))
        for close in parts.closes:
            close()
        return [one.levelno for one in caplog.records if "keep_waits" in one.getMessage()]

    assert told("{ blocked = 0.25 }") == []
    assert told("{ blocked = 1 }") == [logging.WARNING]
