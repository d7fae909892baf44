"""Who comes in, and what every response says: closed by default, the same answer for all else."""

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from starlette.testclient import TestClient

from gatekeeper.outcomes.words import DAY_MS
from gatekeeper.review.app import HEADERS, ReviewApp
from gatekeeper.review.hands import Hands
from gatekeeper.review.people import People
from gatekeeper.review.refusals import RefusedError
from gatekeeper.review.seals import COOKIE
from tests.asgi.wire import Message, scope, silent, talk
from tests.review.room import FIRST, PATH, TOKENS, Room, fields, label

# Ends a test that would hang.
PATIENCE_S = 30.0
ADDRESSES = (
    *("", "/", "/progress", "/label", f"/decision/{FIRST}", "/decision/none", "/labels.csv"),
    *("/sign-out", "/api", "/x/y", "/decision/../label", "/%2e%2e/x", "//x"),
)
API = ("/next", f"/decisions/{FIRST}", "/decisions/none", "/progress", "/labels.csv", "/x", "//")


@pytest.fixture
def kept(room: Room) -> Room:
    """Return a room with decisions."""
    room.keep_usual()
    return room


def test_without_a_token_all_addresses_answer_the_same(kept: Room) -> None:
    """Not even whether a decision exists is told."""
    client = kept.client()
    pages = [
        client.request(method, f"{PATH}{rest}")
        for rest in ADDRESSES
        for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS")
    ]

    assert {page.status_code for page in pages} == {401}
    [text] = {page.text for page in pages}
    assert "Cups" not in text
    assert 'type="password"' in text


def test_without_a_token_the_interface_answers_the_same(kept: Room) -> None:
    """A cookie is none: a page of another site can send it along."""
    client = kept.signed_in()
    answers = [
        client.request(method, f"{PATH}/api{rest}")
        for rest in API
        for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS")
    ]

    assert {answer.status_code for answer in answers} == {401}
    [told] = {answer.text for answer in answers}
    assert "Bearer TOKEN" in told
    assert {answer.headers["content-type"] for answer in answers} == {"application/problem+json"}


@pytest.mark.parametrize("token", ["", "x", "gkr_token-of-anna", "\x7f", "x" * 900])
def test_wrong_token_opens_nothing(kept: Room, token: str) -> None:
    """Neither as a form nor as a header."""
    client = kept.client()

    said = client.post(f"{PATH}/sign-in", data={"token": token})
    client.headers["authorization"] = f"Bearer {token}"

    assert said.status_code == 401
    assert "set-cookie" not in said.headers
    assert client.get(f"{PATH}/api/next").status_code == 401


def test_hash_of_a_token_is_no_token(kept: Room) -> None:
    """Who reads the file, or a backup of it, is not let in by it."""
    sha256 = kept.tokens.read_text(encoding="utf-8").split('sha256 = "')[1][:64]

    assert kept.client().post(f"{PATH}/sign-in", data={"token": sha256}).status_code == 401


@pytest.mark.parametrize(
    ("address", "flags"),
    [
        ("http://gate.example", "HttpOnly; Max-Age=43200; Path={0}; SameSite=strict"),
        ("https://gate.example", "HttpOnly; Max-Age=43200; Path={0}; SameSite=strict; Secure"),
    ],
)
def test_cookie_stays_where_it_belongs(kept: Room, address: str, flags: str) -> None:
    """No script reads it, no other site or path gets it, and on https no plain line does."""
    client = kept.client(address=address)

    said = client.post(f"{PATH}/sign-in", data={"token": TOKENS["ann"]})

    name, _, rest = said.headers["set-cookie"].partition("=")
    assert (name, said.headers["location"]) == (COOKIE, PATH)
    assert rest.partition("; ")[2] == flags.format(PATH)
    assert TOKENS["ann"] not in said.headers["set-cookie"]


def test_mounted_page_links_to_itself(kept: Room) -> None:
    """Behind a prefix every address begins with it, and nothing opens without."""
    client = kept.signed_in(root="/outer")

    page = client.get(f"/outer{PATH}")

    assert page.status_code == 200
    assert f'action="/outer{PATH}/label"' in page.text
    assert f'href="{PATH}' not in page.text


