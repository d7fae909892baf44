"""The same by HTTP: JSON and tables, each fault with what was found, expected, and what to do."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from gatekeeper.outcomes.records import Texts, texts_of
from tests.outcomes.made import ROUTE, decision, made
from tests.review.room import FIRST, PATH, Room, fields, label

API = f"{PATH}/api"


@pytest.fixture
def kept(room: Room) -> Room:
    """Return a room with decisions."""
    room.keep_usual()
    return room


def give(client: TestClient, **more: Any) -> Any:
    """Label the next decision by HTTP."""
    item = client.get(f"{API}/next").json()
    said = {"truth": "wrong", "seen_ms": item["seen_ms"], "ticket": item["ticket"], **more}
    return client.post(f"{API}/decisions/{item['decision']}/label", json=said)


def test_next_one_is_blind(kept: Room) -> None:
    """The words of an answer, and nothing that the gate thought of it."""
    item = kept.programs().get(f"{API}/next").json()

    assert item.keys() == {
        *("decision", "route", "at", "seen_ms", "ticket", "question", "answers", "passages"),
    }
    assert item["passages"][0] == {"id": "a", "text": "Refunds take 14 days."}
    assert item["question"] == "How long?"


def test_nothing_waits_is_an_answer(room: Room) -> None:
    """An empty queue is no fault, and no empty object."""
    assert room.programs().get(f"{API}/next").status_code == 204


def test_decision_without_texts_is_handed_out(room: Room) -> None:
    """Programs have the answers; the id is what they need."""
    room.keep_usual(1)
    room.store.erase(FIRST)

    item = room.programs().get(f"{API}/next").json()

    assert (item["decision"], item["answers"], item["passages"]) == (FIRST, None, None)


def test_label_by_http_is_a_label(kept: Room) -> None:
    """Stored, counted, and followed by the gate's view; a second one is refused."""
    client = kept.programs()

    first = give(client, harm="harmless", missed=[[0, 3]], note="a", source_wrong=True)
    decision = first.json()["decision"]
    again = client.post(f"{API}/decisions/{decision}/label", json={"truth": "correct"})
    shown = client.get(f"{API}/decisions/{decision}").json()

    assert first.status_code == 201
    assert again.status_code == 409
    assert again.json()["advice"] == "the first label counts; undo it to give another"
    [row] = shown["labels"]
    assert (row["truth"], row["harm"], row["note"]) == ("wrong", "harmless", "a")
    assert shown["decision"]["verdict"] in ("FLAGGED", "SUPPORTED")
    assert len(kept.counted.given) == 1


def test_decision_is_shown_after_the_own_label_or_to_admins(kept: Room) -> None:
    """Others get the same as for one that is not there; a reviewer sees no other's label."""
    client, other, admin = (kept.programs(name) for name in ("ann", "bob", "eve"))
    decision = give(client).json()["decision"]

    hidden = [other.get(f"{API}/decisions/{name}") for name in (decision, "none")]
    client.post(f"{API}/decisions/{decision}/label", json={"truth": "correct"})
    admin.post(f"{API}/decisions/{decision}/label", json={"truth": "correct"})

    assert [answer.status_code for answer in hidden] == [404, 404]
    assert hidden[0].json() == hidden[1].json()
    own, all_ = (one.get(f"{API}/decisions/{decision}").json()["labels"] for one in (client, admin))
    assert [row["reviewer"] for row in own] == ["ann"]
    assert [row["reviewer"] for row in all_] == ["ann", "eve"]
    assert [row["role"] for row in all_] == ["review", "admin"]


def test_label_without_a_ticket_is_of_now(kept: Room) -> None:
    """Who labels what a customer complained of was not handed it."""
    kept.clock.now_ms += 9
    kept.programs().post(f"{API}/decisions/{FIRST}/label", json={"truth": "wrong"})

    found = kept.store.show(FIRST)
    assert found is not None
    assert found.labels[0]["seen_ms"] == kept.clock.now_ms


