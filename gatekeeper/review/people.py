"""Who may label, while workers run: the file is read again when it changes. Blocking."""

import hashlib
import hmac
from pathlib import Path
from threading import Lock

from gatekeeper.config.reader import Faults
from gatekeeper.config.review import Reviewer, read_reviewers
from gatekeeper.scheduler import Notice

# None of a file that is not there: a state as any other. ``_NEVER`` of one nobody has looked at.
_Stamp = tuple[int, int, int, int] | None
_NEVER: _Stamp = (-1, -1, -1, -1)


def digest(token: str) -> str:
    """Return what the file holds of a token; it has more than enough bits to need no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class People:
    """The people of a file. One that can't be read lets nobody in: a token may be gone from it.

    Args:
        path: The file.
        notice: Is told when it can't be used.
    """

    def __init__(self, path: Path, notice: Notice) -> None:
        self._path = path
        self._notice = notice
        self._turn = Lock()
        self._stamp = _NEVER
        self._people: tuple[Reviewer, ...] = ()

    def by_token(self, token: str) -> Reviewer | None:
        """Return whose token it is; takes as long for any wrong one."""
        given, found = digest(token), None
        for person in self._now():
            if hmac.compare_digest(person.sha256, given):
                found = person
        return found

    def by_name(self, name: str) -> Reviewer | None:
        """Return the person of a name."""
        return next((person for person in self._now() if person.name == name), None)

    def _now(self) -> tuple[Reviewer, ...]:
        with self._turn:
            stamp = self._look()
            if stamp != self._stamp:
                self._stamp, self._people = stamp, self._read()
            return self._people

    def _look(self) -> _Stamp:
        try:
            found = self._path.stat()
        except OSError:
            return None
        # The third changes with the rights too.
        return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino

    def _read(self) -> tuple[Reviewer, ...]:
        faults = Faults()
        people = read_reviewers(self._path, place=self._path.name, faults=faults)
        if faults.all:
            self._notice("reviewers_unreadable", faults=len(faults.all), file=self._path.name)
        return people
