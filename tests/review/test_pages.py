"""The way of a label: blind, stored once, then the gate's view, remarks, undo, two people."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatekeeper.errors import StoreError
from gatekeeper.outcomes.records import REASON_CODES, Stored, StoredClaim, Texts
from gatekeeper.outcomes.store import Store
from gatekeeper.review.gateview import REASONS, STATUSES, answers_shown
from gatekeeper.verdict import ClaimStatus, Passage, UnresolvedReason
from tests.outcomes.made import NOON_MS, PASSAGES, ROUTE, accepted, decision, made, unchecked
from tests.review.room import FIRST, PATH, Room, fields, label

SECRETS = r"[0-9a-f]{32,}|17151\d{8}"
HOSTILE = "</div><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}&lt;\"'\u202e\0"
TEXTS = Texts(answers=("Cups are red.",), question="Which?", passages=PASSAGES)


def kept(row: Stored, **changes: object) -> Stored:
    """Return a decision for one reviewer, first in its stratum."""
    return replace(row, u=0.0, second=False, **changes)  # type: ignore[arg-type]


def told(page: str) -> str:
    """Return a page without what differs from one item to the next: ids, times, signatures."""
    return re.sub(SECRETS, "", page)


@pytest.mark.parametrize(
    "other",
    [
        made(accepted(2)),
        made(unchecked(3)),
        kept(made(decision(4)), score=0.7, verdict="UNRESOLVED", reason="budget", claims=()),
        kept(made(decision(5)), mode="enforce", enforced=True, action="WITHHOLD", delivered=False),
    ],
)
def test_page_of_an_item_is_the_same_whatever_the_gate_thought(room: Room, other: Stored) -> None:
    """Not a byte tells verdict, side or score: a label that follows the gate measures nothing."""
    client = room.signed_in()
    pages = []
    for row in (kept(made(decision(1))), kept(other)):
        room.keep(row, texts={row.id: TEXTS})
        pages.append(client.get(PATH))
        label(client)

    assert "Cups are red." in pages[0].text
    assert told(pages[0].text) == told(pages[1].text)
    assert len(pages[0].content) == len(pages[1].content)


def test_item_stays_until_it_is_labelled(room: Room) -> None:
    """Loading a page again is no way past an item, whatever side the next one is of."""
    room.keep_usual(8)
    client = room.signed_in()

    for _ in range(6):
        first = fields(client.get(PATH).text)["decision"]
        assert {fields(client.get(PATH).text)["decision"] for _ in range(5)} == {first}
        assert label(client).status_code == 303
    assert len({number for number in range(1, 9) if room.labels(number)}) == 6


def test_label_is_stored_whole_and_counted_once(room: Room) -> None:
    """Everything that was filled in, with the time the item was handed out."""
    room.keep_usual()
    client = room.signed_in()
    form = fields(client.get(PATH).text)
    room.clock.now_ms += 5_000
    given = {
        **form,
        "truth": "wrong",
        "source_wrong": "yes",
        "harm": "harmful",
        "missed": ["5-9 0-3", "0-3", ""],
        "note": "see\r\npage\0 4",
    }

    said = client.post(f"{PATH}/label", data=given)
    again = client.post(f"{PATH}/label", data={**given, "truth": "correct"})

    found = room.store.show(form["decision"])
    assert found is not None
    [row] = found.as_object()["labels"]
    assert (row["truth"], row["source_wrong"], row["harm"]) == ("wrong", True, "harmful")
    assert (row["missed"], row["note"]) == ([[0, 3], [5, 9]], "see\npage\0 4")
    assert (row["seen_ms"], row["at_ms"]) == (room.clock.now_ms - 5_000, room.clock.now_ms)
    assert (row["reviewer"], row["role"]) == ("ann", "review")
    assert "said=stored" in said.headers["location"]
    assert "the first label counts" in client.get(again.headers["location"]).text
    assert room.counted.given == [(ROUTE, found.decision.side, "wrong")]


def test_harm_of_an_answer_that_is_right_is_left_out(room: Room) -> None:
    """Who changes their mind leaves the box below as it was."""
    room.keep_usual()

    assert label(room.signed_in(), "correct", harm="harmful").status_code == 303


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"truth": "maybe"}, "found truth 'maybe', expected one of wrong, correct, cannot_tell"),
        ({"truth": ""}, "wrong, correct, cannot_tell"),
        ({"harm": "dreadful"}, "found harm 'dreadful', expected one of harmful, harmless"),
        ({"missed": "9-3"}, "found missed 9-3, expected START-END with an end behind its start"),
        ({"missed": "abc"}, "found missed 'abc', expected START-END, characters from 0; nothing"),
        ({"missed": "0-900"}, "offsets from 0 to"),
        ({"missed": [f"{n}-{n + 1}" for n in range(101)]}, "at most 100"),
        ({"note": "x" * 2_001}, "2,000 characters"),
        ({"seen_ms": "1"}, "take the decision again"),
        ({"seen_ms": "x"}, "take the decision again"),
        ({"ticket": ""}, "take the decision again"),
        ({"decision": f"{2:032x}"}, "take the decision again"),
        ({"decision": "none"}, "take the decision again"),
    ],
)
def test_what_is_no_label_is_refused(room: Room, more: dict[str, Any], expected: str) -> None:
    """What was typed and what was expected stand there once each, and nothing is stored."""
    room.keep_usual(3)
    client = room.signed_in()

    said = label(client, **more) if "truth" not in more else label(client, str(more["truth"]))

    assert said.status_code == 422
    text = said.text.replace("&#39;", "'")
    assert expected.lower() in text.lower()
    assert text.lower().count("found") == text.count("expected") == 1
    assert room.counted.given == []


def test_gate_is_shown_after_the_label_only(room: Room) -> None:
    """To others it is the same as a decision that is not there; an admin sees every one."""
    room.keep_usual(1)
    client, other, admin = (room.signed_in(name) for name in ("ann", "bob", "eve"))
    address = f"{PATH}/decision/{FIRST}"

    hidden = [client.get(address), client.get(f"{PATH}/decision/none"), other.get(address)]
    shown = client.get(label(client).headers["location"])

    assert {answer.status_code for answer in hidden} == {404}
    assert len({answer.text for answer in hidden}) == 1
    assert "FLAGGED" in shown.text
    assert other.get(address).status_code == 404
    assert "FLAGGED" in admin.get(address).text


def test_gate_view_marks_claims_and_evidence(room: Room) -> None:
    """By number, style and word, never by colour alone; evidence by the offsets that are stored."""
    claims = (
        claim(0, 21, "SUPPORTED", "verbatim", premises=((0, 0, 7),)),
        claim(22, 35, "CONTRADICTED", "value_clash", premises=((1, 0, 4), (0, 4, 12))),
    )
    row = kept(made(decision(1)), claims=claims)
    texts = Texts(
        answers=("Refunds take 14 days. Cups are red.",), question=None, passages=PASSAGES
    )
    room.keep(row, texts={row.id: texts})
    client = room.signed_in()

    page = client.get(label(client).headers["location"]).text

    assert marks(page, "supported") == ["Refunds take 14 days."]
    assert marks(page, "contradicted") == ["Cups are red."]
    assert marks(page, "evidence") == ["Refu", "nds", " take", "Cups"]
    assert "a value in it clashes with what stands in a passage; passage 2, 1" in page
    assert '<span class="status contradicted">contradicted</span>' in page
    assert "none is stored" in page


def claim(
    start: int, end: int, status: str, reason: str, premises: tuple[tuple[int, int, int], ...]
) -> StoredClaim:
    """Return a claim as it is stored."""
    places = tuple(dict.fromkeys(place for place, _, _ in premises))
    return StoredClaim(
        start=start,
        end=end,
        status=status,
        reason=reason,
        support=0.5,
        contradiction=0.5,
        score=0.5,
        passages=places,
        premises=premises,
    )


def marks(page: str, kind: str) -> list[str]:
    """Return the texts that are marked in one way."""
    return re.findall(rf'<mark class="{kind}"[^>]*>([^<]*)</mark>', page)


def test_answer_of_markup_stays_text(room: Room) -> None:
    """In every place that a text can come to: answer, question, passage, its id, claim, note."""
    row = kept(made(decision(1)), claims=(claim(0, 30, "UNSUPPORTED", "absent", ((0, 0, 50),)),))
    passage = Passage(id=HOSTILE, text=HOSTILE)
    texts = Texts(answers=(HOSTILE, HOSTILE), question=HOSTILE, passages=(passage,))
    room.keep(row, texts={row.id: texts})
    client = room.signed_in()

    blind = client.get(PATH).text
    gate = client.get(label(client, note=HOSTILE).headers["location"]).text

    for page in (blind, gate):
        assert "<script>" not in page
        assert "<img" not in page
        assert "49" not in told(page)
        assert "\u202e" not in page
        assert "\0" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert '>U+202E</span><span class="sign"' in page


def test_every_answer_of_a_decision_is_shown(room: Room) -> None:
    """A stream has choices; what is wrong may be in the last one."""
    claims = (
        claim(0, 4, "SUPPORTED", "supported", ()),
        replace(claim(0, 3, "UNSUPPORTED", "no_support", ()), answer=2),
    )
    row = kept(made(decision(1)), claims=claims)
    texts = Texts(answers=("One.", None, "Two."), question=None, passages=())
    room.keep(row, texts={row.id: texts})
    client = room.signed_in()

    blind = client.get(PATH).text
    gate = client.get(label(client, missed="14-17").headers["location"]).text

    assert [one in blind for one in ("One.", "no text", "Two.", "Answer 3 of 3")] == [True] * 4
    assert [found.base for found in answers_shown(texts)] == [0, 9, 14]
    assert 'value="14-18"' in blind
    assert (marks(gate, "supported"), marks(gate, "unsupported")) == (["One."], ["Two"])


def test_decision_without_texts_can_be_labelled(room: Room) -> None:
    """By its id the answer is found where the app keeps it; in shadow no header is sent."""
    room.keep(kept(made(decision(1))))
    client = room.signed_in()

    blind = client.get(PATH).text
    gate = client.get(label(client).headers["location"]).text

    assert f"<code>{FIRST}</code>" in blind
    assert "request.state.gatekeeper" in blind
    assert "in shadow none does" in " ".join(blind.split())
    assert "characters 21-35" in gate
    assert room.labels() == [("ann", "wrong", True)]


def test_what_the_gate_got_wrong_is_asked_and_kept(room: Room) -> None:
    """Beside the label, which stays as it was."""
    room.keep_usual(1)
    client = room.signed_in()
    page = client.get(label(client).headers["location"])
    form = {name: value for name, value in fields(page.text).items() if name == "token"}
    said = {**form, "wrong_claim": ["1"], "missed": "3-9"}

    went = client.post(f"{PATH}/decision/{FIRST}/gate", data=said)
    page = client.get(f"{PATH}/decision/{FIRST}")

    found = room.store.show(FIRST)
    assert found is not None
    [row] = found.as_object()["labels"]
    assert row["remarks"] == {"claims": [1], "missed": [[3, 9]]}
    assert row["truth"] == "wrong"
    assert went.headers["location"] == PATH
    assert 'value="1" data-key="2" checked' in page.text


@pytest.mark.parametrize("wrong_claim", ["2", "-1", "x", "9" * 30])
def test_remark_on_no_claim_is_refused(room: Room, wrong_claim: str) -> None:
    """A position that is none says nothing of anything."""
    room.keep_usual(1)
    client = room.signed_in()
    token = fields(client.get(label(client).headers["location"]).text)["token"]

    said = client.post(
        f"{PATH}/decision/{FIRST}/gate", data={"token": token, "wrong_claim": wrong_claim}
    )

    assert said.status_code == 422


def test_who_has_not_labelled_says_nothing_of_the_gate(room: Room) -> None:
    """They have not seen it, or have seen it without being asked."""
    room.keep_usual(1)
    client = room.signed_in("eve")
    token = fields(client.get(PATH).text)["token"]

    said = client.post(f"{PATH}/decision/{FIRST}/gate", data={"token": token})

    assert said.status_code == 404


def test_own_label_is_undone_and_the_decision_comes_back(room: Room) -> None:
    """A slip of the finger is not for ever, and is counted as taken back, once."""
    room.keep_usual(1)
    client = room.signed_in()
    form = fields(client.get(label(client).headers["location"]).text)

    undone = client.post(f"{PATH}/decision/{FIRST}/undo", data=form)
    again = client.post(f"{PATH}/decision/{FIRST}/undo", data=form)

    assert "waits again" in client.get(undone.headers["location"]).text
    assert "no label to undo" in client.get(again.headers["location"]).text
    assert room.labels() == [("ann", "wrong", False)]
    assert fields(client.get(PATH).text)["decision"] == FIRST
    assert room.counted.taken == [(ROUTE, "blocked", "wrong")]
    assert client.get(f"{PATH}/decision/{FIRST}").status_code == 404


def test_label_of_another_is_undone_by_an_admin_only(room: Room) -> None:
    """Reviewers don't overrule each other."""
    room.keep_usual(1)
    client, other, admin = (room.signed_in(name) for name in ("ann", "bob", "eve"))
    label(client)
    token = fields(other.get(PATH).text)["token"]
    address = f"{PATH}/decision/{FIRST}/undo"

    refused = other.post(address, data={"token": token, "reviewer": "ann"})
    form = fields(admin.get(f"{PATH}/decision/{FIRST}").text)
    admin.post(address, data=form)

    assert refused.status_code == 403
    assert form["reviewer"] == "ann"
    assert room.labels() == [("ann", "wrong", False)]


