"""What reaches the client for each action: released, withheld, blocked, redacted, annotated."""

import asyncio
import gzip
import json
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.policy import Expose, Reactions, Shape
from gatekeeper.testing import FakeGate, write_verdict
from gatekeeper.verdict import Action
from tests.asgi.wire import (
    BAD,
    FACT,
    GOOD,
    Desk,
    answering,
    reply,
    route,
    talk,
)


def test_supported_answer_comes_as_the_app_sent_it() -> None:
    """Users of a gated route get the same bytes, message by message, and one header more."""
    bare = asyncio.run(talk(answering(reply(), pieces=5)))
    desk = Desk(app=answering(reply(), pieces=5))

    sent = desk.get()

    assert sent.messages[1:] == bare.messages[1:]
    assert sent.headers.pop("gatekeeper-id") == desk.telemetry.last.id
    assert list(sent.headers.items())[:-1] == list(bare.headers.items())
    assert desk.telemetry.last.action is Action.RELEASE


def test_flagged_answer_is_withheld_in_its_own_shape() -> None:
    """A client reads status and members as ever and finds the fixed text."""
    desk = Desk(app=answering(reply(BAD), status=201))

    sent = desk.get()

    said = sent.json.pop("gatekeeper")
    assert sent.status == 201
    assert sent.json["answer"] == desk.gated.withheld_text
    assert sent.json["contexts"] == [FACT]
    assert said == {
        "id": desk.telemetry.last.id,
        "verdict": "FLAGGED",
        "reason": "flagged",
        "counts": {"UNSUPPORTED": 1},
    }
    assert BAD.encode() not in sent.body
    assert sent.headers["gatekeeper-counts"] == "UNSUPPORTED=1"


def test_blocked_answer_is_a_problem_report() -> None:
    """RFC 9457, and not a word of the app's body in it."""
    desk = Desk(app=answering(reply(BAD)), gated=route(on_flagged=Action.BLOCK, block_status=503))

    sent = desk.get()

    assert sent.status == sent.json["status"] == 503
    assert sent.headers["content-type"] == "application/problem+json"
    assert sent.json["title"] == "Service Unavailable"
    assert sent.json["gatekeeper"]["id"] == desk.telemetry.last.id
    assert FACT.encode() not in sent.body


def test_status_without_a_name_can_block() -> None:
    """A private status code must not turn a block into a crash."""
    desk = Desk(app=answering(reply(BAD)), gated=route(on_flagged=Action.BLOCK, block_status=599))

    assert desk.get().json["title"] == "Blocked"


def test_flagged_claims_are_cut_out() -> None:
    """What was found supported still reaches the user, its blanks included."""
    answer = f"{GOOD}\n{BAD} \nIt is free."
    gate = FakeGate({answer: write_verdict(answer, flagged=[BAD + " "])})
    desk = Desk(app=answering(reply(answer)), gated=route(on_flagged=Action.REDACT), gate=gate)

    sent = desk.get()

    assert sent.json["answer"] == f"{GOOD}\n[removed: not supported] \nIt is free."
    assert desk.telemetry.last.action is Action.REDACT


@pytest.mark.parametrize("expose", list(Expose))
def test_annotated_answer_is_untouched(expose: Expose) -> None:
    """The badge is beside the answer, as much of it as the policy exposes."""
    gated = route(on_flagged=Action.ANNOTATE, expose=expose)
    desk = Desk(app=answering(reply(BAD)), gated=gated)

    sent = desk.get()

    body = sent.json
    said = body.pop("gatekeeper", {})
    assert body == reply(BAD)
    expected = {Expose.ID: ["id"], Expose.NONE: []}
    assert list(said) == expected.get(expose, ["id", "verdict", "reason", "counts"])
    assert [name for name in sent.headers if name.startswith("gatekeeper-")] == [
        f"gatekeeper-{name}" for name in said
    ]
    assert desk.telemetry.last.action is Action.ANNOTATE


@pytest.mark.parametrize("expose", list(Expose))
@pytest.mark.parametrize("action", [Action.WITHHOLD, Action.BLOCK, Action.REDACT])
def test_exposing_nothing_says_nothing(action: Action, expose: Expose) -> None:
    """Some operators want no trace of a gate; everybody else learns why and which."""
    gated = route(on_flagged=action, expose=expose)
    sent = Desk(app=answering(reply(BAD)), gated=gated).get()

    assert ("gatekeeper" in sent.json) == (expose is not Expose.NONE)
    assert ("gatekeeper-id" in sent.headers) == (expose is not Expose.NONE)


