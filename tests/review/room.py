"""A review page over a real store in a file, and people with tokens, for the tests of the page."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.records import Stored, Texts, texts_of
from gatekeeper.outcomes.store import Batch, Store
from gatekeeper.outcomes.words import Truth
from gatekeeper.review.app import Doors, ReviewApp
from gatekeeper.review.desk import Desk
from gatekeeper.review.people import People, digest
from gatekeeper.review.seals import Seal, Sessions
from tests.outcomes.made import KEY, NOON_MS, ROUTE, accepted, decision, made

PATH = "/gatekeeper/review"
TOKENS = {"ann": "gkr_token-of-ann", "bob": "gkr_token-of-bob", "eve": "gkr_token-of-eve"}
ROLES = {"ann": "review", "bob": "review", "eve": "admin"}
FIRST = f"{1:032x}"


@dataclass(slots=True)
class Counted:
    """Counters that keep what they count."""

    given: list[tuple[str, Side, Truth]] = field(default_factory=list)
    taken: list[tuple[str, Side, Truth]] = field(default_factory=list)

    def adjudicated(self, route: str, side: Side, truth: Truth) -> None:
        """Keep a label."""
        self.given.append((route, side, truth))

    def adjudication_retracted(self, route: str, side: Side, truth: Truth) -> None:
        """Keep what was taken back."""
        self.taken.append((route, side, truth))


@dataclass(slots=True)
class Noted:
    """A log that keeps events by name, with their facts, and errors by their type."""

    events: list[tuple[str, dict[str, str | float]]] = field(default_factory=list)

    def notice(self, event: str, **facts: str | float) -> None:
        """Keep an event."""
        self.events.append((event, facts))

    def failed(self, event: str, error: BaseException, **facts: str | float) -> None:
        """Keep an error."""
        self.events.append((event, {"error": type(error).__name__, **facts}))


class Clock:
    """A time that tests set."""

    def __init__(self) -> None:
        self.now_ms = NOON_MS + 60_000


def entry(name: str, role: str) -> str:
    """Return the entry of a person in the file."""
    return f'[[reviewer]]\nname = "{name}"\nrole = "{role}"\nsha256 = "{digest(TOKENS[name])}"\n'


class Room:
    """The page, its store, its people and all that is counted and logged."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder / 'outcomes.db'}"
        self.tokens = folder / "reviewers.toml"
        self.admit(*TOKENS)
        self.store = Store.open(self.url)
        self.counted, self.noted, self.clock = Counted(), Noted(), Clock()
        self.opened: list[Store] = []
        self.open_store: Callable[[], Store] = self._open
        self.app = self.worker()

    def admit(self, *names: str) -> None:
        """Write the file of the people."""
        text = "".join(entry(name, ROLES[name]) for name in names)
        self.tokens.write_text(text, encoding="utf-8")

    def worker(self, *, pause_s: float = 0.0) -> ReviewApp:
        """Return the page as one more worker has it; a wrong token waits for so long."""
        seal = Seal(KEY)
        desk = Desk(
            lambda: self.open_store(),  # noqa: PLW0108 - a test may change it
            routes=lambda: [ROUTE],
            counters=self.counted,
            now_ms=lambda: self.clock.now_ms,
            key=seal.key,
        )
        doors = Doors(
            people=People(self.tokens, self.noted.notice),
            seal=seal,
            sessions=Sessions(seal, lambda: self.clock.now_ms / 1000),
            pause_s=pause_s,
        )
        return ReviewApp(PATH, desk=desk, doors=doors, log=self.noted)

    def _open(self) -> Store:
        store = Store.open(self.url)
        self.opened.append(store)
        return store

    def keep(self, *rows: Stored, texts: dict[str, Texts] | None = None) -> None:
        """Put decisions into the store."""
        self.store.write(Batch(decisions=rows, texts=texts or {}))

    def keep_usual(self, count: int = 4) -> None:
        """Put blocked and accepted decisions with texts into the store, in the order of numbers."""
        given = [(decision if n % 2 else accepted)(n) for n in range(1, count + 1)]
        texts = {one.id: found for one in given if (found := texts_of(one))}
        rows = [replace(made(one), u=n / 1000, second=False) for n, one in enumerate(given)]
        self.keep(*rows, texts=texts)

    def client(self, *, root: str = "", address: str = "http://gate.example") -> TestClient:
        """Return a browser without a session."""
        return TestClient(self.app, address, root_path=root, follow_redirects=False)

    def signed_in(
        self, name: str = "ann", *, root: str = "", address: str = "http://gate.example"
    ) -> TestClient:
        """Return the browser of a person who is signed in."""
        client = self.client(root=root, address=address)
        said = client.post(f"{root}{PATH}/sign-in", data={"token": TOKENS[name]})
        assert said.status_code == 303, said.text
        return client

    def programs(self, name: str = "ann") -> TestClient:
        """Return a client of the HTTP interface."""
        client = self.client()
        client.headers["authorization"] = f"Bearer {TOKENS[name]}"
        return client

    def labels(self, number: int = 1) -> list[tuple[str, str, bool]]:
        """Return reviewer, truth and whether it is in force of the labels on a decision."""
        found = self.store.show(f"{number:032x}")
        assert found is not None
        return [(row["reviewer"], row["truth"], row["undone_ms"] is None) for row in found.labels]

    def close(self) -> None:
        """Give everything back."""
        self.app.close()
        self.store.close()
        for store in self.opened:
            store.close()


def fields(page: str) -> dict[str, str]:
    """Return the hidden fields of the first form with a ticket, else of the last one."""
    forms = re.findall(r"<form.*?</form>", page, re.DOTALL)
    form = next((one for one in forms if 'name="ticket"' in one), forms[-1])
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))


def label(client: TestClient, truth: str = "wrong", **more: str | Sequence[str]) -> Any:
    """Label the next decision as a browser without scripts does; return what it gets."""
    form = fields(client.get(PATH).text)
    return client.post(f"{PATH}/label", data={**form, "truth": truth, **more})