def test_any_worker_takes_a_session(kept: Room) -> None:
    """Requests of one person go to all workers."""
    client = kept.signed_in()
    other = kept.worker()

    page = TestClient(other, "http://gate.example", cookies=client.cookies).get(PATH)

    assert page.status_code == 200
    other.close()


def test_token_that_is_taken_out_ends_its_sessions(kept: Room) -> None:
    """At the next request, and no longer than that."""
    client, other = kept.signed_in("ann"), kept.signed_in("bob")
    kept.admit("bob", "eve")

    assert client.get(PATH).status_code == 401
    assert other.get(PATH).status_code == 200


def test_file_that_can_not_be_read_lets_nobody_in(kept: Room) -> None:
    """A token may have been taken out of it; whoever runs the gate is told."""
    client = kept.signed_in()
    kept.tokens.write_text("[[reviewer", encoding="utf-8")

    assert client.get(PATH).status_code == 401
    assert [name for name, _ in kept.noted.events][-1] == "reviewers_unreadable"
    kept.tokens.unlink()
    assert client.get(PATH).status_code == 401
    kept.admit("ann")
    assert client.get(PATH).status_code == 200


def test_missing_file_is_told_once(kept: Room) -> None:
    """Any guess would write a line, and whoever comes would have the file looked for again."""
    kept.tokens.unlink()
    client = kept.client()

    for number in range(5):
        client.get(f"{PATH}/api/next", headers={"authorization": f"Bearer x{number}"})
    told = [name for name, _ in kept.noted.events].count("reviewers_unreadable")
    kept.admit("ann")
    back = client.post(f"{PATH}/sign-in", data={"token": TOKENS["ann"]})
    kept.tokens.unlink()
    gone = client.get(PATH)

    assert told == 1
    assert (back.status_code, gone.status_code) == (303, 401)
    assert [name for name, _ in kept.noted.events].count("reviewers_unreadable") == 2


def test_change_that_leaves_size_and_time_is_seen(kept: Room) -> None:
    """A copy may keep the time, and a role or a digit has the length of another."""
    people = People(kept.tokens, kept.noted.notice)
    assert people.by_name("ann") is not None
    before = kept.tokens.stat()

    text = kept.tokens.read_text(encoding="utf-8")
    kept.tokens.write_text(text.replace('"ann"', '"amy"'), encoding="utf-8")
    os.utime(kept.tokens, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert people.by_name("ann") is None


def test_session_ends_by_itself_and_by_hand(kept: Room) -> None:
    """A browser forgets the cookie; a cookie that was copied is good for twelve hours."""
    client = kept.signed_in()
    out = client.post(f"{PATH}/sign-out", data=fields(client.get(PATH).text))

    assert out.headers["set-cookie"].startswith(f'{COOKIE}=""')
    assert client.get(PATH).status_code == 401
    other = kept.signed_in()
    kept.clock.now_ms += DAY_MS // 2
    assert other.get(PATH).status_code == 401


def test_changed_cookie_opens_nothing(kept: Room) -> None:
    """Each character of it is signed."""
    client = kept.signed_in()
    value = client.cookies[COOKIE]

    for at in range(0, len(value), 7):
        changed = f"{value[:at]}{'A' if value[at] != 'A' else 'B'}{value[at + 1 :]}"
        client.cookies.set(COOKIE, changed, domain="gate.example", path=PATH)
        assert client.get(PATH, cookies=None).status_code == 401, at


def test_form_needs_the_token_of_its_session(kept: Room) -> None:
    """Another site can send a form, and knows no token; another reviewer knows their own only."""
    client, other = kept.signed_in("ann"), kept.signed_in("bob")
    own, foreign = fields(client.get(PATH).text), fields(other.get(PATH).text)

    for token in ("", "x", foreign["token"]):
        said = client.post(f"{PATH}/label", data={**own, "token": token, "truth": "wrong"})
        assert said.status_code == 403
    assert kept.labels() == []


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://evil.example"},
        {"origin": "http://gate.example.evil.example"},
        {"origin": "http://gate.example:8080"},
        {"origin": "//"},
        {"origin": "http://["},
        {"sec-fetch-site": "cross-site", "origin": "http://gate.example"},
    ],
)
@pytest.mark.parametrize("rest", ["label", "sign-in", "sign-out"])
def test_form_of_another_site_is_refused(kept: Room, headers: dict[str, str], rest: str) -> None:
    """Even with a token: signing somebody in as another is done that way."""
    client = kept.signed_in()
    form = {**fields(client.get(PATH).text), "truth": "wrong"}

    said = client.post(f"{PATH}/{rest}", data=form, headers=headers)

    assert said.status_code == 403
    assert kept.labels() == []


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "same-origin", "origin": "null"},
        {"origin": "http://gate.example"},
        {"origin": "null"},
    ],
)
def test_own_form_is_taken(kept: Room, headers: dict[str, str]) -> None:
    """Browsers that withhold the origin, as they are asked to, say null."""
    client = kept.signed_in()
    client.headers.update(headers)

    assert label(client).status_code == 303