def test_released_answer_says_its_verdict_on_request() -> None:
    """``expose = "verdict"`` is for clients that show it."""
    sent = Desk(app=answering(reply()), gated=route(expose=Expose.VERDICT)).get()

    assert sent.headers["gatekeeper-verdict"] == "SUPPORTED"
    assert sent.json == reply()


def test_header_of_the_app_that_looks_like_ours_is_not_ours() -> None:
    """An upstream can't speak for the gate."""
    forged = [("Gatekeeper-Verdict", "SUPPORTED"), ("gatekeeper-id", "x")]

    for answer in (GOOD, BAD):
        desk = Desk(app=answering(reply(answer), headers=forged))
        sent = desk.get()

        assert sent.headers["gatekeeper-id"] == desk.telemetry.last.id
        assert sent.headers.get("gatekeeper-verdict") in (None, "FLAGGED")


def test_headers_that_described_the_old_body_go() -> None:
    """A cache or a client that trusts them would cut, reject or keep the new body."""
    old = {
        "ETag": '"1"',
        "Content-MD5": "x",
        "Digest": "x",
        "Content-Digest": "x",
        "Repr-Digest": "x",
        "Accept-Ranges": "bytes",
        "Last-Modified": "x",
        "Expires": "x",
        "Cache-Control": "max-age=60",
        "Signature": "x",
    }
    desk = Desk(app=answering(reply(BAD), headers=[*old.items(), ("X-Trace", "7")]))

    sent = desk.get()

    assert sent.headers["cache-control"] == "no-store"
    assert sent.headers["x-trace"] == "7"
    assert not (set(map(str.lower, old)) - {"cache-control"}) & set(sent.headers)
    assert int(sent.headers["content-length"]) == len(sent.body)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_coded_answers_are_read_and_released_as_coded(coding: str) -> None:
    """A compressing app is checked like any other; a changed body is sent plain."""
    for answer in (GOOD, BAD):
        plain = json.dumps(reply(answer)).encode()
        body = gzip.compress(plain) if coding == "gzip" else zlib.compress(plain)
        sent = Desk(app=answering(body, headers=[("content-encoding", coding)])).get()

        assert ("content-encoding" in sent.headers) == (answer == GOOD)
        assert (sent.body == body) == (answer == GOOD)
        if answer == BAD:
            assert "withheld" in sent.json["answer"]


def test_plain_text_is_replaced_in_utf_8() -> None:
    """The fixed text may hold what the old encoding can't; the header says so."""
    gated = route(answer=Shape.PLAIN, context=(), withheld_text="Zurückgehalten – leider.")
    gate = FakeGate({"90 é": write_verdict("90 é", flagged=["90 é"])})
    latin = "text/plain; charset=ISO-8859-1"
    app = answering("90 é".encode("latin-1"), content_type=latin)

    sent = Desk(app=app, gated=gated, gate=gate).get()

    assert sent.body.decode() == "Zurückgehalten – leider."
    assert sent.headers["content-type"] == "text/plain; charset=utf-8"
    assert sent.headers["gatekeeper-reason"] == "flagged"


def test_top_level_that_is_no_object_takes_no_member() -> None:
    """A list stays a list; the facts are in the headers."""
    gated = replace(route(), answer="/0")
    for action in (Action.WITHHOLD, Action.ANNOTATE):
        desk = Desk(app=answering(json.dumps([BAD, 1])), gated=replace(gated, on_flagged=action))
        sent = desk.get()

        assert sent.json[1:] == [1]
        assert sent.headers["gatekeeper-id"] == desk.telemetry.last.id


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    st.sampled_from([GOOD, BAD, "Hello", "", None, 7, f"{GOOD}\n{BAD}", "\ud83d 90"]),
    st.sampled_from(list(Action)),
    st.sampled_from([*Shape, "/answer"]),
    st.sampled_from(list(Expose)),
    st.sampled_from([1, 3]),
)
def test_declared_length_is_what_is_sent(
    answer: object, action: Action, shape: str, expose: Expose, pieces: int
) -> None:
    """Too few bytes hang a client, too many end up in its next response."""
    document = {"choices": [{"message": {"content": answer}}], "answer": answer, "contexts": [FACT]}
    body = json.dumps(document)
    media = "text/plain" if shape is Shape.PLAIN else "application/json"
    reactions = Reactions(default=action)
    gated = route(
        answer=shape,
        on_flagged=action,
        on_no_claims=action,
        on_not_checked=reactions,
        expose=expose,
    )

    desk = Desk(app=answering(body, content_type=media, pieces=pieces), gated=gated)
    sent = desk.get()

    assert int(sent.headers["content-length"]) == len(sent.body)
    assert sent.is_ended
    assert desk.telemetry.last.action is not None
    if sent.headers["content-type"].endswith("json"):
        json.loads(sent.body)