@pytest.mark.parametrize(
    ("said", "found", "expected"),
    [
        ({}, "truth null", "one of wrong, correct"),
        ({"truth": 1}, "truth 1", "one of wrong"),
        ({"truth": ["wrong"]}, "truth ['wrong']", "one of wrong"),
        ({"truth": "x" * 900}, "truth 'xxxx", "one of wrong"),
        ({"truth": "wrong", "side": "blocked"}, "the key 'side'", "an object with keys of truth"),
        ({"truth": "correct", "harm": "harmful"}, "harm 'harmful' on truth 'correct'", "none"),
        ({"truth": "wrong", "note": 1}, "note another value", "a string"),
        ({"truth": "wrong", "source_wrong": "false"}, "source_wrong 'false'", "true or false"),
        ({"truth": "wrong", "missed": [[0, 2], [1]]}, "missed [1]", "a list of"),
        ({"truth": "wrong", "missed": "0-3"}, "missed '0-3'", "a list of"),
        ({"truth": "wrong", "missed": [[True, 3]]}, "missed [true, 3]", "a list of"),
        ({"truth": "wrong", "missed": [[0, 10**12]]}, "missed [0, 1000000000000]", "a list of"),
        ({"truth": "wrong", "missed": [[9, 3]]}, "missed 9-3", "an end behind its start"),
        ({"truth": "wrong", "missed": [[0, 9_000]]}, "missed 0-9000", "offsets from 0 to"),
        ({"truth": "wrong", "seen_ms": 1}, "another ticket", "that of this decision"),
        ({"truth": "wrong", "seen_ms": "1", "ticket": "x"}, "another ticket", "that of this"),
        ([], "[]", "an object"),
    ],
)
def test_what_is_no_label_is_refused(kept: Room, said: object, found: str, expected: str) -> None:
    """Programs are told what they sent, cut short, and what to send; nothing is stored."""
    answer = kept.programs().post(f"{API}/decisions/{FIRST}/label", json=said)

    told = answer.json()
    assert (answer.status_code, told["status"]) == (422, 422)
    assert told["found"].startswith(found)
    assert len(told["found"]) < 80
    assert expected in told["expected"]
    assert told["advice"]
    assert told.keys() == {"type", "title", "status", "detail", "found", "expected", "advice"}
    assert kept.labels() == []


@pytest.mark.parametrize("body", [b"{", b"[" * 60_000, b'{"truth": 1e999}', b"\xff"])
def test_what_is_no_json_is_refused(kept: Room, body: bytes) -> None:
    """Neither deep nests nor bytes that are no text bring anything down."""
    headers = {"content-type": "application/json"}

    answer = kept.programs().post(f"{API}/decisions/{FIRST}/label", content=body, headers=headers)

    assert answer.status_code in (400, 422)


def test_large_bodies_are_not_read(kept: Room) -> None:
    """A label is short; a table may be longer, within bounds."""
    client = kept.programs()

    long = client.post(f"{API}/decisions/{FIRST}/label", json={"note": "x" * 64_000})
    table = client.post(
        f"{API}/labels.csv", content=b"x" * 5_000_001, headers={"content-type": "text/csv"}
    )

    assert (long.status_code, table.status_code) == (413, 413)


def test_ticket_is_good_for_one_person_and_decision(kept: Room) -> None:
    """Else one could be handed around to date a label back."""
    item = kept.programs("ann").get(f"{API}/next").json()
    said = {"truth": "wrong", "seen_ms": item["seen_ms"], "ticket": item["ticket"]}
    other = next(n for n in (1, 2) if f"{n:032x}" != item["decision"])

    by_bob = kept.programs("bob").post(f"{API}/decisions/{item['decision']}/label", json=said)
    on_other = kept.programs("ann").post(f"{API}/decisions/{other:032x}/label", json=said)

    assert (by_bob.status_code, on_other.status_code) == (422, 422)


def test_undo_takes_back_the_own_label(kept: Room) -> None:
    """An admin may say whose; a reviewer may not."""
    client, admin = kept.programs("ann"), kept.programs("eve")
    address = f"{API}/decisions/{FIRST}/label"
    client.post(address, json={"truth": "wrong"})

    refused = kept.programs("bob").delete(f"{address}?reviewer=ann")
    none = admin.delete(address)
    done = admin.delete(f"{address}?reviewer=ann")
    again = client.delete(address)

    statuses = [answer.status_code for answer in (refused, none, done, again)]
    assert statuses == [403, 404, 200, 404]
    assert kept.labels() == [("ann", "wrong", False)]
    assert len(kept.counted.taken) == 1


def test_remarks_by_http(kept: Room) -> None:
    """After the own label, by position of the claim."""
    client = kept.programs()
    address = f"{API}/decisions/{FIRST}"
    before = client.put(f"{address}/gate", json={"claims": [1]})
    client.post(f"{address}/label", json={"truth": "wrong"})

    after = client.put(f"{address}/gate", json={"claims": [1], "missed": [[0, 2]]})

    assert (before.status_code, after.status_code) == (404, 200)
    row = client.get(address).json()["labels"][0]
    assert row["remarks"] == {"claims": [1], "missed": [[0, 2]]}
    for wrong in ({"claims": 1}, {"claims": ["1"]}, {"claims": [9]}, {"claims": [0] * 1_001}):
        assert client.put(f"{address}/gate", json=wrong).status_code == 422


