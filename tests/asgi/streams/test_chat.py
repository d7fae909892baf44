"""Chat streams sentence by sentence: what goes out when, and how a stopped one ends."""

import json

import pytest

from gatekeeper.policy import Expose, Reactions, StreamMode
from gatekeeper.verdict import Action, Outcome
from tests.asgi.streams.staging import (
    DONE,
    FALSE,
    TRUE,
    WITHHELD,
    chat,
    chunk,
    content,
    desk,
    documents,
    finishes,
    play,
    streaming,
    words,
)
from tests.asgi.wire import ALL_WITHHELD

NO_CALLS = Reactions(default=Action.WITHHOLD, by_reason={"no_text": Action.RELEASE})


def test_true_answer_goes_out_byte_for_byte() -> None:
    """A gate that changes what it lets pass breaks clients."""
    parts = chat(TRUE)

    at, sent = play(parts)

    assert sent.body == b"".join(parts)
    assert sent.is_ended
    assert at.telemetry.last.verdict.outcome is Outcome.SUPPORTED
    assert at.telemetry.last.action is Action.RELEASE


def test_sentences_go_out_while_the_rest_is_written() -> None:
    """Held to its end a stream is none."""
    _, sent = play(chat(TRUE))

    bodies = [content(m["body"]) for m in sent.messages if m["type"] == "http.response.body"]
    assert bodies == ["Refunds take 14 days.", " The gate is red.", " The lamp is green.", ""]


def test_false_sentence_ends_the_stream_in_words_of_the_protocol() -> None:
    """Clients hang, or call it broken, without an end they know."""
    parts = chat(FALSE)

    at, sent = play(parts)

    assert sent.body.startswith(b"".join(parts[:5]))
    assert content(sent.body) == f"Refunds take 14 days.\n\n{WITHHELD}"
    assert finishes(sent.body) == ["content_filter"]
    assert sent.body.endswith(DONE)
    assert documents(sent.body)[-1]["gatekeeper"] == {
        "id": "d1",
        "verdict": "FLAGGED",
        "reason": "flagged",
        "counts": {"SUPPORTED": 1, "UNSUPPORTED": 1},
    }
    assert {d["id"] for d in documents(sent.body)} == {"c1"}
    assert at.telemetry.last.action is Action.WITHHOLD


def test_start_says_nothing_of_an_end_nobody_knows() -> None:
    """A length, a validator or a digest of the app's bytes would be wrong once it is stopped."""
    headers = [(b"content-length", b"9"), (b"etag", b'"1"'), (b"cache-control", b"public")]
    at = desk(streaming(chat(FALSE), headers=headers))

    sent = at.get()

    assert sent.headers == {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
        "gatekeeper-id": "d1",
    }


def test_stopped_before_anything_went_out_it_is_a_response_like_any_other() -> None:
    """Then the status and the headers can still say it."""
    _, sent = play(chat("The gate is tall. The lamp is green."))

    assert sent.status == 200
    assert sent.headers["gatekeeper-verdict"] == "FLAGGED"
    assert int(sent.headers["content-length"]) == len(sent.body)
    assert content(sent.body) == WITHHELD
    assert documents(sent.body)[0]["choices"][0]["delta"]["role"] == "assistant"


def test_block_is_a_problem_report_only_before_the_start() -> None:
    """A status can't be called back: behind the start both actions mean the same."""
    _, early = play(chat("The gate is tall. The lamp is green."), on_flagged=Action.BLOCK)
    at, late = play(chat(FALSE), on_flagged=Action.BLOCK)

    assert early.status == 422
    assert late.status == 200
    assert finishes(late.body) == ["content_filter"]
    assert at.telemetry.last.action is Action.BLOCK


@pytest.mark.parametrize("expose", [Expose.ID, Expose.NONE])
def test_released_stream_says_no_more_than_its_id(expose: Expose) -> None:
    """The bytes are the app's own unless the policy exposes the verdict."""
    parts = chat(TRUE)

    _, sent = play(parts, expose=expose)

    assert sent.body == b"".join(parts)
    assert ("gatekeeper-id" in sent.headers) == (expose is Expose.ID)


def test_exposed_verdict_stands_before_what_closes_the_stream() -> None:
    """Clients stop reading at the end, and look for a choice in every chunk."""
    parts = chat(TRUE)

    _, sent = play(parts, expose=Expose.VERDICT)

    [told] = [d for d in documents(sent.body) if "gatekeeper" in d]
    assert told["gatekeeper"]["verdict"] == "SUPPORTED"
    assert told["choices"] == [{"index": 0, "delta": {}, "finish_reason": None}]
    note = b"data: " + json.dumps(told, separators=(",", ":")).encode() + b"\n\n"
    assert sent.body == b"".join([*parts[:-2], note, *parts[-2:]])


