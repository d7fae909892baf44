"""An enforced response: held from its start to its decision, then let go or replaced."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from gatekeeper.asgi import replies
from gatekeeper.asgi.checks import Findings, Material, unchecked
from gatekeeper.asgi.examine import Verdicts, while_held
from gatekeeper.asgi.jsontext import UncheckableError
from gatekeeper.asgi.rulings import REPLACED, Ruling, facts, rule
from gatekeeper.errors import UnavailableError
from gatekeeper.protocols import Priority
from gatekeeper.verdict import Action, NotCheckedReason, UnresolvedReason, Verdict, unresolved

if TYPE_CHECKING:
    from starlette.types import Message

    from gatekeeper.asgi.call import Call
    from gatekeeper.asgi.response import Head


_BODY_KEYS = frozenset({"type", "body", "more_body"})


class Hold:
    """Takes the messages of one response and answers in the app's place.

    Nothing is sent before the decision. The app's last message is taken only when the client has
    been sent everything, so that nothing waits for the app's background work.
    """

    def __init__(self, call: "Call", head: "Head", first: "Message") -> None:
        self._call = call
        self._head = head
        self._held: list[Message] = [first]
        self._after: Callable[[Message], Awaitable[None]] | None = None

    async def take(self, message: "Message") -> None:
        """Take one message after the start."""
        if self._after is not None:
            await self._after(message)
            return
        # A buffer that the app uses again must not change what is held.
        body = {"body": bytes(message["body"])} if "body" in message else {}
        if not _is_empty(message):
            self._held.append({**message, **body})
        reason = self._hindrance(message)
        if reason is not None:
            await self._settle((reason,), Findings())
        elif not message.get("more_body", False):
            await self._decide()

    async def refuse(self, reason: NotCheckedReason) -> None:
        """Decide without a check: the body is not one to read."""
        await self._settle((unchecked(reason),), Findings())

    def _hindrance(self, message: "Message") -> Verdict | None:
        """Return the verdict if this message makes a check impossible."""
        if message["type"] != "http.response.body":
            return unchecked(NotCheckedReason.MESSAGE_TYPE)
        size = len(message.get("body", b""))
        if self._call.taken + size > self._call.route.bounds.held_bytes:
            return unchecked(NotCheckedReason.SIZE)
        if not self._call.take_bytes(size):
            return unresolved(UnresolvedReason.OVERLOAD)
        return None

    async def _decide(self) -> None:
        """Check the answer and act on the verdict."""
        call = self._call
        began = call.services.clock()
        findings = Findings()
        body = b"".join(message.get("body", b"") for message in self._held)
        material = call.material(self._head, body)
        verdicts = await self._verdicts(material, findings)
        if verdicts[0].not_checked is NotCheckedReason.CLIENT_GONE:
            self._after = _swallow
            call.record(rule(call.route, verdicts), None, findings=findings)
            return
        await self._settle(verdicts, findings, material=material, began=began)

    async def _verdicts(self, material: Material, findings: Findings) -> Verdicts:
        """Check within what one client may have under way."""
        call = self._call
        most = call.route.max_in_flight_per_key
        if most is None:
            return await while_held(call, material, findings)
        key = f"{call.route.path} {await call.key() or call.client()}"
        if not call.services.ledger.enter(key, most):
            return (unresolved(UnresolvedReason.OVERLOAD),)
        try:
            return await while_held(call, material, findings)
        finally:
            call.services.ledger.leave(key)

    async def _settle(
        self,
        verdicts: Verdicts,
        findings: Findings,
        *,
        material: Material | None = None,
        began: float | None = None,
    ) -> None:
        """Act on verdicts: count first, for what is sent can't be called back."""
        call = self._call
        ruling = rule(call.route, verdicts)
        action, messages = await self._answer(ruling, findings, material)
        added_s = 0.0 if began is None else call.services.clock() - began
        call.record(ruling, action, would=action, findings=findings, added_s=added_s)
        self._after = _swallow if action in REPLACED else call.send
        try:
            await self._deliver(messages)
        finally:
            self._held = []
            call.give_bytes()

    async def _answer(
        self, ruling: Ruling, findings: Findings, material: Material | None
    ) -> tuple[Action, list["Message"]]:
        """Return what is done in the end, and the messages that do it."""
        route = self._call.route
        said = facts(self._call.id, ruling, route.expose)
        if ruling.action not in REPLACED and ruling.verdict.not_checked:
            return Action.RELEASE, self._held
        if self._is_as_it_came(ruling.action, findings, said):
            start = replies.released(self._head.start, said)
            return ruling.action, [start, *self._held[1:]]
        if ruling.action is not Action.BLOCK and material is not None:
            body = await self._rewrite(material, findings, ruling, said)
            if body is not None:
                return ruling.action, replies.changed(self._head, body, route, said)
        return Action.BLOCK, replies.blocked(route, self._head, said)

    def _is_as_it_came(self, action: Action, findings: Findings, said: dict[str, object]) -> bool:
        """Tell whether the body stays: also annotated, if there is nothing or no place to add."""
        if action is not Action.ANNOTATE:
            return action is Action.RELEASE
        has_place = findings.payload is not None and findings.payload.has_place
        return not (said and has_place)

    async def _rewrite(
        self, material: Material, findings: Findings, ruling: Ruling, said: dict[str, object]
    ) -> bytes | None:
        """Write the changed body; None if there is no place for a text in it.

        Off the loop, but for a light one: in a burst the way there takes longer than a budget.
        """
        written: list[bytes] = []
        steps = replies.rewrite(material, findings, ruling, said, written)
        try:
            if replies.is_light(material):
                deque(steps, maxlen=0)
            else:
                await self._call.services.judge.run(steps, priority=Priority.REPLY)
        except (UncheckableError, UnavailableError):
            return None
        return b"".join(written)

    async def _deliver(self, messages: list["Message"]) -> None:
        """Send, each message within its time.

        Raises:
            OSError: If the client takes too long, as servers raise for one that has gone.
        """
        for message in messages:
            async with asyncio.timeout(self._call.route.bounds.send_s):
                await self._call.send(message)


def _is_empty(message: "Message") -> bool:
    """Tell whether a message is a piece of a body with nothing in it and another to come."""
    is_body = message["type"] == "http.response.body" and set(message) <= _BODY_KEYS
    return is_body and not message.get("body") and bool(message.get("more_body"))


async def _swallow(message: "Message") -> None:
    """Take what has no place any more behind an answer of ours."""