@pytest.mark.parametrize(
    "said", [{"claims": [999]}, {"claims": [0]}, {"missed": [[900_000, 900_001]]}]
)
def test_who_has_not_labelled_learns_nothing_by_a_remark(
    kept: Room, said: dict[str, list[int]]
) -> None:
    """Neither that the decision is there, nor how many claims or characters it has."""
    client, page = kept.programs(), kept.signed_in()
    form = {
        "token": fields(page.get(PATH).text)["token"],
        "wrong_claim": [str(claim) for claim in said.get("claims", [])],
        "missed": "900000-900001" if "missed" in said else "",
    }

    told = [client.put(f"{API}/decisions/{one}/gate", json=said) for one in (FIRST, "none")]
    shown = [page.post(f"{PATH}/decision/{one}/gate", data=form) for one in (FIRST, "none")]

    for answers in (told, shown):
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].text == answers[1].text


def test_who_has_not_labelled_learns_nothing_by_undoing(kept: Room) -> None:
    """A decision without a label of theirs, and none at all, are the same to a reviewer."""
    client, page = kept.programs(), kept.signed_in()
    form = {"token": fields(page.get(PATH).text)["token"], "reviewer": "ann"}

    told = [client.delete(f"{API}/decisions/{one}/label") for one in (FIRST, "none")]
    shown = [page.post(f"{PATH}/decision/{one}/undo", data=form) for one in (FIRST, "none")]

    assert [answer.status_code for answer in told] == [404, 404]
    assert told[0].text == told[1].text
    assert [answer.status_code for answer in shown] == [303, 303]
    assert shown[0].headers["location"] == shown[1].headers["location"]


def test_remark_on_a_place_outside_the_answer_is_refused(kept: Room) -> None:
    """As in a label: what is told there could never be drawn."""
    client = kept.programs()
    address = f"{API}/decisions/{FIRST}"
    client.post(f"{address}/label", json={"truth": "wrong"})

    said = client.put(f"{address}/gate", json={"missed": [[0, 9_000]]})

    assert (said.status_code, said.json()["expected"]) == (422, "offsets from 0 to 35")


def test_progress_and_agreement_by_http(kept: Room) -> None:
    """Sides are for admins; agreement has its counts."""
    for name, truth in (("ann", "wrong"), ("bob", "correct")):
        kept.programs(name).post(f"{API}/decisions/{FIRST}/label", json={"truth": truth})

    told = kept.programs("ann").get(f"{API}/progress").json()
    full = kept.programs("eve").get(f"{API}/progress").json()

    assert told["progress"] == [{"week": "2024-05-06", "route": ROUTE, "labelled": 1, "waiting": 3}]
    assert [(row["side"], row["labelled"], row["waiting"]) for row in full["progress"]] == [
        ("blocked", 1, 2),
        ("accepted", 0, 2),
    ]
    [agreed] = told["agreement"]
    assert (agreed["decisions"], agreed["same"], agreed["kappa"]) == (1, 0, 0.0)
    assert agreed["counts"] == [["wrong", "correct", 1]]


def test_table_goes_out_and_comes_back(kept: Room) -> None:
    """As on the command line, under the name of whoever has the token."""
    client = kept.programs()
    out = client.get(f"{API}/labels.csv?count=3&route={ROUTE}")
    rows = list(csv.DictReader(io.StringIO(out.text)))
    for row in rows:
        row["truth"] = "wrong"
    rows.append({**rows[0], "decision": "unheard", "ticket": ""})
    rows.append({**rows[0], "truth": "maybe"})
    filled = io.StringIO()
    writer = csv.DictWriter(filled, rows[0])
    writer.writeheader()
    writer.writerows([*rows, rows[0]])

    headers = {"content-type": "text/csv"}
    told = client.post(f"{API}/labels.csv", content=filled.getvalue(), headers=headers)

    assert len(rows) == 5
    found = told.json()
    assert (found["stored"], found["labelled_before"], found["without_a_label"]) == (3, 1, 0)
    assert "truth: found 'maybe', expected wrong" in found["faults"][0]
    expected = "the id of a stored decision"
    assert found["faults"][1] == f"line 13: decision: found 'unheard', expected {expected}"
    assert len(kept.counted.given) == 3
    assert out.headers["content-type"] == "text/csv; charset=utf-8"
    assert "FLAGGED" not in out.text


