"""The review page as an ASGI app: who may come in, what goes where, and what every response says.

Without a token there is a form to sign in with, the same for every address. Nothing of an answer
gets into an address, a log line or a fault.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote, urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from gatekeeper.asgi.paths import below
from gatekeeper.config.review import Reviewer
from gatekeeper.errors import InputError, StoreError
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.words import milliseconds, quoted
from gatekeeper.policy import Review
from gatekeeper.review.api import Api
from gatekeeper.review.bodies import Form, one, read_form
from gatekeeper.review.desk import Adjudications, Desk
from gatekeeper.review.hands import Hands
from gatekeeper.review.pages import Pages, html
from gatekeeper.review.people import People
from gatekeeper.review.refusals import RefusedError, unfit
from gatekeeper.review.seals import COOKIE, SESSION_S, Seal, Session, Sessions
from gatekeeper.review.visit import Visit, problem, see_other

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_STATIC = {"/review.css": "text/css; charset=utf-8", "/review.js": "text/javascript; charset=utf-8"}
_MOST_SIGN_IN_BYTES = 4_000

# What a wrong token waits, and how many may wait; a right one waits for nobody.
_PAUSE_S, _PAUSING = 1.0, 16

Endpoint = Callable[[Visit], Awaitable[Response]]
_Routes = tuple[tuple[str, re.Pattern[str], Endpoint], ...]


class Log(Protocol):
    """Takes events and errors; ``EventLog`` is one."""

    def notice(self, event: str, **facts: str | float) -> None:
        """Log an event."""
        ...

    def failed(self, event: str, error: BaseException, **facts: str | float) -> None:
        """Log an error by its type and place."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """Who may come in. ``pause_s`` is what a wrong token waits."""

    people: People
    seal: Seal
    sessions: Sessions
    pause_s: float = _PAUSE_S


class ReviewApp:
    """The page under ``path`` and all below it.

    Args:
        path: Where it is, without a mount prefix.
        desk: The store as reviewers have it.
        doors: Who may come in.
        log: Takes events.
    """

    def __init__(self, path: str, *, desk: Desk, doors: Doors, log: Log) -> None:
        self._path = path
        self._desk = desk
        self._doors = doors
        self._log = log
        self._store_hands = Hands(4, at_once=16)
        # Apart, so that who is not known keeps nobody from the store.
        self._door_hands = Hands(1, at_once=200)
        self._pausing = 0
        self._is_flooded = False
        self._pages = Pages(desk, doors.seal, self._store_hands)
        api = Api(desk, doors.seal, self._store_hands)
        self._page_routes = _page_routes(self._pages, api)
        self._api_routes = _api_routes(api)
        folder = files("gatekeeper.review") / "static"
        self._static = {name: (folder / name[1:]).read_bytes() for name in _STATIC}

    def close(self) -> None:
        """End threads and give connections back; blocking."""
        self._store_hands.close()
        self._door_hands.close()
        self._desk.close()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer an ``http`` request for the path or one below it."""
        request = Request(scope, receive)
        root = scope.get("root_path", "")
        rest = below(root, scope["path"])[len(self._path) :]
        base = quote(root + self._path)
        try:
            response = await self._response(request, base, "" if rest == "/" else rest)
        except ClientDisconnect:
            return
        for name, value in HEADERS.items():
            response.headers[name] = value
        await response(scope, receive, send)

    async def _response(self, request: Request, base: str, rest: str) -> Response:
        is_api = rest.startswith("/api/")
        try:
            return await (self._api if is_api else self._page)(request, base, rest)
        except ClientDisconnect:
            raise
        except RefusedError as error:
            refused = error
        except InputError as error:
            refused = unfit(error)
        except StoreError as error:
            self._log.failed("review_store_failed", error)
            advice = "nothing is lost; try again"
            found, expected = "no outcome store that answers", "one that does"
            refused = RefusedError(503, found, expected, advice, {"retry-after": "5"})
        except Exception as error:  # noqa: BLE001 - its text may quote what was shown
            self._log.failed("review_failed", error)
            refused = RefusedError(500, "an error of the page", "none", "see the log")
        if is_api:
            return problem(refused)
        return html(self._pages.refused(base, refused), refused.status, refused.headers)

    async def _api(self, request: Request, base: str, rest: str) -> Response:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        person = None
        if scheme.lower() == "bearer":
            person = await self._person(token.strip())
        if person is None:
            asks = {"www-authenticate": "Bearer"}
            expected = "authorization: Bearer TOKEN with a reviewer's token"
            found = "no such token" if scheme.lower() == "bearer" else "no bearer token"
            advice = "have one made: gatekeeper review token NAME"
            raise RefusedError(401, found, expected, advice, asks)
        session = Session(name=person.name, role=person.role)
        endpoint, id_ = _find(self._api_routes, request.method, rest.removeprefix("/api"))
        return await endpoint(Visit(request=request, session=session, base=base, id=id_))

    async def _page(self, request: Request, base: str, rest: str) -> Response:
        if rest in _STATIC and request.method in ("GET", "HEAD"):
            return Response(self._static[rest], media_type=_STATIC[rest])
        if request.method not in ("GET", "HEAD"):
            refuse_foreign(request)
        if (request.method, rest) == ("POST", "/sign-in"):
            return await self._sign_in(request, base)
        session = await self._session(request)
        if session is None:
            return self._closed(base)
        form: Form = {}
        if request.method == "POST":
            form = await read_form(request)
            if not self._doors.seal.holds(one(form, "token"), "form", session.id):
                advice = "go back, load the page again and repeat"
                raise RefusedError(403, "a form of another session", "one of yours", advice)
        if (request.method, rest) == ("POST", "/sign-out"):
            response = see_other(base)
            response.delete_cookie(COOKIE, path=base)
            return response
        endpoint, id_ = _find(self._page_routes, request.method, rest)
        return await endpoint(Visit(request=request, session=session, base=base, id=id_, form=form))

    async def _sign_in(self, request: Request, base: str) -> Response:
        form = await read_form(request, _MOST_SIGN_IN_BYTES)
        person = await self._person(one(form, "token").strip())
        if person is None:
            return self._closed(base, "This token is not known.")
        self._log.notice("reviewer_signed_in", reviewer=person.name, role=str(person.role))
        response = see_other(base)
        response.set_cookie(
            COOKIE,
            self._doors.sessions.open(person),
            max_age=SESSION_S,
            path=base,
            secure=request.scope.get("scheme") == "https",
            httponly=True,
            samesite="strict",
        )
        return response

    def _closed(self, base: str, fault: str = "") -> Response:
        """Return the page for who is not signed in, whatever they asked for."""
        return html(self._pages.sign_in(base, fault), 401, {"www-authenticate": "Bearer"})

    async def _session(self, request: Request) -> Session | None:
        cookie = request.cookies.get(COOKIE, "")
        read, by_name = self._doors.sessions.read, self._doors.people.by_name
        return await self._door_hands.run(lambda: read(cookie, by_name)) if cookie else None

    async def _person(self, token: str) -> Reviewer | None:
        """Return whose token it is; a wrong one waits, and only a few wrong ones may.

        So who guesses holds no more than that, and fills no log: of what is refused at once only
        the first is logged until none waits any more. Guessing isn't slowed by it, for each token
        is looked at; what keeps anybody from guessing one is its length.
        """
        person = await self._door_hands.run(lambda: self._doors.people.by_token(token))
        if person is not None:
            return person
        if self._pausing >= _PAUSING:
            if not self._is_flooded:
                self._is_flooded = True
                self._log.notice("reviewer_refused", waiting=self._pausing)
            found, expected = "too many wrong tokens at once", "a token that is known"
            raise RefusedError(429, found, expected, "try again", {"retry-after": "2"})
        self._log.notice("reviewer_refused")
        self._pausing += 1
        try:
            await asyncio.sleep(self._doors.pause_s)
        finally:
            self._pausing -= 1
            self._is_flooded = self._is_flooded and self._pausing > 0
        return None


