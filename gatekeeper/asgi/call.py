"""What one gated request carries from its beginning to its decision."""

from typing import TYPE_CHECKING, NamedTuple

from gatekeeper.asgi.checks import Findings, Material, unchecked
from gatekeeper.asgi.evidence import Exchange, find_or_none
from gatekeeper.asgi.jsontext import Number, UncheckableError, parse
from gatekeeper.asgi.request import Receiver, values
from gatekeeper.asgi.response import Head
from gatekeeper.asgi.routes import Gated
from gatekeeper.asgi.rulings import REPLACED, Ruling
from gatekeeper.asgi.services import Services
from gatekeeper.core.decide import assigned
from gatekeeper.errors import UnavailableError
from gatekeeper.policy import Mode, Route
from gatekeeper.protocols import Control, Decision, Priority
from gatekeeper.verdict import Action, NotCheckedReason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import Receive, Scope, Send

# The answer's own evidence can be larger than the policy's bound; then its size is what counts.
_ONE_MORE = 1


class Wire(NamedTuple):
    """The three arguments of an ASGI application."""

    scope: "Scope"
    receive: "Receive"
    send: "Send"


class Call:
    """One gated request. ``enforced`` is None until it is known on which side of a share it is.

    ``is_settled`` becomes True when the decision is recorded.
    """

    def __init__(self, gated: Gated, services: Services, wire: Wire, control: Control) -> None:
        self.route = gated.route
        self.sources = gated.sources
        self.gate = gated.gate
        self.services = services
        self.scope = wire.scope
        self.send = wire.send
        self.receiver = Receiver(wire.receive, gated.request_limit)
        self.control = control
        self.id = services.new_id()
        self.enforced: bool | None = None
        self.is_settled = False
        self.taken = 0
        self.state: dict[str, object] = wire.scope.setdefault("state", {})
        self.state["gatekeeper"] = self.id
        services.telemetry.began(self.route.path, control.mode)

    @property
    def method(self) -> str:
        """The method of the request."""
        return str(self.scope["method"])

    @property
    def needs_request(self) -> bool:
        """True if a check can't do without the whole request body."""
        by_resolver = bool(self.sources.resolvers)
        return self.sources.read_request or by_resolver or self.route.question is not None

    @property
    def may_enforce(self) -> bool:
        """True unless it is already certain that nothing is held."""
        return (
            self.control.mode is Mode.ENFORCE
            and self.control.share > 0
            and self.enforced is not False
        )

    @property
    def is_assigned_early(self) -> bool:
        """True if the side is known before the app has run."""
        key = self.route.share_key
        return key is None or key.header is not None or self.control.share >= 1

    async def assign(self) -> bool:
        """Find out whether this request is enforced.

        One without a key is: leaving it out would be a way round.
        """
        if self.enforced is None:
            self.enforced = self.may_enforce
            if self.enforced and self.control.share < 1:
                key = await self.key()
                self.enforced = key is None or assigned(
                    self.services.secret, self.route.path, key, self.control.share
                )
        return self.enforced

    async def key(self) -> str | None:
        """Return the value of the route's share key, None if the request has none or several."""
        share_key = self.route.share_key
        if share_key is None:
            return None
        if share_key.header is not None:
            found = values(self.scope["headers"], share_key.header.lower().encode("latin-1"))
            # Sent twice it is nobody's: the app may read the first, and the client chose both.
            return found[0].decode("latin-1") or None if len(found) == 1 else None
        if share_key.state is not None:
            return _text(self.state.get(share_key.state))
        return await self._requested(share_key.request or "")

    def client(self) -> str:
        """Return the client's address, "" where the server knows none."""
        client = self.scope.get("client")
        return str(client[0]) if client else ""

    def material(self, head: Head, body: bytes) -> Material:
        """Gather what a check works on, as it is now: the app may change its state afterwards."""
        most = self.route.bounds.passages + _ONE_MORE
        state = {
            name: tuple(value[:most]) if isinstance(value, list) else value
            for name, value in self.state.items()
        }

        def exchange(response: bytes, answers: tuple[str, ...]) -> Exchange:
            return Exchange(
                path=self.scope["path"],
                query=self.scope.get("query_string", b""),
                headers=tuple((bytes(k).lower(), bytes(v)) for k, v in self.scope["headers"]),
                request=self.receiver.body(),
                response=response,
                answers=answers,
                state=state,
            )

        return Material(
            route=self.route,
            sources=self.sources,
            request=self.receiver.body,
            response=body,
            coding=head.coding,
            media=head.media,
            charset=head.charset,
            state=state,
            exchange=exchange,
        )

    def take_bytes(self, size: int) -> bool:
        """Take memory for this request unless the process holds too much already."""
        taken = self.services.ledger.take(size, self.route.bounds.process_bytes)
        self.taken += size if taken else 0
        return taken

    def give_back(self, size: int) -> None:
        """Give some memory of this request back."""
        size = min(size, self.taken)
        self.services.ledger.give(size)
        self.taken -= size

    def give_bytes(self) -> None:
        """Give back all memory of this request."""
        self.services.ledger.give(self.taken)
        self.taken = 0

    def record(
        self,
        ruling: Ruling,
        action: Action | None,
        *,
        would: Action | None = None,
        findings: Findings | None = None,
        added_s: float = 0.0,
        late: bool = False,
    ) -> None:
        """Count the decision; a second one for the same request is none.

        Args:
            ruling: Its verdict, and what the policy does with it.
            action: What was done; None where nothing was left to deliver.
            would: What would have been done, if not what the ruling says.
            findings: What the check cost.
            added_s: How long the response was held after the app's last byte.
            late: Whether it would have been unresolved, for want of time.
        """
        if self.is_settled:
            return
        self.is_settled = True
        found = findings or Findings()
        if action is None:
            would = Action.RELEASE  # nothing was there to be held back
        enforced = bool(self.enforced)
        self.services.telemetry.decided(
            Decision(
                id=self.id,
                route=self.route.path,
                mode=self.control.mode,
                enforced=enforced,
                verdict=ruling.verdict,
                action=action,
                would=would or ruling.action,
                check_s=found.usage.service_s,
                added_s=added_s,
                evidence_words=found.evidence_words,
                pairs=found.usage.pairs,
                pair_tokens=found.usage.pair_tokens,
                share=self.control.share,
                late=late,
                answers=found.texts if found.payload is None else found.payload.texts,
                evidence=found.evidence,
                released_early=found.released_early,
            )
        )
        if enforced and action is not None:
            self.services.controls.blocked(self.route, was_blocked=action in REPLACED)

    async def _requested(self, pointer: str) -> str | None:
        """Read a value out of the request, off the loop."""
        found: list[object] = []

        def steps() -> "Iterator[None]":
            document = parse(self.receiver.body(), depth=self.route.bounds.json_depth)
            found.append(find_or_none(document, pointer))
            yield

        try:
            await self.services.judge.run(steps(), priority=Priority.REPLY)
        except (UncheckableError, UnavailableError):
            return None
        return _text(found[0])


def record_off(route: Route, services: Services) -> None:
    """Count a request on a route that is off: begun and decided in one."""
    services.telemetry.began(route.path, Mode.OFF)
    services.telemetry.decided(
        Decision(
            id=services.new_id(),
            route=route.path,
            mode=Mode.OFF,
            enforced=False,
            verdict=unchecked(NotCheckedReason.OFF),
            action=Action.RELEASE,
            would=Action.RELEASE,
            check_s=0.0,
            added_s=0.0,
            evidence_words=0,
            pairs=0,
            pair_tokens=0,
        )
    )


def _text(value: object) -> str | None:
    if isinstance(value, Number):
        return value.text
    return str(value) if isinstance(value, (str, int)) else None