def table_rows(client: TestClient, query: str = "") -> list[dict[str, str]]:
    """Return the rows of the table to fill in."""
    return list(csv.DictReader(io.StringIO(client.get(f"{API}/labels.csv{query}").text)))


def give_back(client: TestClient, rows: list[dict[str, str]]) -> Any:
    """Send rows as wrong answers; return what is told."""
    filled = io.StringIO()
    writer = csv.DictWriter(filled, rows[0])
    writer.writeheader()
    writer.writerows([{**row, "truth": "wrong"} for row in rows])
    headers = {"content-type": "text/csv"}
    return client.post(f"{API}/labels.csv", content=filled.getvalue().encode(), headers=headers)


def test_time_in_a_table_is_that_of_handing_it_out(kept: Room) -> None:
    """A row dated back would pass nothing over, whatever its reviewer left out before it."""
    client = kept.programs("ann")
    dated, own, without = table_rows(client, "?count=3")
    exported_ms = kept.clock.now_ms
    kept.clock.now_ms += 9_000

    told = give_back(
        client,
        [
            {**dated, "seen": "1990-01-01T00:00:00+00:00"},
            own,
            {**without, "seen": "1990-01-01T00:00:00+00:00", "ticket": ""},
        ],
    ).json()

    assert told["stored"] == 2
    [fault] = told["faults"]
    assert "ticket: found another one, expected that of this row" in fault
    seen = [shown_ms(kept, row["decision"]) for row in (dated, own, without)]
    assert seen == [None, exported_ms, exported_ms + 9_000]


def test_table_of_another_reviewer_has_no_tickets_for_one(kept: Room) -> None:
    """They are signed for whom they were handed to, as those of the page."""
    rows = table_rows(kept.programs("ann"), "?count=1")

    told = give_back(kept.programs("bob"), rows)

    assert told.status_code == 422
    assert "ticket" in told.json()["faults"][0]


def shown_ms(room: Room, decision: str) -> int | None:
    """Return when the one who labelled a decision is known to have been handed it."""
    found = room.store.show(decision)
    assert found is not None
    return found.labels[0]["seen_ms"] if found.labels else None


def test_table_is_bounded_in_bytes_and_comes_back(room: Room) -> None:
    """A thousand long answers are more than a worker should hold, or take back."""
    long = {
        f"{n:032x}": Texts(answers=('"' * 900_000,), question=None, passages=()) for n in (1, 2)
    }
    rows = [replace(made(decision(n)), u=n / 1000) for n in range(1, 5)]
    small = {f"{n:032x}": texts for n in (3, 4) if (texts := texts_of(decision(n)))}
    huge = Texts(answers=('"' * 2_500_000,), question=None, passages=())
    room.keep(*rows, texts={**long, **small, f"{3:032x}": huge})
    client = room.programs()

    first = client.get(f"{API}/labels.csv")
    told = give_back(client, table_rows(client))
    second = table_rows(client)

    assert len(first.content) <= 4_000_000
    assert told.json()["stored"] == 2
    assert [row["decision"] for row in second] == [f"{3:032x}"]


def test_session_takes_a_table_out_too(kept: Room) -> None:
    """The page has a link to it."""
    assert kept.signed_in().get(f"{PATH}/labels.csv?count=1").text.startswith("decision,route,")


@pytest.mark.parametrize("query", ["count=0", "count=x", "count=1001", "count=-1", "route=/other"])
def test_other_tables_are_refused(kept: Room, query: str) -> None:
    """A count is bounded, a route one of the policy; what was asked for is named."""
    said = kept.programs().get(f"{API}/labels.csv?{query}")

    key, _, value = query.partition("=")
    assert said.status_code == 422
    assert said.json()["found"] == f"{key} '{value}'"
    assert said.json()["advice"]


def test_table_of_too_many_labels_is_refused_whole(kept: Room) -> None:
    """Half of it stored and half not would leave nobody knowing which."""
    table = "decision,seen,truth\n" + f"{FIRST},2024-05-08,wrong\n" * 1_001

    said = kept.programs().post(
        f"{API}/labels.csv", content=table, headers={"content-type": "text/csv"}
    )

    assert said.status_code == 413
    assert kept.labels() == []