def test_two_people_label_what_two_are_to(room: Room) -> None:
    """Neither sees what the other said, before or after; their agreement is counted."""
    room.keep(replace(made(decision(1)), second=True), texts={FIRST: TEXTS})
    client, other = room.signed_in("ann"), room.signed_in("bob")

    label(client, "wrong", note="planted")
    assert "Nothing waits" in client.get(PATH).text
    page = other.get(label(other, "correct").headers["location"]).text

    assert room.labels() == [("ann", "wrong", True), ("bob", "correct", True)]
    assert "ann" not in re.sub(r"[a-z]*ann[a-z]+|[a-z]+ann", "", page)
    assert "<td>1</td><td>0</td><td>0.00</td>" in other.get(f"{PATH}/progress").text


def test_progress_tells_reviewers_no_sides(room: Room) -> None:
    """Who knows which sides are left knows the side of what comes next."""
    room.keep_usual(4)
    label(room.signed_in("bob"))

    page = room.signed_in("ann").get(f"{PATH}/progress").text
    full = room.signed_in("eve").get(f"{PATH}/progress").text

    assert "<td>1</td><td>3</td>" in page
    assert not {"blocked", "accepted", "Side"} & {*re.findall(r"\w+", page)}
    assert {"blocked", "accepted", "Side"} <= {*re.findall(r"\w+", full)}


