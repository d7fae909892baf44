"""Events hold facts. A planted word in every text there is must never come out."""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.observe.logs import CUT, EventLog, error_facts, keep_facts
from gatekeeper.policy import Mode
from gatekeeper.protocols import Decision
from gatekeeper.verdict import (
    Action,
    ClaimStatus,
    ClaimVerdict,
    NotCheckedReason,
    PremiseRef,
    Segment,
    SegmentKind,
    Verdict,
)

PLANTED = "zanzibar"
TEXT = f"The {PLANTED} costs 17 euros."

VERDICT = Verdict(
    segments=(
        Segment(
            start=0,
            end=len(TEXT),
            kind=SegmentKind.CLAIM,
            plain=TEXT,
            hypothesis=TEXT,
            citations=(PLANTED,),
        ),
    ),
    claims=(
        ClaimVerdict(
            start=0,
            end=len(TEXT),
            text=TEXT,
            status=ClaimStatus.CONTRADICTED,
            support=0.1,
            contradiction=0.9,
            score=0.0,
            passages=(PLANTED,),
            premises=(PremiseRef(passage=PLANTED, start=0, end=4),),
            reason=f"'{PLANTED}' is clashing (number)",
        ),
    ),
    fingerprint="f00d",
)
DECISION = Decision(
    id="d-1",
    route="/v1/answer",
    mode=Mode.ENFORCE,
    enforced=True,
    verdict=VERDICT,
    action=Action.WITHHOLD,
    would=Action.WITHHOLD,
    check_s=0.03,
    added_s=0.04,
    evidence_words=120,
    pairs=7,
    pair_tokens=300,
)


class Kept(logging.Handler):
    """Keeps what was logged."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.records.append(record)

    @property
    def events(self) -> list[dict[str, object]]:
        """The events, read back."""
        return [json.loads(record.getMessage()) for record in self.records]

    @property
    def everything(self) -> str:
        """All that a formatter could write of the records."""
        return "\n".join(
            f"{logging.Formatter().format(record)} {record.__dict__}" for record in self.records
        )


@pytest.fixture
def kept() -> Iterator[Kept]:
    """A handler on a logger of the test's own, every level shown."""
    handler = Kept()
    logger = logging.getLogger("tests.events")
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


@pytest.fixture
def log() -> EventLog:
    """An event log over that logger."""
    return EventLog(logging.getLogger("tests.events"))


def parse_error() -> ValueError:
    """Return what a JSON parser raises, which quotes its document."""
    with pytest.raises(ValueError, match="Expecting") as raised:
        json.loads(f"[{TEXT}]")
    return raised.value


def test_decision_is_logged_by_its_facts(log: EventLog, kept: Kept) -> None:
    """One event says what was found, what was done and what it took."""
    log.decided(DECISION)

    (event,) = kept.events
    assert event.pop("timestamp")
    assert event == {
        "event": "answer_decided",
        "level": "info",
        "id": "d-1",
        "route": "/v1/answer",
        "mode": "enforce",
        "enforced": True,
        "verdict": "FLAGGED",
        "reason": None,
        "action": "WITHHOLD",
        "would": "WITHHOLD",
        "score": 0.0,
        "claims": {"CONTRADICTED": 1},
        "fingerprint": "f00d",
        "check_s": 0.03,
        "added_s": 0.04,
        "evidence_words": 120,
        "pairs": 7,
        "pair_tokens": 300,
    }


def test_no_event_holds_text(log: EventLog, kept: Kept) -> None:
    """The guard's own log must not leak what it protects, whatever happens."""
    log.began("/v1/answer", Mode.ENFORCE)
    log.decided(DECISION)
    gone = Verdict(not_checked=NotCheckedReason.APP_ERROR)
    log.decided(replace(DECISION, verdict=gone, action=None))
    log.shadow_dropped("/v1/answer", "memory")
    log.websocket()
    log.notice("batch_failed", pairs=3, error=TEXT)
    log.notice("model_loaded", answer=PLANTED, seconds=0.4)
    log.failed("parse_failed", parse_error())
    log.failed("telemetry_failed", UnicodeDecodeError("utf-8", TEXT.encode(), 0, 1, TEXT))

    assert len(kept.records) == 8
    assert PLANTED not in kept.everything
    assert "17 euros" not in kept.everything


def test_error_is_known_by_type_and_place(log: EventLog, kept: Kept) -> None:
    """Enough to find the fault in the code, nothing of what was being read."""
    log.failed("resolver_failed", parse_error(), route="/v1/answer", resolver="app.search:find")

    (event,) = kept.events
    assert event["error"] == "JSONDecodeError"
    assert str(event["place"]).startswith("decoder.py:")
    assert event["level"] == "error"
    assert (event["route"], event["resolver"]) == ("/v1/answer", "app.search:find")


def test_error_that_was_never_raised_has_no_place() -> None:
    """An exception made but not raised comes from nowhere."""
    assert error_facts(ValueError(TEXT)) == {"error": "ValueError"}


@pytest.mark.parametrize(
    ("event", "level"),
    [("worker_died", "warning"), ("model_loaded", "info"), ("route_unmatched", "warning")],
)
def test_incidents_are_warnings(log: EventLog, kept: Kept, event: str, level: str) -> None:
    """What someone should look at stands out from what only happened."""
    log.notice(event, error="SystemExit")

    assert kept.events[0]["level"] == level


def test_level_of_the_app_holds(log: EventLog, kept: Kept) -> None:
    """The app's logging configuration decides what is written, and the rest costs nothing."""
    logging.getLogger("tests.events").setLevel(logging.WARNING)

    log.decided(DECISION)
    log.websocket()

    assert kept.records == []


def test_default_logger_is_named_after_the_package(caplog: pytest.LogCaptureFixture) -> None:
    """Users find our events under our name."""
    with caplog.at_level(logging.INFO, logger="gatekeeper"):
        EventLog().notice("model_loaded", seconds=0.1)

    assert caplog.records[0].name == "gatekeeper"


@settings(deadline=None, derandomize=True)
@given(
    st.dictionaries(
        st.sampled_from(["route", "error", "answer", "text", "exc_info", "reason"]),
        st.one_of(st.text(), st.binary(), st.lists(st.text()), st.integers()),
    )
)
def test_only_facts_are_kept(event: dict[str, object]) -> None:
    """Whatever is handed in, sentences, lists and unknown keys do not come out."""
    found = keep_facts(None, "info", dict(event))

    assert set(found) <= {"route", "error", "reason"}
    for value in found.values():
        assert isinstance(value, int | str)
        assert isinstance(value, int) or value == CUT or len(value.split()) <= 1
