"""The other protocols: events and lines of JSON, events of text, text in pieces, responses."""

import gzip
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from gatekeeper.asgi.streams.dialect import BREAK
from gatekeeper.policy import Shape, StreamMode
from gatekeeper.verdict import Action
from tests.asgi.streams.staging import (
    DONE,
    EVENTS,
    FALSE,
    LINES,
    TRUE,
    WITHHELD,
    desk,
    documents,
    lines,
    said,
    streaming,
    words,
)

Parts = Callable[[str], list[bytes]]


def told(text: str) -> list[bytes]:
    """Return events whose data is a piece of the answer."""
    return [f"event: token\ndata: {word}\n\n".encode() for word in words(text)]


def pieces(text: str) -> list[bytes]:
    """Return a text in pieces."""
    return [word.encode() for word in words(text)]


POINTED: dict[str, Any] = {"answer": "/answer", "stream_answer": "/delta"}
PLAIN: dict[str, Any] = {"answer": Shape.PLAIN}
PROTOCOLS = [
    pytest.param(said, EVENTS, POINTED, id="events"),
    pytest.param(told, EVENTS, PLAIN, id="text-events"),
    pytest.param(lines, LINES, POINTED, id="lines"),
    pytest.param(pieces, "text/plain", PLAIN, id="text"),
]


@pytest.mark.parametrize(("parts", "media", "changes"), PROTOCOLS)
def test_true_answers_keep_their_bytes(parts: Parts, media: str, changes: dict[str, Any]) -> None:
    """Every protocol is let go as it came."""
    at = desk(streaming(parts(TRUE), media=media), **changes)

    sent = at.get()

    assert sent.body == b"".join(parts(TRUE))
    assert at.telemetry.last.action is Action.RELEASE
    assert len([m for m in sent.messages if m.get("body")]) > 1


@pytest.mark.parametrize(("parts", "media", "changes"), PROTOCOLS)
def test_false_answers_end_behind_what_was_true(
    parts: Parts, media: str, changes: dict[str, Any]
) -> None:
    """What went out is a prefix; nothing of the false sentence is in it."""
    at = desk(streaming(parts(FALSE), media=media), **changes)

    sent = at.get()

    true = b"".join(parts(FALSE)[:4])
    assert sent.body.startswith(true)
    assert b"tall" not in sent.body
    assert WITHHELD.encode() in sent.body[len(true) :]
    assert at.telemetry.last.action is Action.WITHHOLD


def test_events_end_with_a_text_and_an_event_of_their_own() -> None:
    """A page shows the text as any other, and can listen for the rest."""
    sent = desk(streaming(said(FALSE)), **POINTED).get()

    assert documents(sent.body)[-2] == {"delta": f"\n\n{WITHHELD}"}
    assert b"event: gatekeeper\ndata: " in sent.body
    assert documents(sent.body)[-1]["withheld"] is True
    assert documents(sent.body)[-1]["verdict"] == "FLAGGED"


def test_events_of_text_keep_their_name_and_their_lines() -> None:
    """A listener for the app's events must hear the text that stands for the rest."""
    text = "One line.\nAnother."
    at = desk(streaming(told("The gate is tall. So it is.")), **PLAIN, withheld_text=text)

    sent = at.get()

    assert sent.body.startswith(b"event: token\ndata: One line.\ndata: Another.\n\n")


def test_lines_end_with_one_object() -> None:
    """A reader of lines needs no other format for the last one."""
    sent = desk(streaming(lines(FALSE), media=LINES), **POINTED).get()

    last = json.loads(sent.body.splitlines()[-1])
    assert last["delta"] == f"\n\n{WITHHELD}"
    assert last["gatekeeper"]["withheld"] is True


def test_line_that_clients_read_differently_is_a_shape() -> None:
    """To JSON a carriage return is a blank, to some readers of lines it ends one."""
    smuggled = b'{"type":"x",\r"delta":"The gate is tall."}\n'
    at = desk(streaming([*lines("The gate is red."), smuggled], media=LINES), **POINTED)

    sent = at.get()

    assert at.telemetry.last.verdict.reason == "shape"
    assert b"tall" not in sent.body


@pytest.mark.parametrize(
    "several", [b'[{"delta":"It is tall."}]', b'{"delta":"It is tall."}{"delta":""}']
)
def test_several_documents_in_one_line_are_a_shape(several: bytes) -> None:
    """There are readers that take them one by one."""
    at = desk(streaming([*lines("The gate is red."), several + b"\n"], media=LINES), **POINTED)

    sent = at.get()

    assert at.telemetry.last.verdict.reason == "shape"
    assert b"tall" not in sent.body


def test_text_is_let_go_to_the_character() -> None:
    """A piece of text is no unit: the first sentence of one goes out without the second."""
    at = desk(streaming([FALSE.encode()], media="text/plain"), **PLAIN)

    sent = at.get()

    assert sent.body.decode() == f"Refunds take 14 days. \n\n{WITHHELD}"