def test_table_that_is_none_says_so(kept: Room) -> None:
    """A fault of all rows is one of the request."""
    said = kept.programs().post(
        f"{API}/labels.csv", content="a,b\n1,2\n", headers={"content-type": "text/csv"}
    )

    told = said.json()
    assert (said.status_code, said.headers["content-type"]) == (422, "application/problem+json")
    assert told["faults"][0].startswith("line 1: found no column decision, seen, truth")
    assert (told["stored"], told["status"]) == (0, 422)
    assert told["faults"][0] in told["found"]
    assert told["advice"]


@pytest.mark.parametrize(
    ("rest", "said", "status", "found", "expected"),
    [
        ("/decisions/nope/label", {"truth": "wrong"}, 404, "decision 'nope'", "the id of"),
        (f"/decisions/{FIRST}/gate", {"claims": [99]}, 422, "claims 99", "positions from 0 to 1"),
        (f"/decisions/{FIRST}/gate", {"claims": 1}, 422, "claims 1", "a list of positions"),
        (f"/decisions/{FIRST}/gate", {"claims": ["x"]}, 422, "claims 'x'", "a list of positions"),
        (f"/decisions/{FIRST}/gate", {"claims": [-1]}, 422, "claims -1", "positions, counted"),
        (f"/decisions/{FIRST}/label?reviewer=bob", None, 403, "the label of 'bob'", "your own"),
        ("/nope", None, 404, "nothing at '/nope'", "one of /next, /decisions/ID, "),
        ("/next", None, 405, "'DELETE'", "GET"),
    ],
)
def test_refusal_quotes_what_was_sent(
    kept: Room, rest: str, said: object, status: int, found: str, expected: str
) -> None:
    """Who wrote the program finds the value in it, and what to write instead."""
    client = kept.programs()
    client.post(f"{API}/decisions/{FIRST}/label", json={"truth": "wrong"})
    method = "DELETE" if said is None else "PUT" if rest.endswith("gate") else "POST"

    told = client.request(method, f"{API}{rest}", json=said).json()

    assert (told["status"], told["found"]) == (status, found)
    assert told["expected"].startswith(expected)
    assert told["advice"]


def test_who_has_no_token_is_told_where_one_comes_from(kept: Room) -> None:
    """Without a header and with a wrong one, which is not repeated."""
    client = kept.client()

    without = client.get(f"{API}/next").json()
    wrong = client.get(f"{API}/next", headers={"authorization": "Bearer gkr_planted"}).json()

    assert (without["found"], wrong["found"]) == ("no bearer token", "no such token")
    assert without["advice"] == wrong["advice"]
    assert "gatekeeper review token NAME" in wrong["advice"]
    assert "planted" not in str(wrong)


@pytest.mark.parametrize(
    ("content", "media", "found"),
    [
        (b"{}", "text/plain", "content-type 'text/plain'"),
        (b"\xff", "application/json", "the byte 0xff at offset 0"),
        (b'{"truth": }', "application/json", "no JSON from character 10 on"),
    ],
)
def test_what_cannot_be_read_says_where(kept: Room, content: bytes, media: str, found: str) -> None:
    """The first byte or character that is amiss; none of the text around it."""
    address = f"{API}/decisions/{FIRST}/label"

    told = kept.programs().post(address, content=content, headers={"content-type": media}).json()

    assert told["found"] == found
    assert told["advice"]


@pytest.mark.parametrize(
    ("method", "rest", "allow"),
    [
        ("PUT", "/next", "GET"),
        ("GET", f"/decisions/{FIRST}/label", "POST, DELETE"),
        ("OPTIONS", "/labels.csv", "GET, POST"),
    ],
)
def test_other_methods_are_told_which(kept: Room, method: str, rest: str, allow: str) -> None:
    """To who is known; others learn of no address."""
    answer = kept.programs().request(method, f"{API}{rest}")

    assert (answer.status_code, answer.headers["allow"]) == (405, allow)
    assert "access-control-allow-origin" not in answer.headers


def test_surrogates_go_out_as_escapes(room: Room) -> None:
    """A text that no encoding holds is still one."""
    room.keep_usual(1)
    label(room.signed_in(), note="a")
    client = room.programs("bob")

    client.post(
        f"{API}/decisions/{FIRST}/label",
        content=json.dumps({"truth": "wrong", "note": "\ud800"}),
        headers={"content-type": "application/json"},
    )

    shown = client.get(f"{API}/decisions/{FIRST}")
    assert "\\\\ud800" in shown.text or "\\ud800" in shown.text
    assert room.signed_in("bob").get(f"{PATH}/decision/{FIRST}").status_code == 200
