"""Cookies and tickets: what was not signed here, for this use and person, is worth nothing."""

import base64
import json

import pytest

from gatekeeper.config.review import Reviewer
from gatekeeper.outcomes.words import Role
from gatekeeper.review.seals import SESSION_S, Seal, Session, Sessions
from tests.outcomes.made import KEY

ANN = Reviewer(name="ann", role=Role.REVIEW, sha256="a" * 64)
BOB = Reviewer(name="bob", role=Role.ADMIN, sha256="b" * 64)


class Door:
    """Sessions with a clock and people that tests change."""

    def __init__(self, key: bytes = KEY) -> None:
        self.now_s = 1_000.0
        self.people = {"ann": ANN, "bob": BOB}
        self.sessions = Sessions(Seal(key), lambda: self.now_s)

    def read(self, cookie: str) -> Session | None:
        """Read a cookie."""
        return self.sessions.read(cookie, self.people.get)


@pytest.fixture
def door() -> Door:
    """Return a door with two people."""
    return Door()


def test_any_worker_reads_what_one_gave(door: Door) -> None:
    """There is no state but the secret."""
    session = Door().read(door.sessions.open(ANN))

    assert session is not None
    assert (session.name, session.role, session.is_admin) == ("ann", Role.REVIEW, False)


def test_session_ends(door: Door) -> None:
    """A browser that was left open is nobody's for ever."""
    cookie = door.sessions.open(ANN)

    door.now_s += SESSION_S - 1
    assert door.read(cookie) is not None
    door.now_s += 1
    assert door.read(cookie) is None


def test_role_is_that_of_the_file(door: Door) -> None:
    """Who was an admin in the morning need not be one now."""
    cookie = door.sessions.open(BOB)
    door.people["bob"] = Reviewer(name="bob", role=Role.REVIEW, sha256=BOB.sha256)

    session = door.read(cookie)

    assert session is not None
    assert session.role is Role.REVIEW


@pytest.mark.parametrize("change", ["gone", "renewed"])
def test_token_that_is_gone_ends_its_sessions(door: Door, change: str) -> None:
    """Taking a line out of the file is how a token that leaked is stopped."""
    cookie = door.sessions.open(ANN)
    if change == "gone":
        del door.people["ann"]
    else:
        door.people["ann"] = Reviewer(name="ann", role=Role.REVIEW, sha256="c" * 64)

    assert door.read(cookie) is None


def test_forged_cookies_are_none(door: Door) -> None:
    """Another name, another key, another part, or no form at all."""
    own = door.sessions.open(ANN)
    said, _, signature = own.partition(".")
    facts = json.loads(base64.urlsafe_b64decode(f"{said}=="))
    as_bob = base64.urlsafe_b64encode(json.dumps(["bob", *facts[1:]]).encode()).decode()
    later = base64.urlsafe_b64encode(json.dumps(["ann", 10**15, facts[2]]).encode()).decode()
    deep = base64.urlsafe_b64encode(b"[" * 600).decode()

    for forged in (
        *("", ".", "x", said, f"{said}.", f"{said}.{signature[:-1]}", f"{as_bob}.{signature}"),
        *(f"{later}.{signature}", f"{said}.{'é' * 64}", f"{deep}.{signature}", f"{own}.x"),
        *("A" * 5_000, "bnVsbA==.x", "WzEsMiwzXQ==.x", f"{said[:-2]}.{signature}"),
        Door(b"another secret of an installation").sessions.open(ANN),
    ):
        assert door.read(forged) is None, forged[:40]


def test_signature_is_good_for_one_use() -> None:
    """A token of a form must not pass for a ticket; two facts are not one that joins them."""
    seal = Seal(KEY)

    assert seal.holds(seal.sign("form", "a", "b"), "form", "a", "b")
    assert not seal.holds(seal.sign("form", "a", "b"), "seen", "a", "b")
    assert not seal.holds(seal.sign("form", "a", "b"), "form", "ab")
    assert not seal.holds("\ud800", "form", "a", "b")


def test_key_is_not_the_secret() -> None:
    """Hashes in the store are made with the secret; no cookie may tell one of them."""
    assert Seal(KEY).key != KEY