def test_text_that_is_none_in_its_encoding_is_a_shape() -> None:
    """Clients would each show something else."""
    parts = [b"The gate is red. The \xff lamp", b" is green."]
    at = desk(streaming(parts, media="text/plain"), **PLAIN)

    sent = at.get()

    assert at.telemetry.last.verdict.reason == "shape"
    assert b"\xff" not in sent.body


def test_text_with_a_length_is_no_stream() -> None:
    """Its length could not be kept if it were stopped."""
    body = FALSE.encode()
    length = [(b"content-length", str(len(body)).encode())]
    at = desk(streaming([body], media="text/plain", headers=length), **PLAIN)

    sent = at.get()

    assert sent.body.decode() == WITHHELD


@pytest.mark.parametrize(
    ("media", "coding", "reason"),
    [("text/plain; charset=koi8-r", b"identity", "shape"), ("text/plain", b"gzip", "None")],
)
def test_text_that_can_not_be_read_in_pieces_is_held(
    media: str, coding: bytes, reason: str
) -> None:
    """It is checked, or not, as a whole one."""
    body = gzip.compress(FALSE.encode()) if coding == b"gzip" else FALSE.encode()
    headers = [(b"content-encoding", coding)]
    at = desk(streaming([body[:9], body[9:]], media=media, headers=headers), **PLAIN)

    sent = at.get()

    assert str(at.telemetry.last.verdict.reason) == reason
    assert int(sent.headers["content-length"]) == len(sent.body)
    assert b"tall" not in sent.body


def test_lines_of_another_shape_are_not_read() -> None:
    """A chat completion in lines is nothing that clients know."""
    at = desk(streaming(lines(TRUE), media=LINES))

    sent = at.get()

    assert at.telemetry.last.verdict.reason == "shape"
    assert sent.status == 422


def event(kind: str, **members: Any) -> bytes:
    """Return an event of a response."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode()


def response(text: str, *, whole: str | None = None) -> list[bytes]:
    """Return the events of a response with one message."""
    place = {"item_id": "m1", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"id": "m1", "type": "message", "role": "assistant", "content": []}
    full = {**item, "content": [{**part, "text": whole or text}]}
    head = {"id": "r1", "object": "response", "model": "m"}
    return [
        event("response.created", response={**head, "status": "in_progress", "output": []}),
        event("response.output_item.added", output_index=0, item=item),
        event("response.content_part.added", **place, part={**part, "text": ""}),
        *(
            event("response.output_text.delta", **place, delta=word, sequence_number=n)
            for n, word in enumerate(words(text), 3)
        ),
        event("response.output_text.done", **place, text=text),
        event("response.content_part.done", **place, part=part),
        event("response.output_item.done", output_index=0, item=full),
        event("response.completed", response={**head, "status": "completed", "output": [full]}),
    ]


RESPONSES: dict[str, Any] = {"answer": Shape.OPENAI_RESPONSES}


def kinds(body: bytes) -> list[str]:
    """Return the types of all events of a body."""
    return [str(document["type"]) for document in documents(body)]


def test_true_response_keeps_its_bytes() -> None:
    """Its text stands in five places and is checked once."""
    at = desk(streaming(response(TRUE)), **RESPONSES)

    sent = at.get()

    assert sent.body == b"".join(response(TRUE))
    assert len(at.telemetry.last.verdict.claims) == 3


def test_false_response_ends_with_its_own_terminal_event() -> None:
    """Clients of this protocol wait for one; it says what the whole response is now."""
    sent = desk(streaming(response(FALSE)), **RESPONSES).get()

    shown = f"Refunds take 14 days.\n\n{WITHHELD}"
    last = documents(sent.body)[-1]
    assert kinds(sent.body)[-5:] == [
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.incomplete",
    ]
    assert last["response"]["incomplete_details"] == {"reason": "content_filter"}
    assert last["response"]["output"][0]["content"][0]["text"] == shown
    assert last["response"]["id"] == "r1"
    assert last["gatekeeper"]["verdict"] == "FLAGGED"
    numbers = [d["sequence_number"] for d in documents(sent.body) if "sequence_number" in d]
    assert numbers == [3, 4, 5, 6, 7, 8, 9, 10, 11]
    deltas = [d["delta"] for d in documents(sent.body) if d["type"].endswith("text.delta")]
    assert "".join(deltas) == shown


def test_false_from_the_first_word_opens_what_it_closes() -> None:
    """No part may end that never began."""
    sent = desk(streaming(response("The gate is tall. So it is.")), **RESPONSES).get()

    assert kinds(sent.body) == [
        "response.created",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.incomplete",
    ]


def test_ending_keeps_the_ids_and_the_order_of_items_known_by_deltas_alone() -> None:
    """Another id would be another message, and a place in the output is the item's index."""
    second = {"item_id": "m2", "output_index": 1, "content_index": 0}
    first = {"item_id": "m1", "output_index": 0, "content_index": 0}
    deltas = [
        event("response.output_text.delta", **second, delta="Refunds take 14 days."),
        event("response.output_text.done", **second, text="Refunds take 14 days."),
        event("response.output_text.delta", **first, delta="Refunds take 14 days. "),
        event("response.output_text.delta", **first, delta="The gate is tall. So it is."),
    ]

    sent = desk(streaming([*response(TRUE)[:1], *deltas]), **RESPONSES).get()

    output = documents(sent.body)[-1]["response"]["output"]
    assert [item["id"] for item in output] == ["m1", "m2"]
    assert [item["content"][0]["text"] for item in output] == [
        f"Refunds take 14 days. {BREAK}{WITHHELD}",
        "Refunds take 14 days.",
    ]