def test_store_that_is_away_says_so(room: Room) -> None:
    """A page and no traceback; nothing of where the store is; the next request tries again."""
    room.keep_usual(1)
    client = room.signed_in()
    kept_open = room.open_store

    def fail() -> Store:
        raise StoreError("planted address is gone", "planted advice", is_passing=True)

    room.open_store = fail
    away = client.get(PATH)
    program = room.programs().get(f"{PATH}/api/next")
    room.app._desk._failed = None
    room.open_store = kept_open

    assert (away.status_code, away.headers["retry-after"]) == (503, "5")
    assert (
        program.json()["detail"] == "found no outcome store that answers, expected one that "
        "does; nothing is lost; try again"
    )
    assert "planted" not in f"{away.text}{program.text}"
    assert ("review_store_failed", {"error": "StoreError"}) in room.noted.events
    assert client.get(PATH).status_code == 200


def test_error_of_the_page_shows_no_text(room: Room) -> None:
    """What an error quotes may be an answer."""

    def fail() -> Store:
        raise ZeroDivisionError("planted")

    room.open_store = fail
    said = room.signed_in().get(PATH)

    assert said.status_code == 500
    assert "planted" not in f"{said.text}{room.noted.events}"


def test_every_status_and_reason_has_its_words() -> None:
    """A code on a page is one more thing to look up."""
    assert STATUSES.keys() == {str(status) for status in ClaimStatus}
    assert REASONS.keys() == REASON_CODES | {str(reason) for reason in UnresolvedReason}


@given(st.lists(st.none() | st.text("ab. \n\r\0\u202e😀", max_size=20), max_size=3))
def test_sentences_have_the_offsets_of_the_joined_text(answers: list[str | None]) -> None:
    """A box that is ticked marks what stands beside it."""
    texts = Texts(answers=tuple(answers), question=None, passages=())
    joined = "\n---\n".join(text or "" for text in answers)

    for answer, shown in zip(answers, answers_shown(texts), strict=True):
        for start, end, _ in shown.sentences:
            assert joined[start:end] == (answer or "")[start - shown.base : end - shown.base]


def test_time_of_an_item_is_when_it_was_handed_out(room: Room) -> None:
    """What was stored after it was not passed over, and what it says is signed."""
    room.keep_usual(1)
    client = room.signed_in()
    form = fields(client.get(PATH).text)

    assert int(form["seen_ms"]) == NOON_MS + 60_000