def review_app(
    review: Review,
    *,
    secret: bytes,
    open_store: Callable[[], Store],
    routes: Callable[[], Sequence[str]],
    counters: Adjudications,
    log: Log,
) -> ReviewApp:
    """Return the page of a policy; nothing is connected yet.

    Args:
        review: What the policy says of the page.
        secret: The installation's secret.
        open_store: Opens the store.
        routes: Gives the paths of the running policy.
        counters: Count labels.
        log: Takes events.
    """
    seal = Seal(secret)
    people = People(Path(review.tokens), log.notice)
    sessions = Sessions(seal, lambda: datetime.now(UTC).timestamp())
    desk = Desk(
        open_store,
        routes=routes,
        counters=counters,
        now_ms=lambda: milliseconds(datetime.now(UTC)),
        key=seal.key,
    )
    doors = Doors(people=people, seal=seal, sessions=sessions)
    return ReviewApp(review.path, desk=desk, doors=doors, log=log)


def refuse_foreign(request: Request) -> None:
    """Refuse a form that a browser says comes from another site.

    What says nothing (no browser, or an origin withheld) has the form's own token to show.

    Raises:
        RefusedError: If it does.
    """
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin", "null")
    foreign = origin != "null" and _host(origin) != request.headers.get("host")
    if foreign if site is None else site not in ("same-origin", "none"):
        found, expected = "a form of another site", "one of this page"
        raise RefusedError(403, found, expected, "open the page by its own address")