def test_an_ending_opens_no_item_at_a_place_that_is_taken() -> None:
    """The text of two items at one index would be shown as one."""
    place = {"item_id": "m4", "output_index": 4, "content_index": 0}
    parts = [
        *response(TRUE)[:1],
        event("response.output_text.delta", **place, delta="Refunds take 14 days."),
        event("response.output_text.done", **place, text="Refunds take 14 days."),
        event("response.output_text.delta", output_index=0, delta="The gate is tall. So it is."),
    ]

    sent = desk(streaming(parts), **RESPONSES).get()

    added = [d for d in documents(sent.body) if d["type"] == "response.output_item.added"]
    assert [(d["output_index"], d["item"]["id"]) for d in added] == [(5, "msg_withheld_5")]


@pytest.mark.parametrize(
    "odd",
    [
        response("The gate is red.", whole="The gate is tall.")[-2],
        event("response.reasoning_text.delta", delta="The gate is tall."),
        event("response.output_text.delta", delta=7),
        event("response.output_item.done", item={"type": "message", "content": "It is tall."}),
        event("response.output_item.done", item={"type": "announcement", "text": "tall"}),
        event(
            "response.content_part.done", part={"type": "refusal", "refusal": "", "text": "tall"}
        ),
        event("response.output_item.added", item={"type": "reasoning", "summary": ["tall"]}),
        b'event: response.output_text.delta\ndata: {"delta":"The gate is tall."}\n\n',
        b'event: response.output_text.delta\ndata: {"type":"ping","delta":"tall"}\n\n',
        b'data: [{"type":"response.output_text.delta","delta":"tall"}]\n\n',
    ],
)
def test_what_says_something_else_is_a_shape(odd: bytes) -> None:
    """A client may show the whole text at the end instead of its pieces."""
    parts = [*response("The gate is red.")[:-2], odd]
    at = desk(streaming(parts), **RESPONSES)

    sent = at.get()

    assert at.telemetry.last.verdict.reason == "shape"
    assert b"tall" not in sent.body


def test_call_that_stands_only_in_the_whole_response_is_no_text() -> None:
    """It was never told of in an event of its own."""
    call = {"type": "function_call", "name": "f", "arguments": "tall"}
    whole = event("response.completed", response={"output": [call]})
    at = desk(streaming([*response("The gate is red.")[:-1], whole]), **RESPONSES)

    sent = at.get()

    assert at.telemetry.last.verdict.reason == "no_text"
    assert b"tall" not in sent.body


def test_function_call_of_a_response_is_no_text() -> None:
    """As a tool call of a chat."""
    call = event("response.output_item.added", item={"type": "function_call", "name": "f"})
    at = desk(streaming([response(TRUE)[0], call]), **RESPONSES)

    at.get()

    assert at.telemetry.last.verdict.reason == "no_text"


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Action.WITHHOLD, WITHHELD),
        (Action.REDACT, "Refunds take 14 days. [removed: not supported] The lamp is green."),
    ],
)
@pytest.mark.parametrize(
    ("parts", "changes"),
    [(said(FALSE), POINTED), (told(FALSE), PLAIN), (response(FALSE), RESPONSES)],
    ids=["events", "text-events", "responses"],
)
def test_held_whole_the_answer_is_changed_in_its_place(
    parts: Sequence[bytes], changes: dict[str, Any], action: Action, text: str
) -> None:
    """Every action is possible, and every other frame stays."""
    extra = b": sources\n\n"
    app = streaming([extra, *parts, DONE])
    at = desk(app, **changes, stream=StreamMode.WHOLE, on_flagged=action)

    sent = at.get()

    assert sent.body.startswith(extra)
    assert sent.body.endswith(DONE)
    assert b"tall" not in sent.body
    assert text in sent.body.decode()
    assert int(sent.headers["content-length"]) == len(sent.body)