def test_nothing_is_told_where_nothing_is_exposed() -> None:
    """`none` holds for a stopped stream too."""
    _, sent = play(chat(FALSE), expose=Expose.NONE)

    assert b"gatekeeper" not in sent.body
    assert "gatekeeper-id" not in sent.headers


def test_each_choice_has_a_check_of_its_own() -> None:
    """One false choice stops all, for one pointer serves them."""
    texts = ("Refunds take 14 days. The", " gate is red."), ("The lamp is", " yellow.")
    parts = [
        chunk(texts[0][0]),
        chunk(texts[1][0], index=1),
        chunk(texts[1][1], index=1),
        chunk(texts[0][1]),
        chunk(finish="stop"),
        chunk(finish="stop", index=1),
        DONE,
    ]

    at, sent = play(parts)

    assert "yellow" not in content(sent.body, 1)
    assert content(sent.body, 1) == WITHHELD
    assert finishes(sent.body, 0) == finishes(sent.body, 1) == ["content_filter"]
    assert at.telemetry.last.verdict.outcome is Outcome.FLAGGED


def test_true_choices_go_out_whole() -> None:
    """Choices that take turns keep their order and their bytes."""
    parts = [
        chunk("Refunds take"),
        chunk("The gate is", index=1),
        chunk(" 14 days."),
        chunk(" red.", index=1),
        chunk(finish="stop", index=1),
        chunk(finish="stop"),
        DONE,
    ]

    at, sent = play(parts)

    assert sent.body == b"".join(parts)
    assert len(at.telemetry.last.verdict.claims) == 2


def test_tool_calls_alone_are_no_text() -> None:
    """An answer without text was not verified, so it may not read as supported."""
    call = {"index": 0, "id": "t", "function": {"name": "f", "arguments": "{}"}}
    parts = [chunk(role="assistant", tool_calls=[call]), chunk(finish="tool_calls"), DONE]

    at, held = play(parts)
    _, passed = play(parts, on_not_checked=NO_CALLS)

    assert at.telemetry.last.verdict.reason == "no_text"
    assert held.status == 422
    assert passed.body == b"".join(parts)


def test_text_beside_released_calls_is_checked_all_the_same() -> None:
    """A policy that lets calls pass does not let pass what is false beside them."""
    call = {"index": 0, "id": "t", "function": {"name": "f", "arguments": "{}"}}
    parts = [chunk("The gate is tall."), chunk(tool_calls=[call]), chunk(finish="stop"), DONE]

    at, sent = play(parts, on_not_checked=NO_CALLS)

    assert at.telemetry.last.verdict.outcome is Outcome.FLAGGED
    assert "tall" not in content(sent.body)


def test_unknown_frames_pass_in_their_place() -> None:
    """One stray chunk must not turn a good answer into a refusal."""
    good = chat(TRUE)
    parts = [b": hello\n\n", good[0], b"event: ping\ndata: {}\n\n", *good[1:4]]
    parts += [b"data: \xff\xfe stray\n\n", *good[4:], b"retry: 5\n\n"]

    at, sent = play(parts)

    assert sent.body == b"".join(parts)
    assert at.telemetry.last.action is Action.RELEASE


@pytest.mark.parametrize(
    "odd",
    [
        chunk("Fine.", reasoning_content="The gate is tall."),
        b'data: {"choices":[{"index":0,"delta":{"content":"a","content":"b"}}]}\n\n',
        b'data: {"choices":[{"index":0,"delta":{"content":7}}]}\n\n',
        b'data: {"choices":[7]}\n\n',
        b'data: {"choices":{"0":{"delta":{"content":"It is tall."}}}}\n\n',
        b"data: [" + chunk("It is tall.")[6:].strip() + b"]\n\n",
        chunk("It is tall.").strip() + b"\n" + chunk(" The lamp is green."),
        chunk("It is tall.").strip() + b" \x00\n\n",
        chunk("It is tall.").replace(b"is tall", b"is\ttall"),
        b"data: ping\n" + chunk("It is tall."),
    ],
)
def test_text_in_a_place_nobody_reads_is_a_shape(odd: bytes) -> None:
    """What clients may show and the gate does not read must not pass."""
    at, sent = play([*chat("Refunds take 14 days. The lamp")[:-2], odd, DONE])

    assert at.telemetry.last.verdict.reason == "shape"
    assert odd not in sent.body
    assert finishes(sent.body) == ["content_filter"]