def test_host_that_is_none_keeps_nobody_out(kept: Room) -> None:
    """What a proxy writes there is not looked into."""
    client = kept.client()

    said = client.post(f"{PATH}/sign-in", data={"token": TOKENS["ann"]}, headers={"host": "["})

    assert said.status_code == 303


def test_interface_needs_no_form_token(kept: Room) -> None:
    """No browser sends the token of a program by itself."""
    client = kept.programs()
    client.headers["sec-fetch-site"] = "cross-site"

    assert (
        client.post(f"{PATH}/api/decisions/{FIRST}/label", json={"truth": "wrong"}).status_code
        == 201
    )


def test_every_response_says_what_may_run(kept: Room) -> None:
    """Pages, faults, redirects, styles, JSON: none is left out, none is kept by a cache."""
    client, program = kept.signed_in(), kept.programs()
    answers = [
        *(client.get(f"{PATH}{rest}") for rest in ("", "/review.css", "/review.js", "/x")),
        *(label(client), kept.client().get(PATH), program.get(f"{PATH}/api/next")),
        *(program.get(f"{PATH}/api/x"), client.get(f"{PATH}/labels.csv")),
    ]

    for answer in answers:
        assert {**answer.headers}.items() >= HEADERS.items(), answer.url
    policy = dict(
        part.strip().split(" ", 1) for part in HEADERS["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_page_loads_nothing_from_elsewhere(kept: Room) -> None:
    """A style of another server knows who labels, and when."""
    texts = [
        kept.client().get(PATH).text,
        kept.signed_in().get(PATH).text,
        *(kept.client().get(f"{PATH}/review.{kind}").text for kind in ("css", "js")),
    ]

    for text in texts:
        assert "http:" not in text
        assert "https:" not in text
        assert " style=" not in text
        assert " on" + "click" not in text


@pytest.mark.parametrize(
    ("rest", "size"), [("sign-in", 4_001), ("label", 64_001), ("sign-out", 64_001)]
)
def test_large_form_is_not_read(kept: Room, rest: str, size: int) -> None:
    """What comes in is bounded, before anybody is known too."""
    client = kept.signed_in()

    said = client.post(f"{PATH}/{rest}", data={"token": "x" * size})

    assert said.status_code == 413
    assert "at most" in said.text


@pytest.mark.parametrize(
    ("content", "media", "status"),
    [
        (b"token=x", "text/plain", 415),
        (b"token=x", "multipart/form-data; boundary=x", 415),
        (b"\xff\xfe", "application/x-www-form-urlencoded", 400),
        (b"a=1&" * 3_000, "application/x-www-form-urlencoded", 400),
    ],
)
def test_other_bodies_are_refused(kept: Room, content: bytes, media: str, status: int) -> None:
    """A form is one, and few fields."""
    client = kept.signed_in()

    said = client.post(f"{PATH}/label", content=content, headers={"content-type": media})

    assert said.status_code == status


def test_body_that_does_not_end_is_given_up(kept: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who sends a byte now and then must not hold a place for ever."""
    monkeypatch.setattr("gatekeeper.review.bodies._PATIENCE_S", 0.0)

    messages = anyio.run(sign_in_by, kept.app, silent)

    assert messages[0]["status"] == 408


def test_client_that_leaves_gets_nothing(kept: Room) -> None:
    """There is nobody to answer, and nothing to log."""

    async def leave() -> Message:
        return {"type": "http.disconnect"}

    assert anyio.run(sign_in_by, kept.app, leave) == []
    assert kept.noted.events == []


async def sign_in_by(app: ReviewApp, receive: Callable[[], Awaitable[Message]]) -> list[Message]:
    """Send a form by what a server would receive; return what it is given to send."""
    messages: list[Message] = []
    form = [("content-type", "application/x-www-form-urlencoded")]

    async def send(message: Any) -> None:
        messages.append(message)

    await app(scope(f"{PATH}/sign-in", headers=form), receive, send)
    return messages


def test_work_that_waits_is_bounded() -> None:
    """A store that hangs holds so many requests and no more; what is done makes room."""
    hands = Hands(1, at_once=2)
    goes_on = threading.Event()

    async def crowd() -> list[object]:
        first, second = (asyncio.ensure_future(hands.run(goes_on.wait)) for _ in range(2))
        await asyncio.sleep(0)
        third = await asyncio.gather(hands.run(int), return_exceptions=True)
        second.cancel()
        goes_on.set()
        return [*third, await first, await hands.run(int)]

    refused, first, last = asyncio.run(crowd())

    assert isinstance(refused, RefusedError)
    assert (refused.status, first, last) == (503, True, 0)
    hands.close()


def test_wrong_tokens_wait_and_right_ones_do_not(kept: Room) -> None:
    """Guessing holds little and keeps nobody out: who has a token is never counted."""
    app = kept.worker(pause_s=3_600.0)
    refused: list[int] = []

    async def attack() -> int:
        async with anyio.create_task_group() as tasks:
            enough = anyio.Event()

            async def guess(number: int) -> None:
                refused.append(await ask(app, f"guess-{number}"))
                if len(refused) == 40 - 16:
                    enough.set()

            for number in range(40):
                tasks.start_soon(guess, number)
            with anyio.fail_after(PATIENCE_S):
                await enough.wait()
                status = await ask(app, TOKENS["ann"])
            tasks.cancel_scope.cancel()
        return status

    status = anyio.run(attack)
    logged = [facts for name, facts in kept.noted.events if name == "reviewer_refused"]
    app.close()

    assert status == 200
    assert {*refused} == {429}
    assert len(refused) == 40 - 16
    # Each that waits, and the flood once: a log that every guess writes to is one more to fill.
    assert logged == [*[{}] * 16, {"waiting": 16}]


def test_each_flood_of_wrong_tokens_is_logged(kept: Room) -> None:
    """The one of last night must not hide that of tonight."""
    app = kept.worker(pause_s=3_600.0)

    async def flood() -> None:
        async with anyio.create_task_group() as tasks:
            enough = anyio.Event()

            async def guess() -> None:
                await ask(app, "guess")
                enough.set()

            for _ in range(17):
                tasks.start_soon(guess)
            with anyio.fail_after(PATIENCE_S):
                await enough.wait()
            tasks.cancel_scope.cancel()

    for _ in range(2):
        anyio.run(flood)
    app.close()

    assert kept.noted.events.count(("reviewer_refused", {"waiting": 16})) == 2


async def ask(app: ReviewApp, token: str) -> int:
    """Ask for the next decision with a token; return the status."""
    sent = await talk(
        app,
        path=f"{PATH}/api/next",
        method="GET",
        headers=[("authorization", f"Bearer {token}")],
    )
    return sent.status


def test_nothing_of_a_token_or_an_answer_is_logged(
    kept: Room, caplog: pytest.LogCaptureFixture
) -> None:
    """Logs are read by more people than answers."""
    caplog.set_level(logging.DEBUG)
    client = kept.signed_in()
    label(client, note="planted-note")
    kept.client().post(f"{PATH}/sign-in", data={"token": "planted-token"})

    said = f"{caplog.text}{kept.noted.events}"
    assert "planted" not in said
    assert "Cups" not in said
    assert TOKENS["ann"] not in said
    assert ("reviewer_signed_in", {"reviewer": "ann", "role": "review"}) in kept.noted.events
    assert ("reviewer_refused", {}) in kept.noted.events
