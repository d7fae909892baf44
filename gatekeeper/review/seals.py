"""What the page hands out and believes when it comes back: sessions, forms, items. No state.

All is signed with a key made from the installation's secret, so any worker takes what another one
gave.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from gatekeeper.config.review import Reviewer
from gatekeeper.outcomes.words import Role

COOKIE = "gatekeeper_review"
SESSION_S = 12 * 3600

_LONGEST = 1_000
_SEEN = "seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A person who is signed in. ``id`` is what forms of this session are bound to, "" of none."""

    name: str
    role: Role
    id: str = ""

    @property
    def is_admin(self) -> bool:
        """True for who may see and undo what others said."""
        return self.role is Role.ADMIN


class Seal:
    """Signs facts for one use each, with HMAC-SHA256."""

    def __init__(self, secret: bytes) -> None:
        self.key = hmac.new(secret, b"gatekeeper review", hashlib.sha256).digest()

    def sign(self, use: str, *facts: str) -> str:
        """Return the signature, hexadecimal."""
        message = json.dumps([use, *facts]).encode()
        return hmac.new(self.key, message, hashlib.sha256).hexdigest()

    def holds(self, signature: str, use: str, *facts: str) -> bool:
        """Tell whether a signature is one of ours."""
        expected = self.sign(use, *facts).encode()
        return hmac.compare_digest(expected, signature.encode("utf-8", "surrogatepass"))

    def ticket(self, reviewer: str, decision: str, seen_ms: int) -> str:
        """Return what says that somebody was handed a decision at a time."""
        return self.sign(_SEEN, reviewer, decision, str(seen_ms))

    def is_ticket(self, ticket: str, reviewer: str, decision: str, seen_ms: int) -> bool:
        """Tell whether a ticket says that."""
        return self.holds(ticket, _SEEN, reviewer, decision, str(seen_ms))


class Sessions:
    """Makes and reads cookies; one is good until it expires, or its token is none any more.

    Args:
        seal: Signs them.
        now_s: The time, in seconds since 1970.
    """

    def __init__(self, seal: Seal, now_s: Callable[[], float]) -> None:
        self._seal = seal
        self._now_s = now_s

    def open(self, person: Reviewer) -> str:
        """Return the value of a cookie for a person who has shown their token."""
        expires_s = int(self._now_s()) + SESSION_S
        facts = [person.name, expires_s, secrets.token_hex(16)]
        said = base64.urlsafe_b64encode(json.dumps(facts).encode()).decode().rstrip("=")
        return f"{said}.{self._seal.sign('session', said, person.sha256)}"

    def read(self, cookie: str, by_name: Callable[[str], Reviewer | None]) -> Session | None:
        """Return the session of a cookie, None if it is none of ours, too old, or of nobody.

        Args:
            cookie: Its value.
            by_name: Finds a person as the file knows them now; their role is what holds.
        """
        said, _, signature = cookie.partition(".")
        facts = _facts(said) if len(cookie) <= _LONGEST else None
        if facts is None:
            return None
        name, expires_s, id_ = facts
        person = by_name(name)
        if person is None or not self._seal.holds(signature, "session", said, person.sha256):
            return None
        if self._now_s() >= expires_s:
            return None
        return Session(name=person.name, role=person.role, id=id_)


def _facts(said: str) -> tuple[str, int, str] | None:
    """Return name, end and id; nothing of it is believed before the signature is."""
    try:
        name, expires_s, id_ = json.loads(base64.urlsafe_b64decode(f"{said}=="))
    except (ValueError, TypeError, RecursionError):
        return None
    is_one = isinstance(name, str) and isinstance(expires_s, int) and isinstance(id_, str)
    return (name, expires_s, id_) if is_one else None