@pytest.mark.parametrize(
    "stray", [b"{", b"{broken: 1}", b'{"choices":[{"delta":', b"[1, 2]", b"7 x"]
)
def test_what_nobody_reads_as_json_passes(stray: bytes) -> None:
    """Neither does it make an answer unreadable that it merely looks like one."""
    parts = [*chat(TRUE)[:3], b"data: " + stray + b"\n\n", *chat(TRUE)[3:]]

    at, sent = play(parts)

    assert sent.body == b"".join(parts)
    assert at.telemetry.last.action is Action.RELEASE


def test_empty_reason_is_no_end() -> None:
    """Some servers send one with each chunk, and their clients read on."""
    parts = [chunk(word, "") for word in words(FALSE)] + [chunk(finish="stop"), DONE]

    at, sent = play(parts)

    assert at.telemetry.last.verdict.outcome is Outcome.FLAGGED
    assert content(sent.body).startswith("Refunds take 14 days.")
    assert finishes(sent.body) == ["content_filter"]


def test_text_behind_the_end_of_its_choice_is_a_shape() -> None:
    """Some clients go on reading."""
    at, sent = play([chunk("The gate is red."), chunk(finish="stop"), chunk(" It is tall.")])

    assert at.telemetry.last.verdict.reason == "shape"
    assert "tall" not in content(sent.body)


def test_more_choices_than_the_bound_are_a_size() -> None:
    """Each choice is a check."""
    at, _ = play([chunk("The gate is red.", index=128), DONE])

    assert at.telemetry.last.verdict.reason == "size"


def test_answer_without_claims_waits_where_those_are_withheld() -> None:
    """A greeting goes out only once it is certain that it is not all there is."""
    parts = chat("Hello there! Refunds take 14 days.")

    _, held = play(chat("Hello there!"), on_no_claims=Action.WITHHOLD)
    _, passed = play(parts, on_no_claims=Action.WITHHOLD)

    assert content(held.body) == WITHHELD
    assert passed.body == b"".join(parts)


def test_release_then_stop_lets_text_out_at_once_and_counts_it() -> None:
    """It is the one mode in which unchecked text reaches a user, so it has a counter."""
    at, sent = play(chat(FALSE), stream=StreamMode.RELEASE_THEN_STOP)

    assert "The gate is tall." in content(sent.body)
    assert finishes(sent.body) == ["content_filter"]
    assert at.telemetry.last.released_early
    assert at.telemetry.last.action is Action.WITHHOLD


def test_by_sentence_releases_nothing_early() -> None:
    """The counter tells the two modes apart."""
    at, _ = play(chat(TRUE))

    assert not at.telemetry.last.released_early


def test_stream_without_evidence_claims_nothing() -> None:
    """Retrieval that found nothing is a reason of its own, at the first claim."""
    at = desk(streaming(chat("Hello there! The gate is red. So it is."), passages=" "))

    sent = at.get()

    assert at.telemetry.last.verdict.reason == "no_context"
    assert content(sent.body) == f"Hello there!\n\n{WITHHELD}"


def test_foreign_answer_is_held_to_its_end() -> None:
    """A prefix tells little of a language; nothing of it goes out before."""
    at, sent = play(chat("Die Frist ist vierzehn Tage. Das ist nicht mehr und nicht weniger. Gut."))

    assert at.telemetry.last.verdict.reason == "language"
    assert content(sent.body) == WITHHELD


def test_reasons_that_the_policy_releases_pass_untouched() -> None:
    """Not checked and released means the app's own bytes and headers."""
    parts = [b"data: no json at all\n\n", b"data: nor this\n\n", b"tail"]
    named = Reactions(default=Action.WITHHOLD, by_reason={"shape": Action.RELEASE})
    headers = [(b"etag", b'"1"')]
    at = desk(streaming(parts, headers=headers), on_not_checked=named)

    sent = at.get()

    assert sent.body == b"".join(parts)
    assert sent.headers == {"content-type": "text/event-stream", "etag": '"1"'}
    assert at.telemetry.last.verdict.reason == "shape"


def test_shape_released_in_the_middle_passes_all_that_follows() -> None:
    """What the policy lets go is not cut somewhere."""
    odd = chunk("Fine.", reasoning_content="Because.")
    parts = [*chat(TRUE)[:9], odd, *chat(TRUE)[9:]]
    named = Reactions(default=Action.WITHHOLD, by_reason={"shape": Action.RELEASE})

    at, sent = play(parts, on_not_checked=named)

    assert sent.body == b"".join(parts)
    assert at.telemetry.last.action is Action.RELEASE
    assert sent.is_ended


@pytest.mark.parametrize("default", [ALL_WITHHELD])
def test_empty_stream_is_no_text(default: Reactions) -> None:
    """Nothing was said, so nothing was verified."""
    at, sent = play([], on_not_checked=default)

    assert at.telemetry.last.verdict.reason == "no_text"
    assert sent.status == 422