def _host(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:  # half an address of IPv6
        return None


def _page_routes(pages: Pages, api: Api) -> _Routes:
    return (
        ("GET", re.compile(r""), pages.item),
        ("POST", re.compile(r"/label"), pages.label),
        ("GET", re.compile(r"/decision/([^/]{1,200})"), pages.decision),
        ("POST", re.compile(r"/decision/([^/]{1,200})/gate"), pages.remark),
        ("POST", re.compile(r"/decision/([^/]{1,200})/undo"), pages.undo),
        ("GET", re.compile(r"/progress"), pages.progress),
        ("GET", re.compile(r"/labels\.csv"), api.export),
    )


def _api_routes(api: Api) -> _Routes:
    return (
        ("GET", re.compile(r"/next"), api.next),
        ("GET", re.compile(r"/decisions/([^/]{1,200})"), api.decision),
        ("POST", re.compile(r"/decisions/([^/]{1,200})/label"), api.label),
        ("DELETE", re.compile(r"/decisions/([^/]{1,200})/label"), api.undo),
        ("PUT", re.compile(r"/decisions/([^/]{1,200})/gate"), api.remark),
        ("GET", re.compile(r"/progress"), api.progress),
        ("GET", re.compile(r"/labels\.csv"), api.export),
        ("POST", re.compile(r"/labels\.csv"), api.take_in),
    )


def _find(routes: _Routes, method: str, rest: str) -> tuple[Endpoint, str]:
    """Return the endpoint of a path and the decision named in it.

    Raises:
        RefusedError: If there is none, or not for this method.
    """
    method = "GET" if method == "HEAD" else method
    matches = [
        (known, found, endpoint)
        for known, pattern, endpoint in routes
        if (found := pattern.fullmatch(rest))
    ]
    if not matches:
        known_ones = ", ".join(dict.fromkeys(_address(pattern) for _, pattern, _ in routes))
        found_ = f"nothing at {quoted(rest)}"
        raise RefusedError(404, found_, f"one of {known_ones}", "go to one of these")
    for known, found, endpoint in matches:
        if known == method:
            return endpoint, "".join(found.groups())
    allowed = ", ".join(known for known, _, _ in matches)
    advice = f"send it by {allowed}"
    raise RefusedError(405, quoted(method), allowed, advice, {"allow": allowed})


def _address(pattern: re.Pattern[str]) -> str:
    """Return the addresses of a pattern as people write them."""
    return pattern.pattern.replace("([^/]{1,200})", "ID").replace("\\", "") or "/"
